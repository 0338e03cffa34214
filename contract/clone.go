package contract

import (
	"maps"
	"slices"
)

// Clone returns a deep copy of the file.
func (f *File) Clone() *File {
	out := *f
	out.Settled = slices.Clone(f.Settled)
	out.Tools = slices.Clone(f.Tools)

	for i := range out.Tools {
		t := &out.Tools[i]
		t.Approved = slices.Clone(t.Approved)
		for j := range t.Approved {
			t.Approved[j] = maps.Clone(t.Approved[j])
		}

		t.Args = cloneArgs(t.Args)
		t.Output = *t.Output.clone()
		if t.Unwrap != nil {
			u := *t.Unwrap
			t.Unwrap = &u
		}

		if t.Variants == nil {
			continue
		}

		v := *t.Variants
		v.Cases = slices.Clone(v.Cases)
		for j := range v.Cases {
			v.Cases[j].Args = cloneArgs(v.Cases[j].Args)
			if v.Cases[j].Output != nil {
				v.Cases[j].Output = v.Cases[j].Output.clone()
			}
		}
		t.Variants = &v
	}

	return &out
}

func cloneArgs(args []Arg) []Arg {
	out := slices.Clone(args)
	for i := range out {
		a := &out[i]
		a.Forbidden, a.Require = slices.Clone(a.Forbidden), slices.Clone(a.Require)
		a.Allow, a.Discharge = slices.Clone(a.Allow), slices.Clone(a.Discharge)
	}
	return out
}

func (o *Output) clone() *Output {
	out := *o
	out.Fields, out.Certify = slices.Clone(o.Fields), slices.Clone(o.Certify)
	out.Returns, out.Shapes = slices.Clone(o.Returns), slices.Clone(o.Shapes)
	for i := range out.Certify {
		out.Certify[i].Roles = slices.Clone(out.Certify[i].Roles)
		out.Certify[i].Of = slices.Clone(out.Certify[i].Of)
	}
	return &out
}
