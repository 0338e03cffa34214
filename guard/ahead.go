package guard

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/internal/record"
)

// Bounds on what [Set.ReadAhead] reads. A decision reads for itself what is beyond them.
const (
	maxAhead    = 64       // entries, the newest
	maxSaid     = 32 << 10 // bytes of what was said
	maxReturned = 1 << 20  // bytes of results at once
	maxKept     = 4 << 20  // and in a session, since what was read takes many times as much
	// maxStatements bounds the statements of rules.
	maxStatements = 64
	// maxRehearsed is how many calls are decided ahead, and maxRehearsal bounds the bytes that are kept of one.
	maxRehearsed = 4
	maxRehearsal = 256 << 10
)

// ReadAhead reads what was told last in a history that remembers, so that the decisions that follow find it
// read: what the user and the agent said, what tools returned, and, after a turn of the user's, what the calls that
// were decided last depend on. No decision is another one for it.
func (s *Set) ReadAhead(h *History) {
	if s == nil || !s.hangsOnWords || h.memo == nil || len(h.Entries) == 0 {
		return
	}
	m := h.memo()
	s.readResults(m, h)
	if h.Entries[len(h.Entries)-1].Kind != UserEntry {
		return
	}

	t := &talk{memo: m, entries: h.Entries}
	t.read()
	said := 0
	for i := range t.exchanges {
		said += len(t.exchanges[i].question) + len(t.exchanges[i].reply)
	}
	if said > maxSaid {
		return
	}
	s.readSaid(&t.exchanges[len(t.exchanges)-1])
	m.records(m.resultsIn(h.Entries)).Read()
	for _, r := range m.rehearsals() {
		r.History = h
		s.Recall(r)
	}
}

// readResults reads the results in the newest entries.
func (s *Set) readResults(m *remembered, h *History) {
	room := maxReturned
	for i := len(h.Entries) - 1; i >= max(0, len(h.Entries)-maxAhead); i-- {
		e := &h.Entries[i]
		if e.Kind != CallEntry || e.Call.Result == nil {
			continue
		}
		if room -= len(content(e.Call.Result)); room < 0 {
			return
		}
		at := readKey{m.same(e.Call.Result), e.Call.Tool}
		if !m.readsAhead(at) {
			continue
		}
		_, _ = m.value(e.Call.Result, record.Anything()) // a decision that needs it says what is wrong with it
		m.result(at).Read()
	}
}

// readsAhead reports whether a result is to be read ahead: one that isn't read yet, as long as the session has room.
func (m *remembered) readsAhead(at readKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read[at] != nil || m.ahead > maxKept {
		return false
	}
	m.ahead += len(content(at.result)) + sizeOfResult
	return true
}

// readSaid reads an exchange as decisions do, whatever the call.
func (s *Set) readSaid(e *exchange) {
	for function, statements := range s.statements {
		for _, statement := range statements {
			switch function {
			case toldFunction:
				e.memo.tells(e.question, statement)
			case completeFunction:
				e.memo.tells(e.question, statement)
				e.memo.closes(e.reply, statement)
			case answeredFunction:
				e.memo.gives(e.question, e.reply, statement)
			}
		}
	}

	e.reading()
	e.stops()
	own := e.memo.ownOf(e.reply, "")
	e.memo.choiceOf(e)
	e.memo.wordsOf(own)
	for _, said := range [...]string{e.question, e.reply, own} {
		e.memo.heard.Read(e.memo.text(said))
		e.memo.clausesOf(said).takeBack()
	}
}

// listen notes the statements that the rules ask for. Where rules hang on words, it reads some as well, so that
// the lists that this takes are there before the first decision.
func (s *Set) listen() {
	s.statements = map[string][]string{}
	note := func(e ast.Expr) {
		if e.Kind() == ast.CallKind {
			s.hangsOnWords = s.hangsOnWords || slices.Contains(saidFunctions, e.AsCall().FunctionName())
			s.noteStatements(e.AsCall())
		}
	}
	for _, g := range s.Guards() {
		for _, p := range g.policies {
			if p.require != nil {
				walk(p.require.ast.NativeRep().Expr(), note)
			}
			for _, v := range p.variables {
				if v.expression != nil {
					walk(v.ast.NativeRep().Expr(), note)
				}
			}
		}
	}

	if s.hangsOnWords {
		m := newRemembered()
		s.readSaid(&exchange{question: "Shall I cancel it for 2 days?", reply: "Yes, only the first.", memo: m})
		m.none.Names(m.text("in 2 days"), "2")
	}
}

// noteStatements notes the statements that a call of a function asks for.
func (s *Set) noteStatements(call ast.CallExpr) {
	function := call.FunctionName()
	if !slices.Contains([]string{toldFunction, completeFunction, answeredFunction}, function) {
		return
	}
	for _, arg := range call.Args() {
		walk(arg, func(e ast.Expr) {
			if e.Kind() != ast.LiteralKind {
				return
			}
			said, isText := e.AsLiteral().(types.String)
			if had := s.statements[function]; isText && len(had) < maxStatements && !slices.Contains(had, string(said)) {
				s.statements[function] = append(had, string(said))
			}
		})
	}
}

// rehearsals returns the requests that were decided last, with what was looked up for them.
func (m *remembered) rehearsals() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.decided)
}

// rehearse keeps a request to be decided again ahead of another decision on its call.
func (m *remembered) rehearse(r *Request) {
	kept := Request{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments, Now: r.Now, Recorded: &Facts{Lookups: r.Recorded.Lookups}}
	size := len(r.Arguments)
	for _, l := range r.Recorded.Lookups {
		if size += len(l.Arguments); l.Result != nil {
			size += len(l.Result.Content) + len(l.Result.Structured)
		}
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	isSame := func(had Request) bool {
		return had.Server == r.Server && had.Tool == r.Tool && string(had.Arguments) == string(r.Arguments)
	}
	m.decided = slices.DeleteFunc(slices.Clone(m.decided), isSame)
	if size > maxRehearsal {
		return
	}
	if len(m.decided) >= maxRehearsed {
		m.decided = m.decided[1:]
	}
	m.decided = append(m.decided, kept)
}
