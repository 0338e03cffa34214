package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
)

// write brings what was found for a tool into its mapping file and into the lock.
// What people edited stays.
func (c *Compiler) write(d *policydoc.Directory, corpus *corpus, t *tool, w *work, found *mapped, all []*tool) error {
	file := d.Mapping(t.server, t.name)
	had, err := file.Mapping()
	if err != nil {
		return err
	}

	locked := maps.Clone(d.Lock.Policies[t.key])
	if locked == nil {
		locked = map[string]policydoc.LockedPolicy{}
	}
	rules, err := d.Guard(t.server, t.name).File()
	if err != nil {
		return err
	}
	err = file.Edit(func() { c.merge(file, had, rules, locked, corpus, t, w, found, all) })
	if err != nil {
		return fmt.Errorf("what was found can't be written: %w", err)
	}

	d.Lock.Policies[t.key] = locked
	return nil
}

// merge brings what was found into a mapping file, as it was and as it is locked.
func (c *Compiler) merge(file *policydoc.MappingEditor, had *policydoc.Mapping, rules *guard.File, locked map[string]policydoc.LockedPolicy, corpus *corpus, t *tool, w *work, found *mapped, all []*tool) {
	rename(found.drafts, w, had, locked)
	taken := names{}
	for _, i := range had.Policies {
		taken[i.Name] = true
	}
	for _, draft := range found.drafts {
		if !slices.Contains(w.anew, draft.name) && !stranded(draft.policy(corpus), had, locked) {
			draft.name = taken.take(draft.name)
		}
		fresh, base := draft.policy(corpus), locked[draft.name]
		mine, there := policyNamed(had, draft.name)
		if !slices.Equal(base.Sentences, draft.sentences) || !maps.Equal(base.Fields, fresh.Fields()) {
			base.Rule = outdated(base.Rule)
		}
		made := c.mappingMade(t)
		if len(draft.tools) > 0 {
			made, _ = c.sharedMade(all, draft.tools)
		}
		locked[draft.name] = policydoc.LockedPolicy{Sentences: draft.sentences, Tools: draft.tools, Mapping: made, Fields: fresh.Fields(), Rule: base.Rule}
		if !there && slices.Contains(w.anew, draft.name) && base.StaysRemoved(draft.sentences) {
			continue
		}
		merged := policydoc.MergePolicy(mine, base.Fields, fresh)
		file.Put(&merged)
	}

	for _, name := range w.anew {
		if slices.ContainsFunc(found.drafts, func(d *draft) bool { return d.name == name }) {
			continue
		}

		if mine, there := policyNamed(had, name); there {
			if kept, keep := policydoc.Retire(mine, locked[name].Fields, ruleEdited(rules, name, locked[name])); keep {
				file.Put(&kept)
			} else {
				file.Remove(name)
			}
		}

		// Its rule goes when those are made that come in its place: until then there
		// would be none.
		if rule := locked[name].Rule; rule != nil {
			locked[name] = policydoc.LockedPolicy{Rule: rule}
		} else {
			delete(locked, name)
		}
	}
}

// stranded reports whether the file has the policy already and the lock doesn't know
// it: the lock was lost, the document says again what it no longer said, or people
// wrote down what it says.
func stranded(fresh *policydoc.Policy, had *policydoc.Mapping, locked map[string]policydoc.LockedPolicy) bool {
	mine, there := policyNamed(had, fresh.Name)
	return there && locked[fresh.Name].Mapping == "" && slices.ContainsFunc(mine.References, func(r string) bool { return slices.Contains(fresh.References, r) })
}

// outdated returns a rule that is made again by the next run, and stays until then: the same
// words may be under another heading now.
func outdated(g *policydoc.LockedRule) *policydoc.LockedRule {
	if g == nil {
		return nil
	}
	out := *g
	out.Made = ""
	return &out
}

// ruleEdited reports whether people edited the rule of a policy.
func ruleEdited(rules *guard.File, name string, locked policydoc.LockedPolicy) bool {
	p := policy(rules, name)
	return p != nil && locked.Rule != nil && policydoc.Edited(p, locked.Rule.Fields)
}

// policyNamed returns a policy of a mapping by its name.
func policyNamed(m *policydoc.Mapping, name string) (*policydoc.Policy, bool) {
	i := slices.IndexFunc(m.Policies, func(i policydoc.Policy) bool { return i.Name == name })
	if i < 0 {
		return nil, false
	}
	return &m.Policies[i], true
}

// rename gives drafts the names of the policies that they are the successors of:
// models forget names, and a name is what edits and approvals hang on.
func rename(drafts []*draft, w *work, had *policydoc.Mapping, locked map[string]policydoc.LockedPolicy) {
	free := slices.DeleteFunc(slices.Clone(w.anew), func(name string) bool { return named(drafts, name) != nil })
	for _, d := range drafts {
		if slices.Contains(w.anew, d.name) {
			continue
		}

		best, most := "", 0.0
		for _, name := range free {
			likeness := share(d.sentences, locked[name].Sentences)
			if i, ok := policyNamed(had, name); ok {
				likeness += share(wordList(d.description), wordList(i.Description))
			}
			if likeness > most {
				best, most = name, likeness
			}
		}

		const alike = 0.6 // of 2: the same sentences, or mostly the same words
		if most >= alike {
			d.name = best
			free = slices.DeleteFunc(free, func(name string) bool { return name == best })
		}
	}
}

func wordList(text string) []string {
	var out []string
	for w := range words(text) {
		out = append(out, w)
	}
	return out
}

// share returns the part of two sets that both have, from 0 to 1.
func share(a, b []string) float64 {
	both := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// account writes into the lock what became of each sentence, and lists those that
// no policy refers to. What is done are the tools that were gone through.
func (c *Compiler) account(d *policydoc.Directory, in Input, corpus *corpus, all []*tool, routed *routed, done map[string]*mapped) {
	lock := d.Lock
	lock.Version = policydoc.LockVersion
	lock.Document = policydoc.LockedDocument{Name: in.Document.Name, Digest: in.Document.Digest}
	c.note(lock, slices.Concat(mappingStages, []string{stageRoute, stageShare})...)
	before := lock.Sentences
	lock.Sentences = map[string]policydoc.LockedSentence{}
	waiting := false
	for id := range routed.lost {
		if was, ok := before[id]; ok { // it was routed by another model or prompt
			lock.Sentences[id], waiting = was, true
		}
	}
	if !waiting {
		lock.Routing = c.made(stageRoute)
	}

	known := map[string]bool{}
	for _, t := range all {
		known[t.key] = true
		same := lock.Tools[t.key] == t.fingerprint
		if waiting && !same {
			// Some kept sentences were not asked about with this definition: the next run has to
			// ask about all of them, whichever model it has.
			delete(done, t.key)
			continue
		}
		_, ok := done[t.key]
		// Of a tool that is new, the lock knows at least which sentences are about it.
		fresh := lock.Tools[t.key] == "" && len(lock.Policies[t.key]) == 0 && routed.broken[t.key] == nil
		if ok || fresh {
			lock.Tools[t.key] = t.fingerprint
		}
	}
	for key := range lock.Tools {
		if !known[key] {
			delete(lock.Tools, key)
		}
	}

	for id, s := range routed.now {
		was := before[id]
		var reasons []string
		about := s.Tools
		s.Tools = nil
		for _, key := range about {
			result, ok := done[key]
			switch {
			case !ok && !slices.Contains(was.Tools, key):
				s.Pending = append(s.Pending, key)
				continue
			case ok && result != nil && result.unused[id] != "":
				reasons = append(reasons, key+": "+result.unused[id])
			}
			s.Tools = append(s.Tools, key)
		}
		if len(reasons) > 0 {
			s.Reason = strings.Join(reasons, "; ")
		} else if s.Reason == "" && len(was.Tools) > 0 {
			s.Reason = was.Reason
		}
		lock.Sentences[id] = s
	}
	d.Unmapped = unmapped(d, corpus, known, before)
}

// unmapped returns the sentences that no policy refers to. A reason that people wrote stays;
// before is what the lock knew when the file was written.
func unmapped(d *policydoc.Directory, corpus *corpus, tools map[string]bool, before map[string]policydoc.LockedSentence) *policydoc.Unmapped {
	referred := references(d, corpus, tools)
	fresh := &policydoc.Unmapped{Document: corpus.name}
	base := map[string][]string{}
	// A sentence under another heading is another one, with the same text: what was generated for
	// those that are gone is not a person's edit.
	var gone []string
	for id := range before {
		if corpus.number[id] == 0 {
			gone = append(gone, reasonOf(before, id))
		}
	}

	for _, s := range corpus.sentences {
		if referred[s.ID] {
			continue
		}
		base[s.Text] = append(base[s.Text], reasonOf(before, s.ID))
		if _, known := before[s.ID]; !known {
			base[s.Text] = append(base[s.Text], gone...)
		}
		fresh.Sentences = append(fresh.Sentences, policydoc.UnmappedSentence{Text: s.Text, Reason: reasonOf(d.Lock.Sentences, s.ID)})
	}

	merged := policydoc.MergeUnmapped(d.Unmapped, base, fresh)
	return &merged
}

func reasonOf(lock map[string]policydoc.LockedSentence, id string) string {
	s, known := lock[id]
	switch {
	case !known:
		return "not compiled yet"
	case len(s.Pending) > 0:
		return "not compiled yet for " + strings.Join(s.Pending, ", ")
	case s.Reason != "":
		return s.Reason
	}
	return "no policy came of it"
}

// references returns the sentences that a policy of a known tool refers to.
func references(d *policydoc.Directory, corpus *corpus, tools map[string]bool) map[string]bool {
	out := map[string]bool{}
	for key, file := range d.Mappings {
		if !tools[key] {
			continue
		}
		m, err := file.Mapping()
		if err != nil {
			continue // it was read before
		}

		for _, i := range m.Policies {
			for _, id := range d.Lock.Policies[key][i.Name].Sentences {
				out[id] = true
			}
			for _, text := range i.References {
				for _, s := range corpus.quoted(text, nil) {
					out[s.ID] = true
				}
			}
		}
	}

	return out
}
