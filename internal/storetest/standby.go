package storetest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// standbyName is what a standby calls itself where it asks a server for what it writes.
const standbyName = "standby"

// Standby starts a server that follows this one and can take its place. From then on this one
// acknowledges a commit when the standby has it too. To have its files copied, the server is
// started again: call Standby before anything is connected.
func (p *Postgres) Standby(tb testing.TB) *Postgres {
	tb.Helper()
	from := (&url.URL{Scheme: "postgres", User: url.User("remit"), RawQuery: url.Values{"host": {p.dir}, "application_name": {standbyName}}.Encode()}).String()
	s := newPostgres(tb, p.bin, append(p.settings[:len(p.settings):len(p.settings)], "primary_conninfo="+from))
	p.end(tb, os.Interrupt)
	s.run(tb, "cp", "-a", p.data(), s.data())
	s.run(tb, "touch", filepath.Join(s.data(), "standby.signal"))
	p.settings = append(p.settings, "synchronous_standby_names="+standbyName)
	p.Start(tb)
	s.Start(tb)
	tb.Cleanup(func() { s.Kill(tb) })
	p.until(tb, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
	return s
}

// Promote makes a standby the server that is written to. The one that it followed has to be gone:
// nothing else keeps that from being written to.
func (p *Postgres) Promote(tb testing.TB) {
	tb.Helper()
	p.run(tb, filepath.Join(p.bin, "pg_ctl"), "promote", "-D", p.data(), "-t", "60")
}

// AwaitStalled returns when so many commits wait for the standby.
func (p *Postgres) AwaitStalled(tb testing.TB, commits int) {
	tb.Helper()
	p.until(tb, "SELECT (count(*) >= $1)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'", commits)
}

// until asks until the answer is 1.
func (p *Postgres) until(tb testing.TB, query string, args ...any) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startBound)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.url("postgres"))
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(ctx)
	for n := 0; n != 1; {
		if err := conn.QueryRow(ctx, query, args...).Scan(&n); err != nil {
			tb.Fatalf("%s: %v", query, err)
		}
	}
}

// Over returns the address of a database on this server or, where that doesn't take writes, on
// one of the others.
func (p *Postgres) Over(tb testing.TB, database string, others ...*Postgres) string {
	tb.Helper()
	u, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	hosts := []string{p.dir}
	for _, o := range others {
		hosts = append(hosts, o.dir)
	}
	q := u.Query()
	q.Set("host", strings.Join(hosts, ","))
	u.RawQuery = q.Encode()
	return u.String()
}
