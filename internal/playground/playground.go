// Package playground decides conversations that people have written down, by contracts that it
// makes from definitions. Nothing of it is kept.
package playground

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
	// Time bounds how long the playground thinks about a conversation.
	Time = 5 * time.Second
	// MaxServers, MaxDefined and MaxDescribed bound definitions: their servers, the tools, and the
	// arguments and fields of results of all of them.
	MaxServers   = 20
	MaxDefined   = 200
	MaxDescribed = 2000
)

// Sample is a conversation to begin with.
type Sample struct {
	Name, Title string
	// Tools are definitions, as the playground reads them, and Conversation a [Script].
	Tools, Conversation string
}

// Played is a conversation that was decided.
type Played struct {
	// Contracts are those that were made.
	Contracts []*contract.File
	// Records is the log that a session of it would have.
	Records []store.Record
}

// Mistake is an error in what a person has written.
type Mistake struct{ err error }

// Error implements error.
func (m *Mistake) Error() string { return m.err.Error() }

// Unwrap returns what is wrong.
func (m *Mistake) Unwrap() error { return m.err }

// mistake marks an error that came of what a person has written; what took too long, or was
// given up, is none.
func mistake(where string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Mistake{fmt.Errorf("%s%w", where, err)}
}

// Play decides a conversation by contracts that are made from definitions. What it returns
// beside an error is as far as it came. The error is a [Mistake], or says that it took too long.
func Play(ctx context.Context, tools, conversation string) (Played, error) {
	var out Played
	if strings.TrimSpace(tools+conversation) == "" {
		return out, nil
	}
	m, err := out.monitor(ctx, tools)
	if err != nil {
		return out, mistake("tools: ", err)
	}
	said, err := readScript(conversation)
	if err != nil {
		return out, mistake("conversation: ", err)
	}

	session := ledger.Begin(m, "playground")
	decisions, err := perform(ctx, session, said)
	if err != nil {
		return out, mistake("", err)
	}
	for e, err := range session.Events(ctx) {
		if err != nil {
			return out, mistake("", err)
		}
		out.Records = append(out.Records, store.Record{Seq: int64(len(out.Records)), Event: e, Decision: decisions[len(out.Records)]})
	}
	return out, nil
}

// monitor makes the contracts of definitions, and what decides by them.
func (p *Played) monitor(ctx context.Context, text string) (*remit.Monitor, error) {
	tools, err := catalogues(ctx, text)
	if err != nil {
		return nil, err
	}
	if err := measure(ctx, tools); err != nil {
		return nil, err
	}
	for _, t := range tools {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.Contracts = append(p.Contracts, synth.Contract(t))
	}
	return remit.New(remit.Options{Tools: tools, Contracts: p.Contracts})
}

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

	if len(servers) > MaxServers {
		return nil, fmt.Errorf("there are more than %d servers: write fewer", MaxServers)
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

// measure refuses definitions that are more than the playground decides by.
func measure(ctx context.Context, servers []*schema.Catalogue) error {
	tools, places := 0, 0
	for _, c := range servers {
		if tools += len(c.Tools); tools > MaxDefined {
			return fmt.Errorf("there are more than %d: write fewer", MaxDefined)
		}

		for i := range c.Tools {
			if err := ctx.Err(); err != nil {
				return err
			}
			places += len(c.Tools[i].Places())
			if out := c.Tools[i].Output; out != nil {
				places += len(out.Leaves())
			}
			if places > MaxDescribed {
				return fmt.Errorf("they have more than %d arguments and fields of results: write fewer", MaxDescribed)
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
