package label_test

import (
	"testing"

	"github.com/remit-project/remit/label"
	"pgregory.net/rapid"
)

var precisions = []label.Precision{label.L0, label.L1, label.L2, label.L3}

// anyArgument draws an argument whose certified label came from certificates,
// as it does in a decision.
func anyArgument() *rapid.Generator[label.Argument] {
	return rapid.Custom(func(t *rapid.T) label.Argument {
		a := label.Argument{Require: anyRequirement().Draw(t, "requirement"), Value: anyLabel().Draw(t, "value")}
		a.Certified = a.Value
		for _, c := range rapid.SliceOfN(anyCertificate(), 0, 2).Draw(t, "certificates") {
			a.Certified = label.Apply(a.Certified, c, a.Require.Role)
			if c.Roles.Has(a.Require.Role) {
				a.Discharged |= c.Removes
			}
		}
		return a
	})
}

// allows reports whether a precision lets a call through: as one value, argument by argument, or
// argument by argument with certificates.
func allows(p label.Precision, args []label.Argument) bool {
	if p == label.L0 || p == label.L1 {
		return label.CheckWhole(p, args).None()
	}
	ok := true
	for _, a := range args {
		if p == label.L3 {
			ok = label.Check(a.Certified, a.Require, a.Discharged).None() && ok
		} else {
			ok = label.Check(a.Value, a.Require, 0).None() && ok
		}
	}
	return ok
}

// L0 ⊑ L1 ⊑ L2 ⊑ L3: whatever a coarser precision allows, every finer one
// allows as well.
func TestPrecisionsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(anyArgument(), 0, 5).Draw(t, "arguments")
		allowed := false
		for _, p := range precisions {
			ok := allows(p, args)
			if allowed && !ok {
				t.Fatalf("%s denies what a coarser precision allows", p)
			}
			allowed = ok
		}
	})
}

// Utility grows with precision, security does not shrink: an argument that L2
// blocks is blocked at L3 unless a certificate for its own role covers what is
// missing.
func TestFinerPrecisionNeedsACertificate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := label.Argument{Require: anyRequirement().Draw(t, "requirement"), Value: anyLabel().Draw(t, "value")}
		c := anyCertificate().Draw(t, "certificate")
		a.Certified = label.Apply(a.Value, c, a.Require.Role)
		valid := c.Roles.Has(a.Require.Role)
		if valid {
			a.Discharged = c.Removes
		}
		others := rapid.SliceOfN(anyArgument(), 0, 3).Draw(t, "other arguments")
		call := append([]label.Argument{a}, others...)
		gap := label.Check(a.Value, a.Require, 0)
		if gap.None() || !allows(label.L3, call) {
			return
		}
		if !valid {
			t.Fatal("an argument is let through without a certificate for its role")
		}
		if !gap.Forbidden.Empty() {
			t.Fatal("a certificate took away a forbidden origin")
		}
		if gap.Trust && c.Max < a.Require.Floor {
			t.Fatal("a certificate covers a floor above its maximum")
		}
		if gap.Open&^c.Removes != 0 {
			t.Fatal("a certificate covers an obligation that it does not name")
		}
	})
}

// A precision that nobody defined is as strict as the strictest.
func TestUnknownPrecision(t *testing.T) {
	const unknown = label.Precision(9)
	if unknown.Valid() || !label.PrecisionUnset.Valid() || !label.L3.Valid() {
		t.Error("an unknown precision is valid, or a known one isn't")
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(anyArgument(), 0, 5).Draw(t, "arguments")
		if got, want := label.CheckWhole(unknown, args), label.CheckWhole(label.L0, args); got != want {
			t.Fatalf("misses %+v, and %+v at L0", got, want)
		}
	})
}

// The four precisions on one call each: a mail to the user's own recipient with
// a text from a page, and so on.
func TestPrecisionsByCases(t *testing.T) {
	page := shop.Origin("shop.tool7")
	var (
		user     = label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User}
		external = label.Label{Origins: page, Trust: label.External}
		output   = label.Label{Origins: page, Trust: label.ToolOutput}
		doubtful = label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User, Obligations: label.LowInfo}
		target   = label.Requirement{Role: label.Target, Floor: label.User}
		selector = label.Requirement{Role: label.Selector, Floor: label.ToolOutput}
		content  = label.Requirement{Role: label.Content}
	)
	argument := func(r label.Requirement, v label.Label, c ...label.Certificate) label.Argument {
		a := label.Argument{Require: r, Value: v, Certified: v}
		for _, c := range c {
			a.Certified = label.Apply(a.Certified, c, r.Role)
			a.Discharged |= c.Removes
		}
		return a
	}
	directory := label.Certificate{Removes: label.LowInfo, Roles: label.RolesOf(label.Target), Max: label.User}
	const never = label.Precision(9)
	for _, c := range []struct {
		name string
		args []label.Argument
		from label.Precision // the coarsest that allows
	}{
		{"all from the user", []label.Argument{argument(target, user), argument(content, user)}, label.L0},
		{"a call without arguments", nil, label.L0},
		{"a record of a tool's where no argument asks for more", []label.Argument{argument(selector, output)}, label.L1},
		{"the user's recipient, a page's text", []label.Argument{argument(target, user), argument(content, external)}, label.L2},
		{"a page's text alone, where nothing is asked", []label.Argument{argument(content, external)}, label.L1},
		{"a page's recipient", []label.Argument{argument(target, external), argument(content, user)}, never},
		{"a recipient from the directory", []label.Argument{argument(target, external, directory), argument(content, user)}, label.L3},
		{"a doubtful recipient", []label.Argument{argument(target, doubtful)}, never},
		{"a doubtful recipient from the directory", []label.Argument{argument(target, doubtful, directory)}, label.L3},
		{"what one argument forbids", []label.Argument{argument(label.Requirement{Forbidden: page}, external), argument(content, user)}, never},
		{"one argument forbids what another holds", []label.Argument{argument(label.Requirement{Forbidden: page}, user), argument(content, external)}, label.L2},
		{"what one argument requires", []label.Argument{argument(label.Requirement{Required: 1 << 9}, user), argument(content, user)}, never},
		{"one recipient certified, another not", []label.Argument{argument(target, external, directory), argument(target, external)}, never},
	} {
		for _, p := range precisions {
			if got, want := allows(p, c.args), p >= c.from; got != want {
				t.Errorf("%s at %s: %v, want %v", c.name, p, got, want)
			}
		}
	}
}

// Checking a call that was resolved is what every call pays; it allocates
// nothing.
func TestChecksAllocateNothing(t *testing.T) {
	args := fiveArguments()
	for _, p := range precisions {
		if n := testing.AllocsPerRun(100, func() { allows(p, args) }); n != 0 {
			t.Errorf("%s: %v allocations", p, n)
		}
	}
}

func fiveArguments() []label.Argument {
	user := label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User}
	external := label.Label{Origins: label.OriginsOf(label.OriginModel).Union(shop.Origin("shop.tool7")), Trust: label.External}
	output := label.Label{Origins: shop.Origin("shop.tool7"), Trust: label.ToolOutput}
	return []label.Argument{
		{Require: label.Requirement{Role: label.Target, Floor: label.User}, Value: user, Certified: user},
		{Require: label.Requirement{Role: label.Content}, Value: external, Certified: external},
		{Require: label.Requirement{Role: label.Content}, Value: external, Certified: external},
		{Require: label.Requirement{Role: label.Selector, Floor: label.ToolOutput}, Value: output, Certified: output},
		{Require: label.Requirement{Role: label.Target, Floor: label.User}, Value: external,
			Certified: label.Label{Origins: external.Origins, Trust: label.User}, Discharged: label.LowInfo},
	}
}

func BenchmarkChecks(b *testing.B) {
	for _, p := range precisions {
		b.Run(p.String(), func(b *testing.B) {
			args := fiveArguments()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if allows(p, args) {
					n++
				}
			}
		})
	}
}
