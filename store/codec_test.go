package store

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/remit-project/remit"
)

// TestEveryFieldIsStored sets every field of an event, whatever fields it has, and reads
// back what was written: a field that the store forgot would be lost with the process.
func TestEveryFieldIsStored(t *testing.T) {
	var want remit.Event
	fill(reflect.ValueOf(&want).Elem())
	want.Time = time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)

	text, err := encodeEvent(&Record{Event: want, Took: 1234567 * time.Nanosecond, Shadow: true}, "boot")
	if err != nil {
		t.Fatal(err)
	}
	var got Record
	if err := got.decode(string(text), sql.NullString{}, "boot"); err != nil {
		t.Fatal(err)
	}
	if got.Took != 1234*time.Microsecond || !got.Shadow {
		t.Errorf("it took %s, in shadow mode: %t", got.Took, got.Shadow)
	}
	if !reflect.DeepEqual(got.Event, want) {
		t.Errorf("stored and read:\n%+v\nwant\n%+v", got.Event, want)
	}
}

// fill gives every exported field within v a value that is not its zero.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"a":1}`))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	}
}
