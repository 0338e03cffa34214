package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/playground"
	"github.com/remit-project/remit/store"
)

// maxPlayed bounds the playground's page, in bytes.
const maxPlayed = 8 << 20

// playPage is the playground with what was decided.
type playPage struct {
	sessionPage
	Tools, Conversation string
	Samples             []playground.Sample
	Sample              string
	Contracts           []*contract.File
	// Mistake says what could not be read; empty for nothing.
	Mistake string
}

// Page returns the page as far as it shows a session.
func (p playPage) Page() sessionPage { return p.sessionPage }

// playground shows the samples, and decides what people write.
func (c *Console) playground(ctx context.Context, v *visit) (outcome, error) {
	page := playPage{Samples: c.o.Samples, Sample: v.FormValue("sample")}
	page.Play, page.At, page.Before, page.After, page.Now = true, -1, -1, -1, c.o.Now()
	if v.PostForm.Has("conversation") {
		page.Tools, page.Conversation = v.PostForm.Get("tools"), v.PostForm.Get("conversation")
	} else if len(c.o.Samples) > 0 {
		chosen := c.o.Samples[max(0, slices.IndexFunc(c.o.Samples, func(s playground.Sample) bool { return s.Name == page.Sample }))]
		page.Sample, page.Tools, page.Conversation = chosen.Name, chosen.Tools, chosen.Conversation
	}
	if at, path, ok := strings.Cut(v.PostForm.Get("at"), " "); ok {
		if n, err := strconv.ParseInt(at, 10, 64); err == nil {
			page.At, page.Path = n, path
		}
	}

	thinking, cancel := context.WithTimeout(ctx, playground.Time)
	defer cancel()
	err := page.play(thinking)
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		page.Mistake = fmt.Sprintf("It takes longer than %s: write less.", playground.Time)
	case err != nil:
		page.Mistake = err.Error()
	}
	return outcome{page: "playground", most: maxPlayed, frame: frame{Title: "Playground", View: "playground", Body: page}}, nil
}

// play decides the conversation.
func (p *playPage) play(ctx context.Context) error {
	played, err := playground.Play(ctx, p.Tools, p.Conversation)
	p.Contracts = played.Contracts
	if err != nil {
		return err
	}
	return p.read(ctx, played.Records)
}

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
