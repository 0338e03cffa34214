package contract_test

import (
	"reflect"
	"testing"

	"github.com/remit-project/remit/contract"
	"pgregory.net/rapid"
)

func TestMarshalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := file().Draw(t, "file")
		data, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := contract.Load("f.yaml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if !reflect.DeepEqual(clear(got), f) {
			t.Fatalf("read back:\n%+v\nwritten:\n%+v\n%s", got, f, data)
		}
		again, err := got.Marshal()
		if err != nil || string(again) != string(data) {
			t.Fatalf("not stable: %v\n%s\n%s", err, data, again)
		}
	})
}

func TestMarshalStyle(t *testing.T) {
	const want = `version: 1
server: mail
fingerprint: sha256:0123
tools:
  send_email:
    effect: egress
    args:
      /recipients/*: {role: target, floor: USER, discharge: [directory, confirm], why: "name 'recipients', format email"}
      /subject:      {role: content}
      /body:         {role: content}
    output: {trust: TOOL_OUTPUT}
  search_contacts:
    effect: read
    args:
      /query: {role: selector}
    output:
      trust: TOOL_OUTPUT
      certify:
        - {procedure: directory, key: /query, key_floor: USER, field: /*/email, roles: [target], max: USER}
  read_inbox:
    effect: read
    output: {trust: EXTERNAL, fields: {/*/id: TOOL_OUTPUT}}
`
	got, err := load(t, mail).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarshalRefusesInvalidText(t *testing.T) {
	f := load(t, mail)
	f.Tools[0].Why = "\xff"
	if _, err := f.Marshal(); err == nil {
		t.Error("text that is not UTF-8 was written")
	}
}
