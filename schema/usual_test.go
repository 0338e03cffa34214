package schema_test

import (
	"encoding/json"
	"testing"
)

// TestUsual: a value is the usual one where a definition quotes it as the default, the main one or
// the caller's own, and no other definition of the server names another.
func TestUsual(t *testing.T) {
	for about, want := range map[string]string{
		`ID of the calendar (use 'primary' for the main calendar)`:        "primary",
		`The user. Use "me" for the authenticated user.`:                  "me",
		"Use `@me` to refer to your own account":                          "@me",
		`Defaults to 'origin'.`:                                           "origin",
		`Namespace (default: "default")`:                                  "default",
		`The default is 'main' and 'dev' is for tests`:                    "main",
		`ID of the calendar`:                                              "",
		`Use 'all' to delete everything`:                                  "",
		`Use 'ops' for the operators' calendar`:                           "",
		`For example 'team@corp.example'`:                                 "",
		`Use primary for the main calendar`:                               "",
		`Use 'primary' for the main calendar and 'x' is the default: 'y'`: "",
		`Use 'the calendar of Ann' for the main calendar`:                 "",
		`Never use 'primary' for the 'main' of the default calendar`:      "",
	} {
		t.Run(about, func(t *testing.T) {
			quoted, err := json.Marshal(about)
			if err != nil {
				t.Fatal(err)
			}
			c := parse(t, input(`{"properties": {"calendarId": {"type": "string", "description": `+string(quoted)+`}}}`))
			for _, value := range []string{"primary", "me", "@me", "origin", "default", "main", "all", "ops", "team@corp.example", "x", "y", ""} {
				if is := c.Usual().Is("/calendar_id", value); is != (value != "" && value == want) {
					t.Errorf("%s is usual: %v", value, is)
				}
			}
		})
	}
}

// TestSwitched: what a switch is where a call doesn't say stands in its description, plainly.
func TestSwitched(t *testing.T) {
	for about, want := range map[string]string{
		`Keeps the number for porting. Default true`:        "true",
		`Wipes all data. On by default`:                     "true",
		`Whether to notify. Default is false.`:              "false",
		`Comments. Enabled unless set to false`:             "true",
		`Off by default; default: no`:                       "false",
		"Defaults to `true`":                                "true",
		`Default true for teams, and false by default else`: "",
		`Turns the default printer on`:                      "",
		`By default`:                                        "",
	} {
		quoted, err := json.Marshal(about)
		if err != nil {
			t.Fatal(err)
		}
		for kind, isSwitch := range map[string]bool{"boolean": true, "string": false} {
			c := parse(t, input(`{"properties": {"keep": {"type": "`+kind+`", "description": `+string(quoted)+`}}}`))
			n, ok := c.Tools[0].Lookup("/keep")
			if !ok {
				t.Fatal("no argument")
			}
			on, known := n.Switched()
			if is := known == (isSwitch && want != "") && on == (isSwitch && want == "true"); !is {
				t.Errorf("%s %q: on %v, known %v", kind, about, on, known)
			}
		}
	}
}
