package remit

import (
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
)

// codeRequest is a call that was allowed, and whose result asks for a one-time code. The call
// that brings the code was decided with it: it says nothing new but the code. It is
// immutable.
type codeRequest struct {
	server, tool string
	args         map[string]string // by place
	named        map[string]bool   // the ids in the result
	codes        []string          // that came in since
}

// Bounds of what is kept of a call that waits for a code.
const (
	// maxCodeText is the longest text in which a code is asked for or looked for, in bytes.
	maxCodeText = 16 << 10
	// maxCodes bounds the codes that came in, and maxCodeNames what a result names.
	maxCodes, maxCodeNames = 16, 64
)

var (
	// codeAsked is what services say that ask for a one-time code.
	codeAsked = pattern.OnUse(`(?i)\b(?:one[- ]?time|verification|confirmation|security|access)[ _-]?(?:code|password|pin)|\b(?:otp|2fa|mfa|tan|passcode)(?:\b|_)|\bcode (?:was|has been|is) sent\b|\bcode sent\b|best(?:ä|ae)tigungscode|code de (?:v(?:é|e)rification|confirmation)|c(?:ó|o)digo de verificaci(?:ó|o)n`)
	// codeShape is a one-time code, as a word of a text.
	codeShape = pattern.OnUse(`\b\d{4,8}\b`)
	// codeNames are the words of arguments and tools for such a code, and completing those of
	// tools that take one.
	codeNames  = []string{"otp", "code", "pin", "tan", "totp", "mfa", "2fa", "passcode", "verification", "confirmation", "onetime", "one", "time", "sms"}
	completing = []string{"confirm", "verify", "complete", "submit", "enter", "validate", "finish", "check", "provide"}
)

// noteCode notes what a result has to do with one-time codes: it asks for one, where its call
// changed something, or it may bring one.
func (s *Session) noteCode(record *callRecord, r Result) {
	text := r.Content
	if text == "" {
		text = string(r.Structured)
	}
	if len(text) > maxCodeText {
		return
	}

	changed := record.variant.Effect != contract.Read
	if changed && codeAsked().MatchString(text) && !record.completes {
		s.codeFor = newCodeRequest(record, r, text)
		return
	}
	if s.codeFor == nil || len(s.codeFor.codes) >= maxCodes {
		return
	}
	if found := codeShape().FindAllString(text, maxCodes); len(found) > 0 {
		next := *s.codeFor
		next.codes = append(slices.Clone(next.codes), found[:min(len(found), maxCodes-len(next.codes))]...)
		s.codeFor = &next
	}
}

func newCodeRequest(record *callRecord, r Result, text string) *codeRequest {
	a := &codeRequest{server: record.bound.server, tool: record.bound.contract.Tool.Name, args: map[string]string{}, named: map[string]bool{}}
	for _, arg := range record.args {
		if arg.Text != "" {
			a.args[arg.Pointer] = arg.Text
		}
	}

	doc := structured(r, record)
	if doc == nil || len(doc.Leaves()) > maxCodeNames {
		return a
	}
	records := contract.RecordsOf(scalars(doc))
	for _, leaf := range doc.Leaves() {
		trust, _ := record.variant.Output.Field(leaf.Pointer, records)
		identifies := leaf.Indexes == 0 && provenance.NameTells(memberName(lastSegment(leaf.Pointer)), provenance.Identifier)
		if trust >= label.ToolOutput || identifies {
			a.named[leaf.Text] = true
		}
	}
	return a
}

// settleByCode settles the doubts of a call that completes one that was decided before by a one-time
// code, and brings nothing else.
func (x *deciding) settleByCode() {
	a := x.in.codeFor
	if a == nil || x.bound.server != a.server || !x.bringsCode(a) || !x.isCompletion(a) {
		return
	}
	x.out.record.completes = true
	x.d.Reasons = slices.DeleteFunc(x.d.Reasons, func(r Reason) bool {
		return r.Verdict == Ask && slices.Contains(settledByScope, r.Code) && r.Code != ExternalSink
	})
}

// bringsCode reports whether the call adds exactly one credential to those of the earlier
// call: a code that arrived since.
func (x *deciding) bringsCode(a *codeRequest) bool {
	codes := 0
	for i, arg := range x.arguments {
		text := x.leaves[i].Text
		if x.resolved[i].How == provenance.HowEmpty || a.args[x.leaves[i].place] == text {
			continue
		}
		if arg.Role != label.Credential || !slices.Contains(a.codes, text) || !isOf(x.leaves[i].place, codeNames) {
			// The id of what is to be completed picks a record. Where the call goes is never
			// taken from a result: it repeats what others wrote.
			completes := arg.Role == label.Selector && x.bound.contract.Tool.Name != a.tool && a.named[text]
			if !completes {
				return false
			}
			continue
		}
		codes++
	}
	return codes == 1
}

// isCompletion reports whether the call is the earlier one again, with all that it had, or a
// tool that completes it, by its name.
func (x *deciding) isCompletion(a *codeRequest) bool {
	tool := x.bound.contract.Tool.Name
	if tool == a.tool {
		had := 0
		for i := range x.leaves {
			if x.resolved[i].How != provenance.HowEmpty && a.args[x.leaves[i].place] == x.leaves[i].Text {
				had++
			}
		}
		return had == len(a.args)
	}

	words := provenance.Words(tool)
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(completing, w) }) {
		return false
	}
	earlier := provenance.Words(a.tool)
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.Contains(completing, w) && !slices.Contains(codeNames, w) && !slices.Contains(earlier, w)
	})
}

// isOf reports whether the last name of a place has a word of a list.
func isOf(place string, list []string) bool {
	return slices.ContainsFunc(provenance.Words(memberName(lastSegment(place))), func(w string) bool { return slices.Contains(list, w) })
}
