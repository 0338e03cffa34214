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

// Every source has a class of its own, however many there are, and is named by it.
func TestClassesRoundTrip(t *testing.T) {
	seen := map[label.Origins]string{}
	for _, name := range append([]string{"system", "user", "config", "model", "unknown", "…", "desk.of_another"}, shopTools()...) {
		o := shop.Origin(name)
		if o.Empty() || seen[o] != "" {
			t.Errorf("the class of %q is that of %q", name, seen[o])
		}
		seen[o] = name
		if got := shop.Names(o); !slices.Equal(got, []string{name}) {
			t.Errorf("the class of %q is named %q", name, got)
		}
	}
	all := label.OriginsOf(label.OriginUser, label.OriginModel).Union(shop.Origin("shop.tool99")).Union(shop.Origin("shop.tool3")).Union(shop.Origin("shop.tool98"))
	if got := shop.Names(all); !slices.Equal(got, []string{"user", "model", "shop.tool3", "shop.tool98", "shop.tool99"}) {
		t.Errorf("names = %q", got)
	}
	if got := shop.Names(label.Origins{}); len(got) != 0 {
		t.Errorf("the empty set has names %q", got)
	}
}

// Union, Intersect and Contains are those of sets of names.
func TestOriginsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyOrigins().Draw(t, "a"), anyOrigins().Draw(t, "b")
		in := func(o label.Origins, name string) bool { return slices.Contains(shop.Names(o), name) }
		contains := true
		for _, name := range shop.Names(a.Union(b)) {
			if !in(a, name) && !in(b, name) {
				t.Fatalf("the union has %q", name)
			}
			if in(a.Intersect(b), name) != (in(a, name) && in(b, name)) {
				t.Fatalf("the intersection has %q: %v", name, in(a.Intersect(b), name))
			}
			contains = contains && in(a, name)
		}
		if len(shop.Names(a.Union(b))) < max(len(shop.Names(a)), len(shop.Names(b))) {
			t.Fatal("the union lost a class")
		}
		if a.Contains(b) != contains {
			t.Fatalf("a contains b: %v", !contains)
		}
	})
}

// A tool can't have the name of a class that every deployment has, nor one that would
// be read as several.
func TestNamesOfToolsAreTheirOwn(t *testing.T) {
	for _, name := range []string{"system", "user", "config", "model", "unknown", "…"} {
		if got := shop.Origin(label.ToolOrigin("", name)); got == shop.Origin(name) {
			t.Errorf("a tool named %q is that class", name)
		}
	}
	if got := label.ToolOrigin("shop", "hr") + " " + label.ToolOrigin("", "hr"); got != "shop.hr hr" {
		t.Errorf("the classes of tools are %s", got)
	}
	for _, name := range []string{"", "a\x00b"} {
		if got := shop.Origin(name); got != label.OriginsOf(label.OriginMore) {
			t.Errorf("%q is %q", name, shop.Names(got))
		}
	}
}

// A bit that no class has is named, never passed over.
func TestNamesOfUnknownBits(t *testing.T) {
	var c label.Classes
	if got := c.Names(shop.Origin("shop.tool40")); !slices.Equal(got, []string{"…"}) {
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
	for i := range 28 {
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

// Names are shared by all sessions of a monitor.
func TestNamesAreSafeForConcurrentUse(t *testing.T) {
	var n label.ObligationNames
	var wg sync.WaitGroup
	got := make([][]label.Obligations, 8)
	for g := range got {
		wg.Go(func() {
			for i := range 70 {
				o, _ := n.Obligation(fmt.Sprintf("o%d", i%20))
				got[g] = append(got[g], o)
				n.Names(1 << (i % 32))
			}
		})
	}
	wg.Wait()
	for g := range got {
		if !slices.Equal(got[g], got[0]) {
			t.Fatal("two goroutines have different obligations for one name")
		}
	}
}
