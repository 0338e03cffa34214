package remit

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// steered reports whether someone other than the user and the deployment may have
// led the model to the call: by what it read, or, where the call's effect leaves
// the system, by a definition that no person reviewed.
func (x *deciding) steered() bool {
	heard := x.variant.Effect.Outward() && x.in.hearsay != nil
	return heard || x.readOthers()
}

// readOthers reports whether the model has read text that may have another author
// than the user and the deployment.
func (x *deciding) readOthers() bool {
	return x.ambient.Trust <= label.External || x.in.seen.Prose()
}

// heard lowers the values that nothing vouches for and that a definition may have
// suggested which no person reviewed: the targets of outward calls, and values that
// appear in the text of a definition.
func (x *deciding) heard() {
	h := x.in.hearsay
	if h == nil || x.ambient.Trust <= label.External {
		return
	}

	outward := x.variant.Effect.Outward()
	for i, a := range x.arguments {
		r, text := &x.resolved[i], x.leaves[i].Text
		if r.Witness || text == "" || x.in.seen.AgreedTo(text) || x.leaves[i].Kind != strictjson.String {
			continue
		}
		invented := outward && a.Role == label.Target
		fetched := a.Role == label.Command && provenance.Hosts(text)
		if invented || fetched || h.Has(text) {
			r.Label = label.Merge(r.Label, label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External})
			r.How = provenance.HowHeard
		}
	}
}

// sinks are the global rules: whatever role an argument was given, an
// address of external origin in an outward call needs a discharge.
func (x *deciding) sinks() {
	mode := x.bound.contract.Sinks
	if mode == contract.Off || !x.steered() {
		return
	}

	for i := range x.leaves {
		switch {
		case !x.d.Findings[i].Satisfied: // already named
		case x.checked[i].Certified.Trust <= label.External:
			x.option(mode, i)
			x.lineBreak(mode, i)
		case x.givesUnsaidRight(i):
			x.unsaidRight(mode, i)
		}
	}
	x.takesAlong(mode)
	if !x.variant.Effect.Outward() {
		x.contacts(mode)
		return
	}

	for i := range x.leaves {
		if x.d.Findings[i].Satisfied {
			x.outward(mode, i)
		}
	}
}

// outward looks for addresses and rights in an argument of an outward call.
func (x *deciding) outward(mode contract.Mode, i int) {
	r, a, text := &x.resolved[i], x.arguments[i], x.leaves[i].Text
	if open := r.Label.Obligations & (label.AmbiguousBinding | label.Homoglyph); open != 0 && !a.Role.AuthorityBearing() {
		x.ask(OpenObligation, x.leaves[i].Pointer, x.doubt(i, open), x.remedies(a)...)
		return
	}
	ordinary := r.Label.Obligations&label.LowInfo != 0 && !r.Unsaid
	if ordinary && a.Role == label.Control && provenance.Right(text) {
		x.unsaidRight(mode, i)
		return
	}

	if x.checked[i].Certified.Trust <= label.External {
		if x.in.seen.AnotherCount(x.act, memberName(lastSegment(x.leaves[i].place)), text) {
			x.global(mode, ExternalSink, x.leaves[i].Pointer,
				fmt.Sprintf("%s is another number than the user said of these", quote(text)),
				"use the number that the user said", "or "+confirming+" it")
			return
		}
		if a.Role == label.Content && x.in.seen.AnotherDay(x.act, text) {
			x.global(mode, ExternalSink, x.leaves[i].Pointer,
				fmt.Sprintf("%s is another day than any that the user said", quote(text)),
				"use the day that the user said", "or "+confirming+" it")
			return
		}
		x.sink(mode, i, text)
		return
	}

	// The address is in order; what it carries along may hold another, as a
	// redirection or a callback does.
	for _, p := range r.Parts {
		if !p.Authority && p.Label.Trust <= label.External {
			x.sink(mode, i, p.Text)
		}
	}
}

// givesUnsaidRight reports whether an argument gives a right that the user didn't
// speak of, and nothing certifies it.
func (x *deciding) givesUnsaidRight(i int) bool {
	right := x.resolved[i].Unsaid && x.arguments[i].Role == label.Control
	return right && x.variant.Effect != contract.Read && len(x.d.Findings[i].Certificates) == 0
}

// unsaidRight asks about a right that the user didn't give.
func (x *deciding) unsaidRight(mode contract.Mode, i int) {
	x.global(mode, ExternalSink, x.leaves[i].Pointer,
		fmt.Sprintf("%s is a right, and the user only happened to say the word, in a call that may give it away (%s)", quote(x.leaves[i].Text), x.variant.Effect),
		"leave it out, or ask the user which right is meant", "or "+confirming+" it")
}

// option asks about a value of external origin that a program reads as an option,
// as "--output=/home/ann/.bashrc" for the name of a branch. In texts a dash begins
// a list.
func (x *deciding) option(mode contract.Mode, i int) {
	text := x.leaves[i].Text
	prose := x.arguments[i].Role == label.Content && strings.ContainsAny(text, " \t\n")
	if prose || !provenance.IsOption(text) {
		return
	}
	x.global(mode, ExternalSink, x.leaves[i].Pointer,
		fmt.Sprintf("%s reads as an option of a program, and neither the user nor a trusted source gave it", quote(text)),
		"leave it out, or write the value without a dash at its beginning", "or "+confirming+" it")
}

// lineBreak asks about a line break of external origin in an argument that is one line: after it,
// a mail's subject is a header, and an entry of a list another.
func (x *deciding) lineBreak(mode contract.Mode, i int) {
	text := x.leaves[i].Text
	if x.variant.Effect == contract.Read || !hasLineBreak(text) || !x.oneLine(i) {
		return
	}
	x.global(mode, ExternalSink, x.leaves[i].Pointer,
		fmt.Sprintf("%s has a line break, and the argument is one line: what follows may be read as a header or another entry", quote(text)),
		"write it in one line", "or "+confirming+" it")
}

// hasLineBreak reports whether a text has what some program reads as the end of a
// line.
func hasLineBreak(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '\n' && c <= '\r':
			return true
		case c == 0xC2 || c == 0xE2: // the first byte of the others, and of other letters
			return strings.ContainsAny(text[i:], "\n\v\f\r\u0085\u2028\u2029")
		}
	}
	return false
}

// oneLine reports whether an argument is one line by its role, its schema, or its
// name.
func (x *deciding) oneLine(i int) bool {
	if x.arguments[i].Role != label.Content {
		return true
	}
	leaf := &x.leaves[i]
	if definition := x.bound.definition; !leaf.outer && definition != nil {
		if n, ok := definition.Lookup(leaf.place); ok && (len(n.Enum) > 0 || n.Format != "" || n.Pattern != "") {
			return true
		}
	}
	return provenance.NameTells(leaf.place, provenance.OneLine)
}

// takesAlong asks about text of external origin that a request to a host takes with
// it: in the query or the fragment of an address that the user named, and beside
// one in a call that only fetches.
func (x *deciding) takesAlong(mode contract.Mode) {
	for i := range x.leaves {
		if x.d.Findings[i].Satisfied && x.resolved[i].How == provenance.HowURL {
			x.inAddress(mode, i)
		}
	}
	if !x.act.Fetches() || !x.namesHost() {
		return
	}

	for i := range x.leaves {
		if x.sentBeside(i) {
			x.global(mode, ExternalSink, x.leaves[i].Pointer,
				fmt.Sprintf("%s goes along with a request that only fetches, and neither the user nor a trusted source gave it", quote(x.leaves[i].Text)),
				"leave it out", "or "+confirming+" it")
		}
	}
}

// inAddress asks about the first part of external origin that an address carries.
func (x *deciding) inAddress(mode contract.Mode, i int) {
	for _, p := range x.resolved[i].Parts {
		if !p.Authority && p.Label.Trust <= label.External && !provenance.IsTrivial(p.Text) {
			x.global(mode, ExternalSink, x.leaves[i].Pointer,
				fmt.Sprintf("the address takes %s along in its %s, which neither the user nor a trusted source gave", quote(p.Text), p.Name),
				"use the address as the user gave it", "or "+confirming+" it")
			return
		}
	}
}

// namesHost reports whether an argument that is not content is a host.
func (x *deciding) namesHost() bool {
	for i, a := range x.arguments {
		if a.Role != label.Content && provenance.IsHost(x.leaves[i].Text) {
			return true
		}
	}
	return false
}

// sentBeside reports whether an argument is text of external origin that is sent
// beside an address.
func (x *deciding) sentBeside(i int) bool {
	external := x.d.Findings[i].Satisfied && x.checked[i].Certified.Trust <= label.External
	if !external || x.arguments[i].Role != label.Content {
		return false
	}
	blank := x.resolved[i].How == provenance.HowEmpty || provenance.IsTrivial(x.leaves[i].Text)
	return !blank && provenance.NameTells(x.leaves[i].place, provenance.SentAlong)
}

// contacts looks at calls that send nothing: to read a page is to contact its
// host, and a path that climbs leads out of where the call was meant to stay
// (rule 9 of the design: reads can be sinks). The fields of a record that people
// read count as well: they follow a link.
func (x *deciding) contacts(mode contract.Mode) {
	for i, a := range x.arguments {
		if a.Role.AuthorityBearing() || !x.d.Findings[i].Satisfied || x.checked[i].Certified.Trust > label.External {
			continue
		}
		pointer, text := x.leaves[i].place, x.leaves[i].Text
		stored := x.variant.Effect == contract.Write && a.Role == label.Content
		reaches := !stored && provenance.Reaches(x.d.Tool, pointer, text)
		shows := stored && provenance.NameTells(pointer, provenance.Shown)
		if reaches || shows || provenance.Contacts(text) {
			x.sink(mode, i, text)
		}
	}
}

// sink asks about an address or a right in a text.
func (x *deciding) sink(mode contract.Mode, i int, text string) {
	leaf := &x.leaves[i]
	address, ok := x.in.seen.Sink(text)
	if !ok && x.contacted(leaf.place, text) {
		address, ok = text, true
	}
	if ok {
		x.global(mode, ExternalSink, leaf.Pointer,
			fmt.Sprintf("%s is an address that neither the user nor a trusted source named, in a call that may reach it (%s)", quote(address), x.variant.Effect),
			"leave the address out, or use one that the user gave", "or "+confirming+" it")
		return
	}

	if x.variant.Effect.Outward() && provenance.Right(text) {
		x.global(mode, ExternalSink, leaf.Pointer,
			fmt.Sprintf("%s is a right that neither the user nor a trusted source named, in a call that may give it away (%s)", quote(text), x.variant.Effect),
			"leave it out, or use one that the user gave", "or "+confirming+" it")
	}
}

// contacted reports whether the call contacts a host, or leaves the directory it was
// meant for, by the text of an argument.
func (x *deciding) contacted(place, text string) bool {
	reads := x.variant.Effect == contract.Read
	return provenance.Contacts(text) || (reads && provenance.Reaches(x.d.Tool, place, text))
}
