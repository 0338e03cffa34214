package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The forms in which values travel.
const (
	textFormat   = 0
	binaryFormat = 1
)

// The types of results that aren't texts, by their numbers in PostgreSQL's catalogue.
const (
	boolType        = 16
	byteaType       = 17
	int8Type        = 20
	int2Type        = 21
	int4Type        = 23
	float8Type      = 701
	timestampType   = 1114
	timestamptzType = 1184
)

// epoch is where PostgreSQL's timestamps begin, at the year 2000, in microseconds since 1970.
const epoch = 946_684_800_000_000

// binaries are the types whose results are asked for in their binary form.
var binaries = map[uint32]bool{byteaType: true, timestampType: true, timestamptzType: true}

// name returns the name of a connection's n-th statement.
func name(n int) string { return "remit_" + strconv.Itoa(n) }

// encode writes arguments, bytes as they are and all else as text.
func encode(args []driver.NamedValue) (values [][]byte, formats []int16, err error) {
	values, formats = make([][]byte, len(args)), make([]int16, len(args))

	for i, a := range args {
		switch v := a.Value.(type) {
		case nil:
		case []byte:
			values[i], formats[i] = v, binaryFormat
		case string:
			values[i] = append([]byte{}, v...) // not nil, which means NULL
		case int64:
			values[i] = strconv.AppendInt(nil, v, 10)
		case bool:
			values[i] = strconv.AppendBool(nil, v)
		case float64:
			values[i] = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case time.Time:
			values[i] = v.UTC().AppendFormat(nil, time.RFC3339Nano)
		default:
			return nil, nil, fmt.Errorf("argument %d is a %T", i+1, v)
		}
	}
	return values, formats, nil
}

// resultFormats asks for the form of each column.
func resultFormats(fields []pgconn.FieldDescription) []int16 {
	formats := make([]int16, len(fields))
	for i, f := range fields {
		if binaries[f.DataTypeOID] {
			formats[i] = binaryFormat
		}
	}
	return formats
}

// decode reads a value of a result. Bytes hold until the next row.
func decode(kind uint32, b []byte) (driver.Value, error) {
	if b == nil {
		return nil, nil
	}

	switch kind {
	case byteaType:
		return b, nil
	case boolType:
		return len(b) == 1 && b[0] == 't', nil
	case int2Type, int4Type, int8Type:
		return strconv.ParseInt(string(b), 10, 64)
	case float8Type:
		return strconv.ParseFloat(string(b), 64)
	case timestampType, timestamptzType:
		if len(b) != 8 {
			return nil, fmt.Errorf("a timestamp of %d bytes", len(b))
		}
		at := int64(binary.BigEndian.Uint64(b))
		if at == math.MaxInt64 || at == math.MinInt64 {
			return nil, errors.New("a timestamp at infinity")
		}
		return time.UnixMicro(epoch + at).UTC(), nil
	}
	return string(b), nil
}

// rows are the rows of a result.
type rows struct {
	reader *pgconn.ResultReader
	fields []pgconn.FieldDescription
	ahead  bool // the next row has been read
}

// Columns implements [driver.Rows].
func (r *rows) Columns() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.Name
	}
	return names
}

// Close implements [driver.Rows].
func (r *rows) Close() error {
	_, err := r.reader.Close()
	return err
}

// Next implements [driver.Rows].
func (r *rows) Next(to []driver.Value) error {
	if !r.ahead && !r.reader.NextRow() {
		if _, err := r.reader.Close(); err != nil {
			return err
		}
		return io.EOF
	}

	r.ahead = false
	values := r.reader.Values()
	if len(values) != len(r.fields) {
		return fmt.Errorf("a row has %d values for %d columns", len(values), len(r.fields))
	}
	for i, b := range values {
		v, err := decode(r.fields[i].DataTypeOID, b)
		if err != nil {
			return fmt.Errorf("column %s: %w", r.fields[i].Name, err)
		}
		to[i] = v
	}
	return nil
}

// statement is a statement that was prepared by itself. It stays the connection's.
type statement struct {
	conn   *conn
	query  string
	inputs int
}

// Close implements [driver.Stmt].
func (s *statement) Close() error { return nil }

// NumInput implements [driver.Stmt].
func (s *statement) NumInput() int { return s.inputs }

// errContext is returned by what database/sql doesn't call.
var errContext = errors.New("statements run with a context")

// Exec implements [driver.Stmt].
func (s *statement) Exec([]driver.Value) (driver.Result, error) { return nil, errContext }

// Query implements [driver.Stmt].
func (s *statement) Query([]driver.Value) (driver.Rows, error) { return nil, errContext }

// ExecContext implements [driver.StmtExecContext].
func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

// QueryContext implements [driver.StmtQueryContext].
func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}
