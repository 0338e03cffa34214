package reply_test

import (
	"testing"

	"github.com/remit-project/remit/internal/reply"
)

func TestGives(t *testing.T) {
	const reason = "the reason for the cancellation"
	for name, c := range map[string]struct {
		question, said string
		want           bool
	}{
		"in answer":                      {"What is the reason for the cancellation?", "My plans changed.", true},
		"in one word":                    {"What is the reason for the cancellation?", "Weather.", true},
		"in answer, as a reason":         {"May I ask for the reason for the cancellation?", "The reason is that I feel unwell (sick).", true},
		"a refusal with a reason":        {"May I ask for the reason for the cancellation?", "I won't fly because I am not well.", true},
		"by themselves":                  {"", "I want to cancel reservation BU71UY because my plans changed.", true},
		"by themselves, of the weather":  {"", "Please cancel my flight due to the bad weather.", true},
		"a yes":                          {"What is the reason for the cancellation, and shall I go on?", "Yes", false},
		"a refusal":                      {"What is the reason for the cancellation?", "I'd rather not say.", false},
		"thanks":                         {"What is the reason for the cancellation?", "Thank you", false},
		"a question back":                {"What is the reason for the cancellation?", "Why do you need that?", false},
		"a question with a reason":       {"Shall I cancel it?", "Can you cancel it because of the weather?", false},
		"what was not asked":             {"Which reservation is it?", "BU71UY, to New York.", false},
		"of something else":              {"Shall I cancel it?", "I am angry because you are slow. Yes.", false},
		"not for that":                   {"Shall I cancel it?", "I don't cancel it because of the weather.", false},
		"a reason that ends at once":     {"", "I want to cancel it because", false},
		"another's words":                {"", `My mail says "cancel it because of the weather".`, false},
		"no reason":                      {"", "I want to cancel it without any reason at all.", false},
		"what the agent says of reasons": {"The reason for the cancellation doesn't matter. OK?", "Yes", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reply.Gives(c.question, c.said, reason); got != c.want {
				t.Errorf("%q: %v, want %v", c.said, got, c.want)
			}
		})
	}
	if reply.Gives("", "I cancel it because my plans changed.", "the number of the order") {
		t.Error("a reason is given for what is none")
	}
	if !reply.Gives("Could you tell me the number of the order?", "It's W-77", "the number of the order") {
		t.Error("what was asked for isn't given")
	}
}
