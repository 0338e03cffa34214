package eval

import (
	priority "container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// LoadModel is what a step of an agent costs: a call that is decided, and written with its
// result before it runs.
type LoadModel struct {
	// Cores decide, and do the store's work where that is in the same process.
	Cores int `json:"cores"`
	// Decide is the work of a step without a store, Each what it adds in the store, and Sync how
	// long a commit waits for the disk, however many share it.
	Decide time.Duration `json:"decide_ns"`
	Each   time.Duration `json:"each_ns"`
	Sync   time.Duration `json:"sync_ns"`
	// Batch is how many steps share a commit, at most, and Commits how many commits wait at
	// the same time: one where it is zero.
	Batch   int `json:"batch"`
	Commits int `json:"commits,omitempty"`
}

// loadStep is one step on its way through a simulated machine.
type loadStep struct {
	session int
	began   time.Duration
}

// loadEvent is something that happens at a time.
type loadEvent struct {
	at time.Duration
	do func()
}

type loadEvents []loadEvent

func (e loadEvents) Len() int           { return len(e) }
func (e loadEvents) Less(i, j int) bool { return e[i].at < e[j].at }
func (e loadEvents) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *loadEvents) Push(x any)        { *e = append(*e, x.(loadEvent)) }
func (e *loadEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// machine simulates one: steps wait for a core, are decided, wait for the store, and are
// committed together with those that wait at the same time.
type machine struct {
	LoadModel
	now    time.Duration
	events loadEvents
	// idle cores; ready is work that waits for one.
	idle  int
	ready []func()
	// waiting is what waits for the store; committing counts what it has at work.
	waiting    []loadStep
	committing int
	took       []time.Duration
	// done is called with a step that is through.
	done func(loadStep)
}

func (m *machine) after(d time.Duration, do func()) {
	priority.Push(&m.events, loadEvent{m.now + d, do})
}

// compute runs something for a time on a core, when one is free.
func (m *machine) compute(d time.Duration, then func()) {
	run := func() {
		m.idle--
		m.after(d, func() {
			m.idle++
			then()
			m.dispatch()
		})
	}
	m.ready = append(m.ready, run)
	m.dispatch()
}

func (m *machine) dispatch() {
	for m.idle > 0 && len(m.ready) > 0 {
		next := m.ready[0]
		m.ready = m.ready[1:]
		next()
	}
}

// step begins a step of a session.
func (m *machine) step(session int) {
	s := loadStep{session, m.now}
	m.compute(m.Decide, func() {
		m.waiting = append(m.waiting, s)
		m.commit()
	})
}

// commit commits what waits, unless as many commits are under way as there may be.
func (m *machine) commit() {
	if m.committing >= max(1, m.Commits) || len(m.waiting) == 0 {
		return
	}
	m.committing++
	n := min(len(m.waiting), m.Batch)
	batch := m.waiting[:n]
	m.waiting = m.waiting[n:]

	m.compute(time.Duration(n)*m.Each, func() {
		m.after(m.Sync, func() {
			for _, s := range batch {
				m.took = append(m.took, m.now-s.began)
				m.done(s)
			}
			m.committing--
			m.commit()
		})
	})
}

// run goes on until so many steps are through.
func (m *machine) run(steps int) {
	for len(m.took) < steps && len(m.events) > 0 {
		e := priority.Pop(&m.events).(loadEvent)
		m.now = e.at
		e.do()
	}
}

// Load is what came of a load.
type Load struct {
	PerSecond float64       `json:"per_second"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
}

func loadOf(steps int, whole time.Duration, took []time.Duration) Load {
	slices.Sort(took)
	return Load{float64(steps) / whole.Seconds(), took[len(took)/2], took[len(took)*99/100]}
}

// Closed simulates sessions of which each makes its next step when the one before is through.
func (l LoadModel) Closed(sessions, steps int) Load {
	m := &machine{LoadModel: l, idle: l.Cores}
	m.done = func(s loadStep) { m.step(s.session) }
	for i := range sessions {
		m.step(i)
	}
	m.run(steps)
	return loadOf(len(m.took), m.now, m.took)
}

// Open simulates steps that come at random, so many a second on average, from more sessions
// than wait for each other. It ends early where they come faster than they go.
func (l LoadModel) Open(perSecond float64, steps int) Load {
	m := &machine{LoadModel: l, idle: l.Cores, done: func(loadStep) {}}
	r := rand.New(rand.NewPCG(1, 1))
	left := steps
	var arrive func()
	arrive = func() {
		m.step(0)
		if left--; left > 0 {
			m.after(time.Duration(r.ExpFloat64()/perSecond*float64(time.Second)), arrive)
		}
	}
	m.after(0, arrive)
	m.run(steps)
	return loadOf(len(m.took), m.now, m.took)
}

// Capacity returns the steps a second at which P99 reaches a bound.
func (l LoadModel) Capacity(p99 time.Duration) float64 {
	const steps, rounds = 20_000, 20
	low, high := 0.0, float64(l.Cores)/max(l.Decide+l.Each, time.Nanosecond).Seconds()
	for range rounds {
		rate := (low + high) / 2
		if l.Open(rate, steps).P99 > p99 {
			high = rate
		} else {
			low = rate
		}
	}
	return low
}
