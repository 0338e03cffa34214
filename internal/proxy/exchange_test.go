package proxy_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/remit-project/remit/internal/proxy"
)

// TestExchanges runs testdata/exchanges/*.txtar, which say for each dialect what
// a client sends, what the upstream answers, and what each of the two then gets:
//
//	-- client POST /v1/messages --    a request
//	-- upstream 200 TYPE [HEADER: …] --  an answer of the upstream's; "cut" for TYPE+cut
//	-- asked --                       the requests that the upstream got
//	-- answer --                      what the client got
//
// UPDATE=1 rewrites the last two. A comment line "attached: NAME" declares a container, "shadow"
// watches only, "retries: N" bounds the tries.
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/exchanges/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			runExchange(t, a)
			got := txtar.Format(a)
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(data), "\n"), strings.Split(string(got), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// runExchange carries out an archive, and replaces what came of it.
func runExchange(t *testing.T, a *txtar.Archive) {
	u := newUpstream(t)
	s := newProxy(t, u, func(o *proxy.Options) {
		for line := range strings.Lines(string(a.Comment)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "attached":
				o.Attached = append(o.Attached, value)
			case "shadow":
				o.Shadow = true
			case "retries":
				o.Retries, _ = strconv.Atoi(value)
			}
		}
	})
	for i := 0; i < len(a.Files); i++ {
		method, ok := strings.CutPrefix(a.Files[i].Name, "client ")
		if !ok {
			t.Fatalf("%q: a client's request is expected here", a.Files[i].Name)
		}
		verb, path, _ := strings.Cut(method, " ")
		path, headers, _ := strings.Cut(path, " ")
		if verb != http.MethodPost {
			t.Fatalf("%q: only POST is known", method)
		}
		first := u.count()
		body := a.Files[i].Data
		for i+1 < len(a.Files) && strings.HasPrefix(a.Files[i+1].Name, "upstream ") {
			i++
			u.add(scripted(t, a.Files[i]))
		}
		var header []string
		if name, value, ok := strings.Cut(headers, ": "); ok {
			header = []string{name, value}
		}
		resp, text := post(t, s.URL, path, string(bytes.TrimSpace(body)), header...)
		var sent bytes.Buffer
		for n := first; n < u.count(); n++ {
			sent.Write(u.request(n).body)
			sent.WriteByte('\n')
		}
		answer := fmt.Sprintf("%d %s\n", resp.StatusCode, resp.Header.Get("Content-Type"))
		if v := resp.Header.Get("Retry-After"); v != "" {
			answer += "Retry-After: " + v + "\n"
		}
		answer += "\n" + strings.TrimRight(text, "\n") + "\n"
		for _, came := range [][2]string{{"answer", answer}, {"asked", sent.String()}} {
			name, data := came[0], came[1]
			at := -1
			for j := i + 1; j < len(a.Files) && j < i+3; j++ {
				if a.Files[j].Name == name {
					at = j
				}
			}
			if at < 0 {
				a.Files = append(a.Files[:i+1], append([]txtar.File{{Name: name}}, a.Files[i+1:]...)...)
				at = i + 1
			}
			a.Files[at].Data = []byte(data)
		}
		i += 2
	}
}

func scripted(t *testing.T, f txtar.File) reply {
	parts := strings.SplitN(f.Name, " ", 4)
	status, err := strconv.Atoi(parts[1])
	if err != nil || len(parts) < 3 {
		t.Fatalf("%q: write upstream STATUS TYPE", f.Name)
	}
	kind, cut := strings.CutSuffix(parts[2], "+cut")
	kind = map[string]string{"json": "application/json", "events": "text/event-stream"}[kind]
	r := reply{status: status, kind: kind, body: string(f.Data), cut: cut, header: http.Header{}}
	if len(parts) == 4 {
		name, value, _ := strings.Cut(parts[3], ": ")
		r.header.Set(name, value)
	}
	if kind == "text/event-stream" {
		r.body += "\n"
	}
	return r
}
