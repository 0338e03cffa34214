package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/playground"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
	"github.com/remit-project/remit/synth"
)

// samples returns the scenes of the demo for the console's playground.
func samples() ([]playground.Sample, error) {
	names, err := fs.Glob(scenes, "demo/*.json")
	if err != nil {
		return nil, err
	}

	var out []playground.Sample
	for _, name := range names {
		sc, err := readScene(name)
		if err != nil {
			return nil, err
		}
		tools, err := json.MarshalIndent(sc.Tools, "", " ")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		script, title := sc.Attack, sc.Title+", with the attack"
		if script == nil {
			script, title = sc.Benign, sc.Title
		}
		list, err := messages(script)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, playground.Sample{
			Name: strings.TrimSuffix(filepath.Base(name), ".json"), Title: title, Tools: string(tools),
			Conversation: playground.Script(spoken(list)),
		})
	}
	return out, nil
}

// spoken returns a recording as the playground has it.
func spoken(list []trace.Message) []playground.Line {
	kinds := map[trace.Role]remit.EventKind{
		trace.System: remit.SystemEvent, trace.User: remit.UserEvent,
		trace.Assistant: remit.AssistantEvent, trace.Tool: remit.ResultEvent,
	}
	var out []playground.Line
	for i := range list {
		m := &list[i]
		if m.Text != "" {
			out = append(out, playground.Line{Kind: kinds[m.Role], Text: m.Text})
		}
		for _, c := range m.Calls {
			out = append(out, playground.Line{Kind: remit.CallEvent, Name: c.Tool, Text: string(c.Arguments)})
		}
	}
	return out
}

// demoContracts returns the contracts that the demo makes, one a server.
func demoContracts() ([]*contract.File, error) {
	names, err := fs.Glob(scenes, "demo/*.json")
	if err != nil {
		return nil, err
	}

	var out []*contract.File
	for _, name := range names {
		sc, err := readScene(name)
		if err != nil {
			return nil, err
		}
		tools, err := sc.catalogues()
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			if !slices.ContainsFunc(out, func(f *contract.File) bool { return f.Server == t.Server }) {
				out = append(out, synth.Contract(t))
			}
		}
	}
	return out, nil
}

// readScene reads a scene of the demo.
func readScene(name string) (*scene, error) {
	data, err := scenes.ReadFile(name)
	if err != nil {
		return nil, err
	}
	sc := &scene{}
	if err := json.Unmarshal(data, sc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sc, nil
}

// withDemo runs a function on a store with the sessions of the demo, in which every call
// that was held back waits for an answer.
func withDemo(ctx context.Context, do func(store.Store) error) (err error) {
	dir, err := os.MkdirTemp("", "remit-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	st, err := store.Open(ctx, filepath.Join(dir, "remit.db"), store.Options{})
	if err != nil {
		return err
	}

	agents, end := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	err = stageDemo(agents, st, &waiting)
	if err == nil {
		err = do(st)
	}
	end()
	waiting.Wait()
	return errors.Join(err, st.Close())
}

// stageDemo plays the scenes into a store.
func stageDemo(ctx context.Context, st store.Store, waiting *sync.WaitGroup) error {
	names, err := fs.Glob(scenes, "demo/*.json")
	if err != nil {
		return err
	}

	l := ledger.New(st, ledger.Options{})
	for _, name := range names {
		sc, err := readScene(name)
		if err != nil {
			return err
		}
		id := strings.TrimSuffix(filepath.Base(name), ".json")
		for suffix, script := range map[string]json.RawMessage{"": sc.Benign, "-attack": sc.Attack} {
			if err := sc.stage(ctx, st, l, id+suffix, script, waiting); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// stage plays one session, and asks about what is held back.
func (sc *scene) stage(ctx context.Context, st store.Store, l *ledger.Ledger, id string, script json.RawMessage, waiting *sync.WaitGroup) error {
	list, err := messages(script)
	if err != nil || list == nil {
		return err
	}
	tools, err := sc.catalogues()
	if err != nil {
		return err
	}
	monitor, err := (&engine{}).monitor(tools, time.Time{})
	if err != nil {
		return err
	}
	session, err := l.Open(ctx, monitor, id)
	if err != nil {
		return err
	}

	player := trace.NewPlayer(session, trace.Options{})
	for i := range list {
		decisions, err := player.Play(ctx, &list[i])
		if err != nil {
			return err
		}
		for _, d := range decisions {
			if d.Verdict != remit.Ask {
				continue
			}
			queue := &ledger.Queue{Approvals: st, Life: store.MaxApprovalLife}
			asked, err := queue.Put(ctx, session, d)
			if err != nil {
				return err
			}
			waiting.Go(func() { goOn(ctx, queue, session, asked) })
		}
	}
	return nil
}

// goOn is the agent that waits for an answer, and makes its call when it may. It ends when
// the console does.
func goOn(ctx context.Context, queue *ledger.Queue, session *ledger.Session, asked store.Approval) {
	settled, err := queue.Approvals.Wait(ctx, asked.ID)
	if err != nil {
		return
	}
	used, err := queue.Use(ctx, session, settled)
	if err == nil && used.Decisions[0].Verdict == remit.Allow {
		_ = session.Result(ctx, remit.Result{Call: asked.Call, Content: "done"}) // shown, and nothing hangs on it
	}
}
