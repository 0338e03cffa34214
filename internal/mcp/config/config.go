// Package config reads the configuration of the gateway, remit.yaml. It is read
// whole before anything starts: every mistake is reported with its place, and
// with what to write instead. docs/reference/gateway.md describes the file.
package config

import (
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/judge"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// Version is the version of the format that this package reads.
const Version = 1

// File is a configuration.
type File struct {
	// Listen is where clients connect over HTTP; nil for stdio.
	Listen *Listen
	// MetaKey and Idle are about sessions, see [mcp.HTTP].
	MetaKey string
	Idle    time.Duration
	// Contracts is the directory of contract files; empty for none.
	Contracts string
	// Policies is the directory of guard files; empty for none. PoliciesAt is its place in the
	// file.
	Policies   string
	PoliciesAt contract.Position
	// Judge answers what rules ask of the conversation; nil for none.
	Judge *judge.Judge
	// Store is where sessions are kept; empty for the process's memory. Queue
	// puts questions into its queue.
	Store string
	Queue bool
	Audit Audit
	Mode  mcp.Mode
	// Namespace puts the server's name before all names.
	Namespace bool
	// Elicit lets clients put questions to the person.
	Elicit bool
	// Notify is the command that is run when a question begins to wait.
	Notify []string
	Limits mcp.Limits
	// Precision, Sinks and Unprovoked are for contracts that don't say.
	Precision         label.Precision
	Sinks, Unprovoked contract.Mode
	// Mentions says whether values that the user only mentioned are asked about.
	Mentions contract.Mode
	Servers  []Server
}

// Audit is what happens to sessions and to the audit log in the store.
type Audit struct {
	// Retention is how long sessions are kept in which nothing happens any more;
	// zero for ever.
	Retention time.Duration
	// Head is how often the head of the audit log is written to it and logged;
	// zero for never.
	Head time.Duration
	// Redact are rules for secrets beside the default ones.
	Redact []store.Rule
}

// Listen is where and to whom the gateway is served.
type Listen struct {
	Address        string
	Token          string
	Hosts, Origins []string
	// TLS are the files of the server's TLS, OAuth whose access tokens are
	// accepted; nil for neither.
	TLS   *access.TLSFiles
	OAuth *access.OAuth
}

// Server is one server behind the gateway: a program, or an HTTP endpoint.
type Server struct {
	Name string
	// Position is the server's place in the file.
	Position contract.Position
	Command  []string
	// Env is the program's whole environment, as "NAME=value".
	Env []string
	Dir string
	URL string
	// Header are the fields of every request to the endpoint.
	Header map[string]string
	// Contract is a contract file of its own; empty for the one in Contracts.
	Contract string
	// Packs are the reviewed contracts for the server, by its command or by name.
	Packs   pack.Set
	Mode    mcp.Mode
	Tools   map[string]mcp.Mode
	Timeout time.Duration
}
