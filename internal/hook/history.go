package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/hook/asked"
	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/internal/strictjson"
)

// history holds what a session's log says about the user's wishes and about files that the model
// wrote after reading external text. It is rebuilt from the log, so it is the same after a
// restart.
type history struct {
	mu   sync.Mutex
	next int64 // the first record that was not read

	prompts []prompt
	// outside is the record of the last text from outside of the workspace, and
	// cleared the record of the user's last approval to run what is there.
	outside, cleared int64
	// doubt is the first record of a write since the user last spoke, and why is
	// the objection to it.
	doubt int64
	why   string
	calls map[string]*effects // of calls that have not returned
	order []string
}

type prompt struct {
	seq  int64
	text string
}

// effects are the relevant effects of a call.
type effects struct {
	writes   bool
	building string // a file that says what builds run
	outside  bool   // its result may be others' text
	brings   bool   // it puts others' text into the workspace
	doubted  bool   // it was asked about because of what was written before
	open     bool   // whether it ran is told by its result
}

const (
	// maxPromptsKept bounds the stored prompts of a session: the newest, further
	// back than people refer to.
	maxPromptsKept = 64
	// never precedes every record.
	never = int64(-1)
)

func newHistory() *history {
	return &history{outside: never, cleared: never, doubt: never, calls: map[string]*effects{}}
}

// history reads the rest of a session's log.
func (s *Service) history(ctx context.Context, p *policy, id string) (*history, error) {
	s.mu.Lock()
	h := s.histories[id]
	if h == nil {
		if len(s.histories) >= maxSessions {
			clear(s.histories)
		}
		h = newHistory()
		s.histories[id] = h
	}

	s.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for r, err := range s.store.Read(ctx, id, h.next) {
		if err != nil {
			return nil, fmt.Errorf("the session's log: %w", err)
		}
		h.read(r.Seq, &r.Event, p, s.programs)
		h.next = r.Seq + 1
	}

	return h, nil
}

// read records one event of the log.
func (h *history) read(seq int64, e *remit.Event, p *policy, programs *shell.Programs) {
	switch e.Kind {
	case remit.UserEvent:
		h.prompts = append(h.prompts, prompt{seq, e.Text})
		h.prompts = h.prompts[max(0, len(h.prompts)-maxPromptsKept):]
		if h.doubt >= 0 && asked.Wants(e.Text) {
			h.clear(seq)
		}
	case remit.AttachmentEvent:
		if e.Name != byEditor {
			h.outside = seq
		}

	case remit.CallEvent:
		f := effectsOf(e.Call, p, programs)
		if f.open = e.Verdict != remit.Allow; !f.open {
			h.noteRun(seq, f)
		}
		h.keep(e.Call.ID, f)
	case remit.ConfirmationEvent:
		if f := h.calls[e.Call.ID]; f != nil && f.open && e.Verdict == remit.Allow {
			if f.open = false; f.doubted {
				h.clear(seq)
			}
			h.noteRun(seq, f)
		}
	case remit.ResultEvent:
		h.noteResult(seq, e.Result)
	}
}

// mentions reports whether the user wrote a text verbatim.
func (h *history) mentions(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.prompts, func(p prompt) bool { return strings.Contains(p.text, text) })
}

func (h *history) clear(seq int64) { h.doubt, h.cleared, h.why = never, seq, "" }

// keep stores a call's effects until it returns.
func (h *history) keep(id string, f *effects) {
	h.calls[id] = f
	if h.order = append(h.order, id); len(h.order) > maxOpen {
		delete(h.calls, h.order[0])
		h.order = h.order[1:]
	}
}

// noteRun records what a call that may run writes.
func (h *history) noteRun(seq int64, f *effects) {
	if f.brings {
		h.outside = seq
	}
	if why := h.objection(f.writes || f.brings, f.building, seq); why != "" && h.doubt < 0 {
		h.doubt, h.why = seq, why
	}
}

// objection returns the objection to running what was written; empty if there is
// none. It names the place in the session, so that a person's approval doesn't
// cover what is read or written later.
func (h *history) objection(writes bool, building string, seq int64) string {
	switch {
	case building != "":
		return fmt.Sprintf("it runs what %q says, which the agent wrote (event %d)", building, seq)
	case writes && h.outside > h.cleared:
		return fmt.Sprintf("it runs files that the agent wrote after it had read text from outside of the workspace (event %d)", h.outside)
	}
	return ""
}

func (h *history) noteResult(seq int64, r *remit.Result) {
	f := h.calls[r.Call]
	// The result of an unseen call may come from anyone.
	unseen := f == nil
	if f != nil && f.open {
		f.open = false
		h.noteRun(seq, f)
	}
	if (unseen || f.outside) && (r.Content != "" || len(r.Structured) > 0) {
		h.outside = seq
	}
	delete(h.calls, r.Call)
	h.order = slices.DeleteFunc(h.order, func(id string) bool { return id == r.Call })
}

// doubts returns the objection to a line that runs what the workspace defines, or
// that the user asked for in the prompt of record since; empty if there is none.
func (h *history) doubts(r *shell.Reach, written []string, since int64) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.doubt > since {
		return h.why
	}
	f := effects{}
	for _, far := range r.Far {
		if far.Brings && !onlyIdle(far.Words) {
			return "it runs files that it brings from elsewhere"
		}
	}
	for _, name := range written {
		if r.Writes {
			f.write(name)
		}
	}
	return h.objection(f.writes, f.building, h.next)
}

// promptTexts returns the prompts and the record of each.
func (h *history) promptTexts() (texts []string, seqs []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.prompts {
		texts, seqs = append(texts, p.text), append(seqs, p.seq)
	}
	return texts, seqs
}

// effectsOf returns the effects of a logged call, judged by its arguments.
func effectsOf(c *remit.Call, p *policy, programs *shell.Programs) *effects {
	tool := p.servers[c.Server][c.Tool]
	if !agents(c.Server) || tool == nil {
		return &effects{outside: true}
	}
	if tool.Verb != "/"+reachName {
		return &effects{outside: tool.Sinks != contract.Off}
	}
	f := &effects{outside: true, writes: true}
	doc, err := strictjson.Parse(c.Arguments, strictjson.DefaultLimits())

	v, _ := tool.Variant(inWorkspace, true)
	if err != nil || doc.Root().Kind() != strictjson.Object || v == nil {
		return f
	}
	*f = effects{}

	for _, leaf := range doc.Leaves() {
		switch leaf.Pointer {
		case "/" + reachName:
			f.outside = leaf.Text == atOutside || leaf.Text == atAddress
		case "/" + doubtName:
			f.doubted = true
		}
	}

	paths, lines := forms(v, doc)
	for _, leaf := range lines {
		f.line(leaf.Text, programs)
	}
	if len(lines) > 0 || v.Effect == contract.Read {
		return f
	}
	for _, leaf := range paths {
		f.write(leaf.Text)
	}

	return f
}

// line adds the possible effects of a logged command line in any directory.
func (f *effects) line(text string, programs *shell.Programs) {
	line, err := shell.Read(text)
	if err != nil {
		f.writes = true
		return
	}
	var written []string
	anywhere := shell.Place{
		Dir: "/",
		Inside: func(_, path string, write bool) bool {
			if write {
				written = append(written, path)
			}
			return true
		},
		Matches: func(string, string) bool { return true },
		Linked:  func(string, string) bool { return false },
		Own:     func(string) bool { return true },
		Hooked:  func() bool { return false },
	}
	r := programs.Reach(line, anywhere)

	f.outside = f.outside || r.Asks
	for _, far := range r.Far {
		if far.Brings && !onlyIdle(far.Words) {
			f.brings = true
		}
	}
	for _, name := range written {
		if r.Writes {
			f.write(name)
		}
	}
}

// write records that a file is written.
func (f *effects) write(name string) {
	f.writes = f.writes || !isIdle(name)
	if building(name) {
		f.building = name
	}
}

// onlyIdle reports whether a command brings only files that builds ignore, judged
// by the names in its words.
func onlyIdle(words []shell.Word) bool {
	seen := false
	for _, w := range words[min(1, len(words)):] {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		if seen = true; !isIdle(w.Text) {
			return false
		}
	}
	return seen
}

// isIdle reports whether no build runs a file of this name: text for people,
// tables, images.
func isIdle(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".md", ".markdown", ".rst", ".adoc", ".csv", ".tsv", ".log", ".css", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ico":
		return !building(name)
	}
	return false
}

// byEditor names text that an editor adds to a prompt: parts of the workspace,
// and messages of the agent.
const byEditor = "editor"
