package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

const (
	// scaleCalls is how many calls a session makes: a task of some length.
	scaleCalls = 40
	// scaleResult is the length of a result, in bytes.
	scaleResult = 1 << 10
	// ScaleBound is what a call may wait at P99, by which the end of a machine is told: a
	// tenth of what a person notices beside a model that answers in seconds.
	ScaleBound = 50 * time.Millisecond
)

// The points that the model is fitted to, and those by which it is judged.
var (
	scaleFitted = []int{1, 64}
	scaleJudged = []int{4, 16}
)

// ScaleOptions say what is measured.
type ScaleOptions struct {
	// Stores are measured beside SQLite, by the name that store.Open takes.
	Stores []string
	// Dir is where SQLite's file lies: on the disk to measure.
	Dir string
	// Rounds is how often every point is measured, in turns; the median counts.
	Rounds int
	// Time is how long a point is measured each time.
	Time time.Duration
}

// ScaleReport is what parts cost, how well the simulation predicts, and what it predicts.
type ScaleReport struct {
	Cores int `json:"cores"`
	// Decide is a step without a store: a call decided, its result labelled.
	Decide time.Duration `json:"decide_ns"`
	Stores []ScaleStore  `json:"stores"`
	// Loads are companies of agents, with what they take.
	Loads []ScaleLoad `json:"loads"`
}

// ScaleStore is one store's measurement.
type ScaleStore struct {
	Name  string    `json:"name"`
	Model LoadModel `json:"model"`
	// Given is how many cores the machine gave with many sessions at the same time.
	Given float64 `json:"cores_given"`
	// Bytes are what an event takes on the disk, with its audit entry; 0 where only the server
	// knows.
	Bytes  int          `json:"bytes,omitempty"`
	Points []ScalePoint `json:"points"`
	// Capacity is the steps a second that one machine takes within [ScaleBound].
	Capacity float64 `json:"capacity"`
}

// ScalePoint is so many sessions at the same time, measured and simulated; medians of the
// rounds.
type ScalePoint struct {
	Sessions int `json:"sessions"`
	// Fitted is set where the model was fitted to the measurement.
	Fitted    bool    `json:"fitted"`
	Measured  float64 `json:"measured_per_second"`
	Predicted float64 `json:"predicted_per_second"`
	// Error is how far a round's prediction is from its measurement, as a part of that; Low
	// and High are those of the worst rounds.
	Error float64 `json:"error"`
	Low   float64 `json:"error_low"`
	High  float64 `json:"error_high"`
}

// ScaleLoad is a number of agents, and what they ask for at the busiest hour.
type ScaleLoad struct {
	What string `json:"what"`
	// Agents are at work at the same time.
	Agents    float64 `json:"agents"`
	Sessions  float64 `json:"sessions_per_second"`
	Decisions float64 `json:"decisions_per_second"`
	Events    float64 `json:"events_per_second"`
	BytesDay  float64 `json:"bytes_per_day"`
	// Cores decide it, and Machines take it, by store, at half of what they can.
	Cores    float64   `json:"cores"`
	Machines []float64 `json:"machines"`
}

// The assumptions about agents: a call in ten seconds while one works, eight busy hours of the
// day, and in a company one person in fifty with an agent at work at the busiest moment.
const (
	scaleSecondsCall = 10
	scaleHours       = 8
	scaleAtWork      = 50
)

// Scale measures, fits, judges and predicts.
func Scale(ctx context.Context, o ScaleOptions) (*ScaleReport, error) {
	if o.Rounds < 1 || o.Time <= 0 {
		return nil, errors.New("measure at least one round, of some time")
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{speedContract()}})
	if err != nil {
		return nil, fmt.Errorf("make the monitor: %w", err)
	}
	dir, err := os.MkdirTemp(o.Dir, "remit-scale-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	r := &ScaleReport{Cores: runtime.GOMAXPROCS(0)}
	rig := &scaleRig{monitor: m, time: o.Time}
	names := append([]string{filepath.Join(dir, "remit.db")}, o.Stores...)
	list, err := rig.rounds(ctx, names, o.Rounds)
	if err != nil {
		return nil, err
	}

	for i, rounds := range list {
		s := r.judged(rounds)
		s.Name, _, _ = strings.Cut(o.name(i), ":")
		if i == 0 {
			s.Bytes, err = bytesOf(names[0], rig.events)
		}
		if err != nil {
			return nil, err
		}
		s.Capacity = s.Model.Capacity(ScaleBound)
		r.Stores = append(r.Stores, s)
	}
	r.Decide = r.Stores[0].Model.Decide

	r.Loads = r.loads()
	return r, nil
}

func (o ScaleOptions) name(i int) string {
	if i == 0 {
		return "sqlite"
	}
	return o.Stores[i-1]
}

// bytesOf returns how much of a closed file an event takes.
func bytesOf(path string, events int64) (int, error) {
	info, err := os.Stat(path)
	if err != nil || events == 0 {
		return 0, err
	}
	return int(info.Size() / events), nil
}

// loads returns the companies of the report.
func (r *ScaleReport) loads() (list []ScaleLoad) {
	for _, c := range []struct {
		what   string
		agents float64
	}{{"one agent", 1}, {"100 agents", 100}, {"10,000 agents", 10_000}, {"a company of a million", 1_000_000 / scaleAtWork}} {
		decisions := c.agents / scaleSecondsCall
		l := ScaleLoad{What: c.what, Agents: c.agents, Decisions: decisions, Sessions: decisions / scaleCalls, Events: 2 * decisions}
		l.BytesDay = l.Events * float64(r.Stores[0].Bytes) * scaleHours * 3600
		l.Cores = decisions * r.Decide.Seconds()
		for _, s := range r.Stores {
			l.Machines = append(l.Machines, math.Ceil(decisions/(s.Capacity/2)))
		}
		list = append(list, l)
	}
	return list
}

// scaleRound is what one round measured of one store: steps by sessions at the same time,
// and without a store, and how many cores there were for work that never waits.
type scaleRound struct {
	cores    float64
	alone    steps
	measured map[int]steps
	// batch and commits are the store's: see [LoadModel].
	batch, commits int
}

// postgresCommits is how many connections of a process write to PostgreSQL. Each commits for
// itself, and waits beside the others.
const postgresCommits = 8

// committed returns how a store of a name commits.
func committed(name string) (batch, commits int) {
	if strings.HasPrefix(name, "postgres") {
		return 1, postgresCommits
	}
	return scaleFitted[1], 1
}

// steps is how many steps were made in a time, and what they used of the cores.
type steps struct {
	n         int
	took, cpu time.Duration
}

func (s steps) perSecond() float64 { return float64(s.n) / s.took.Seconds() }

// each returns the work of a step.
func (s steps) each() time.Duration { return s.cpu / time.Duration(s.n) }

// judged fits a model to each round, and holds it against the round's other points: a
// shared machine is another one from minute to minute. Medians are reported.
func (r *ScaleReport) judged(rounds []scaleRound) (s ScaleStore) {
	var decide, each, wait []time.Duration
	var given []float64
	models := make([]LoadModel, len(rounds))
	for i, round := range rounds {
		m, cores := round.fit()
		models[i] = m
		given, wait = append(given, cores), append(wait, m.Sync)
		decide, each = append(decide, round.alone.each()), append(each, max(0, round.measured[scaleFitted[1]].each()-round.alone.each()))
	}
	s.Model = LoadModel{Cores: r.Cores, Decide: middle(decide), Each: middle(each), Sync: middle(wait), Batch: rounds[0].batch, Commits: rounds[0].commits}
	s.Given = middle(given)

	for _, n := range slices.Sorted(slices.Values(slices.Concat(scaleFitted, scaleJudged))) {
		var measured, predicted, errs []float64
		for i, round := range rounds {
			have, said := round.measured[n].perSecond(), models[i].Closed(n, scaleSteps).PerSecond
			measured, predicted, errs = append(measured, have), append(predicted, said), append(errs, said/have-1)
		}
		s.Points = append(s.Points, ScalePoint{Sessions: n, Fitted: slices.Contains(scaleFitted, n),
			Measured: middle(measured), Predicted: middle(predicted), Error: middle(errs), Low: slices.Min(errs), High: slices.Max(errs)})
	}
	return s
}

// fit makes the model of a round from two of its points, and returns how many cores the
// machine gave: other work has the rest. A step's work is what the process used of them, with
// many sessions at the same time; alone, a step's wait is what of its time is not work.
func (round scaleRound) fit() (m LoadModel, given float64) {
	one, many := round.measured[scaleFitted[0]], round.measured[scaleFitted[1]]
	given = max(many.cpu.Seconds()/many.took.Seconds(), round.cores)
	m = LoadModel{Cores: max(1, int(math.Round(given))), Batch: round.batch, Commits: round.commits}
	slow := float64(m.Cores) / given
	m.Decide = time.Duration(float64(min(round.alone.each(), many.each())) * slow)
	m.Each = time.Duration(float64(max(0, many.each()-round.alone.each())) * slow)
	m.Sync = max(0, time.Duration(float64(time.Second)/one.perSecond())-m.Decide-m.Each)
	return m, given
}

// scaleSteps is how many steps are simulated for a point.
const scaleSteps = 20_000

func middle[T cmp.Ordered](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// scaleRig makes steps and counts them.
type scaleRig struct {
	monitor *remit.Monitor
	time    time.Duration
	// runs numbers the measurements, so that no session is met again, and events counts what
	// was written to the first store.
	runs   int
	events int64
}

// rounds measures every point of every store, and steps without a store, in turns.
func (g *scaleRig) rounds(ctx context.Context, names []string, rounds int) ([][]scaleRound, error) {
	list := make([][]scaleRound, len(names))

	for range rounds {
		for i, name := range names {
			alone, err := g.measure(ctx, &store.Memory{}, 1)
			if err != nil {
				return nil, err
			}
			cores, err := given(g.time / 4)
			if err != nil {
				return nil, err
			}
			round := scaleRound{cores: cores, alone: alone, measured: map[int]steps{}}
			round.batch, round.commits = committed(name)
			if err := g.points(ctx, name, i == 0, round.measured); err != nil {
				return nil, fmt.Errorf("measure store %d: %w", i+1, err)
			}
			list[i] = append(list[i], round)
		}
	}
	return list, nil
}

// given returns how many cores the machine gives to work that never waits.
func given(d time.Duration) (float64, error) {
	used, err := cpuTime()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	var work sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for time.Since(began) < d {
			}
		})
	}
	work.Wait()
	took := time.Since(began)
	now, err := cpuTime()
	return (now - used).Seconds() / took.Seconds(), err
}

// points measures one store once.
func (g *scaleRig) points(ctx context.Context, name string, first bool, to map[int]steps) error {
	s, err := store.Open(ctx, name, store.Options{})
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(scaleFitted, scaleJudged) {
		to[n], err = g.measure(ctx, s, n)
		if err != nil {
			return errors.Join(err, s.Close())
		}
		if first {
			g.events += 2 * int64(to[n].n) // the user's words beside them are few
		}
	}
	return s.Close()
}

// measure lets sessions make steps for a time, and returns how many they made.
func (g *scaleRig) measure(ctx context.Context, logs store.Logs, sessions int) (out steps, err error) {
	g.runs++
	l := ledger.New(logs, ledger.Options{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list, counts, errs := make([]*ledger.Session, sessions), make([]int, sessions), make([]error, sessions)
	each := func(f func(w int)) {
		var work sync.WaitGroup
		for w := range sessions {
			work.Go(func() { f(w) })
		}
		work.Wait()
	}
	next := func(w int) {
		list[w], errs[w] = g.step(ctx, l, list[w], fmt.Sprintf("run%d-%d", g.runs, w), counts[w])
		counts[w]++
	}

	each(next) // sessions begin before the time does
	if err := errors.Join(errs...); err != nil {
		return out, err
	}
	used, err := cpuTime()
	if err != nil {
		return out, err
	}
	began := time.Now()
	each(func(w int) {
		for time.Since(began) < g.time && errs[w] == nil {
			next(w)
		}
	})

	out.took = time.Since(began)
	now, err := cpuTime()
	for _, n := range counts {
		out.n += n - 1
	}
	if out.cpu = now - used; out.n == 0 {
		err = errors.Join(err, errors.New("no step was made in the time: measure longer"))
	}
	return out, errors.Join(append(errs, err)...)
}

// step makes one call, with its result, and a new session where the last one is at its end.
func (g *scaleRig) step(ctx context.Context, l *ledger.Ledger, s *ledger.Session, name string, n int) (*ledger.Session, error) {
	if n%scaleCalls == 0 {
		var err error
		if s, err = l.Open(ctx, g.monitor, fmt.Sprintf("%s-%d", name, n/scaleCalls)); err != nil {
			return nil, err
		}
		if err := s.User(ctx, "Read my mail and thank ann@corp.example for each thread."); err != nil {
			return nil, err
		}
	}
	id := fmt.Sprintf("call%d", n)
	if _, err := s.Decide(ctx, remit.Call{ID: id, Tool: "reply", Arguments: json.RawMessage(
		`{"to":"ann@corp.example","subject":"Quarterly figures","body":"thank you for the figures","thread":"none","priority":3}`)}); err != nil {
		return nil, err
	}
	content := fmt.Sprintf("reply %s was sent. %s", id, strings.Repeat("the figures of this quarter are late again. ", scaleResult/44))
	return s, s.Result(ctx, remit.Result{Call: id, Content: content})
}
