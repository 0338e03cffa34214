package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
	"github.com/remit-project/remit/synth"
)

const (
	// playTime bounds how long the playground thinks about a conversation, and how long a
	// request waits for its turn.
	playTime = 5 * time.Second
	// maxServers, maxDefined and maxDescribed bound definitions in the playground: its servers,
	// their tools, and the arguments and fields of results of all of them.
	maxServers   = 20
	maxDefined   = 200
	maxDescribed = 2000
	// maxPlayed bounds the playground's page, in bytes.
	maxPlayed = 8 << 20
)

// Sample is a conversation to begin with in the playground.
type Sample struct {
	Name, Title string
	// Tools are definitions, as the playground reads them, and Conversation a [Script].
	Tools, Conversation string
}

// playPage is the playground with what was decided.
type playPage struct {
	sessionPage
	Tools, Conversation string
	Samples             []Sample
	Sample              string
	Contracts           []*contract.File
	// Mistake says what could not be read; empty for nothing.
	Mistake string
}

// Page is the page as far as it shows a session.
func (p playPage) Page() sessionPage { return p.sessionPage }

// catalogues reads definitions: those of one server in any form, or an object with those of
// several by their names.
func catalogues(ctx context.Context, text string) ([]*schema.Catalogue, error) {
	var servers map[string]json.RawMessage
	several := json.Unmarshal([]byte(text), &servers) == nil && len(servers) > 0
	for _, list := range servers {
		several = several && strings.HasPrefix(strings.TrimSpace(string(list)), "[")
	}
	if _, one := servers["tools"]; one || !several {
		c, err := schema.Parse("tools", []byte(text))
		return []*schema.Catalogue{c}, err
	}

	if len(servers) > maxServers {
		return nil, fmt.Errorf("there are more than %d servers: write fewer", maxServers)
	}
	var out []*schema.Catalogue
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := schema.Parse(name, servers[name])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// playground shows the samples, and decides what people write.
func (c *Console) playground(ctx context.Context, v *visit) (outcome, error) {
	page := playPage{Samples: c.o.Samples, Sample: v.FormValue("sample")}
	page.Play, page.At, page.Before, page.After, page.Now = true, -1, -1, -1, c.o.Now()
	if v.PostForm.Has("conversation") {
		page.Tools, page.Conversation = v.PostForm.Get("tools"), v.PostForm.Get("conversation")
	} else if len(c.o.Samples) > 0 {
		chosen := c.o.Samples[max(0, slices.IndexFunc(c.o.Samples, func(s Sample) bool { return s.Name == page.Sample }))]
		page.Sample, page.Tools, page.Conversation = chosen.Name, chosen.Tools, chosen.Conversation
	}
	if at, path, ok := strings.Cut(v.PostForm.Get("at"), " "); ok {
		if n, err := strconv.ParseInt(at, 10, 64); err == nil {
			page.At, page.Path = n, path
		}
	}

	thinking, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	err := page.play(thinking)
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		page.Mistake = fmt.Sprintf("It takes longer than %s: write less.", playTime)
	case err != nil:
		page.Mistake = err.Error()
	}
	return outcome{page: "playground", most: maxPlayed, frame: frame{Title: "Playground", View: "playground", Body: page}}, nil
}

// play decides the conversation by contracts that are made from the definitions.
func (p *playPage) play(ctx context.Context) error {
	if strings.TrimSpace(p.Tools+p.Conversation) == "" {
		return nil
	}
	tools, err := catalogues(ctx, p.Tools)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if err := measure(ctx, tools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	for _, t := range tools {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Contracts = append(p.Contracts, synth.Contract(t))
	}

	m, err := remit.New(remit.Options{Tools: tools, Contracts: p.Contracts})
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	said, err := readScript(p.Conversation)
	if err != nil {
		return fmt.Errorf("conversation: %w", err)
	}

	session := ledger.Begin(m, "playground")
	decisions, err := perform(ctx, session, said)
	if err != nil {
		return err
	}
	var list []store.Record
	for e, err := range session.Events(ctx) {
		if err != nil {
			return err
		}
		list = append(list, store.Record{Seq: int64(len(list)), Event: e, Decision: decisions[len(list)]})
	}
	return p.read(ctx, list)
}

// measure refuses definitions that are more than the playground decides by.
func measure(ctx context.Context, servers []*schema.Catalogue) error {
	tools, places := 0, 0
	for _, c := range servers {
		if tools += len(c.Tools); tools > maxDefined {
			return fmt.Errorf("there are more than %d: write fewer", maxDefined)
		}

		for i := range c.Tools {
			if err := ctx.Err(); err != nil {
				return err
			}
			places += len(c.Tools[i].Places())
			if out := c.Tools[i].Output; out != nil {
				places += len(out.Leaves())
			}
			if places > maxDescribed {
				return fmt.Errorf("they have more than %d arguments and fields of results: write fewer", maxDescribed)
			}
		}
	}
	return ctx.Err()
}

// perform brings a conversation to a session, an event for each of its parts, and returns
// the decisions on its calls by their places.
func perform(ctx context.Context, session *ledger.Session, said []utterance) (map[int]*remit.Decision, error) {
	decisions, calls := map[int]*remit.Decision{}, 0

	for i, u := range said {
		var err error
		switch u.kind {
		case remit.SystemEvent:
			err = session.System(ctx, u.text)
		case remit.UserEvent:
			err = session.User(ctx, u.text)
		case remit.AssistantEvent:
			err = session.Assistant(ctx, u.text)
		case remit.AttachmentEvent:
			err = session.Attach(ctx, u.name, u.text)
		case remit.CallEvent:
			calls++
			decisions[i], err = session.Decide(ctx, remit.Call{ID: callID(calls), Tool: u.name, Arguments: json.RawMessage(u.text)})
		case remit.ResultEvent:
			err = session.Result(ctx, remit.Result{Call: callID(calls), Content: u.text})
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", u.line, err)
		}
	}
	return decisions, nil
}

func callID(n int) string { return "c" + strconv.Itoa(n) }

// read prepares a log for showing.
func (p *playPage) read(ctx context.Context, list []store.Record) error {
	out := newOutline()
	for _, r := range list {
		out.add(r)
	}

	marks := map[int64][]originMark{}
	if p.At >= 0 {
		var err error
		p.Way, err = back(ctx, out, func(_ context.Context, seq int64) (store.Record, error) {
			if seq >= int64(len(list)) {
				return store.Record{}, errNoEvent
			}
			return list[seq], nil
		}, p.At, p.Path)
		if errors.Is(err, errNoEvent) {
			p.Way = nil // the conversation is shorter by now
		} else if err != nil {
			return err
		}
		if p.Way != nil {
			marks = p.Way.Marks
		}
	}
	for _, r := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := out.event(r, marks[r.Seq], false)
		if e.Decided != nil && r.Seq == p.At {
			e.Decided.choose(p.Path)
		}
		p.Events = append(p.Events, e)
	}
	return nil
}
