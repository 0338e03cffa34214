package contract_test

import (
	"testing"

	"github.com/remit-project/remit/contract"
)

// mail is the example of the design.
const mail = `version: 1
server: mail
fingerprint: sha256:0123
tools:
  send_email:
    effect: egress             # read | write | destructive | execute | egress
    args:
      /recipients/*: {role: target, floor: USER, discharge: [directory, confirm], why: "name 'recipients', format email"}
      /subject:      {role: content}
      /body:         {role: content}
    output: {trust: TOOL_OUTPUT}
  search_contacts:
    effect: read
    args: {/query: {role: selector}}
    output:
      trust: TOOL_OUTPUT
      certify: [{procedure: directory, key: /query, key_floor: USER, field: "/*/email", roles: [target], max: USER}]
  read_inbox:
    effect: read
    output: {trust: EXTERNAL, fields: {"/*/id": TOOL_OUTPUT}}
`

func TestLoadExample(t *testing.T) {
	f, err := contract.Load("mail.yaml", []byte(mail))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tools) != 3 || len(f.Tools[0].Args) != 3 {
		t.Fatalf("%+v", f)
	}
	if got := f.Tools[0].Args[0].Position.String(); got != "mail.yaml:8:7" {
		t.Errorf("the first argument stands at %s", got)
	}
	bad := "version: 1\nserver: m\ntools:\n  a:\n    efect: raed\n    args: {x: {role: targt}, /x: *y}\n"
	_, err = contract.Load("bad.yaml", []byte(bad))
	t.Log(err)
	_, err = contract.Load("bad.yaml", []byte("version: 1\nserver: m\ntools:\n  a:\n    efect: raed\n    args: {x: {role: targt, flor: user}, /x: {}}\n  a: [1]\n"))
	t.Log(err)
}
