package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/internal/strictjson"
)

// maxAnswer bounds an answer of a door, in bytes: a decision with its evidence is a few
// kilobytes.
const maxAnswer = 1 << 20

// ExamineSession plays the scene to a program that speaks the session protocol, as an agent
// starts it.
func ExamineSession(ctx context.Context, program []string, timeout time.Duration) *Diagnosis {
	d := &Diagnosis{Server: "session", File: strings.Join(program, " "), Own: true, Findings: []Finding{}}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	read, sent, err := overLines(ctx, program)
	if err != nil {
		d.add(true, "silent", "", "run it by hand, and see what it says", "%v", err)
	} else {
		d.answered(read, sent)
	}
	d.settle()
	return d
}

// overLines plays the scene over standard input and output.
func overLines(ctx context.Context, program []string) (read, sent remit.Verdict, err error) {
	in := []byte(fmt.Sprintf(`{"type":"tools","server":%q,"tools":%s}`+"\n", sceneServer, sceneTools))
	for _, l := range lines() {
		in = append(append(in, l...), '\n')
	}
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Env = append(os.Environ(), "REMIT_PLANNER=") // a canary costs no tokens
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}

	answers := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(answers) != 2 {
		return "", "", fmt.Errorf("it gave %d answers to two calls", len(answers))
	}
	if read, err = verdictOf(answers[0]); err != nil {
		return "", "", err
	}
	sent, err = verdictOf(answers[1])
	return read, sent, err
}

// ExamineServe plays the scene to a decision API, in a session of its own that is ended
// then. The token needs the scopes sessions:write, events:write and decisions:write.
func ExamineServe(ctx context.Context, address, token string, timeout time.Duration) *Diagnosis {
	d := &Diagnosis{Server: "serve", File: address, Findings: []Finding{}}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := caller{base: strings.TrimSuffix(address, "/"), token: token}
	read, sent, err := c.play(ctx)
	switch {
	case errors.Is(err, errRefused):
		d.add(true, "token", "", "put a token into REMIT_TOKEN: remit token new --principal doctor --scope sessions:write --scope events:write --scope decisions:write", "%v", err)
	case err != nil:
		d.add(true, "silent", "", "start it with remit serve, and name where it listens with --serve URL", "%v", err)
	default:
		d.answered(read, sent)
	}
	d.settle()
	return d
}

// caller calls a decision API.
type caller struct{ base, token string }

// errRefused means that the token is not one that may do this.
var errRefused = errors.New("the decision API doesn't take the token")

// play plays the scene over HTTP.
func (c caller) play(ctx context.Context) (read, sent remit.Verdict, err error) {
	id := "doctor-" + strings.ToLower(rand.Text())
	made := fmt.Sprintf(`{"id":%q,"tools":[{"server":%q,"tools":%s}]}`, id, sceneServer, sceneTools)
	if _, err := c.post(ctx, "/v1/sessions", []byte(made)); err != nil {
		return "", "", err
	}
	at := "/v1/sessions/" + id
	defer func() {
		_, ended := c.post(ctx, at+"/end", nil)
		err = errors.Join(err, ended)
	}()

	var verdicts []remit.Verdict
	for _, line := range lines() {
		var about struct{ Type string }
		if err := json.Unmarshal(line, &about); err != nil {
			return "", "", err
		}
		if about.Type != "call" {
			if _, err := c.post(ctx, at+"/events", line); err != nil {
				return "", "", err
			}
			continue
		}
		answer, err := c.post(ctx, at+"/decisions", proposal(line))
		if err != nil {
			return "", "", err
		}
		v, err := verdictOf(answer)
		if err != nil {
			return "", "", err
		}
		verdicts = append(verdicts, v)
	}
	return verdicts[0], verdicts[1], nil
}

// proposal returns a call of the session protocol as the API takes it.
func proposal(line json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return nil
	}
	delete(members, "type")
	out, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return out
}

func (c caller) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	return answerTo(r, errRefused)
}

// answerTo sends a request, and returns the answer's body. Redirects are not followed: a
// token goes nowhere else.
func answerTo(r *http.Request, refused error) ([]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, err
	case refused != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden):
		return nil, fmt.Errorf("%w: %s", refused, firstLine(body))
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fmt.Errorf("%s %s: %s: %s", r.Method, r.URL.Redacted(), resp.Status, firstLine(body))
	}
	return body, nil
}

// firstLine returns the beginning of what a server said.
func firstLine(body []byte) string {
	const most = 400
	if _, err := verdictOf(body); err != nil && json.Valid(body) {
		return strings.TrimPrefix(err.Error(), "it says: ")
	}
	if said := strictjson.GetText(body, "error", "message"); said != "" {
		body = []byte(said) // as APIs of models write it
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	return strings.ToValidUTF8(string(line[:min(len(line), most)]), "")
}

// ExamineProxy asks a proxy for its canary: the scene with an answer of a model that does
// as the page says. The answer that the proxy gives must not have the call.
func ExamineProxy(ctx context.Context, address string, timeout time.Duration) *Diagnosis {
	d := &Diagnosis{Server: "proxy", File: address, Findings: []Finding{}}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	calls, err := canaryOf(ctx, address)
	switch {
	case err != nil:
		d.add(true, "silent", "", "start it with remit proxy --upstream URL, and name where it listens with --proxy URL; one that is older than this program has no canary", "%v", err)
	case calls > 0:
		d.add(true, "open", "", "start it without --shadow", "a call that a page asked for reached the agent")
	default:
		d.Denied++
		if away := redirected(ctx, address); away != "" {
			d.add(true, "redirect", "", "give remit proxy the address that it leads to as --upstream", "%s", away)
		}
	}
	d.settle()
	return d
}

// redirected says where a proxy's upstream leads agents instead of answering; empty for
// nowhere. It asks for the models without a key: an upstream whose scheme or host is another
// one redirects everything, before it looks at keys.
func redirected(ctx context.Context, address string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/v1/models", nil)
	if err != nil {
		return ""
	}
	_, err = answerTo(r, nil)
	if err == nil || !strings.Contains(err.Error(), proxy.Redirecting) {
		return ""
	}
	return err.Error()
}

// canaryOf counts the calls in what an agent would get.
func canaryOf(ctx context.Context, address string) (calls int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+proxy.CanaryPath, nil)
	if err != nil {
		return 0, err
	}
	body, err := answerTo(r, nil)
	if err != nil {
		return 0, err
	}

	var a struct {
		Object  string `json:"object"`
		Choices []struct {
			Message struct {
				Calls []json.RawMessage `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &a); err != nil || len(a.Choices) != 1 {
		return 0, fmt.Errorf("%s: this is not the canary of a proxy: %s", r.URL.Redacted(), firstLine(body))
	}
	return len(a.Choices[0].Message.Calls), nil
}
