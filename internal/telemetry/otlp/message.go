package otlp

import (
	"bytes"
	"math"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/protobuf/encoding/protowire"
)

// message is a message of OTLP as it is written. Its methods add a field, and leave out
// what is the default of a field without presence, as protobuf does. Numbers of fields are those
// of github.com/open-telemetry/opentelemetry-proto.
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	if len(b) == 0 {
		return
	}
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, valid(s)) }

// valid returns a text in UTF-8: receivers refuse all of a request with another one.
func valid(s string) []byte { return bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")) }

// message adds another message, an empty one as well.
func (m *message) message(field protowire.Number, sub message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), sub)
}

func (m *message) number(field protowire.Number, n uint64) {
	if n != 0 {
		m.varint(field, n)
	}
}

// varint adds a number, zero as well.
func (m *message) varint(field protowire.Number, n uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), n)
}

// signed adds a sint32.
func (m *message) signed(field protowire.Number, n int32) {
	m.number(field, protowire.EncodeZigZag(int64(n)))
}

// fixed adds a number of eight bytes, zero as well.
func (m *message) fixed(field protowire.Number, n uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), n)
}

func (m *message) double(field protowire.Number, f float64) { m.fixed(field, math.Float64bits(f)) }

// attributes adds attributes, of which each is a message.
func (m *message) attributes(field protowire.Number, list []attribute.KeyValue) {
	for _, a := range list {
		var kv message
		kv.text(1, string(a.Key))
		kv.message(2, anyValue(a.Value))
		m.message(field, kv)
	}
}

// anyValue writes the kinds of values that the recorder's attributes have, and others as text.
func anyValue(v attribute.Value) message {
	var m message
	switch v.Type() {
	case attribute.BOOL:
		m.varint(2, protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		m.varint(3, uint64(v.AsInt64()))
	case attribute.FLOAT64:
		m.double(4, v.AsFloat64())
	case attribute.STRINGSLICE:
		var list message
		for _, s := range v.AsStringSlice() {
			list.message(1, anyValue(attribute.StringValue(s)))
		}
		m.message(5, list)
	default:
		m.message(1, valid(v.String()))
	}
	return m
}

func resourceOf(r *resource.Resource) message {
	var m message
	m.attributes(1, r.Attributes())
	return m
}

func scopeOf(s instrumentation.Scope) message {
	var m message
	m.text(1, s.Name)
	m.text(2, s.Version)
	m.attributes(3, s.Attributes.ToSlice())
	return m
}
