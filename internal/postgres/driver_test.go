package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/remit-project/remit/internal/postgres"
	"github.com/remit-project/remit/internal/storetest"
)

// open opens a new database of a server, with one connection.
func open(t *testing.T, p *storetest.Postgres) *sql.DB {
	t.Helper()
	config, err := pgconn.ParseConfig(p.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(postgres.NewConnector(config.Copy))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestDriver(t *testing.T) {
	p := storetest.StartPostgres(t)
	for name, test := range map[string]func(*testing.T, *sql.DB){
		"values":      testValues,
		"null":        testNull,
		"refusals":    testRefusals,
		"transaction": testTransaction,
		"statements":  testStatements,
		"new tables":  testNewTables,
		"prepared":    testPrepared,
		"lost":        testLost,
		"given up":    testGivenUp,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, p)) })
	}
}

// Values come back as they were sent.
func testValues(t *testing.T, db *sql.DB) {
	type word string
	at := time.Date(1999, 12, 31, 23, 59, 59, 123456000, time.UTC)
	for _, v := range []struct {
		kind     string
		sent, to any
		want     any
	}{
		{"text", "", new(string), ""},
		{"text", "a'\"\\ü😀", new(string), "a'\"\\ü😀"},
		{"text", word("x"), new(word), word("x")},
		{"text", []byte("raw"), new(string), "raw"},
		{"bytea", []byte{}, new([]byte), []byte{}},
		{"bytea", []byte{0, 255, '\\', 'x'}, new([]byte), []byte{0, 255, '\\', 'x'}},
		{"bigint", int64(-1 << 63), new(int64), int64(-1 << 63)},
		{"integer", 7, new(int), 7},
		{"smallint", 7, new(int64), int64(7)},
		{"numeric", "12345678901234567890.5", new(string), "12345678901234567890.5"},
		{"double precision", 0.1, new(float64), 0.1},
		{"boolean", true, new(bool), true},
		{"boolean", false, new(bool), false},
		{"timestamp", at, new(time.Time), at},
		{"timestamptz", at, new(time.Time), at},
		{"timestamptz", time.Time{}, new(time.Time), time.Time{}},
		{"timestamp", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), new(time.Time), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
	} {
		var same bool
		if err := db.QueryRowContext(t.Context(), "SELECT $1::"+v.kind+", $1::"+v.kind+" IS NOT NULL", v.sent).Scan(v.to, &same); err != nil {
			t.Errorf("%s %v: %v", v.kind, v.sent, err)
			continue
		}
		got := reflect.ValueOf(v.to).Elem().Interface()
		if diff := cmp.Diff(v.want, got); !same || diff != "" {
			t.Errorf("%s %v: %s", v.kind, v.sent, diff)
		}
	}
}

// Nothing comes back as nothing, and bytes that are nil are nothing.
func testNull(t *testing.T, db *sql.DB) {
	for kind, v := range map[string]any{"text": nil, "bytea": []byte(nil), "bigint": sql.NullInt64{}} {
		var null bool
		var got any
		if err := db.QueryRowContext(t.Context(), "SELECT $1::"+kind+" IS NULL, $1::"+kind, v).Scan(&null, &got); err != nil || !null || got != nil {
			t.Errorf("%s: got %v, %v, %v", kind, null, got, err)
		}
	}
}

// What the server refuses is an error at once, and the connection goes on.
func testRefusals(t *testing.T, db *sql.DB) {
	ctx := t.Context()
	for _, query := range []string{"SELECT nothing", "SELECT 1/($1::int - $1::int)", "no SQL"} {
		rows, err := db.QueryContext(ctx, query, args(query)...)
		if err == nil {
			rows.Close()
			t.Errorf("%s: no error", query)
		}
		var refused *pgconn.PgError
		if !errors.As(err, &refused) {
			t.Errorf("%s: got %v", query, err)
		}
	}
	// Here a row comes before the mistake.
	rows, err := db.QueryContext(ctx, "SELECT 1/(2 - n) FROM generate_series(1, $1::int) n", 2)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if rows.Err() == nil {
		t.Error("rows that ended in a mistake have no error")
	}
	exec(t, db, "SELECT 1")
	var at time.Time
	if err := db.QueryRowContext(ctx, "SELECT timestamptz 'infinity'").Scan(&at); err == nil {
		t.Errorf("infinity is %s", at)
	}
}

func args(query string) []any {
	if strings.Contains(query, "$1") {
		return []any{1}
	}
	return nil
}

// A transaction is there after its commit and not before, and not at all after a mistake in it.
func testTransaction(t *testing.T, db *sql.DB) {
	ctx := t.Context()
	exec(t, db, "CREATE TABLE kept (n bigint); INSERT INTO kept VALUES (0)")
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := tx.ExecContext(ctx, "UPDATE kept SET n = n + $1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}

	if tx, err = db.BeginTx(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE kept SET n = n + $1", 10); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "SELECT nothing"); err == nil {
		t.Fatal("no error")
	}
	if err := tx.Commit(); err == nil {
		t.Error("a transaction that failed counts as committed")
	}

	if tx, err = db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE kept SET n = 100"); err == nil {
		t.Error("a transaction that reads wrote")
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	var n int
	if err := db.QueryRowContext(ctx, "SELECT n FROM kept").Scan(&n); err != nil || n != 1 {
		t.Errorf("got %d, %v", n, err)
	}
}

// However many statements there are, the server keeps a bounded number.
func testStatements(t *testing.T, db *sql.DB) {
	for i := range 1100 {
		var n int
		if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT $1::int + %d", i), 1).Scan(&n); err != nil || n != i+1 {
			t.Fatalf("got %d, %v", n, err)
		}
	}
	var kept int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_prepared_statements").Scan(&kept); err != nil || kept > 512 {
		t.Errorf("%d statements, %v", kept, err)
	}
}

// A statement whose table has changed fails once at most.
func testNewTables(t *testing.T, db *sql.DB) {
	const query = "SELECT * FROM changing WHERE n > $1"
	exec(t, db, "CREATE TABLE changing (n int)")
	exec(t, db, query, 0)
	exec(t, db, "ALTER TABLE changing ADD COLUMN more int; INSERT INTO changing VALUES (1, 2)")
	_, _ = db.ExecContext(t.Context(), query, 0)
	var n, more int
	if err := db.QueryRowContext(t.Context(), query, 0).Scan(&n, &more); err != nil || more != 2 {
		t.Errorf("got %d, %d, %v", n, more, err)
	}
}

// Statements may be prepared by themselves.
func testPrepared(t *testing.T, db *sql.DB) {
	st, err := db.PrepareContext(t.Context(), "SELECT $1::text || 'b'")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var got string
	if err := st.QueryRowContext(t.Context(), "a").Scan(&got); err != nil || got != "ab" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := st.ExecContext(t.Context()); err == nil {
		t.Error("no error without an argument")
	}
}

// A connection that the server ends, or that a caller gave up, is replaced.
func testLost(t *testing.T, db *sql.DB) {
	_, _ = db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
	exec(t, db, "SELECT 1")

	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.QueryContext(ctx, "SELECT n FROM generate_series(1, $1::int) n", 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	rows.Next()
	cancel()
	for rows.Next() {
	}
	if !errors.Is(rows.Err(), context.Canceled) {
		t.Errorf("got %v", rows.Err())
	}
	rows.Close()
	exec(t, db, "SELECT 1")
}

// What a transaction held is free once its caller has given up, also before anybody takes the
// connection again.
func testGivenUp(t *testing.T, db *sql.DB) {
	db.SetMaxOpenConns(2)
	exec(t, db, "CREATE TABLE held (n int); INSERT INTO held VALUES (0)")
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithCancel(t.Context())
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE held SET n = 1"); err != nil {
		t.Fatal(err)
	}

	cancel()
	_ = tx.Rollback() // database/sql may have done so by itself
	if _, err := other.ExecContext(t.Context(), "SET lock_timeout = '20s'; UPDATE held SET n = 2 WHERE n = 0"); err != nil {
		t.Errorf("the row is still locked: %v", err)
	}
}

// rowOf serves one row of values to a statement that was described with one column.
func rowOf(server net.Conn, values [][]byte) {
	b := pgproto3.NewBackend(server, server)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for b.Flush() == nil {
		m, err := b.Receive()
		if err != nil {
			return
		}
		switch m.(type) {
		case *pgproto3.Parse:
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			b.Send(&pgproto3.ParameterDescription{})
			b.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("a")}}})
		case *pgproto3.Bind:
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Execute:
			b.Send(&pgproto3.DataRow{Values: values})
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		case *pgproto3.Sync:
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		}
	}
}

// A row that isn't as the server described it is an error.
func TestOtherRow(t *testing.T) {
	for name, values := range map[string][][]byte{"none": {}, "two": {[]byte("1"), []byte("2")}} {
		config, err := pgconn.ParseConfig("postgres://u@127.0.0.1/d?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				rowOf(server, values)
			}()
			return client, nil
		}
		db := sql.OpenDB(postgres.NewConnector(config.Copy))
		var a string
		if err := db.QueryRowContext(t.Context(), "SELECT a").Scan(&a); err == nil {
			t.Errorf("%s: no error", name)
		}
		_ = db.Close() // the server may have gone first
	}
}
