package console

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// shared is the Chromium of all tests: to start one takes longer than most of them.
var shared chrome

// TestMain ends the browser, if a test has started it.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared.end != nil {
		shared.end()
	}
	os.Exit(code)
}

// chrome is a Chromium that tests drive, over the pipes of its own protocol.
type chrome struct {
	start    sync.Once
	end      func()
	commands io.Writer
	mu       sync.Mutex
	last     int
	answers  map[int]chan reply
	tabs     map[string]*browser // by session
}

// browser is what a test has of the Chromium: tabs, which nothing of another test reaches.
type browser struct {
	*chrome
	t      testing.TB
	errors []string // what its pages have complained about
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// chromium returns the system's browser. The test is skipped where there is none.
func chromium(t testing.TB) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no Chromium to show the pages in")
		}
		t.Skip("there is no Chromium here to show the pages in (on Debian: apt-get install chromium)")
	}

	shared.start.Do(func() { must(t, shared.run(path)) })
	return &browser{chrome: &shared, t: t}
}

// run starts the program.
func (c *chrome) run(path string) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return err
	}

	p := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-startup-window", "--remote-debugging-pipe", "--user-data-dir="+dir)
	p.ExtraFiles = []*os.File{theirs, to}
	if err := errors.Join(p.Start(), theirs.Close(), to.Close()); err != nil {
		return err
	}
	c.commands, c.answers, c.tabs = ours, map[int]chan reply{}, map[string]*browser{}
	read := make(chan struct{})
	go func() { defer close(read); c.read(from) }()

	c.end = func() {
		_ = c.send("", "Browser.close", nil, nil)
		_ = p.Wait()
		ours.Close()
		from.Close()
		<-read
		_ = os.RemoveAll(dir)
	}
	return nil
}

// read takes answers and events until the browser ends.
func (c *chrome) read(from io.Reader) {
	in := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			break
		}
		var m struct {
			ID                int
			SessionID, Method string
			Params            struct {
				Entry            struct{ Level, Text, URL string }
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
			}
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			continue
		}

		c.mu.Lock()
		of := c.tabs[m.SessionID]
		switch {
		case m.ID != 0 && c.answers[m.ID] != nil:
			c.answers[m.ID] <- m.reply
			delete(c.answers, m.ID)
		case of != nil && m.Method == "Log.entryAdded" && m.Params.Entry.Level == "error":
			of.errors = append(of.errors, m.Params.Entry.Text+" "+m.Params.Entry.URL)
		case of != nil && m.Method == "Runtime.exceptionThrown":
			of.errors = append(of.errors, m.Params.ExceptionDetails.Text+" "+m.Params.ExceptionDetails.Exception.Description)
		}
		c.mu.Unlock()
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.answers {
		close(a)
	}
	c.answers = nil
}

// send runs a command, in a page or in the browser itself.
func (c *chrome) send(session, method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	answer := make(chan reply, 1)
	c.mu.Lock()
	if c.answers == nil {
		c.mu.Unlock()
		return errors.New("the browser has ended")
	}
	c.last++
	id := c.last
	c.answers[id] = answer
	c.mu.Unlock()
	m := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := c.commands.Write(append(data, 0)); err != nil {
		return err
	}
	r, ok := <-answer
	switch {
	case !ok:
		return errors.New("the browser has ended")
	case r.Error != nil:
		return errors.New(method + ": " + r.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(r.Result, result)
}

// tab is a page with a cookie jar of its own.
type tab struct {
	*browser
	session string
	width   int
}

// tab opens a page of a person, as wide as a screen or a telephone.
func (b *browser) tab(width int) *tab {
	b.t.Helper()
	var context struct{ BrowserContextID string }
	must(b.t, b.send("", "Target.createBrowserContext", nil, &context))
	var target struct{ TargetID string }
	must(b.t, b.send("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID}, &target))
	var attached struct{ SessionID string }
	must(b.t, b.send("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p := &tab{b, attached.SessionID, width}
	b.keep(p, context.BrowserContextID)
	for _, method := range []string{"Page.enable", "Log.enable", "Runtime.enable"} {
		p.do(method, nil, nil)
	}
	p.screen(900)
	return p
}

// keep has the tab until the test ends: what it complains about is the browser's.
func (b *browser) keep(p *tab, context string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tabs[p.session] = b
	b.t.Cleanup(func() {
		_ = b.send("", "Target.disposeBrowserContext", map[string]string{"browserContextId": context}, nil)
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.tabs, p.session)
	})
}

// screen gives the tab a screen of a height.
func (p *tab) screen(high int) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": p.width, "height": high, "deviceScaleFactor": 1, "mobile": p.width < 600}, nil)
}

func (p *tab) do(method string, params, result any) {
	p.t.Helper()
	must(p.t, p.send(p.session, method, params, result))
}

// open loads a page.
func (p *tab) open(url string) {
	p.t.Helper()
	p.do("Page.navigate", map[string]any{"url": url}, nil)
	p.until("document.readyState === 'complete' && location.href !== 'about:blank'")
}

// eval evaluates an expression in the page.
func (p *tab) eval(expression string, to any) error {
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.send(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	switch {
	case err != nil:
		return err
	case out.ExceptionDetails != nil:
		return fmt.Errorf("%s: %s %s", expression, out.ExceptionDetails.Text, out.ExceptionDetails.Exception.Description)
	case to == nil:
		return nil
	case len(out.Result.Value) == 0:
		return fmt.Errorf("%s has no value", expression)
	}
	return json.Unmarshal(out.Result.Value, to)
}

// text is the value of an expression as a text.
func (p *tab) text(expression string) string {
	p.t.Helper()
	var s string
	must(p.t, p.eval("String("+expression+")", &s))
	return s
}

// until waits in the page until an expression is true, across navigations. A page whose scripts have not run
// hears no key yet.
func (p *tab) until(expression string) {
	p.t.Helper()
	var err error
	for range 50 {
		ok := false
		// Half a minute in all, in the browser's own time; a navigation ends the waiting.
		err = p.eval(`new Promise((yes) => { const end = Date.now() + 30000; const look = () => { let ok = false; try { ok = document.readyState === "complete" && !!(`+expression+`); } catch {}
			if (ok || Date.now() > end) yes(ok); else setTimeout(look, 20); }; look(); })`, &ok)
		if err == nil && ok {
			return
		}
		if err == nil {
			break
		}
	}
	p.t.Fatalf("%s never came true (%v); the page is %s", expression, err, p.text("document.body ? document.body.innerText.slice(0, 2000) : location.href"))
}

// key presses a key.
func (p *tab) key(name string, modifiers int) {
	p.t.Helper()
	codes := map[string]int{"ArrowUp": 38, "ArrowDown": 40, "Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
	press := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": codes[name], "modifiers": modifiers}
	switch name {
	case "Enter":
		press["text"] = "\r"
	case " ":
		press["text"], press["code"] = " ", "Space"
	}
	p.do("Input.dispatchKeyEvent", press, nil)
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": codes[name], "modifiers": modifiers}, nil)
}

// tabTo presses Tab until the element with the focus fulfils a condition on e.
func (p *tab) tabTo(condition string) {
	p.t.Helper()
	for range 120 {
		p.key("Tab", 0)
		if p.text("(() => { const e = document.activeElement; return "+condition+"; })()") == "true" {
			return
		}
	}
	p.t.Fatalf("the keyboard never gets to %s", condition)
}

// click clicks an element as a script would.
func (p *tab) click(selector string) {
	p.t.Helper()
	must(p.t, p.eval(fmt.Sprintf("void document.querySelector(%q).click()", selector), nil))
}

// shoot writes a picture of the whole page into a folder, if one is given.
func (p *tab) shoot(folder, name string) {
	p.t.Helper()
	if folder == "" {
		return
	}
	// As on a screen that is as high as the page: what sticks to an edge hides nothing, and no
	// scroll bar takes a part of the width.
	high, err := strconv.Atoi(p.text("Math.max(900, document.documentElement.scrollHeight)"))
	must(p.t, err)
	p.screen(high)
	defer p.screen(900)
	var out struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	data, err := base64.StdEncoding.DecodeString(out.Data)
	must(p.t, err)
	must(p.t, os.MkdirAll(folder, 0o755))
	must(p.t, os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644))
}

// complaints are what pages have complained about so far: scripts that failed, and what
// the policy for content has stopped.
func (b *browser) complaints() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.errors, "\n")
}
