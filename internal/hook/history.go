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

// history is what a session's log says about the user's wishes, and about what
// the model may have written under whose influence. It is read from the log, so
// that it is the same after a restart.
type history struct {
	mu   sync.Mutex
	next int64 // the first record that was not read

	prompts []prompt
	// outside is the record of the last text from outside of the workspace, and
	// cleared that of the user's last word on running what is there.
	outside, cleared int64
	// doubt is the first record of a write that the user has not spoken after,
	// and why says what speaks against it.
	doubt int64
	why   string
	calls map[string]*effects // of calls that have not returned
	order []string
}

type prompt struct {
	seq  int64
	text string
}

// effects are what a call does, as far as it matters here.
type effects struct {
	writes   bool
	building string // a file that says what builds run
	outside  bool   // its result may be others' text
	brings   bool   // it puts others' text into the workspace
	doubted  bool   // it was asked about because of what was written before
	open     bool   // whether it ran is told by its result
}

const (
	// maxPromptsKept bounds the prompts of a session that are remembered: the
	// newest, further back than people refer to.
	maxPromptsKept = 64
	// never is before every record.
	never = int64(-1)
)

func newHistory() *history {
	return &history{outside: never, cleared: never, doubt: never, calls: map[string]*effects{}}
}

// history reads on in a session's log.
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

// read takes note of a record.
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
			h.ran(seq, f)
		}
		h.keep(e.Call.ID, f)
	case remit.ConfirmationEvent:
		if f := h.calls[e.Call.ID]; f != nil && f.open && e.Verdict == remit.Allow {
			if f.open = false; f.doubted {
				h.clear(seq)
			}
			h.ran(seq, f)
		}
	case remit.ResultEvent:
		h.returned(seq, e.Result)
	}
}

// mentions tells whether the user wrote a text as it is.
func (h *history) mentions(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.prompts, func(p prompt) bool { return strings.Contains(p.text, text) })
}

func (h *history) clear(seq int64) { h.doubt, h.cleared, h.why = never, seq, "" }

// keep remembers what a call does until it returns.
func (h *history) keep(id string, f *effects) {
	h.calls[id] = f
	if h.order = append(h.order, id); len(h.order) > maxOpen {
		delete(h.calls, h.order[0])
		h.order = h.order[1:]
	}
}

// ran takes note of what a call that may run writes.
func (h *history) ran(seq int64, f *effects) {
	if f.brings {
		h.outside = seq
	}
	if why := h.against(f.writes || f.brings, f.building, seq); why != "" && h.doubt < 0 {
		h.doubt, h.why = seq, why
	}
}

// against says what speaks against running what was written; empty when nothing
// does. It names the place in the session, so that a person's yes is to this and
// not to what is read or written later.
func (h *history) against(writes bool, building string, seq int64) string {
	switch {
	case building != "":
		return fmt.Sprintf("it runs what %q says, which the agent wrote (event %d)", building, seq)
	case writes && h.outside > h.cleared:
		return fmt.Sprintf("it runs files that the agent wrote after it had read text from outside of the workspace (event %d)", h.outside)
	}
	return ""
}

func (h *history) returned(seq int64, r *remit.Result) {
	f := h.calls[r.Call]
	// A result of a call that was not seen may be anybody's.
	unseen := f == nil
	if f != nil && f.open {
		f.open = false
		h.ran(seq, f)
	}
	if (unseen || f.outside) && (r.Content != "" || len(r.Structured) > 0) {
		h.outside = seq
	}
	delete(h.calls, r.Call)
	h.order = slices.DeleteFunc(h.order, func(id string) bool { return id == r.Call })
}

// doubts says what speaks against a line that runs what the workspace defines, or
// that the user asked for in the prompt of a record; empty when nothing does.
func (h *history) doubts(r *shell.Reach, written []string, since int64) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.doubt > since {
		return h.why
	}
	f := effects{}
	for _, far := range r.Far {
		if far.Brings && !idling(far.Words) {
			return "it runs files that it brings from elsewhere"
		}
	}
	for _, name := range written {
		if r.Writes {
			f.write(name)
		}
	}
	return h.against(f.writes, f.building, h.next)
}

// said are the prompts, and the record of each.
func (h *history) said() (texts []string, seqs []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.prompts {
		texts, seqs = append(texts, p.text), append(seqs, p.seq)
	}
	return texts, seqs
}

// effectsOf finds out what a call of the log does, by its arguments.
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

// line looks at a command line of the log: what it may have done wherever it was
// run.
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
		if far.Brings && !idling(far.Words) {
			f.brings = true
		}
	}
	for _, name := range written {
		if r.Writes {
			f.write(name)
		}
	}
}

// write takes note of a file that is written.
func (f *effects) write(name string) {
	f.writes = f.writes || !idle(name)
	if building(name) {
		f.building = name
	}
}

// idling tells whether what a command brings is of no use to builds, by the name
// that each of its words ends with.
func idling(words []shell.Word) bool {
	seen := false
	for _, w := range words[min(1, len(words)):] {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		if seen = true; !idle(w.Text) {
			return false
		}
	}
	return seen
}

// idle tells whether a file is one that no build runs: text for people, tables,
// pictures.
func idle(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".md", ".markdown", ".rst", ".adoc", ".csv", ".tsv", ".log", ".css", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ico":
		return !building(name)
	}
	return false
}

// byEditor is the name of what an editor puts beside a prompt: parts of the
// workspace, and what the agent itself says.
const byEditor = "editor"
