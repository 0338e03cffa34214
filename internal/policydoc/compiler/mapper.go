package compiler

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/policydoc"
)

// The stages for one tool.
const (
	stageFind     = "find"
	stageRefine   = "refine"
	stageReview   = "review"
	stageGround   = "ground"
	stageExamples = "examples"
	stageReflect  = "reflect"
)

// mappingStages are what a policy of the mapping is made by.
var mappingStages = []string{stageFind, stageRefine, stageReview, stageGround, stageExamples, stageReflect}

const (
	// maxMarked is how many sentences policies are searched in at once.
	maxMarked = 150
	// maxPolicies is how many policies one question is about, and maxExemplified
	// how many where the answer is long.
	maxPolicies    = 40
	maxExemplified = 6
)

// mapper finds the policies of one tool.
type mapper struct {
	*Compiler
	corpus *corpus
	tool   *tool
	work   *work
}

// aboutTool is what all stages say of the tool.
type aboutTool struct {
	Tool, Definition string
	Lookups          []string
	Document         string
}

func (m *mapper) about() aboutTool {
	return aboutTool{m.tool.key, m.tool.definition, m.tool.lookups, m.corpus.name}
}

// mapped are the policies that were found for a tool.
type mapped struct {
	drafts []*draft
	// unused says of sentences why no policy of the tool refers to them.
	unused map[string]string
}

// run goes through all stages.
func (m *mapper) run(ctx context.Context) (*mapped, error) {
	out := &mapped{unused: map[string]string{}}
	drafts, err := m.find(ctx, out.unused)
	if err != nil || len(drafts) == 0 {
		return out, err
	}
	if drafts, err = m.refine(ctx, drafts); err != nil {
		return nil, err
	}
	if err := m.complete(ctx, live(drafts)); err != nil {
		return nil, err
	}
	out.drafts, err = m.reflect(ctx, drafts, out.unused)
	return out, err
}

// complete reviews, grounds and exemplifies drafts.
func (m *mapper) complete(ctx context.Context, drafts []*draft) error {
	if err := m.review(ctx, drafts); err != nil {
		return err
	}
	if err := m.ground(ctx, drafts); err != nil {
		return err
	}
	return m.examples(ctx, live(drafts))
}

// live returns the drafts that a program can enforce.
func live(drafts []*draft) []*draft {
	return selected(drafts, func(d *draft) bool { return d.archived == "" })
}

func selected(drafts []*draft, keep func(*draft) bool) []*draft {
	var out []*draft
	for _, d := range drafts {
		if keep(d) {
			out = append(out, d)
		}
	}
	return out
}

// subject names a question: the tool, and which part of it where there are
// several.
func (m *mapper) subject(part, parts int) string {
	name := m.tool.key
	if name == policydoc.EveryTool {
		name = "every tool"
	}
	if parts > 1 {
		return fmt.Sprintf("%s (%d of %d)", name, part+1, parts)
	}
	return name
}
