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

// TestSwitched: what a switch is where a call doesn't say stands in its description, plainly: in a
// clause of its own, which nothing denies or narrows.
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
		// a clause of its own
		`If true, the order is kept. Default: false`:       "false",
		`If true, the order is kept, default false`:        "false",
		`Only list what is open (default: false)`:          "false",
		`Keep a copy [default: true], which others see.`:   "true",
		`Notify: on by default`:                            "true",
		`Whether to notify; it is enabled by default`:      "true",
		`Off by default, and charged (as a rule)`:          "false",
		"Off by default.\nMust be paid.":                   "false",
		`Default on-call rota`:                             "",
		`What it is based on by default`:                   "",
		`Defaults to no-op`:                                "",
		`Defaults to on weekdays`:                          "",
		`Mails are on by default`:                          "",
		`On by default. Off for guests, and on by default`: "",
		// that nothing denies
		`Not enabled by default.`:                       "",
		`Not disabled by default`:                       "",
		`Whether to notify. Not on by default.`:         "",
		`Never on by default`:                           "",
		`Never, ever, on by default`:                    "",
		`Isn't enabled by default`:                      "",
		`It isn’t so: on by default`:                    "",
		`On by default (not for guests)`:                "",
		`On by default. Not on by default for a guest.`: "",
		// nor holds for some calls
		`Must be true unless the fee was waived`:          "",
		`Set to false unless told otherwise`:              "",
		`Enabled unless told otherwise`:                   "",
		`Enabled unless enabled`:                          "",
		`Defaults to true only for admins`:                "",
		`Defaults to true, only for admins`:               "",
		`Defaults to true (for admins only)`:              "",
		`For admins, on by default`:                       "",
		`If the fee was waived, defaults to true`:         "",
		`Must, for guests, be on, which is on by default`: "",
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
