package label_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/remit-project/remit/label"
	"pgregory.net/rapid"
)

var (
	levels = []label.Trust{label.External, label.ToolOutput, label.User, label.Trusted}
	// everyRole includes that of an unclassified argument.
	everyRole = append([]label.Role{label.NoRole}, label.Roles()...)
)

func anyTrust() *rapid.Generator[label.Trust] { return rapid.SampledFrom(levels) }

func anyRole() *rapid.Generator[label.Role] { return rapid.SampledFrom(everyRole) }

// few draws sets with few members, often none, so that sets meet, miss and
// contain one another about equally often, and now and then any set at all.
func few[T ~uint32](bits int) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		var set T
		if rapid.Bool().Draw(t, "empty") {
			return set
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "bits") {
			set |= 1 << i
		}
		if rapid.IntRange(0, 7).Draw(t, "wide") == 0 {
			set |= 1 << rapid.IntRange(0, bits-1).Draw(t, "bit")
		}
		return set
	})
}

// shop has more tools than there are bits for.
var shop = label.NewClasses(shopTools()...)

func shopTools() []string {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("shop.tool%d", i))
	}
	return names
}

// anyOrigins draws sets of the classes that every deployment has, of tools with and
// without a bit, and of tools of other deployments.
func anyOrigins() *rapid.Generator[label.Origins] {
	names := []string{"system", "user", "model", "unknown", "shop.tool0", "shop.tool1", "shop.tool57", "shop.tool58", "shop.tool98", "shop.tool99", "desk.a", "desk.b", "…"}
	return rapid.Custom(func(t *rapid.T) label.Origins {
		var o label.Origins
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "origins") {
			o = o.Union(shop.Origin(name))
		}
		return o
	})
}

func anyObligations() *rapid.Generator[label.Obligations] { return few[label.Obligations](32) }

func anyLabel() *rapid.Generator[label.Label] {
	return rapid.Custom(func(t *rapid.T) label.Label {
		return label.Label{
			Origins:     anyOrigins().Draw(t, "origins"),
			Trust:       anyTrust().Draw(t, "trust"),
			Obligations: anyObligations().Draw(t, "obligations"),
		}
	})
}

func anyRequirement() *rapid.Generator[label.Requirement] {
	return rapid.Custom(func(t *rapid.T) label.Requirement {
		return label.Requirement{
			Role:      anyRole().Draw(t, "role"),
			Floor:     anyTrust().Draw(t, "floor"),
			Forbidden: anyOrigins().Draw(t, "forbidden"),
			Required:  anyObligations().Draw(t, "required"),
		}
	})
}

func anyCertificate() *rapid.Generator[label.Certificate] {
	return rapid.Custom(func(t *rapid.T) label.Certificate {
		return label.Certificate{
			Removes: anyObligations().Draw(t, "removes"),
			Roles:   label.RolesOf(rapid.SliceOfN(anyRole(), 0, 4).Draw(t, "roles")...),
			Max:     anyTrust().Draw(t, "max"),
		}
	})
}

// Trust is a total order, and what was forgotten is at its bottom.
func TestTrustOrder(t *testing.T) {
	for i, low := range levels {
		for j, high := range levels {
			if (low < high) != (i < j) {
				t.Errorf("%s < %s is %v", low, high, low < high)
			}
		}
	}
	var forgotten label.Trust
	if forgotten != label.External {
		t.Errorf("the zero trust is %s", forgotten)
	}
	if (label.Label{}).Trust != label.External {
		t.Error("the zero label has trust")
	}
}

func TestMergeByCases(t *testing.T) {
	web, mail, user := shop.Origin("shop.tool1"), shop.Origin("shop.tool99"), label.OriginsOf(label.OriginUser)
	for _, c := range []struct {
		name       string
		a, b, want label.Label
	}{
		{"trust is the worse one", label.Label{Trust: label.User}, label.Label{Trust: label.ToolOutput}, label.Label{Trust: label.ToolOutput}},
		{"origins add up", label.Label{Origins: web}, label.Label{Origins: mail}, label.Label{Origins: web.Union(mail)}},
		{"obligations add up", label.Label{Obligations: label.LowInfo}, label.Label{Obligations: label.Homoglyph}, label.Label{Obligations: label.LowInfo | label.Homoglyph}},
		{"one bad word spoils the sentence",
			label.Label{Origins: user, Trust: label.User},
			label.Label{Origins: web, Trust: label.External, Obligations: label.LowInfo},
			label.Label{Origins: user.Union(web), Trust: label.External, Obligations: label.LowInfo}},
		{"nothing adds nothing", label.Identity(), label.Label{Origins: web, Trust: label.User}, label.Label{Origins: web, Trust: label.User}},
	} {
		if got := label.Merge(c.a, c.b); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Merge is a semilattice with an identity, and below is its order.
func TestMergeIsASemilattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyLabel().Draw(t, "a"), anyLabel().Draw(t, "b"), anyLabel().Draw(t, "c")
		m := label.Merge(a, b)
		if m != label.Merge(b, a) {
			t.Fatal("merge does not commute")
		}
		if label.Merge(m, c) != label.Merge(a, label.Merge(b, c)) {
			t.Fatal("merge does not associate")
		}
		if label.Merge(a, a) != a {
			t.Fatal("merge is not idempotent")
		}
		if label.Merge(a, label.Identity()) != a {
			t.Fatal("the identity changes a label")
		}
		if m.Origins != a.Origins.Union(b.Origins) || m.Trust != min(a.Trust, b.Trust) || m.Obligations != a.Obligations|b.Obligations {
			t.Fatal("merge is not (union, min, union)")
		}
	})
}

// below is the order of labels: at most as trustworthy in every component, with at least the
// origins and obligations, and at most the trust.
func below(a, b label.Label) bool {
	return a.Trust <= b.Trust && a.Origins.Contains(b.Origins) && a.Obligations&b.Obligations == b.Obligations
}

// Below is a partial order, and merge its greatest lower bound.
func TestMergeIsTheGreatestLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyLabel().Draw(t, "a"), anyLabel().Draw(t, "b"), anyLabel().Draw(t, "c")
		m := label.Merge(a, b)
		if !below(m, a) || !below(m, b) {
			t.Fatal("a merge is better than one of its parts")
		}
		if below(c, a) && below(c, b) && !below(c, m) {
			t.Fatal("there is a greater lower bound than the merge")
		}
		if below(a, b) != (label.Merge(a, b) == a) {
			t.Fatal("below and merge disagree")
		}
		if !below(a, a) {
			t.Fatal("below is not reflexive")
		}
		if below(a, b) && below(b, a) && a != b {
			t.Fatal("below is not antisymmetric")
		}
		if below(a, b) && below(b, c) && !below(a, c) {
			t.Fatal("below is not transitive")
		}
	})
}

func TestCheckByCases(t *testing.T) {
	const pii = label.Obligations(1 << 10)
	web, mail, user, more := shop.Origin("shop.tool1"), shop.Origin("shop.tool99"), label.OriginsOf(label.OriginUser), label.OriginsOf(label.OriginMore)
	target := label.Requirement{Role: label.Target, Floor: label.User}
	for _, c := range []struct {
		name       string
		value      label.Label
		require    label.Requirement
		discharged label.Obligations
		want       label.Gap
	}{
		{"trust at the floor", label.Label{Trust: label.User}, target, 0, label.Gap{}},
		{"trust over the floor", label.Label{Trust: label.Trusted}, target, 0, label.Gap{}},
		{"trust just below the floor", label.Label{Trust: label.ToolOutput}, target, 0, label.Gap{Trust: true}},
		{"no floor", label.Label{}, label.Requirement{}, 0, label.Gap{}},
		{"a forbidden origin, however trusted", label.Label{Trust: label.Trusted, Origins: web.Union(user)}, label.Requirement{Forbidden: web}, 0, label.Gap{Forbidden: web}},
		{"another origin", label.Label{Trust: label.User, Origins: user}, label.Requirement{Forbidden: web}, 0, label.Gap{}},
		{"a forbidden origin without a bit", label.Label{Trust: label.User, Origins: mail.Union(user)}, label.Requirement{Forbidden: mail.Union(web)}, 0, label.Gap{Forbidden: mail}},
		{"another origin without a bit", label.Label{Trust: label.User, Origins: mail}, label.Requirement{Forbidden: shop.Origin("shop.tool98")}, 0, label.Gap{}},
		{"an origin whose name was not kept may be the forbidden one", label.Label{Trust: label.User, Origins: more.Union(user)}, label.Requirement{Forbidden: web}, 0, label.Gap{Forbidden: more}},
		{"and is none where nothing is forbidden", label.Label{Trust: label.User, Origins: more}, label.Requirement{}, 0, label.Gap{}},
		{"an obligation of the value", label.Label{Trust: label.User, Obligations: label.LowInfo}, target, 0, label.Gap{Open: label.LowInfo}},
		{"the obligation discharged", label.Label{Trust: label.User, Obligations: label.LowInfo}, target, label.LowInfo, label.Gap{}},
		{"another obligation discharged", label.Label{Trust: label.User, Obligations: label.LowInfo}, target, label.Homoglyph, label.Gap{Open: label.LowInfo}},
		{"an obligation of the argument", label.Label{Trust: label.User}, label.Requirement{Required: pii}, 0, label.Gap{Open: pii}},
		{"everything that is missing, not the first thing", label.Label{Origins: web, Obligations: label.LowInfo},
			label.Requirement{Floor: label.User, Forbidden: web, Required: pii}, 0, label.Gap{Trust: true, Forbidden: web, Open: label.LowInfo | pii}},
	} {
		got := label.Check(c.value, c.require, c.discharged)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got.None() != (c.want == label.Gap{}) {
			t.Errorf("%s: none = %v", c.name, got.None())
		}
	}
}

// Check is τ(v) ≥ floor ∧ O ∩ forbidden = ∅ ∧ B ∪ R ⊆ discharged, term by term
// as the paper writes it.
func TestCheckIsThePapers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, req, done := anyLabel().Draw(t, "value"), anyRequirement().Draw(t, "requirement"), anyObligations().Draw(t, "discharged")
		subset := func(a, b label.Obligations) bool {
			for i := range 32 {
				if bit := label.Obligations(1) << i; a&bit != 0 && b&bit == 0 {
					return false
				}
			}
			return true
		}
		allowed := true
		for _, name := range shop.Names(v.Origins) {
			allowed = allowed && !slices.Contains(shop.Names(req.Forbidden), name) && (name != "…" || req.Forbidden.Empty())
		}
		want := v.Trust >= req.Floor && allowed && subset(v.Obligations, done) && subset(req.Required, done)
		if got := label.Check(v, req, done).None(); got != want {
			t.Fatalf("check = %v, want %v", got, want)
		}
	})
}

// A worse value, a stricter argument, or fewer discharged obligations never
// turn a no into a yes.
func TestCheckIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, req, done := anyLabel().Draw(t, "value"), anyRequirement().Draw(t, "requirement"), anyObligations().Draw(t, "discharged")
		worse := label.Merge(v, anyLabel().Draw(t, "merged in"))
		strict := req
		strict.Floor = max(strict.Floor, anyTrust().Draw(t, "floor"))
		strict.Forbidden = strict.Forbidden.Union(anyOrigins().Draw(t, "forbidden"))
		strict.Required |= anyObligations().Draw(t, "required")
		fewer := done & anyObligations().Draw(t, "kept")
		if label.Check(worse, strict, fewer).None() && !label.Check(v, req, done).None() {
			t.Fatal("the worse of two cases is allowed, the better one is not")
		}
	})
}

// Lemma 1, non-expansive discharge: a certificate keeps the origins, serves its
// own roles only, raises at most to its greatest trust, and removes only the
// obligations that it names.
func TestCertificatesDoNotExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, c, r := anyLabel().Draw(t, "value"), anyCertificate().Draw(t, "certificate"), anyRole().Draw(t, "role")
		got := label.Apply(v, c, r)
		if got.Origins != v.Origins {
			t.Fatal("a certificate changed the origins")
		}
		if !c.Roles.Has(r) && got != v {
			t.Fatal("a certificate served a role that is not its own")
		}
		if got.Trust > v.Trust && got.Trust > c.Max {
			t.Fatalf("trust rose from %s to %s over %s", v.Trust, got.Trust, c.Max)
		}
		if got.Trust < v.Trust {
			t.Fatal("a certificate lowered trust")
		}
		if gone := v.Obligations &^ got.Obligations; gone&^c.Removes != 0 {
			t.Fatal("a certificate removed what it doesn't name")
		}
		if got.Obligations&^v.Obligations != 0 {
			t.Fatal("a certificate added obligations")
		}
		if label.Apply(got, c, r) != got {
			t.Fatal("a certificate gains by being applied twice")
		}
	})
}

func TestCertificateByCases(t *testing.T) {
	web := shop.Origin("shop.tool99")
	value := label.Label{Origins: web, Trust: label.External, Obligations: label.LowInfo | label.Homoglyph}
	c := label.Certificate{Removes: label.LowInfo, Roles: label.RolesOf(label.Target, label.Selector), Max: label.User}
	for _, x := range []struct {
		name  string
		value label.Label
		role  label.Role
		want  label.Label
	}{
		{"its role", value, label.Target, label.Label{Origins: web, Trust: label.User, Obligations: label.Homoglyph}},
		{"its other role", value, label.Selector, label.Label{Origins: web, Trust: label.User, Obligations: label.Homoglyph}},
		{"another role", value, label.Command, value},
		{"no role", value, label.NoRole, value},
		{"a value above its maximum", label.Label{Trust: label.Trusted}, label.Target, label.Label{Trust: label.Trusted}},
	} {
		if got := label.Apply(x.value, c, x.role); got != x.want {
			t.Errorf("%s: %+v, want %+v", x.name, got, x.want)
		}
	}
}
