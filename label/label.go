package label

// Label is what is known about where one value came from. The zero value is
// the least trusted label with no named origin.
type Label struct {
	// Origins are the classes of sources that may have influenced the value.
	Origins Origins
	// Trust is the least trust among those sources.
	Trust Trust
	// Obligations must each be discharged before the value reaches a sink.
	Obligations Obligations
}

// Merge combines the labels of two values that went into one:
// (∪, min, ∪). It is a semilattice: associative, commutative, idempotent.
func Merge(a, b Label) Label {
	return Label{
		Origins:     a.Origins.Union(b.Origins),
		Trust:       min(a.Trust, b.Trust),
		Obligations: a.Obligations | b.Obligations,
	}
}

// Identity returns the neutral element of [Merge]: no origin, the highest trust, no obligation.
// It is the label of nothing at all, where folding starts.
func Identity() Label { return Label{Trust: Trusted} }

// Requirement is what one argument asks of the value that fills it.
type Requirement struct {
	Role      Role
	Floor     Trust
	Forbidden Origins
	// Required obligations hold for every value here, whatever its label says
	// (for example a redaction before an egress).
	Required Obligations
}

// Gap names what a label lacks for a requirement. The zero value is not a gap.
type Gap struct {
	// Trust is set when the label's trust is below the floor.
	Trust bool
	// Forbidden are the origins that the requirement forbids, and [OriginMore]
	// where they may be among those of which no names were kept.
	Forbidden Origins
	// Open are the obligations that nothing has discharged.
	Open Obligations
}

// None reports whether nothing is missing.
func (g Gap) None() bool { return !g.Trust && g.Forbidden.Empty() && g.Open == 0 }

// Check is the argument check of PACT:
// τ(v) ≥ floor ∧ O ∩ forbidden = ∅ ∧ B ∪ R ⊆ discharged.
// It returns everything that is missing, not the first thing only.
func Check(v Label, req Requirement, discharged Obligations) Gap {
	return Gap{
		Trust:     v.Trust < req.Floor,
		Forbidden: forbidden(v.Origins, req.Forbidden),
		Open:      (v.Obligations | req.Required) &^ discharged,
	}
}

// forbidden returns the origins of a value that a requirement forbids. Among those
// whose names were not kept may be any of them.
func forbidden(have, forbid Origins) Origins {
	if forbid.Empty() {
		return Origins{}
	}
	out := have.Intersect(forbid)
	out.bits |= have.bits & (1 << OriginMore)
	return out
}

// Certificate raises one value, for the roles it names, at most to Max, and
// removes obligations. It is data: the procedure that
// issues it answers for it.
type Certificate struct {
	Removes Obligations
	Roles   RoleSet
	Max     Trust
	// Procedure is what issued it, and Basis says, in words, what that found.
	Procedure, Basis string
}

// Apply returns the label of a value after a certificate, in an argument of
// the given role. Non-expansive discharge (PACT, Lemma 1): the origins stay as
// they are, a role outside the certificate gains nothing, and trust rises at
// most to the certificate's greatest trust.
func Apply(v Label, c Certificate, r Role) Label {
	if !c.Roles.Has(r) {
		return v
	}
	v.Trust = max(v.Trust, c.Max)
	v.Obligations &^= c.Removes
	return v
}
