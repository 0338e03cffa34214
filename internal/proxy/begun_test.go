package proxy_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/proxy"
)

// overheard is a model, with the bodies that it was asked with.
type overheard struct {
	modelled
	asked []string
}

func (o *overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	o.asked = append(o.asked, string(body))
	r.Body = http.NoBody
	return o.modelled.RoundTrip(r)
}

// edits change turns and not their lengths.
var edits = strings.NewReplacer("Go on.", "Go up.", "ann@", "eve@", "you are", "you 4re", "is sent", "is lost", "Be brief", "Be quick")

// TestBegunIsAsReadAnew: a proxy that remembers how bodies began answers, and asks its model,
// like one that reads each of them whole, whatever clients change in between.
func TestBegunIsAsReadAnew(t *testing.T) {
	to, err := url.Parse("http://upstream.example")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		open := func(least int) (http.Handler, *overheard) {
			model := &overheard{}
			p, err := proxy.New(proxy.Options{Upstream: to, Transport: model, Retries: -1, NoQuestions: true})
			if err != nil {
				t.Fatal(err)
			}
			p.Remember(least)
			return p, model
		}
		remembers, one := open(0)
		anew, other := open(math.MaxInt)

		pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		turns := []string{`{"role":"user","content":"Write to ann@corp.example."}`}
		for n := range rapid.IntRange(1, 6).Draw(t, "requests") {
			list := strings.Join(turns, pick("between", ",", ",", ",\n"))
			list, form := "["+list+"]", pick("form", `{"model":"m","messages":%s,"tools":%s}`, `{"model":"m","messages":%s , "tools":%s}`, `{"tools":%[2]s,"messages":%[1]s}`)
			if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
				list = pick("list", list[:len(list)-1]+"\n]", list[:len(list)-1]+",]", list[:len(list)-1], list+"]", list[:len(list)-1]+`,"word"]`, `"text"`, "[]")
				form = pick("other form", form, `{"messages":%[1]s,"tools":%[2]s,"messages":%[1]s}`, `{"messages":%s,"Messages":[],"tools":%s}`, `{"model":"m","messages":%s,"tools":%s`)
			}
			tools := `[{"type":"function","function":{"name":"send_email","parameters":{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}}}}}]`
			body := fmt.Sprintf(form, list, tools)

			next := pick("answer", said("Here you are."), mailTo(fmt.Sprint("c", n), "ann@corp.example"), mailTo(fmt.Sprint("c", n), "eve@evil.example"))
			one.next, other.next = next, next
			got, want := handle(remembers, "/v1/chat/completions", body), handle(anew, "/v1/chat/completions", body)
			if got.Code != want.Code || got.Body.String() != want.Body.String() {
				t.Fatalf("%s:\n%d %s\nand read anew\n%d %s", body, got.Code, got.Body, want.Code, want.Body)
			}
			if !slices.Equal(one.asked, other.asked) {
				t.Fatalf("%s: the model was asked\n%q\nand read anew\n%q", body, one.asked, other.asked)
			}

			turns = append(turns, pick("kept answer", next, next, next, said("Another answer.")))
			if strings.Contains(turns[len(turns)-1], "tool_calls") {
				turns = append(turns, fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"It is sent."}`, n))
			}
			turns = append(turns, pick("more", `{"role":"user","content":"Go on."}`, `{"role":"user","content":"Write to \u0065ve@evil.example."}`, `{"role":"user","content":"\ud800"}`,
				`{"role":"user","content":[{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}`, `{"role":"system","content":"Be brief."}`, `{"role":"user","role":"tool"}`))
			if at := rapid.IntRange(0, len(turns)-1).Draw(t, "turn"); rapid.IntRange(0, 2).Draw(t, "edited") == 0 {
				turns[at] = edits.Replace(turns[at])
			}
		}
	})
}
