package policydoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// LockVersion is the version of the lock's form that is written and read here.
const LockVersion = 1

// lockLimits bound a lock: a hundred thousand sentences and as many fields of
// policies fit.
var lockLimits = strictjson.Limits{Size: 64 << 20, Depth: 16, Leaves: 2_000_000}

// Lock knows what the files beside it were made from: sentence, policy, rule and
// tests by hash. With it, a later run redoes only what a change touches, and
// tells what people edited from what was generated.
type Lock struct {
	// Version is that of the lock's own form.
	Version  int            `json:"version"`
	Document LockedDocument `json:"document"`
	// Stages are what each stage of the last run asked with, for people. What a
	// policy was made by is with it.
	Stages map[string]LockedStage `json:"stages"`
	// Routing is a hash of what sentences were assigned to tools by: the model and
	// the prompt.
	Routing string `json:"routing"`
	// Tools are the fingerprints of the tools' definitions, by [Key].
	Tools map[string]string `json:"tools"`
	// Sentences are where each sentence of the document went, by its id.
	Sentences map[string]LockedSentence `json:"sentences"`
	// Policies are the policies as they were generated, by tool [Key] and name.
	Policies map[string]map[string]LockedPolicy `json:"items"`
}

// NewLock is the lock of a directory into which nothing was compiled.
func NewLock() *Lock {
	return &Lock{Version: LockVersion, Stages: map[string]LockedStage{}, Tools: map[string]string{}, Sentences: map[string]LockedSentence{}, Policies: map[string]map[string]LockedPolicy{}}
}

// LockedStage is what a stage asked with.
type LockedStage struct {
	Model string `json:"model"`
	// Prompt is the version of the prompt: the beginning of its digest, with
	// "custom:" before it where it isn't the one that comes with Remit.
	Prompt string `json:"prompt"`
}

// LockedDocument is the document that the mapping was made of.
type LockedDocument struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// LockedSentence is where a sentence went.
type LockedSentence struct {
	// Tools are the keys of the tools that it says something about, in order.
	Tools []string `json:"tools,omitempty"`
	// Pending are those of which no policies were searched in it so far.
	Pending []string `json:"pending,omitempty"`
	// Reason says why it is about none, or why no policy of those tools refers
	// to it.
	Reason string `json:"reason,omitempty"`
	// Suspicious is set where the sentence seems to speak to whoever compiles
	// the document, as a model saw it.
	Suspicious bool `json:"suspicious,omitempty"`
}

// LockedPolicy is a policy as it was generated.
type LockedPolicy struct {
	// Sentences are the ids of those that it refers to.
	Sentences []string `json:"sentences"`
	// Mapping is a hash of what the policy was made by: the tool's definition, the
	// models and the prompts. It is empty where there only is a rule: of a policy
	// that people wrote, or of one that is gone and whose rule goes with the next
	// rules.
	Mapping string `json:"mapping"`
	// Fields are hashes of the policy's fields as they were generated, by their
	// keys in the mapping file.
	Fields map[string]string `json:"fields"`
	// Guard is its rule; nil where none was generated.
	Rule *LockedRule `json:"guard,omitempty"`
}

// LockedRule is a rule as it was generated.
type LockedRule struct {
	// Made is a hash of what it was made from and by: the policy's fields as they
	// stood in the file, the definitions of the tool and of those it may look
	// things up with, the models and the prompts. It is empty where the rule is to be
	// made anew.
	Made string `json:"made"`
	// Fields are hashes of its fields, by their keys in the guard file; the
	// examples are its tests.
	Fields map[string]string `json:"fields"`
	// NotEnforced says why there is no expression; empty where there is one.
	NotEnforced string `json:"not_enforced,omitempty"`
	// Attempts is how often the model was asked for the rule.
	Attempts int `json:"attempts"`
	// Killed and Survived count the mutants of the rule.
	Killed   int `json:"killed"`
	Survived int `json:"survived"`
	// Contested are the names of examples that the second reading judged
	// otherwise, with its reason; they are no tests.
	Contested map[string]string `json:"contested,omitempty"`
}

// Key names a tool in the lock: its name, with the server before it where there
// is one.
func Key(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + "/" + tool
}

// ReadLock reads a lock.
func ReadLock(data []byte) (*Lock, error) {
	if bytes.Contains(data, []byte("\n<<<<<<<")) {
		return nil, errors.New("the lock has the marks of a merge that git could not finish: keep either side of it, and compile again")
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
		return nil, fmt.Errorf("the lock is not one: %w; take it from version control, or remove it and compile again", err)
	}

	// null takes away what was there.
	l.Stages, l.Tools, l.Sentences, l.Policies = some(l.Stages), some(l.Tools), some(l.Sentences), some(l.Policies)
	return l, nil
}

// some is a map, or an empty one where there is none.
func some[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// Marshal writes the lock: members in the order of their names, and a line for
// each sentence and for each hash, so that changes of it can be read and merged.
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

// layOut writes the members of an object below each other, and those of objects
// in them; of what a sentence is, all in one line.
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
