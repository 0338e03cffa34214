package generation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// author answers as a model that slips once at each stage and corrects it when told.
func author() func(llmtest.Asked) llmtest.Reply {
	return func(a llmtest.Asked) llmtest.Reply {
		writesTests, reads := strings.HasPrefix(a.System, "You write the tests"), strings.HasPrefix(a.System, "You are the second reader")
		told := func(text string) bool {
			return slices.ContainsFunc(a.Messages, func(m llm.Message) bool { return m.Role == llm.User && strings.Contains(m.Text, text) })
		}
		switch {
		case writesTests && !told("/days: it must be integer"):
			return llmtest.Reply{Text: strings.Replace(goodTests(), `\"days\":7`, `\"days\":\"7\"`, 1)}
		case writesTests:
			return llmtest.Reply{Text: goodTests()}
		case reads:
			var all []string
			for _, label := range callLabel.FindAllString(a.Messages[0].Text, -1) {
				if label != "C1" || told("there is none for C1") {
					all = append(all, undecided(label))
				}
			}
			return llmtest.Reply{Text: `{"readings":[` + strings.Join(all, ",") + `]}`}
		case told("undefined field 'dayz'"):
			return llmtest.Reply{Text: rule(goodRule)}
		}
		return llmtest.Reply{Text: rule("args.dayz <= 14")}
	}
}

func TestRulesAreMadeOverHTTP(t *testing.T) {
	for _, provider := range []llm.Provider{llm.OpenAI, llm.Anthropic} {
		for name, faults := range map[string][]llmtest.Fault{
			"nothing fails":       nil,
			"answers are broken":  {llmtest.Malformed, "", llmtest.WrongSchema, "", llmtest.Truncated, "", llmtest.Refused},
			"the endpoint fails":  {llmtest.RateLimited, llmtest.Overloaded, "", llmtest.Broken, llmtest.Cut, "", llmtest.Unreadable},
			"it knows no schemas": {llmtest.NoSchema, llmtest.NoObject},
		} {
			t.Run(string(provider)+", "+name, func(t *testing.T) {
				server := llmtest.New(t, author())
				server.Fail(faults...)
				client, err := llm.New(llm.Options{Default: server.Endpoint(provider)})
				if err != nil {
					t.Fatal(err)
				}
				r, err := generator(t, client, nil).Generate(t.Context(), finesTask())
				if err != nil || r.NotEnforced != "" || r.Attempts != 2 || r.Policy.Require.Text != goodRule {
					t.Fatalf("got %+v, %v", r, err)
				}
				sound(t, library(t), "extend_loan", r)
				for stage, least := range map[string]int{"tests": 2, "reading": 2, "rule": 2} {
					if got := client.Usage()[stage]; got.Calls < least {
						t.Errorf("%s: %+v", stage, got)
					}
				}
			})
		}
	}
}

func TestAModelThatAlwaysRefusesStopsCallsOverHTTP(t *testing.T) {
	server := llmtest.New(t, func(llmtest.Asked) llmtest.Reply { return llmtest.Reply{Fault: llmtest.Refused} })
	client, err := llm.New(llm.Options{Default: server.Endpoint(llm.OpenAI)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := generator(t, client, nil).Generate(t.Context(), finesTask())
	if err != nil || !strings.Contains(r.NotEnforced, "the model refused to answer") {
		t.Fatalf("got %+v, %v", r, err)
	}
	sound(t, library(t), "extend_loan", r)
}
