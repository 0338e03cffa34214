package remit

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Result adds what a call returned. A result of a call that was not allowed, or
// that the session doesn't know, is EXTERNAL: nothing is known about it.
func (s *Session) Result(ctx context.Context, r Result) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("result of %s: %w", r.Call, err)
	}
	s.addResult(r, time.Time{})
	s.ReadAhead()
	return nil
}

func (s *Session) addResult(r Result, at time.Time) {
	// What came is a result, whatever is said of it.
	r.Suspended = r.Suspended && r.Content == "" && len(r.Structured) == 0
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(at)
	s.task.talk.tainted = s.task.talk.tainted || !r.Suspended

	record, ok := s.calls[r.Call]
	if r.Suspended {
		if ok && record.allowed && !record.returned {
			record.suspended = true
		}
		return
	}
	if ok && record.suspended {
		record.returned = true // it has run after all, without a second decision
	}
	read := r
	if wrapsText(r) {
		read.Structured = nil
	}
	out := provenance.Result{Text: r.Content, Document: structured(read, record), Beside: len(read.Structured) > 0}
	name := "result:" + r.Call
	s.returned(record, r)
	if ok {
		s.arrived(record)
	}
	if !ok || !record.allowed || record.returned {
		s.task.foreign = true
		out.Origin = label.OriginsOf(label.OriginUnknown)
		if ok && record.bound != nil {
			out.Origin = out.Origin.Union(record.bound.origin)
		}
		s.seen.Output(name, out)
		return
	}

	record.returned = true
	out.Tool = record.bound.contract.Tool.Name
	out.Arguments, out.Made = record.args, record.variant.Effect != contract.Read
	out.Origin, out.Spec = s.lowered(record.bound.origin, s.spec(record, out.Document), r.Stored)
	s.seen.Output(name, out)
	s.noteCode(record, r)
	s.keepResult(record, r, out.Document)
	s.task.foreign = s.task.foreign || !record.variant.Output.Closed() || r.Stored != nil
}

// verbatim reports whether a tool returned a text as its author wrote it: even when it
// reads as JSON, it has no records.
func verbatim(record *callRecord, r Result) bool {
	return len(r.Structured) == 0 && record.bound != nil && provenance.IsVerbatim(record.bound.contract.Tool.Name)
}

// wrapsText reports whether the structured form of a result is only its text once more, as
// frameworks wrap the text of a tool that returns a string: {"result": "…"}.
func wrapsText(r Result) bool {
	if len(r.Structured) == 0 || len(r.Structured) > 2*len(r.Content)+maxWrapping {
		return false
	}
	doc, err := strictjson.Parse(r.Structured, strictjson.OutputLimits())
	if err != nil {
		return false
	}
	leaves := doc.Leaves()
	return len(leaves) == 1 && leaves[0].Pointer == "/result" && leaves[0].Kind == strictjson.String && leaves[0].Text == r.Content
}

// maxWrapping is how much longer than twice its text a wrapped text is at most, in bytes. One
// with more escapes than that stays structured.
const maxWrapping = 64

// structured returns the structured form of a result: the one that the tool gave, or the
// text where that can be read as fields; nil when there is none. The call's contract says
// how the tool writes; it is nil for a call that the session doesn't know.
func structured(r Result, record *callRecord) *strictjson.Document {
	if len(r.Structured) > 0 {
		doc, err := strictjson.Parse(r.Structured, strictjson.OutputLimits())
		if err != nil {
			return nil
		}
		if k := doc.Root().Kind(); k != strictjson.Object && k != strictjson.Array {
			return nil
		}
		return doc
	}

	if record == nil || record.bound == nil || record.variant == nil {
		return serialized.Read(r.Content, serialized.JSON, serialized.Trust{})
	}
	o := record.variant.Output
	if o.Format == "" && verbatim(record, r) {
		return nil
	}
	return serialized.Read(r.Content, serialized.Format(o.Format), serialized.Trust{Closed: o.Closed(), Own: ownFields(o)})
}

// ownFields returns which fields of a text the service itself writes; nil where no field
// has more trust than the others and none vouches.
func ownFields(o *contract.CompiledOutput) func(pointer string) bool {
	if !o.HasOwn() && len(o.Certify()) == 0 {
		return nil
	}
	// A text has no records before it is read: a field counts by its own name, as a
	// member of a record would.
	flat := contract.RecordsOf(func(func(contract.Scalar) bool) {})
	return func(pointer string) bool {
		trust, listed := o.Field(pointer, flat)
		if !listed {
			trust = o.Trust
		}
		return trust > label.External
	}
}

// scalars iterates over the texts and numbers of a result.
func scalars(result *strictjson.Document) iter.Seq[contract.Scalar] {
	return func(yield func(contract.Scalar) bool) {
		for _, leaf := range result.Leaves() {
			number := leaf.Kind == strictjson.Number
			if !number && leaf.Kind != strictjson.String {
				continue
			}
			if !yield(contract.Scalar{Pointer: leaf.Pointer, Text: leaf.Text, Number: number, Indexes: leaf.Indexes}) {
				return
			}
		}
	}
}

// spec returns the output spec of a call, with those certificates whose key was
// vouched for.
func (s *Session) spec(record *callRecord, result *strictjson.Document) provenance.Spec {
	o := record.variant.Output
	spec := provenance.Spec{Trust: o.Trust, Derived: o.Derived}
	if result == nil {
		// Only a structure has fields: the author of one part of a text may have written all of
		// it.
		spec.Trust = o.Lowest()
		return spec
	}

	records := contract.RecordsOf(scalars(result))
	spec.Field = func(pointer string) (label.Trust, bool) { return o.Field(pointer, records) }
	for _, c := range o.Certify() {
		if certify, ok := s.certify(record, c, records, result); ok {
			spec.Certify = append(spec.Certify, certify)
		}
	}
	return spec
}

// certify returns a procedure of a call's contract, and whether the call has what it
// needs: a key that was vouched for, or words of the user that name the record.
func (s *Session) certify(record *callRecord, c contract.CompiledCertify, records *contract.Records, result *strictjson.Document) (provenance.Certify, bool) {
	tool := record.bound.contract.Tool.Name
	key := s.keyOf(record, c)
	unnamed := key == "" && c.Key != ""
	unasked := c.Key == "" && c.By == "" && !c.Made
	ours := !c.Made || record.variant.Effect != contract.Read
	if unnamed || unasked || !ours || !singles(record, c, result) {
		return provenance.Certify{}, false
	}

	out := provenance.Certify{
		Procedure: c.Procedure,
		Basis:     fmt.Sprintf("%s of %s by a key that was vouched for (%s)", c.Procedure, tool, c.Key),
		Key:       key,
		Field:     func(pointer string) bool { return c.Matches(pointer, records) },
		Unique:    c.Unique || c.Exact,
		Exact:     c.Exact,
		Of:        c.Of,
		Roles:     label.RolesOf(c.Roles...),
		Max:       c.Max,
	}
	if c.Made {
		out.Basis = "an earlier call made it: " + tool
	}
	if c.By != "" {
		out.By = c.Names
		out.Basis = fmt.Sprintf("%s of %s: the user named the record by its %s", c.Procedure, tool, c.By)
	}
	return out, true
}

// singles reports whether a result can show which record the user named, where that is the only
// one of its name: otherwise the source that chose what is listed would choose the record. A
// directory is exempt: outsiders add no record to it.
func singles(record *callRecord, c contract.CompiledCertify, result *strictjson.Document) bool {
	lookup := c.Procedure == "lookup" && (c.By != "" || c.Unique)
	if !lookup && !c.Exact {
		return true
	}

	return isWhole(record, c.Key, result)
}

// isWhole reports whether a call listed every record that the user's words ask for; its key
// may leave out others.
func isWhole(record *callRecord, key string, result *strictjson.Document) bool {
	isKey := func(a provenance.Argument) bool { return a.Pointer != "" && a.Pointer == key }
	return provenance.IsWhole(result, slices.DeleteFunc(slices.Clone(record.args), isKey))
}

// keyOf returns the argument that names a record for a procedure; empty when none
// was vouched for. The user doesn't name a record by a word that only happened to be
// said, or that was ruled out.
func (s *Session) keyOf(record *callRecord, c contract.CompiledCertify) string {
	key := ""
	for _, arg := range record.args {
		if arg.Pointer == c.Key && arg.Label.Trust >= c.KeyFloor && s.seen.Names(record.bound.contract.Tool.Name, arg) {
			key = arg.Text
		}
	}
	return key
}
