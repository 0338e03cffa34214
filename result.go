package remit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
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
	return nil
}

func (s *Session) addResult(r Result, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(at)

	out := provenance.Result{Text: r.Content, Document: structured(r), Beside: len(r.Structured) > 0}
	name := "result:" + r.Call
	record, ok := s.calls[r.Call]
	if ok && len(r.Structured) == 0 && record.bound != nil && provenance.NameTells(record.bound.contract.Tool.Name, provenance.Verbatim) {
		// What somebody wrote is returned as it is: that it reads as JSON makes no
		// records of it.
		out.Document = nil
	}
	s.returned(record, r)
	if !ok || !record.allowed || record.returned {
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
}

// structured returns the structured form of a result: the one that the tool
// gave, or the text itself where that is JSON. Text that only looks like
// structure (YAML, key and value lines) is text: whoever may write one line of
// it may write them all.
func structured(r Result) *strictjson.Document {
	raw := []byte(r.Structured)
	if len(raw) == 0 {
		if r.Content == "" || r.Content[0] != '{' && r.Content[0] != '[' {
			return nil
		}
		raw = []byte(r.Content)
	}
	doc, err := strictjson.Parse(raw, strictjson.OutputLimits())
	if err != nil {
		return nil
	}
	if k := doc.Root().Kind(); k != strictjson.Object && k != strictjson.Array {
		return nil
	}
	return doc
}

// scalars iterates over the texts and numbers of a result.
func scalars(result *strictjson.Document) iter.Seq[contract.Scalar] {
	return func(yield func(contract.Scalar) bool) {
		for _, leaf := range result.Leaves() {
			number := leaf.Kind == strictjson.Number
			if !number && leaf.Kind != strictjson.String {
				continue
			}
			if !yield(contract.Scalar{Pointer: leaf.Pointer, Text: leaf.Text, Number: number}) {
				return
			}
		}
	}
}

// spec is the output spec of a call, with those certificates whose key was
// vouched for.
func (s *Session) spec(record *callRecord, result *strictjson.Document) provenance.Spec {
	o, tool := record.variant.Output, record.bound.contract.Tool.Name
	spec := provenance.Spec{Trust: o.Trust, Derived: o.Derived}
	if result == nil {
		return spec // fields are those of structure
	}
	records := contract.RecordsOf(scalars(result))
	spec.Field = func(pointer string) (label.Trust, bool) { return o.Field(pointer, records) }
	for _, c := range o.Certify() {
		key := ""
		for i, p := range record.keys {
			// A key that the user only happened to say, or ruled out, names nobody.
			if p == c.Key && record.args[i].Label.Trust >= c.KeyFloor && s.seen.Names(tool, record.args[i]) {
				key = record.args[i].Text
			}
		}
		if key == "" && c.Key != "" {
			continue // nobody vouched for it, or it names nothing
		}
		var by func(string) bool
		basis := fmt.Sprintf("%s of %s by a key that was vouched for (%s)", c.Procedure, tool, c.Key)
		if c.By != "" {
			by = c.Names
			basis = fmt.Sprintf("%s of %s: the user named the record by its %s", c.Procedure, tool, c.By)
		} else if c.Key == "" {
			continue
		}
		spec.Certify = append(spec.Certify, provenance.Certify{
			Procedure: c.Procedure,
			Basis:     basis,
			Key:       key,
			Field:     func(pointer string) bool { return c.Matches(pointer, records) },
			By:        by,
			Unique:    c.Unique,
			Roles:     label.RolesOf(c.Roles...),
			Max:       c.Max,
		})
	}
	return spec
}
