package policydoc_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// locked is a lock with everything in it, and lockedText how it is written.
var locked = policydoc.Lock{
	Version:  policydoc.LockVersion,
	Stages:   map[string]policydoc.LockedStage{"find": {Model: "gpt", Prompt: "0f0f"}},
	Document: policydoc.LockedDocument{Name: "rules.md", Digest: "sha256:d"},
	Tools:    map[string]string{"desk/lend": "f1", "desk/find": "f2"},
	Routing:  "r",
	Sentences: map[string]policydoc.LockedSentence{
		"s-2": {Reason: "it is < a rule"},
		"s-1": {Tools: []string{"desk/lend"}},
	},
	Policies: map[string]map[string]policydoc.LockedPolicy{"desk/lend": {
		"five-books": {Sentences: []string{"s-1"}, Mapping: "m", Fields: map[string]string{"references": "h2", "description": "h1"},
			Rule: &policydoc.LockedRule{Made: "g", Fields: map[string]string{"require": "h3"}, Attempts: 2, Killed: 5, Contested: map[string]string{"six books": "the sentence allows it"}}},
		"be-kind": {Sentences: []string{}, Mapping: "m", Fields: map[string]string{}},
	}},
}

const lockedText = `{
  "document": {
    "digest": "sha256:d",
    "name": "rules.md"
  },
  "items": {
    "desk/lend": {
      "be-kind": {
        "fields": {},
        "mapping": "m",
        "sentences": []
      },
      "five-books": {
        "fields": {
          "description": "h1",
          "references": "h2"
        },
        "guard": {
          "attempts": 2,
          "contested": {
            "six books": "the sentence allows it"
          },
          "fields": {
            "require": "h3"
          },
          "killed": 5,
          "made": "g",
          "survived": 0
        },
        "mapping": "m",
        "sentences": ["s-1"]
      }
    }
  },
  "routing": "r",
  "sentences": {
    "s-1": {"tools":["desk/lend"]},
    "s-2": {"reason":"it is < a rule"}
  },
  "stages": {
    "find": {
      "model": "gpt",
      "prompt": "0f0f"
    }
  },
  "tools": {
    "desk/find": "f2",
    "desk/lend": "f1"
  },
  "version": 1
}
`

// TestLock writes a lock and reads it back.
func TestLock(t *testing.T) {
	got, err := locked.Marshal()
	must(t, err)
	if string(got) != lockedText {
		t.Errorf("got\n%s", got)
	}
	back, err := policydoc.ReadLock(got)
	must(t, err)
	if !reflect.DeepEqual(*back, locked) {
		t.Errorf("got %+v", back)
	}
}

// TestReadLock says what to do about what is not a lock.
func TestReadLock(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":         {"", "take it from version control"},
		"another version": {`{"version": 2}`, "version 2, and this is a remit that reads version 1"},
		"no version":      {`{}`, "version 0"},
		"a key twice":     {`{"version": 1, "version": 1}`, "take it from version control"},
		"an unknown key":  {`{"version": 1, "signature": "x"}`, `unknown field "signature"`},
		"another type":    {`{"version": 1, "items": []}`, "take it from version control"},
		"a merge":         {strings.Replace(lockedText, "  \"items\"", "<<<<<<< ours\n  \"items\"", 1), "keep either side"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := policydoc.ReadLock([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAConditionOfAPolicyThatIsNotEnforced(t *testing.T) {
	written := guard.Policy{Name: "five-books", Require: guard.Expression{Text: "args.books <= 5"}, Otherwise: label.Ask}
	changed := written
	changed.Require.Text = "args.books <= 6"
	generated := policydoc.LockedRule{Fields: policydoc.RuleFields(&written), NotEnforced: "no expression was found"}
	enforced := generated
	enforced.NotEnforced = ""
	for name, c := range map[string]struct {
		locked *policydoc.LockedRule
		policy guard.Policy
		want   bool
	}{
		"as it was generated":            {&generated, written, true},
		"changed by a person":            {&generated, changed, false},
		"without a condition":            {&generated, guard.Policy{Name: "five-books"}, false},
		"of a rule that decides":         {&enforced, written, false},
		"of a policy that nobody locked": {nil, written, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.locked.Partial(&c.policy); got != c.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}
