package doctor

import (
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hook"
)

// Finding is something that a person should know about a server.
type Finding struct {
	// Code names the kind of finding, in one word.
	Code string `json:"code"`
	// Problem reports whether the server is not protected because of the finding, or
	// that it is could not be proven.
	Problem bool   `json:"problem"`
	Tool    string `json:"tool,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Diagnosis is the state of one server.
type Diagnosis struct {
	// File is the file that names the server, and Server its name there.
	File   string `json:"file"`
	Server string `json:"server"`
	// Behind is the server's name in contracts, if its gateway serves several.
	Behind string `json:"behind,omitempty"`
	// Own is set for a door of this program itself, which nobody has to go through.
	Own bool `json:"own,omitempty"`
	// Protected reports whether all canaries were denied, and no finding is a
	// problem.
	Protected bool `json:"protected"`
	// Tools counts the tools that the server offers, and Denied the canary calls
	// that were denied.
	Tools    int       `json:"tools"`
	Denied   int       `json:"denied"`
	Findings []Finding `json:"findings"`
	// Line is the line of the server in its file; zero if unknown.
	Line int `json:"-"`
}

func (d *Diagnosis) add(problem bool, code, tool, remedy, format string, args ...any) {
	d.Findings = append(d.Findings, Finding{code, problem, display.Line(tool), display.Line(fmt.Sprintf(format, args...)), display.Line(remedy)})
}

// settle finds out whether the server is protected, and puts problems first.
func (d *Diagnosis) settle() {
	d.Protected = d.Denied > 0 && !slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Problem })
	slices.SortStableFunc(d.Findings, func(a, b Finding) int {
		switch {
		case a.Problem == b.Problem:
			return 0
		case a.Problem:
			return -1
		}
		return 1
	})
}

// Unreadable returns the diagnosis of a file that can't be read: what it names is not proven to
// be protected.
func Unreadable(name, file string, err error) *Diagnosis {
	d := &Diagnosis{File: file, Server: name, Findings: []Finding{}}
	d.add(true, "unreadable", "", "correct it by hand: Remit writes to no file that it can't read", "%v", err)
	return d
}

// Unhooked returns the diagnosis of an agent that has none of Remit's hooks.
func Unhooked(agent *hook.Agent, file string) *Diagnosis {
	d := &Diagnosis{File: file, Server: agent.Title, Findings: []Finding{}}
	d.add(true, "unprotected", "", "install them: remit hook install "+agent.Name, "there are no hooks of Remit's")
	return d
}
