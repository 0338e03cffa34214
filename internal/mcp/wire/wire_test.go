package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// Nothing but what an edit is about changes: spaces, order, escapes, large
// numbers and unknown members stay as they came.
func TestEditsKeepTheRest(t *testing.T) {
	const text = ` {"x-new" : [1, 2.50] ,"id": "\u0061b","jsonrpc":"2.0", "method":"tools/call" , "params" : {"n":12345678901234567890, "_meta":{ "progressToken":7}} } `
	m, err := wire.Parse([]byte(text), wire.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != wire.Request || m.Method != "tools/call" || wire.Key(m.ID) != "sab" {
		t.Fatalf("read %+v", m)
	}
	want := strings.TrimSpace(text)
	if got := string(m.With(m.ID, m.Params)); got != want {
		t.Errorf("an empty edit made\n%s\nof\n%s", got, want)
	}
	params := strictjson.Replace(m.Params, []byte(`"other"`), "_meta", "progressToken")
	got := string(m.With(json.RawMessage("42"), params))
	want = strings.Replace(strings.Replace(want, `"\u0061b"`, "42", 1), ":7}", `:"other"}`, 1)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	limits := strictjson.Limits{Size: 400, Depth: 8, Leaves: 50}
	for name, test := range map[string]struct {
		text string
		code int
		id   string
	}{
		"nothing":                    {"", wire.ParseError, ""},
		"no JSON":                    {"hello", wire.ParseError, ""},
		"a batch":                    {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, wire.InvalidRequest, ""},
		"a method in capitals":       {`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, wire.InvalidRequest, "1"},
		"no version":                 {`{"id":1,"method":"ping"}`, wire.InvalidRequest, "1"},
		"another version":            {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, wire.InvalidRequest, "1"},
		"a method that stands twice": {`{"jsonrpc":"2.0","id":"a","method":"ping","method":"tools/call"}`, wire.ParseError, `"a"`},
		"an argument that stands twice": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"to":"a","to":"b"}}}`, wire.ParseError, "1"},
		"an id that is a list":       {`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, wire.InvalidRequest, ""},
		"an id that is null":         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, wire.InvalidRequest, ""},
		"params that are text":       {`{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, wire.InvalidRequest, "1"},
		"neither method nor result":  {`{"jsonrpc":"2.0","id":1}`, wire.InvalidRequest, "1"},
		"result and error":           {`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, wire.InvalidRequest, "1"},
		"method and result":          {`{"jsonrpc":"2.0","id":1,"result":{},"method":"ping"}`, wire.InvalidRequest, "1"},
		"an error that is text":      {`{"jsonrpc":"2.0","id":1,"error":"no"}`, wire.InvalidRequest, "1"},
		"too deep":                   {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[[[[[[[[[]]]]]]]]]}`, wire.ParseError, "1"},
		"too long":                   {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 400) + `"}`, wire.ParseError, "1"},
		"a lone surrogate":           {`{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, wire.ParseError, "1"},
		"text behind the message":    {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, wire.ParseError, ""},
		"a method that is a number":  {`{"jsonrpc":"2.0","id":1,"method":5}`, wire.InvalidRequest, "1"},
		"a number that isn't any id": {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, wire.InvalidRequest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.Parse([]byte(test.text), limits)
			e, ok := err.(*wire.Error)
			if !ok {
				t.Fatalf("got %v, want a *wire.Error", err)
			}
			if e.Code != test.code || string(e.ID) != test.id {
				t.Errorf("got code %d, id %q (%v); want %d, %q", e.Code, e.ID, e, test.code, test.id)
			}
		})
	}
}

// FuzzParse: what is accepted is JSON that encoding/json reads in the same way,
// and edits of it are JSON that differs in nothing else.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"\u00e9"}]}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","result":{"content":[]}}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\n\"method\":\"n\",\"params\":{}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := wire.Parse(data, wire.DefaultLimits())
		if err != nil {
			return
		}
		var want struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		var exact map[string]json.RawMessage
		if err := json.Unmarshal(m.Raw, &exact); err != nil {
			t.Fatalf("accepted what is not JSON: %v", err)
		}
		if raw, ok := exact["method"]; ok {
			if err := json.Unmarshal(raw, &want.Method); err != nil || want.Method != m.Method {
				t.Fatalf("method %q, want %q", m.Method, want.Method)
			}
		}
		if !bytes.Equal(bytes.TrimSpace(exact["params"]), m.Params) {
			t.Fatalf("params %s, want %s", m.Params, exact["params"])
		}
		if bytes.ContainsAny(m.Raw, "\r\n") {
			t.Fatal("more than one line")
		}
		if !bytes.Equal(m.With(m.ID, m.Params), m.Raw) {
			t.Fatalf("an empty edit changed %s to %s", m.Raw, m.With(m.ID, m.Params))
		}
		if m.ID == nil {
			return
		}
		again, err := wire.Parse(m.WithID(json.RawMessage(`"remit"`)), wire.DefaultLimits())
		if err != nil {
			t.Fatalf("after an edit: %v", err)
		}
		if again.Method != m.Method || !bytes.Equal(again.Params, m.Params) || !bytes.Equal(again.WithID(m.ID), m.Raw) {
			t.Fatalf("an edit changed more than the id: %s", again.Raw)
		}
	})
}

// A request's params are read once, with the message, and edited in one go.
func TestParams(t *testing.T) {
	m, err := wire.Parse([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\n\"params\":{ \"name\" : \"a\\u0062\", \"arguments\":{\"x\":[1]},\"_meta\":{\"k\":\"v\"}}}"), wire.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if m.ParamText("name") != "ab" || m.ParamText("_meta", "k") != "v" || m.ParamText("arguments") != "" || m.Param("none", "k") != nil {
		t.Errorf("read %q, %q, %s", m.ParamText("name"), m.ParamText("_meta", "k"), m.Param("none", "k"))
	}
	got := m.ReplaceParams(map[string]json.RawMessage{"arguments": []byte(`{}`), "name": []byte(`"c"`), "none": []byte("1")})
	if want := `{ "name" : "c", "arguments":{},"_meta":{"k":"v"}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The number of a message that is too deep to be read is found all the same.
func TestNumber(t *testing.T) {
	deep := strings.Repeat(`{"id":5,"a":`, 20_000) + `"\"id\":6"` + strings.Repeat("}", 20_000)
	for text, want := range map[string]string{
		`{"result":` + deep + `,"id":7}`: "7",
		`{"id": 8,"result":{}}`:          "8",
		`{"method":"id","id":"9"}`:       "",
		`{"result":{"id":1}}`:            "",
		`{"id":`:                         "",
		`{"id`:                           "",
	} {
		if got := wire.Number([]byte(text), "id"); got != want {
			t.Errorf("got %q, want %q in %.40s", got, want, text)
		}
	}
}
