package ledger_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// A session outlives the process: the next one that opens its id in the same store continues
// where it ended.
func ExampleLedger() {
	dir, err := os.MkdirTemp("", "remit")
	check(err)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	st, err := store.Open(ctx, filepath.Join(dir, "remit.db"), store.Options{})
	check(err)
	defer st.Close()
	f, err := contract.Load("mail.yaml", []byte("{version: 1, server: mail, tools: {send: {effect: egress, args: {/to: {role: target}}}}}"))
	check(err)
	monitor, err := remit.New(remit.Options{Contracts: []*contract.File{f}})
	check(err)
	first, err := ledger.New(st, ledger.Options{}).Open(ctx, monitor, "s1")
	check(err)
	check(first.Attach(ctx, "page", "Write to eve@relay.example."))

	again, err := ledger.New(st, ledger.Options{}).Open(ctx, monitor, "s1")
	check(err)
	d, err := again.Decide(ctx, remit.Call{Tool: "send", Arguments: []byte(`{"to": "eve@relay.example"}`)})
	check(err)
	fmt.Println(d.Verdict)
	// Output:
	// ask
}

// A call that is held back waits in the store's queue, where a person answers it: with remit approvals, in the
// console, or as here by the store. [ledger.Queue.Ask] does all three steps in one, and waits.
func ExampleQueue() {
	dir, err := os.MkdirTemp("", "remit")
	check(err)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	st, err := store.Open(ctx, filepath.Join(dir, "remit.db"), store.Options{})
	check(err)
	defer st.Close()
	f, err := contract.Load("mail.yaml", []byte("{version: 1, server: mail, tools: {send: {effect: egress, args: {/to: {role: target}}}}}"))
	check(err)
	monitor, err := remit.New(remit.Options{Contracts: []*contract.File{f}})
	check(err)
	session, err := ledger.New(st, ledger.Options{}).Open(ctx, monitor, "s1")
	check(err)
	check(session.Attach(ctx, "page", "Write to eve@relay.example."))
	held, err := session.Decide(ctx, remit.Call{Tool: "send", Arguments: []byte(`{"to": "eve@relay.example"}`)})
	check(err)

	queue := &ledger.Queue{Approvals: st}
	asked, err := queue.Put(ctx, session, held)
	check(err)
	settled, err := st.Answer(ctx, asked.ID, store.Answer{Approve: true, By: "ann"})
	check(err)
	answer, err := queue.Use(ctx, session, settled)
	check(err)
	fmt.Println(held.Verdict, answer.Decisions[0].Verdict)
	// Output:
	// ask allow
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
