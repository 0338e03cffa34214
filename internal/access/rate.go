package access

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxRated bounds the callers whose rates are known one by one. Those beyond it share one.
const maxRated = 4096

// lookEvery is how often all of them are looked through for those that may go, at most: it
// takes as long as deciding a request.
const lookEvery = time.Second

// Rates holds each caller to a number of requests in a minute. A caller may send that many at
// once, and then as many as the time that has passed allows. A nil one lets everything through.
type Rates struct {
	perMinute int

	mu     sync.Mutex
	by     map[string]*rate.Limiter
	looked time.Time
}

// NewRates returns what holds callers to a number of requests in a minute; nil for 0.
func NewRates(perMinute int) *Rates {
	if perMinute <= 0 {
		return nil
	}
	return &Rates{perMinute: perMinute, by: map[string]*rate.Limiter{}}
}

// PerMinute returns how many requests a caller may send in a minute; 0 for any number.
func (r *Rates) PerMinute() int {
	if r == nil {
		return 0
	}
	return r.perMinute
}

// Take counts a request of a caller, and returns how long the caller has to wait until it is
// let pass: 0 for one that is.
func (r *Rates) Take(caller string, now time.Time) time.Duration {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.limiter(caller, now)
	if l.AllowN(now, 1) {
		return 0
	}

	asked := l.ReserveN(now, 1)
	defer asked.CancelAt(now)
	return max(asked.DelayFrom(now), time.Second)
}

// Seconds returns a time to wait in whole seconds, as Retry-After has it.
func Seconds(wait time.Duration) int { return int(math.Ceil(wait.Seconds())) }

// limiter returns that of a caller. Where there are too many, those go that have been silent
// for long enough to be like new ones.
func (r *Rates) limiter(caller string, now time.Time) *rate.Limiter {
	if l := r.by[caller]; l != nil {
		return l
	}
	if len(r.by) >= maxRated && now.Sub(r.looked) >= lookEvery {
		r.looked = now
		for name, l := range r.by {
			if l.TokensAt(now) >= float64(r.perMinute) {
				delete(r.by, name)
			}
		}
	}
	if len(r.by) >= maxRated {
		caller = "" // shared by the callers beyond the bound
	}

	l := r.by[caller]
	if l == nil {
		l = rate.NewLimiter(rate.Every(time.Minute/time.Duration(r.perMinute)), r.perMinute)
		r.by[caller] = l
	}
	return l
}
