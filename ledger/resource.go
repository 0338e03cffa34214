package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// The things that tools keep are known by every value that a call named them by, under any
// name and under the kind of the argument; by the words of the tool's name; and a
// server as a whole by the lowest that was ever kept there. A later read that
// names all that it reads gets the labels of those things; any other read of the
// server gets the server's, since it may find anything that is kept there.

// anyKind is the family of a value whatever the argument is called. Its
// labels cover those of every kind.
const anyKind = ""

// whole returns the resource that represents all that a server keeps.
func whole(server string) store.Resource {
	return store.Resource{Server: server, Family: "*", ID: "*"}
}

// things returns the resources that represent all that tools keep whose names have a
// word in common.
func things(server string, words []string) []store.Resource {
	out := make([]store.Resource, len(words))
	for i, w := range words {
		out[i] = store.Resource{Server: server, Family: "*", ID: "* " + w}
	}
	return out
}

// named lists the resources that names may refer to, with all set under the
// kinds of all arguments, otherwise of those that choose.
func named(all bool, server string, names []remit.StoredName) []store.Resource {
	var out []store.Resource
	for _, n := range names {
		out = append(out, store.Resource{Server: server, Family: anyKind, ID: n.Value})
		if n.Kind != anyKind && (all || n.Chooses) {
			out = append(out, store.Resource{Server: server, Family: n.Kind, ID: n.Value})
		}
	}
	return out
}

// keep notes what a call that may run will write, before it does.
func (l *Ledger) keep(ctx context.Context, p *remit.Proposal) error {
	if l.resources == nil {
		return nil
	}
	what, ok := p.Storage()
	if !ok || !keeps(what.Effect) {
		return nil
	}

	names := named(true, what.Server, what.Names)
	list := append(slices.Concat(names, things(what.Server, what.Things)), whole(what.Server))
	return l.lower(ctx, what, list, len(names))
}

// keeps reports whether a call with the effect keeps what it was given where
// others may read it. A message that is sent is kept by its recipients.
func keeps(e contract.Effect) bool { return e != contract.Read && e != contract.Egress }

// created notes the names by which later calls may ask for what a call has
// created.
func (l *Ledger) created(ctx context.Context, r *remit.Session, result *remit.Result) error {
	if l.resources == nil {
		return nil
	}
	what, ok := r.Storage(result.Call)
	if !ok || !keeps(what.Effect) {
		return nil
	}
	return l.lower(ctx, what, named(true, what.Server, remit.StoredNames(*result)), 0)
}

// lower notes what a call writes for all of a list, the first of which it may
// move or copy: they take their labels along. Only what is not known yet is
// written, since most calls write where the last one did.
func (l *Ledger) lower(ctx context.Context, what remit.Storage, list []store.Resource, moved int) error {
	if len(list) == 0 {
		return nil
	}
	to := store.ResourceLabel{Trust: what.Trust, Origins: what.Origins}
	known, err := l.resources.Labels(ctx, list...)

	if err == nil {
		for _, k := range known[:moved] {
			if k != nil {
				to = merge(to, *k)
			}
		}
		i := 0
		list = slices.DeleteFunc(list, func(store.Resource) bool {
			k := known[i]
			i++
			return k != nil && k.Trust <= to.Trust && len(merge(to, *k).Origins) == len(k.Origins)
		})
		if len(list) > 0 {
			err = l.resources.Lower(ctx, to, list...)
		}
	}
	if err != nil {
		return fmt.Errorf("note what the call writes: %w", err)
	}
	return nil
}

// found returns the label of what a call may have read that was kept there, by whichever session;
// nil when nothing is known of it.
func (l *Ledger) found(ctx context.Context, r *remit.Session, call string) (*remit.Stored, error) {
	if l.resources == nil {
		return nil, nil
	}
	what, ok := r.Storage(call)
	reads := what.Effect == contract.Read || what.Effect == contract.Execute
	if !ok || !what.Vouches || !reads {
		return nil, nil
	}

	names := named(false, what.Server, what.Names)
	alike := things(what.Server, what.Things)
	known, err := l.resources.Labels(ctx, slices.Concat(names, alike, []store.Resource{whole(what.Server)})...)
	if err != nil {
		return nil, fmt.Errorf("labels of what the call read: %w", err)
	}
	read, records := store.ResourceLabel{Trust: label.Trusted}, label.Trusted
	all := what.Named
	for i, k := range known[:len(names)] {
		if k != nil {
			read = merge(read, *k)
		}
		if names[i].Family == anyKind {
			continue
		}
		// Under its own kind, it is the thing itself that is known.
		if k != nil {
			records = min(records, k.Trust)
		} else {
			all = false
		}
	}
	if all {
		return &remit.Stored{Trust: read.Trust, Origins: read.Origins, Records: records}, nil
	}
	for _, k := range known[len(names) : len(names)+len(alike)] {
		if k != nil {
			records = min(records, k.Trust)
		}
	}
	if k := known[len(known)-1]; k != nil {
		read = merge(read, *k)
	} else {
		return nil, nil // nothing was kept there
	}
	return &remit.Stored{Trust: read.Trust, Origins: read.Origins, Records: records}, nil
}

// merge returns the label of what holds both.
func merge(a, b store.ResourceLabel) store.ResourceLabel {
	origins := slices.Concat(a.Origins, b.Origins)
	slices.Sort(origins)
	return store.ResourceLabel{Trust: min(a.Trust, b.Trust), Origins: slices.Compact(origins)}
}
