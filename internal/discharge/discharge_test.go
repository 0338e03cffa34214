package discharge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 7, 12, 0, 0, 0, time.UTC)

// compiled is an argument as decisions see it.
func compiled(t testing.TB, a contract.Arg) *contract.Argument {
	t.Helper()
	if a.Pattern == "" {
		a.Pattern = "/to"
	}
	f := &contract.File{Version: contract.Version, Server: "desk", Tools: []contract.Tool{{Name: "send", Effect: contract.Egress, Args: []contract.Arg{a}}}}
	tools, err := contract.Compile(f, contract.Defaults{Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := tools["send"].Variant("", false)
	argument, ok := v.Match(strings.ReplaceAll(a.Pattern, "*", "0"))
	if !ok {
		t.Fatalf("pattern %q matches nothing", a.Pattern)
	}
	return argument
}

// request asks for a value of external origin in an argument.
func request(a *contract.Argument, value string) Request {
	return Request{Tool: "desk\x00send", Pointer: "/to", Value: value, Argument: a,
		Resolved: &provenance.Resolution{Label: label.Label{Origins: label.OriginsOf(label.OriginModel), Trust: label.External}, How: "ambient"}}
}

// certified lists the procedures that answer a request.
func certified(r Request) (names []string, certs []label.Certificate) {
	for _, p := range Procedures() {
		if c, ok := p.Certify(r); ok {
			names, certs = append(names, c.Procedure), append(certs, c)
		}
	}
	return names, certs
}

// A value that was not listed, offered, validated or confirmed gets nothing.
func TestNothingIsCertifiedByDefault(t *testing.T) {
	for _, role := range append(label.Roles(), label.NoRole) {
		a := compiled(t, contract.Arg{Role: role, Floor: label.User, Discharge: []string{Allowlist, Directory, Lookup, Source, Validation, Confirmation}})
		r := request(a, "eve@evil.io")
		r.Confirmed = new(Confirmations).At(noon)
		if names, _ := certified(r); len(names) > 0 {
			t.Errorf("%s: certified by %q", role, names)
		}
	}
}

// An allowlist is a list of values: an exact match passes, and what only looks like an entry,
// contains it or is spelt otherwise does not.
func TestAllowlist(t *testing.T) {
	a := compiled(t, contract.Arg{Role: label.Target, Floor: label.User, Allow: []string{"ann@corp.com", "https://corp.com/", "/srv/*", "", "a\nb"}})
	for _, value := range []string{"ann@corp.com", "https://corp.com/", "/srv/*", "", "a\nb"} {
		c, ok := allowlist{}.Certify(request(a, value))
		if !ok {
			t.Errorf("%q is on the list and is not certified", value)
			continue
		}
		want := label.Certificate{Removes: doubts | label.Unrequested, Roles: label.RolesOf(label.Target), Max: label.Trusted}
		if c.Max != want.Max || c.Roles != want.Roles || c.Removes != want.Removes || c.Procedure != Allowlist || c.Basis == "" {
			t.Errorf("%q: %+v", value, c)
		}
	}
	for _, value := range []string{
		"ann@corp.com.evil.io", "x-ann@corp.com", "xann@corp.com", "ann@corp.co", "ann@corp.comm", "nn@corp.com", // longer and shorter
		"Ann@corp.com", "ANN@CORP.COM", "ann@Corp.com", // case
		"ann@c\u043erp.com", "\uff41nn@corp.com", "ann@corp\uff0ecom", "a\u200bnn@corp.com", "ann@corp.com\u200b", "ann\u00ad@corp.com", // look-alikes
		"ann@corp.com\n", "\nann@corp.com", "ann@corp.com\r\nBcc: eve@evil.io", "ann@corp.com\x00", "ann@corp.com\neve@evil.io", // lines
		" ann@corp.com", "ann@corp.com ", "ann@corp.com,eve@evil.io", "Ann <ann@corp.com>", "\"ann@corp.com\"",
		"https://corp.com", "https://corp.com/x", "https://corp.com/..", "http://corp.com/", "https://corp.com/\x00",
		"/srv/x", "/srv/", "/srv/**", "/srv/*/x", "*", ".*", "a", "b", "a\r\nb", "a\n\nb", "a b",
	} {
		if c, ok := (allowlist{}).Certify(request(a, value)); ok {
			t.Errorf("%q is certified: %+v", value, c)
		}
	}
	if _, ok := (allowlist{}).Certify(request(compiled(t, contract.Arg{Role: label.Target}), "")); ok {
		t.Error("an argument without a list certifies the empty value")
	}
}

// offers gives a request the certificates of fields of results.
func offers(a *contract.Argument, c ...provenance.Offer) Request {
	r := request(a, "ann@corp.com")
	r.Resolved.Offers = c
	return r
}

func TestFields(t *testing.T) {
	target := label.RolesOf(label.Target)
	directory := provenance.Offer{Procedure: Directory, Basis: "directory of search_contacts", Roles: target, Max: label.User}
	source := provenance.Offer{Procedure: Source, Basis: "source", Roles: target, Max: label.User}
	weak := provenance.Offer{Procedure: Lookup, Basis: "look-up", Roles: target, Max: label.ToolOutput}
	for _, c := range []struct {
		name   string
		arg    contract.Arg
		offers []provenance.Offer
		want   string // the basis; empty for none
		max    label.Trust
	}{
		{"a directory where the contract names no procedure", contract.Arg{Role: label.Target}, []provenance.Offer{directory}, directory.Basis, label.User},
		{"a directory where the contract names it", contract.Arg{Role: label.Target, Discharge: []string{Directory}}, []provenance.Offer{directory}, directory.Basis, label.User},
		{"a directory where the contract names others", contract.Arg{Role: label.Target, Discharge: []string{Confirmation, Lookup}}, []provenance.Offer{directory}, "", 0},
		{"a source must be named", contract.Arg{Role: label.Target}, []provenance.Offer{source}, "", 0},
		{"a source that is named", contract.Arg{Role: label.Target, Discharge: []string{Source}}, []provenance.Offer{source}, source.Basis, label.User},
		{"another role", contract.Arg{Role: label.Command}, []provenance.Offer{directory}, "", 0},
		{"no role", contract.Arg{}, []provenance.Offer{directory}, "", 0},
		{"the best of several", contract.Arg{Role: label.Target}, []provenance.Offer{weak, directory}, directory.Basis, label.User},
		{"the best of several, in another order", contract.Arg{Role: label.Target}, []provenance.Offer{directory, weak}, directory.Basis, label.User},
		{"the best that may be used", contract.Arg{Role: label.Target, Discharge: []string{Lookup}}, []provenance.Offer{directory, weak}, weak.Basis, label.ToolOutput},
		{"no offer", contract.Arg{Role: label.Target}, nil, "", 0},
	} {
		got, ok := fields{}.Certify(offers(compiled(t, c.arg), c.offers...))
		if ok != (c.want != "") {
			t.Errorf("%s: certified %v", c.name, ok)
			continue
		}
		if ok && (got.Basis != c.want || got.Max != c.max || got.Roles != target || got.Removes != doubts) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Validation serves amounts, dates and counts that no outsider had a hand in; it never picks an
// object or a recipient.
func TestValidation(t *testing.T) {
	bounded := func(trust label.Trust) *provenance.Resolution {
		return &provenance.Resolution{Label: label.Label{Trust: trust, Obligations: label.LowInfo}, How: "sum", Bounded: true}
	}
	unbounded := bounded(label.ToolOutput)
	unbounded.Bounded = false
	for _, c := range []struct {
		name     string
		arg      contract.Arg
		resolved *provenance.Resolution
		want     bool
	}{
		{"an amount", contract.Arg{Role: label.Control}, bounded(label.ToolOutput), true},
		{"a date in a text", contract.Arg{Role: label.Content}, bounded(label.ToolOutput), true},
		{"a number that picks an object", contract.Arg{Role: label.Selector}, bounded(label.ToolOutput), false},
		{"a number that is a recipient", contract.Arg{Role: label.Target}, bounded(label.User), false},
		{"a number that is run", contract.Arg{Role: label.Command}, bounded(label.User), false},
		{"a number that is a secret", contract.Arg{Role: label.Credential}, bounded(label.User), false},
		{"a number without a role", contract.Arg{}, bounded(label.User), false},
		{"a number from outside", contract.Arg{Role: label.Control}, bounded(label.External), false},
		{"what is not a plain number or date", contract.Arg{Role: label.Control}, unbounded, false},
		{"a contract that names others", contract.Arg{Role: label.Control, Discharge: []string{Confirmation}}, bounded(label.ToolOutput), false},
		{"a contract that names it", contract.Arg{Role: label.Control, Discharge: []string{Validation}}, bounded(label.ToolOutput), true},
	} {
		r := request(compiled(t, c.arg), "1200")
		r.Resolved = c.resolved
		got, ok := validation{}.Certify(r)
		if ok != c.want {
			t.Errorf("%s: certified %v", c.name, ok)
		}
		if ok && (got.Max != label.User || got.Removes != label.LowInfo || got.Roles.Has(label.Target) || got.Roles.Has(label.Selector)) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// A confirmation is for one value, one argument, one tool, and a quarter of an hour: the instant
// of its end is not part of it.
func TestConfirmationScope(t *testing.T) {
	to := contract.Arg{Pattern: "/to/*", Role: label.Target, Floor: label.User}
	a := compiled(t, to)
	var c Confirmations
	if err := c.Add("desk\x00send", a, "ann@corp.com", noon); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		change func(*Request)
		want   bool
	}{
		{"the same", func(*Request) {}, true},
		{"another member of the same list", func(r *Request) { r.Pointer = "/to/7" }, true},
		{"another value", func(r *Request) { r.Value = "eve@evil.io" }, false},
		{"a longer value", func(r *Request) { r.Value += ".evil.io" }, false},
		{"another case", func(r *Request) { r.Value = "Ann@corp.com" }, false},
		{"a line more", func(r *Request) { r.Value += "\n" }, false},
		{"no value", func(r *Request) { r.Value = "" }, false},
		{"another tool", func(r *Request) { r.Tool = "desk\x00post" }, false},
		{"a server's tool of the same name", func(r *Request) { r.Tool = "mail\x00send" }, false},
		{"another argument", func(r *Request) { r.Argument = compiled(t, contract.Arg{Pattern: "/cc/*", Role: label.Target}) }, false},
		{"an argument that no person may settle", func(r *Request) {
			r.Argument = compiled(t, contract.Arg{Pattern: "/to/*", Role: label.Target, Discharge: []string{Directory}})
		}, false},
		{"another session", func(r *Request) { r.Confirmed = new(Confirmations).At(noon) }, false},
		{"no session", func(r *Request) { r.Confirmed = Confirmed{} }, false},
		{"the last instant", func(r *Request) { r.Confirmed = c.At(noon.Add(ConfirmationLife - 1)) }, true},
		{"its end", func(r *Request) { r.Confirmed = c.At(noon.Add(ConfirmationLife)) }, false},
		{"a day later", func(r *Request) { r.Confirmed = c.At(noon.Add(24 * time.Hour)) }, false},
	} {
		r := request(a, "ann@corp.com")
		r.Confirmed = c.At(noon)
		x.change(&r)
		if _, ok := (confirmation{}).Certify(r); ok != x.want {
			t.Errorf("%s: certified %v", x.name, ok)
		}
	}
}

// What a person confirmed reaches the floor that was asked for, whatever it is,
// and settles every doubt about the value; it serves the role of its argument.
func TestConfirmationSettles(t *testing.T) {
	for _, floor := range []label.Trust{label.External, label.User, label.Trusted} {
		a := compiled(t, contract.Arg{Role: label.Credential, Floor: floor})
		var c Confirmations
		if err := c.Add("desk\x00send", a, "k", noon); err != nil {
			t.Fatal(err)
		}
		r := request(a, "k")
		r.Confirmed = c.At(noon)
		got, ok := confirmation{}.Certify(r)
		want := label.Certificate{Removes: label.LowInfo | label.AmbiguousBinding | label.Unrequested | label.Homoglyph, Roles: label.RolesOf(label.Credential), Max: max(label.User, floor), Procedure: Confirmation, Basis: got.Basis}
		if !ok || got != want {
			t.Errorf("floor %s: %+v, %v", floor, got, ok)
		}
	}
}

// A confirmation that is given again holds from then on; the list is bounded,
// and full it confirms nothing more and forgets nothing.
func TestConfirmationsAreBounded(t *testing.T) {
	a := compiled(t, contract.Arg{Role: label.Target, Floor: label.User})
	var c Confirmations
	for i := range maxConfirmations {
		if err := c.Add("t", a, fmt.Sprint(i), noon); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Add("t", a, "one more", noon); err == nil {
		t.Error("the list has no bound")
	}
	for value, want := range map[string]bool{"0": true, "4095": true, "one more": false} {
		r := request(a, value)
		r.Tool, r.Confirmed = "t", c.At(noon)
		if _, ok := (confirmation{}).Certify(r); ok != want {
			t.Errorf("%s: certified %v", value, ok)
		}
	}
	var again Confirmations
	_ = again.Add("t", a, "x", noon)
	_ = again.Add("t", a, "x", noon.Add(10*time.Minute))
	r := request(a, "x")
	r.Tool, r.Confirmed = "t", again.At(noon.Add(20*time.Minute))
	if _, ok := (confirmation{}).Certify(r); !ok {
		t.Error("a second confirmation does not count from when it was given")
	}
}

// Only a person can distinguish a look-alike from what it looks like.
func TestOnlyAPersonSettlesALookalike(t *testing.T) {
	a := compiled(t, contract.Arg{Role: label.Control, Floor: label.User, Allow: []string{"v"},
		Discharge: []string{Allowlist, Directory, Lookup, Source, Validation, Confirmation}})
	var confirmed Confirmations
	_ = confirmed.Add("desk\x00send", a, "v", noon)
	r := request(a, "v")
	r.Confirmed = confirmed.At(noon)
	r.Resolved = &provenance.Resolution{Label: label.Label{Trust: label.ToolOutput, Obligations: label.Homoglyph}, Bounded: true,
		Offers: []provenance.Offer{{Procedure: Directory, Roles: label.RolesOf(label.Control), Max: label.User}}}
	names, certs := certified(r)
	if len(names) != 4 {
		t.Fatalf("certified by %q: the case shows nothing", names)
	}
	for _, c := range certs {
		if (c.Removes&label.Homoglyph != 0) != (c.Procedure == Confirmation) {
			t.Errorf("%s removes %b", c.Procedure, c.Removes)
		}
	}
}

// Whatever is asked of whatever procedure: a certificate serves the argument's
// own role, names where it comes from, and does not expand (Lemma 1).
func TestCertificatesAreNarrow(t *testing.T) {
	trusts := rapid.SampledFrom([]label.Trust{label.External, label.ToolOutput, label.User, label.Trusted})
	roles := rapid.SampledFrom(append(label.Roles(), label.NoRole))
	names := rapid.SampledFrom([]string{Directory, Lookup, Source, Validation, Confirmation, Allowlist})
	offered := rapid.SampledFrom([]string{Directory, Lookup, Source})
	values := rapid.SampledFrom([]string{"a", "b", "a\n", "", "1200"})
	rapid.Check(t, func(rt *rapid.T) {
		a := compiled(t, contract.Arg{
			Role: roles.Draw(rt, "role"), Floor: trusts.Draw(rt, "floor"),
			Allow: rapid.SliceOfN(values, 0, 2).Draw(rt, "allow"), Discharge: rapid.SliceOfN(names, 0, 3).Draw(rt, "discharge"),
		})
		r := request(a, values.Draw(rt, "value"))
		r.Resolved.Label = label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: trusts.Draw(rt, "trust"), Obligations: label.Obligations(rapid.IntRange(0, 15).Draw(rt, "obligations"))}
		r.Resolved.Bounded = rapid.Bool().Draw(rt, "bounded")
		for range rapid.IntRange(0, 2).Draw(rt, "offers") {
			r.Resolved.Offers = append(r.Resolved.Offers, provenance.Offer{Procedure: offered.Draw(rt, "procedure"), Basis: "a record", Roles: label.RolesOf(roles.Draw(rt, "serves")), Max: trusts.Draw(rt, "max")})
		}
		var c Confirmations
		confirmed := values.Draw(rt, "confirmed")
		_ = c.Add(r.Tool, a, confirmed, noon)
		r.Confirmed = c.At(noon)
		_, certs := certified(r)
		for _, c := range certs {
			got := label.Apply(r.Resolved.Label, c, a.Role)
			switch {
			case !c.Roles.Has(a.Role):
				rt.Fatalf("%s serves another role than it was asked for", c.Procedure)
			case got.Origins != r.Resolved.Label.Origins:
				rt.Fatalf("%s changed the origins", c.Procedure)
			case got.Trust > max(r.Resolved.Label.Trust, c.Max):
				rt.Fatalf("%s raised above its maximum", c.Procedure)
			case c.Procedure != Allowlist && !a.Discharges(c.Procedure):
				rt.Fatalf("%s is not named by the contract", c.Procedure)
			case c.Removes&^(doubts|label.Unrequested|label.Homoglyph) != 0:
				rt.Fatalf("%s discharges what only the deployment can", c.Procedure)
			case c.Procedure == Allowlist && !a.Allows(r.Value), c.Procedure == Confirmation && confirmed != r.Value:
				rt.Fatalf("%s answers for another value", c.Procedure)
			case c.Basis == "":
				rt.Fatalf("%s gives no reason", c.Procedure)
			}
		}
	})
}
