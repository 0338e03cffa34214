package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// provenanceCase is one line of a cases*.jsonl file.
type provenanceCase struct {
	ID      string `json:"id"`
	Session []struct {
		Type    string          `json:"type"`
		Server  string          `json:"server"`
		Tool    string          `json:"tool"`
		Text    string          `json:"text"`
		Content string          `json:"content"`
		Trust   label.Trust     `json:"trust"`
		Args    json.RawMessage `json:"args"`
	} `json:"session"`
	Call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	} `json:"call"`
	Expect map[string]struct {
		Trust        label.Trust   `json:"trust"`
		Alternatives []label.Trust `json:"trust_alternatives"`
		Origins      []string      `json:"origins"`
		Transform    string        `json:"transform"`
		Ambiguous    bool          `json:"ambiguous"`
	} `json:"expect"`
}

// ProvenanceReport scores the resolver on labelled cases.
type ProvenanceReport struct {
	Cases, Leaves int
	// Laundered leaves have more trust than any accepted label: unsafe.
	Laundered Rate
	// OverTainted leaves have less trust than any accepted label: a cost.
	OverTainted Rate
	// OriginsRecall is the share of the true origins that the evidence names.
	OriginsRecall Rate
	// Ambiguous leaves are counted separately.
	Ambiguous int
	Misses    []ProvenanceMiss
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
// laundered and over_tainted are counts, and NAME_rate their rates.
func (r ProvenanceReport) MarshalJSON() ([]byte, error) {
	o := object{"cases": r.Cases, "leaves": r.Leaves, "ambiguous": r.Ambiguous,
		"laundered": r.Laundered.N, "over_tainted": r.OverTainted.N}
	o.rate("laundered_rate", r.Laundered)
	o.rate("over_tainted_rate", r.OverTainted)
	o.rate("origins_recall", r.OriginsRecall)
	if len(r.Misses) > 0 {
		o["misses"] = r.Misses
	}
	return json.Marshal(o)
}

// ProvenanceMiss is a leaf with another label than expected.
type ProvenanceMiss struct {
	Case string `json:"case"`
	Path string `json:"path"`
	// Kind is "laundered", "over-tainted" or, where only the evidence misses an
	// origin, "origin".
	Kind      string      `json:"kind"`
	Got       label.Trust `json:"got"`
	Want      label.Trust `json:"want"`
	How       string      `json:"how"`
	Transform string      `json:"transform"`
	// Origins are those in the evidence, True those in the data.
	Origins []string `json:"origins"`
	True    []string `json:"true_origins"`
}

// Provenance runs the resolver over DIR/cases*.jsonl.
func Provenance(dir string) (*ProvenanceReport, error) {
	dir = dataSetDir(dir, provenanceDir)
	files, err := find(dir, "cases", ".jsonl")
	if err != nil {
		return nil, err
	}
	r := &ProvenanceReport{}

	var found, total int
	for _, file := range files {
		err := readLines(file, func(c provenanceCase) error {
			r.Cases++
			f, t, err := r.score(c)
			found, total = found+f, total+t
			return err
		})
		if err != nil {
			return nil, err
		}
	}

	if r.Leaves == 0 {
		return nil, noCaseError(dir, "cases")
	}
	r.Laundered, r.OverTainted = rateOf(r.Laundered.N, r.Leaves), rateOf(r.OverTainted.N, r.Leaves)
	r.OriginsRecall = rateOf(found, total)
	return r, nil
}

func (r *ProvenanceReport) score(c provenanceCase) (found, total int, err error) {
	s := provenance.New(nil)
	// A call item comes right before its output.
	var tool string
	var args []provenance.Argument
	for i, item := range c.Session {
		switch item.Type {
		case "system":
			s.System(fmt.Sprintf("system:%d", i), item.Text)
		case "user":
			s.User(fmt.Sprintf("user:%d", i), item.Text)
		case "call":
			values, err := leaves(item.Args)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: call %d: %w", c.ID, i, err)
			}
			resolved := s.Resolve(provenance.Act{Tool: item.Tool}, values)
			s.Called(fmt.Sprintf("call:%d#", i), values, resolved)
			tool, args = item.Tool, nil
			for j, v := range values {
				args = append(args, provenance.Argument{Pointer: v.Pointer, Text: v.Text, Label: resolved[j].Label})
			}
		case "output":
			doc, err := strictjson.Parse([]byte(item.Content), strictjson.OutputLimits())
			if err == nil {
				kind := doc.Root().Kind()
				if kind != strictjson.Object && kind != strictjson.Array {
					doc = nil
				}
			} else {
				doc = nil
			}
			if item.Tool != tool {
				tool, args = item.Tool, nil
			}
			s.Output(fmt.Sprintf("output:%d", i), provenance.Result{
				Text: item.Content, Document: doc, Tool: tool, Arguments: args, Spec: provenance.Spec{Trust: item.Trust},
			})
		default:
			return 0, 0, fmt.Errorf("%s: unknown item type %q", c.ID, item.Type)
		}
	}

	values, err := leaves(c.Call.Args)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", c.ID, err)
	}

	for i, res := range s.Resolve(provenance.NewAct(c.Call.Tool, "", provenance.Writes), values) {
		want, ok := c.Expect[values[i].Pointer]
		if !ok {
			continue
		}
		r.Leaves++
		accepted := append([]label.Trust{want.Trust}, want.Alternatives...)
		got := res.Label.Trust
		miss := ProvenanceMiss{Case: c.ID, Path: values[i].Pointer, Got: got, Want: want.Trust, How: res.How, Transform: want.Transform,
			Origins: evidenceEvents(res, s), True: want.Origins}
		switch {
		case want.Ambiguous:
			r.Ambiguous++
		case got > slices.Max(accepted):
			r.Laundered.N++
			miss.Kind = "laundered"
		case got < slices.Min(accepted):
			r.OverTainted.N++
			miss.Kind = "over-tainted"
		}
		for _, o := range want.Origins {
			total++
			if slices.Contains(miss.Origins, o) {
				found++
			} else if miss.Kind == "" {
				miss.Kind = "origin"
			}
		}
		if miss.Kind != "" {
			r.Misses = append(r.Misses, miss)
		}
	}

	return found, total, nil
}

// evidenceEvents returns the events that a resolution names: the evidence's
// events. For an unvouched value it adds "model" and, if the evidence names no
// events, everything that the model may have made the value from.
func evidenceEvents(r provenance.Resolution, s *provenance.Session) []string {
	set := map[string]bool{}
	for _, e := range r.Evidence {
		name, _, _ := strings.Cut(e.Origin, "#")
		set[name] = true
	}
	if !r.Witness {
		if len(set) == 0 {
			for _, name := range s.Influences() {
				set[name] = true
			}
		}
		set["model"] = true
	}

	out := make([]string, 0, len(set))
	for name := range set {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// leaves returns the values in a call's arguments.
func leaves(args json.RawMessage) ([]provenance.Value, error) {
	if len(args) == 0 {
		return nil, nil
	}
	doc, err := strictjson.Parse(args, strictjson.DefaultLimits())
	if err != nil {
		return nil, err
	}
	var out []provenance.Value
	for _, l := range doc.Leaves() {
		if l.Pointer != "" {
			out = append(out, provenance.Value{Pointer: l.Pointer, Kind: l.Kind, Text: l.Text})
		}
	}
	return out, nil
}
