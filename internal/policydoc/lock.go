package policydoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
)

// LockVersion is the version of the lock's format.
const LockVersion = 1

// lockLimits bound a lock: a hundred thousand sentences and as many fields of
// policies fit.
var lockLimits = strictjson.Limits{Size: 64 << 20, Depth: 16, Leaves: 2_000_000}

// Lock records what the files of a directory were made from: sentences, policies, rules
// and tests, by hash. With it, a later run repeats only what a change affects, and
// distinguishes edits from generated text.
type Lock struct {
	// Version is the version of the lock's format.
	Version  int            `json:"version"`
	Document LockedDocument `json:"document"`
	// Stages are the models and prompts of the last run, for people. Each policy has
	// a hash of its own.
	Stages map[string]LockedStage `json:"stages"`
	// Routing is a hash of the model and the prompt that assigned sentences to tools.
	Routing string `json:"routing"`
	// Tools are the fingerprints of the tools' definitions, by [Key].
	Tools map[string]string `json:"tools"`
	// Sentences are what became of each sentence of the document, by its id.
	Sentences map[string]LockedSentence `json:"sentences"`
	// Policies are the policies as they were generated, by tool [Key] and name.
	Policies map[string]map[string]LockedPolicy `json:"items"`
}

// NewLock returns the lock of an empty directory.
func NewLock() *Lock {
	return &Lock{Version: LockVersion, Stages: map[string]LockedStage{}, Tools: map[string]string{}, Sentences: map[string]LockedSentence{}, Policies: map[string]map[string]LockedPolicy{}}
}

// LockedStage is the model and the prompt of a stage.
type LockedStage struct {
	Model string `json:"model"`
	// Prompt is the version of the prompt: the beginning of its digest, with
	// "custom:" before it where it isn't the one that comes with Remit.
	Prompt string `json:"prompt"`
}

// LockedDocument identifies the document that the mapping was made of.
type LockedDocument struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// LockedSentence is what became of a sentence.
type LockedSentence struct {
	// Tools are the keys of the tools that it is about, in order.
	Tools []string `json:"tools,omitempty"`
	// Pending are the tools for which the sentence was not searched for policies yet.
	Pending []string `json:"pending,omitempty"`
	// Reason says why it is about no tool, or why no policy of those tools refers to
	// it.
	Reason string `json:"reason,omitempty"`
	// Suspicious is set if a model found that the sentence addresses the compiler.
	Suspicious bool `json:"suspicious,omitempty"`
}

// LockedPolicy is a policy as it was generated.
type LockedPolicy struct {
	// Sentences are the ids of the sentences that it refers to.
	Sentences []string `json:"sentences"`
	// Tools are the keys of the tools that share it, under [EveryTool].
	Tools []string `json:"tools,omitempty"`
	// Mapping is a hash of what the policy was made with: the tool's definition, the
	// models and the prompts. It is empty if the policy was not generated: people wrote
	// it, or it is gone and the next run removes its rule.
	Mapping string `json:"mapping"`
	// Fields are hashes of the generated fields: see [Policy.Fields].
	Fields map[string]string `json:"fields"`
	// Rule is nil if no rule was generated.
	Rule *LockedRule `json:"guard,omitempty"`
}

// LockedRule is a rule as it was generated.
type LockedRule struct {
	// Made is a hash of what the rule was made of: the policy's fields in the file, the
	// definitions of the tool and of its look-ups, the models and the prompts. It is
	// empty if the rule has to be made again.
	Made string `json:"made"`
	// Fields are hashes of the generated fields: see [RuleFields].
	Fields map[string]string `json:"fields"`
	// NotEnforced says why no condition decides; empty if one does.
	NotEnforced string `json:"not_enforced,omitempty"`
	// Attempts counts the requests for the rule.
	Attempts int `json:"attempts"`
	// Tests counts the tests that the rule passed, of which the file has those that say
	// something of their own.
	Tests int `json:"tests,omitempty"`
	// Killed and Survived count the mutants of the rule.
	Killed   int `json:"killed"`
	Survived int `json:"survived"`
	// Contested are the tests that were taken out because the second reading
	// contradicted them, by name, with its reason.
	Contested map[string]string `json:"contested,omitempty"`
	// Untested are the examples in words of the mapping that are not tests, by their
	// texts, with the reasons. The rule is held to all others.
	Untested map[string]string `json:"untested,omitempty"`
	// Unseen are the states that the rule compares with and that no result, definition or quotation of
	// the document shows a record to have.
	Unseen []string `json:"unseen,omitempty"`
}

// Partial reports whether a rule, as the guard file has it, is the condition of a policy that
// isn't enforced: it says only to which calls the policy applies.
func (r *LockedRule) Partial(p *guard.Policy) bool {
	return r != nil && r.NotEnforced != "" && !p.Require.Empty() && RuleFields(p)[fieldRequire] == r.Fields[fieldRequire]
}

// Key returns the name of a tool in the lock: SERVER/TOOL, or TOOL without a server.
func Key(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + "/" + tool
}

// ReadLock reads a lock.
func ReadLock(data []byte) (*Lock, error) {
	if bytes.Contains(data, []byte("\n<<<<<<<")) {
		return nil, errors.New("the lock has the conflict markers of a merge: keep either side of it, and compile again")
	}
	doc, err := strictjson.Parse(data, lockLimits)
	if err != nil {
		return nil, fmt.Errorf("the lock is not readable: %w; take it from version control, or remove it and compile again", err)
	}

	var of struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(doc.Canonical(), &of); err != nil || of.Version != LockVersion {
		return nil, fmt.Errorf("the lock has version %d, and this is a remit that reads version %d: use the remit that wrote it, or remove it and compile again", of.Version, LockVersion)
	}

	d := json.NewDecoder(bytes.NewReader(doc.Canonical()))
	d.DisallowUnknownFields()
	l := NewLock()
	if err := d.Decode(l); err != nil {
		return nil, fmt.Errorf("the lock is not valid: %w; take it from version control, or remove it and compile again", err)
	}

	// null replaces the empty maps.
	l.Stages, l.Tools, l.Sentences, l.Policies = some(l.Stages), some(l.Tools), some(l.Sentences), some(l.Policies)
	return l, nil
}

// some returns a map, or an empty one for nil.
func some[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// Marshal returns the lock as JSON, with sorted members and a line for each sentence
// and each hash, so that people can read its changes and git can merge them.
func (l *Lock) Marshal() ([]byte, error) {
	raw, err := strictjson.Encode(l)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := layOut(&b, raw, "\n", ""); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// layOut writes the members of an object, and of the objects in it, on a line each, and
// each sentence on one line.
func layOut(b *bytes.Buffer, raw json.RawMessage, line, path string) error {
	if raw[0] != '{' || strings.HasPrefix(path, "/sentences/") || string(raw) == "{}" {
		b.Write(raw)
		return nil
	}

	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}

	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := strictjson.Encode(name)
		if err != nil {
			return err
		}
		b.WriteString(line + "  " + string(key) + ": ")
		if err := layOut(b, members[name], line+"  ", path+"/"+name); err != nil {
			return err
		}
	}

	b.WriteString(line + "}")
	return nil
}
