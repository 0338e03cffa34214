package remit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

const (
	// maxStoredNames bounds the names of one call: paths, keys and ids are few.
	maxStoredNames = 32
	// maxStoredName is the length of a name in bytes. A longer value names nothing.
	maxStoredName = 512
	// maxForeign bounds the origins that the results of one session bring in from
	// others, beyond those of the monitor's own tools: several times what a store
	// keeps of one resource. Further ones are [label.OriginMore].
	maxForeign = 256
	// maxThings bounds the words of a tool's name that count.
	maxThings = 8
)

// Storage describes what a call keeps, or reads back, where tools keep things:
// files, notes, records. Package ledger carries the labels of what one session
// writes to the sessions that read it by this: see [Result.Stored]. Other
// embedders don't need it.
type Storage struct {
	Server string
	// Things are the words of the tool's name: tools that share a word are taken to
	// be about the same things.
	Things []string
	// Effect is the call's: only a read reads, and what is sent is kept by others.
	Effect contract.Effect
	// Names are the values that may name what the call keeps or reads.
	Names []StoredName
	// Named is set when every argument by which a read chooses is among them, and
	// there is one: the call reads what it names and nothing else.
	Named bool
	// Vouches is set when the call's result is better than EXTERNAL, or vouches by
	// certificates.
	Vouches bool
	// Trust and Origins are the label of what the call writes.
	Trust   label.Trust
	Origins []string
}

// StoredName is a value by which a call may name what it keeps or reads.
type StoredName struct {
	// Kind is the last word of the argument's name, such as "path" or "id".
	Kind  string
	Value string
	// Chooses is set when the argument says what the call is about.
	Chooses bool
}

// Stored is the label of what this session or another kept where a call read.
type Stored struct {
	Trust   label.Trust `json:"trust"`
	Origins []string    `json:"origins,omitempty"`
	// Records is the trust of what was kept under the names that the call gave, or by tools whose
	// names share a word. When it is below TOOL_OUTPUT, no field of the result vouches by a
	// certificate.
	Records label.Trust `json:"records"`
}

// Storage returns what an allowed call keeps or reads; false for any other call.
func (s *Session) Storage(call string) (Storage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call].storage(s.monitor.classes)
}

func (record *callRecord) storage(classes *label.Classes) (Storage, bool) {
	if record == nil || !record.allowed {
		return Storage{}, false
	}

	out := Storage{Server: record.bound.server, Things: things(record.bound.contract.Tool.Name), Effect: record.variant.Effect}
	out.Vouches = record.variant.Output.Trust > label.External || len(record.variant.Output.Certify()) > 0
	whole := label.Label{Trust: label.Trusted}
	out.Named = true
	choices := 0
	for _, a := range record.args {
		whole = label.Merge(whole, a.Label)
		name := StoredName{Kind: kindOf(a.Pointer), Value: a.Text}
		if entry, ok := record.variant.Match(a.Pointer); ok && (entry.Role == label.Selector || entry.Role.AuthorityBearing()) {
			name.Chooses = true
			choices++
			out.Named = out.Named && name.Kind != ""
		}
		if nameable(a.Text) && len(out.Names) < maxStoredNames {
			out.Names = append(out.Names, name)
		} else if name.Chooses {
			out.Named = false
		}
	}

	out.Named = out.Named && choices > 0
	out.Trust, out.Origins = whole.Trust, classes.Names(whole.Origins)
	return out, true
}

// StoredNames returns the ids, keys and paths by which a later call may name what a
// call created, when its result is a small record. Like [Storage] it is for package
// ledger.
func StoredNames(r Result) []StoredName {
	doc := structured(r, nil)
	if doc == nil {
		// What a label is kept of may be read more widely than what vouches.
		doc = serialized.Read(r.Content, "", serialized.Trust{Closed: true})
	}
	if doc == nil || len(doc.Leaves()) > maxStoredNames {
		return nil
	}
	var out []StoredName
	for _, leaf := range doc.Leaves() {
		if (leaf.Kind == strictjson.String || leaf.Kind == strictjson.Number) && nameable(leaf.Text) {
			out = append(out, StoredName{Kind: kindOf(leaf.Pointer), Value: leaf.Text})
		}
	}
	return out
}

// things returns the words of a tool's name that count.
func things(tool string) []string {
	words := slices.DeleteFunc(provenance.Words(tool), func(w string) bool { return len(w) > maxStoredName })
	return words[:min(len(words), maxThings)]
}

// kindOf returns the last word of the last member name of a pointer: "file_path" and
// "path" are of one kind.
func kindOf(pointer string) string {
	for segment := pointer; segment != ""; {
		i := strings.LastIndexByte(segment, '/')
		if words := provenance.Words(segment[i+1:]); len(words) > 0 && !strictjson.IsIndex(segment[i+1:]) {
			return words[len(words)-1]
		}
		segment = segment[:max(i, 0)]
	}
	return ""
}

// nameable reports whether a value may name a thing.
func nameable(s string) bool {
	switch s {
	case "", "true", "false", "null":
		return false
	}
	return len(s) <= maxStoredName && utf8.ValidString(s) && !strings.ContainsAny(s, "\n\r\x00")
}

// lowered returns a result's origin and spec, lowered to the label of what other
// sessions left there. Fields that the contract gives a trust of their own keep it,
// as in a derived output: they are the service's.
func (s *Session) lowered(o label.Origins, spec provenance.Spec, stored *Stored) (label.Origins, provenance.Spec) {
	if stored == nil {
		return o, spec
	}
	if stored.Records < label.ToolOutput {
		spec.Certify = nil
	}
	for _, name := range stored.Origins {
		o = o.Union(s.origin(name))
	}
	spec.Trust = min(spec.Trust, stored.Trust)
	return o, spec
}

// origin returns the class of an origin that another session may have named. It
// depends on this session and on the monitor's tools alone.
func (s *Session) origin(name string) label.Origins {
	o := s.monitor.classes.Origin(name)
	if s.monitor.classes.Known(name) || s.foreign[name] {
		return o
	}
	if len(s.foreign) == maxForeign || len(name) > maxStoredName {
		return label.OriginsOf(label.OriginMore)
	}

	if s.foreign == nil {
		s.foreign = map[string]bool{}
	}
	s.foreign[name] = true
	return o
}
