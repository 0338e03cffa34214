package label_test

import (
	"encoding"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit/label"
	"pgregory.net/rapid"
)

// What is printed is read back as what it was, and nothing else is read.
func TestWordsRoundTrip(t *testing.T) {
	for i, name := range []string{"EXTERNAL", "TOOL_OUTPUT", "USER", "TRUSTED"} {
		roundTrip(t, name, label.Trust(i), new(label.Trust))
	}
	for i, name := range []string{"target", "command", "credential", "content", "selector", "control"} {
		roundTrip(t, name, label.Role(i+1), new(label.Role))
	}
	for i, name := range []string{"L0", "L1", "L2", "L3"} {
		roundTrip(t, name, label.Precision(i+1), new(label.Precision))
	}
}

func roundTrip[T interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
}, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, name string, value T, into P) {
	t.Helper()
	text, err := value.MarshalText()
	if err != nil || string(text) != name || value.String() != name {
		t.Errorf("%v is written %q, %v, and shown %q, want %q", value, text, err, value, name)
	}
	if err := into.UnmarshalText(text); err != nil || *into != value {
		t.Errorf("%q is read as %v, %v", text, *into, err)
	}
}

// A word is read exactly or not at all: no case folding, no blanks, no numbers,
// and what was there before stays when reading fails.
func TestWordsAreExact(t *testing.T) {
	for _, text := range []string{"", " ", "user", "User", "USER ", " USER", "USER\n", "TRUSTED,USER", "TOOL-OUTPUT", "Trust(2)", "2", "ＵＳＥＲ"} {
		trust := label.User
		if err := trust.UnmarshalText([]byte(text)); err == nil || trust != label.User {
			t.Errorf("trust %q is read as %s, %v", text, trust, err)
		} else if !strings.Contains(err.Error(), "write EXTERNAL") {
			t.Errorf("trust %q: the error does not say what to write: %v", text, err)
		}
	}
	for _, text := range []string{"", "none", "Target", "target ", "1"} {
		role := label.Command
		if err := role.UnmarshalText([]byte(text)); err == nil || role != label.Command {
			t.Errorf("role %q is read as %s, %v", text, role, err)
		}
	}
	for _, text := range []string{"", "l3", "L4", "L", "3"} {
		p := label.L2
		if err := p.UnmarshalText([]byte(text)); err == nil || p != label.L2 {
			t.Errorf("precision %q is read as %s, %v", text, p, err)
		}
	}
}

// Values that do not exist are not written as ones that do.
func TestWordsThatDoNotExist(t *testing.T) {
	if text, err := label.Trust(4).MarshalText(); err == nil {
		t.Errorf("trust 4 is written %q", text)
	}
	if text, err := label.Role(7).MarshalText(); err == nil {
		t.Errorf("role 7 is written %q", text)
	}
	for _, s := range []string{label.Trust(4).String(), label.Precision(9).String()} {
		if !strings.Contains(s, "(") {
			t.Errorf("a value that does not exist is shown as %q", s)
		}
	}
	if label.NoRole.String() != "none" || label.Role(99).String() != "none" {
		t.Error("a role that does not exist has a name")
	}
}

func FuzzUnmarshalText(f *testing.F) {
	for _, seed := range []string{"EXTERNAL", "TOOL_OUTPUT", "USER", "TRUSTED", "target", "selector", "L0", "L3", "", "\xff", "user"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var trust label.Trust
		var role label.Role
		var p label.Precision
		for _, w := range []interface {
			encoding.TextUnmarshaler
			fmt.Stringer
		}{&trust, &role, &p} {
			if err := w.UnmarshalText(text); err == nil && w.String() != string(text) {
				t.Fatalf("%q is read as %s", text, w)
			}
		}
	})
}

func TestRoles(t *testing.T) {
	for r, want := range map[label.Role]bool{
		label.NoRole: true, label.Target: true, label.Command: true, label.Credential: true,
		label.Content: false, label.Selector: false, label.Control: false,
	} {
		if r.AuthorityBearing() != want {
			t.Errorf("%s bears authority: %v", r, !want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		roles := rapid.SliceOf(rapid.SampledFrom(label.Roles())).Draw(t, "roles")
		set := label.RolesOf(roles...)
		for _, r := range everyRole {
			if set.Has(r) != slices.Contains(roles, r) {
				t.Fatalf("the set of %v has %s: %v", roles, r, set.Has(r))
			}
		}
		if again := label.RolesOf(set.List()...); again != set {
			t.Fatalf("%v is listed as %v", roles, set.List())
		}
	})
}

// Every source has a class of its own as long as there is room, keeps it, and is
// named by it.
func TestClassesRoundTrip(t *testing.T) {
	var c label.Classes
	fixed := map[string]label.Origins{"system": label.OriginSystem, "user": label.OriginUser, "config": label.OriginConfig, "model": label.OriginModel}
	for name, want := range fixed {
		if got := c.Origin(name); got != want {
			t.Errorf("class of %q = %b, want %b", name, got, want)
		}
	}
	seen := label.OriginSystem | label.OriginUser | label.OriginConfig | label.OriginModel | label.OriginUnknown
	for i := range 59 {
		name := fmt.Sprintf("mail.tool%d", i)
		o := c.Origin(name)
		if o == 0 || o&(o-1) != 0 || o&seen != 0 {
			t.Fatalf("class %d is %b, which is not one new bit", i, o)
		}
		seen |= o
		if again := c.Origin(name); again != o {
			t.Fatalf("class of %q changed", name)
		}
		if got := c.Names(o); !slices.Equal(got, []string{name}) {
			t.Fatalf("class of %q is named %q", name, got)
		}
	}
	if got := c.Names(label.OriginUser | label.OriginModel | c.Origin("mail.tool3")); !slices.Equal(got, []string{"user", "model", "mail.tool3"}) {
		t.Errorf("names = %q", got)
	}
	if got := c.Names(0); len(got) != 0 {
		t.Errorf("the empty set has names %q", got)
	}
}

// Sources beyond the number that fits share one class, which is sound: who
// forbids one of them forbids them all, and no class that is there already is
// given to a second source.
func TestClassesDegradeSoundly(t *testing.T) {
	var c label.Classes
	own := map[label.Origins]string{}
	for i := range 200 {
		name := fmt.Sprintf("tool%d", i)
		o := c.Origin(name)
		if o == label.OriginUnknown {
			if i < 59 {
				t.Fatalf("only %d sources have a class of their own", i)
			}
			continue
		}
		if other, taken := own[o]; taken || o == 0 || o&(label.OriginSystem|label.OriginUser|label.OriginConfig|label.OriginModel) != 0 {
			t.Fatalf("%s has the class of %s%s", name, other, c.Names(o))
		}
		own[o] = name
	}
	forbidden, value := c.Origin("tool150"), c.Origin("tool199")
	if label.Check(label.Label{Origins: value}, label.Requirement{Forbidden: forbidden}, 0).None() {
		t.Error("a source without a class of its own passes where another one is forbidden")
	}
	if got := c.Names(value); !slices.Equal(got, []string{"unknown"}) {
		t.Errorf("a shared class is named %q", got)
	}
}

// An unknown bit is named, never passed over.
func TestNamesOfUnknownBits(t *testing.T) {
	var c label.Classes
	if got := c.Names(1 << 40); len(got) != 1 {
		t.Errorf("names = %q", got)
	}
	var n label.ObligationNames
	if got := n.Names(1 << 20); len(got) != 1 {
		t.Errorf("names = %q", got)
	}
}

func TestObligationNames(t *testing.T) {
	var n label.ObligationNames
	for name, want := range map[string]label.Obligations{"low-info": label.LowInfo, "ambiguous-binding": label.AmbiguousBinding, "homoglyph": label.Homoglyph} {
		if got, err := n.Obligation(name); err != nil || got != want {
			t.Errorf("%s = %b, %v", name, got, err)
		}
	}
	seen := label.LowInfo | label.AmbiguousBinding | label.Homoglyph
	for i := range 29 {
		name := fmt.Sprintf("redact:%d", i)
		o, err := n.Obligation(name)
		if err != nil || o == 0 || o&(o-1) != 0 || o&seen != 0 {
			t.Fatalf("obligation %d is %b, %v, which is not one new bit", i, o, err)
		}
		seen |= o
		if got := n.Names(o); !slices.Equal(got, []string{name}) {
			t.Fatalf("%s is named %q", name, got)
		}
	}
	// Sharing a bit would let the discharge of one be the discharge of another.
	if o, err := n.Obligation("one too many"); err == nil {
		t.Errorf("one obligation too many is %b", o)
	}
	if o, err := n.Obligation("redact:7"); err != nil || !slices.Equal(n.Names(o), []string{"redact:7"}) {
		t.Errorf("a full table forgets what it had: %v", err)
	}
	if got := n.Names(label.LowInfo | label.Homoglyph); !slices.Equal(got, []string{"low-info", "homoglyph"}) {
		t.Errorf("names = %q", got)
	}
}

// Classes and names are shared by all sessions of a monitor.
func TestNamesAreSafeForConcurrentUse(t *testing.T) {
	var c label.Classes
	var n label.ObligationNames
	var wg sync.WaitGroup
	got := make([][]label.Origins, 8)
	for g := range got {
		wg.Go(func() {
			for i := range 70 {
				got[g] = append(got[g], c.Origin(fmt.Sprintf("tool%d", i%50)))
				c.Names(got[g][i])
				_, _ = n.Obligation(fmt.Sprintf("o%d", i%20))
				n.Names(1 << (i % 32))
			}
		})
	}
	wg.Wait()
	for g := range got {
		if !slices.Equal(got[g], got[0]) {
			t.Fatal("two goroutines have different classes for one name")
		}
	}
}
