package console

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// sessionsPage is a page of the list of sessions.
type sessionsPage struct {
	Filter filterForm
	// Any is set when the filter leaves sessions out.
	Any  bool
	List []listed
	// Next is the query of the next page; empty for the last.
	Next string
	// Slow is set when the search took too long and was given up.
	Slow bool
	All  bool
}

// filterForm is a filter as people write it.
type filterForm struct{ Text, Tool, Server, Verdict, Owner, Since string }

// shadowed is what a filter has for a verdict where it means decisions that would have stopped
// their calls, and were not enforced.
const shadowed = "shadow"

// listed is a session of the list.
type listed struct {
	store.Found
	Live bool
	Now  time.Time
	// About is what the user asked first.
	About string
}

// ages are the times that a filter may go back.
var ages = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}

func (f *filterForm) filter(w store.Whose, now time.Time) store.Filter {
	out := store.Filter{Whose: w, Owner: f.Owner, Server: f.Server, Tool: f.Tool, Text: f.Text}
	if out.Shadow = f.Verdict == shadowed; !out.Shadow {
		out.Verdict = remit.Verdict(f.Verdict)
	}
	if age, ok := ages[f.Since]; ok {
		out.Since = now.Add(-age)
	}
	return out
}

// values returns the filter as a query.
func (f *filterForm) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"text": f.Text, "tool": f.Tool, "server": f.Server, "verdict": f.Verdict, "owner": f.Owner, "since": f.Since} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// after is the end of a page, as the address of the next one has it.
type after struct {
	ID     string
	Active int64
}

func (c *Console) sessions(ctx context.Context, v *visit) (outcome, error) {
	version, err := v.version(ctx, "sessions")
	if err != nil {
		return outcome{}, err
	}
	now := c.o.Now()
	page := sessionsPage{All: v.who.May(access.SessionsAny), Filter: filterForm{Text: v.FormValue("text"), Tool: v.FormValue("tool"), Server: v.FormValue("server"),
		Verdict: v.FormValue("verdict"), Owner: v.FormValue("owner"), Since: v.FormValue("since")}}
	query := page.Filter.values()
	page.Any = len(query) > 0
	filter := page.Filter.filter(v.whose(), now)
	first := true
	if data, err := base64.RawURLEncoding.DecodeString(v.FormValue("after")); err == nil && len(data) > 0 {
		var a after
		if json.Unmarshal(data, &a) == nil {
			filter.After, first = &store.SessionInfo{ID: a.ID, Active: time.UnixMicro(a.Active)}, false
		}
	}

	search, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	list, err := c.o.Store.Find(search, filter, pageSessions+1)
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(search.Err(), context.DeadlineExceeded):
		page.Slow = true
	case err != nil:
		return outcome{}, err
	}
	if len(list) > pageSessions {
		last := list[pageSessions-1]
		data, err := json.Marshal(after{last.ID, last.Active.UnixMicro()})
		if err != nil {
			return outcome{}, err
		}
		query.Set("after", base64.RawURLEncoding.EncodeToString(data))
		page.Next, list = query.Encode(), list[:pageSessions]
	}
	for _, f := range list {
		about, err := c.about(ctx, f.ID)
		if err != nil {
			return outcome{}, err
		}
		page.List = append(page.List, listed{f, isLive(f.SessionInfo, now), now, about})
	}

	f := frame{Title: "Sessions", View: "sessions", Body: page}
	if first {
		f.Live, f.Version = "sessions", version
	}
	return outcome{page: "sessions", frame: f}, nil
}

// maxBefore is how many events of a session may come before the user's first words for a
// list to show them.
const maxBefore = 3

// about returns the beginning of what the user asked first; empty where the session doesn't
// begin with it.
func (c *Console) about(ctx context.Context, session string) (string, error) {
	for r, err := range c.o.Store.Read(ctx, session, 0) {
		switch {
		case err != nil:
			return "", err
		case r.Event.Kind == remit.UserEvent:
			return r.Event.Text[:runeStart(r.Event.Text, min(maxAbout, len(r.Event.Text)))], nil
		case r.Seq >= maxBefore:
			return "", nil
		}
	}
	return "", nil
}
