package guard_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// compiled makes a set of guard files.
func compiled(t testing.TB, scope guard.Deployment, texts ...string) (*guard.Set, error) {
	t.Helper()
	files := make([]*guard.File, len(texts))
	for i, text := range texts {
		var err error
		files[i], err = guard.Load("file.yaml", []byte(text))
		must(t, err)
	}
	return guard.Compile(files, scope)
}

// said are the rules that don't hold, each with what went wrong.
func said(out guard.Outcome) string {
	var parts []string
	for _, v := range out.Violations {
		parts = append(parts, strings.TrimSuffix(v.Policy+": "+v.Failed, ": "))
	}
	return strings.Join(parts, "; ")
}

// TestEveryTool judges calls by policies for every tool, whether a tool has rules
// of its own or not.
func TestEveryTool(t *testing.T) {
	stock, order := `{"sku":"a"}`, call
	for name, c := range map[string]struct {
		require, tool, args string
		want                string // what doesn't hold; the start of it
	}{
		"a tool without a file":              {`session.calls().size() == 0`, "get_stock", stock, ""},
		"one that is held":                   {`session.calls().size() > 0`, "get_stock", stock, "all"},
		"one that nobody defined":            {`call.tool == "nobody" && args.x == 1`, "nobody", `{"x":1}`, ""},
		"one that is called so":              {`false`, guard.EveryTool, `{}`, "all"},
		"before the tool's own rules":        {`false`, "order", order, "all; own"},
		"which tool is called":               {`call.tool == "get_stock" && call.server == "shop"`, "get_stock", stock, ""},
		"the call's place":                   {`call.index == 0 && call.time == now && !has(call.result)`, "get_stock", stock, ""},
		"an argument of the tool":            {`args.sku == "a" && has(args.sku) && "sku" in args && args.size() == 1`, "get_stock", stock, ""},
		"one that others have":               {`args.sku == "a"`, "get_customer", `{"id":"c1"}`, "all: no such key"},
		"one that may be there":              {`args.?sku.orValue("a") == "a" && !has(args.sku)`, "get_customer", `{"id":"c1"}`, ""},
		"one that is null is missing":        {`!has(args.note)`, "order", `{"customer":"c1","items":[],"total":1,"note":null}`, "own"},
		"names of all":                       {`args.all(name, name != "sku")`, "get_stock", stock, "all"},
		"what is not as the tool's schema":   {`true`, "get_stock", `{"sku":1}`, ": the arguments are not as the tool's schema has them: /sku"},
		"said once for all rules":            {`true`, "order", `{"customer":"c1"}`, ": the arguments are not as the tool's schema has them: /items: it is missing"},
		"labels":                             {`label(args.sku).trust >= USER && label(args).trust >= USER`, "get_stock", stock, ""},
		"a look-up":                          {`tools.get_stock({"sku": "a"}).left > 0 && tools.shop.get_stock({"sku": "a"}).left > 0`, "get_customer", `{"id":"c1"}`, ""},
		"one that the tool's own rules make": {`tools.get_stock({"sku": "b"}).left > 0`, "send_email", `{"to":"x"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(c.require)
			must(t, err)
			set, err := compiled(t, shop(t), `{tool: "*", policies: [{name: all, require: `+string(text)+`, message: m}]}`,
				`{tool: order, policies: [{name: own, require: "false", message: m}]}`,
				`{tool: send_email, policies: [{name: own, require: 'tools.get_stock({"sku": "b"}).left > 0', message: m}]}`)
			must(t, err)
			r := request(c.args)
			r.Server, r.Tool = "shop", c.tool
			asked := 0
			r.Reader = reader(func(string, string) (*guard.Result, error) {
				asked++
				return guard.ResultOf(json.RawMessage(`{"left": 1}`)), nil
			})
			out := set.Evaluate(t.Context(), r)
			if got := said(out); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || strings.Count(got, ";") != strings.Count(c.want, ";") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if asked > 1 || asked == 1 && len(out.Facts.Lookups) != 1 {
				t.Errorf("asked %d times for %+v", asked, out.Facts)
			}
		})
	}
}

// TestEveryToolOfAServer: the rules of one server's tools hold for no other's, and come between
// those of every tool and the tool's own.
func TestEveryToolOfAServer(t *testing.T) {
	scope := shop(t)
	other, err := schema.ParseMCP("mail", []byte(`{"tools": [{"name": "order", "inputSchema": {"type": "object"}}]}`))
	must(t, err)
	scope.Tools = append(scope.Tools, other)
	rule := func(name string) string { return `policies: [{name: ` + name + `, require: "false", message: m}]}` }
	set, err := compiled(t, scope, `{tool: order, server: shop, `+rule("own"), `{tool: "*", server: shop, `+rule("server"), `{tool: "*", `+rule("all"))
	must(t, err)
	for server, want := range map[string]string{"shop": "all; server; own", "mail": "all", "": "all"} {
		if got := said(set.Evaluate(t.Context(), guard.Request{Server: server, Tool: "order", Arguments: json.RawMessage(call)})); got != want {
			t.Errorf("on %q: got %q, want %q", server, got, want)
		}
	}
	var names []string
	for _, g := range set.Guards() {
		names = append(names, g.Server+"/"+g.Tool)
	}
	if got := strings.Join(names, " "); got != "/* shop/* shop/order" {
		t.Errorf("listed as %s", got)
	}
}

// TestEveryToolMistakes: what is wrong with policies for every tool stops every
// call that they are about.
func TestEveryToolMistakes(t *testing.T) {
	const good = `{tool: "*", policies: [{name: all, require: "true", message: m}]}`
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"an expression":     {[]string{`{tool: "*", policies: [{name: all, require: "argz.x == 1", message: m}]}`}, "undeclared reference"},
		"args are a map":    {[]string{`{tool: "*", policies: [{name: all, require: "args > 1", message: m}]}`}, "no matching overload"},
		"an unknown tool":   {[]string{`{tool: "*", policies: [{name: all, require: 'tools.get_stok({"sku": "a"}).left > 1', message: m}]}`}, "there is no tool to look things up with"},
		"two files":         {[]string{good, good}, `file.yaml has policies for "*" already`},
		"an unknown server": {[]string{`{tool: "*", server: shp, policies: [{name: all, require: "true", message: m}]}`}, `there is no server "shp"`},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := compiled(t, shop(t), c.files...)
			var mistakes guard.Errors
			if !errors.As(err, &mistakes) || len(mistakes) != 1 || !strings.Contains(mistakes[0].Message, c.want) {
				t.Fatalf("got %v", err)
			}
			server := set.Guards()[0].Server
			if server == "" {
				server = "shop"
			}
			if got := said(set.Evaluate(t.Context(), guard.Request{Server: server, Tool: "get_stock", Arguments: json.RawMessage(`{"sku":"a"}`)})); !strings.Contains(got, "the policies for every tool have mistakes") {
				t.Errorf("a call is judged as %q", got)
			}
		})
	}
}

// TestEveryToolExamples: examples of such rules say which tool is called, and no
// others do.
func TestEveryToolExamples(t *testing.T) {
	const all, own = "tool: \"*\"\n", "tool: order\n"
	policy := func(example string) string {
		return "policies:\n  - {name: r, require: 'call.tool == \"order\" && call.server == \"shop\"', message: m, examples: [" + example + "]}\n"
	}
	duty := func(example string) string {
		return "duties:\n  - {name: r, require: 'call.tool == \"order\"', message: m, examples: [" + example + "]}\n"
	}
	for name, c := range map[string]struct{ text, mistake, result string }{
		"the tool":                    {all + policy(`{name: e, tool: order, expect: allow, args: `+call+`}`), "", ""},
		"another":                     {all + policy(`{name: e, tool: get_stock, expect: deny, args: {sku: a}}`), "", ""},
		"arguments of another":        {all + policy(`{name: e, tool: get_stock, expect: deny, args: {id: a}}`), "", "not as the tool's schema"},
		"its server":                  {all + policy(`{name: e, tool: order, server: shop, expect: allow, args: `+call+`}`), "", ""},
		"another server":              {all + policy(`{name: e, tool: order, server: mail, expect: deny}`), "", `there is no tool "order"`},
		"a tool that doesn't exist":   {all + policy(`{name: e, tool: ordr, expect: deny}`), "", `there is no tool "ordr"`},
		"no tool":                     {all + policy(`{name: e, expect: allow}`), "the example doesn't say which tool is called", ""},
		"a tool in a tool's file":     {own + policy(`{name: e, tool: order, expect: allow}`), "only the examples of policies for every tool", ""},
		"a server in a tool's file":   {own + policy(`{name: e, server: shop, expect: allow}`), "the server is known without it", ""},
		"a server that the file says": {all + "server: shop\n" + policy(`{name: e, tool: order, server: shop, expect: allow}`), "the server is known without it", ""},
		"a duty":                      {all + duty(`{name: e, expect: deny, history: [{call: {tool: get_stock, args: {sku: a}}}]}`), "", ""},
		"a duty that is fulfilled":    {all + duty(`{name: e, expect: allow, history: [{call: {tool: order, args: `+call+`}}]}`), "", ""},
		"a tool in a duty's":          {all + duty(`{name: e, tool: order, expect: deny}`), "only the examples of policies for every tool", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := guard.Load("every-tool.yaml", []byte(c.text))
			if c.mistake != "" || err != nil {
				if c.mistake == "" || err == nil || !strings.Contains(err.Error(), c.mistake) {
					t.Fatalf("got %v, want %q", err, c.mistake)
				}
				return
			}
			set, err := guard.Compile([]*guard.File{f}, shop(t))
			must(t, err)
			g, ok := set.Guard("", guard.EveryTool)
			if !ok {
				t.Fatal("no guard")
			}
			for _, r := range guardtest.Run(t.Context(), g) {
				if r.Passed() != (c.result == "") || !strings.Contains(r.Failed, c.result) {
					t.Errorf("got %+v", r)
				}
			}
		})
	}
}

// TestEveryToolDuties: every call brings the duty, and the duties of its own tool
// come after.
func TestEveryToolDuties(t *testing.T) {
	set, err := compiled(t, shop(t), `{tool: "*", duties: [{name: all, when: 'call.tool != "send_email"', require: 'session.calls("send_email").exists(c, c.index > call.index)', message: m}]}`,
		`{tool: order, duties: [{name: own, require: 'args.total < 0', message: m}]}`)
	must(t, err)
	session := &guard.History{}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ran := func(id, tool, args string) {
		session.Entries = append(session.Entries, guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{ID: id, Server: "shop", Tool: tool, Arguments: json.RawMessage(args)}})
	}
	open := func() string {
		var out []string
		for _, d := range set.Duties(session, now) {
			out = append(out, strings.TrimSpace(d.Call+" "+d.Duty+" "+d.Failed))
		}
		return strings.Join(out, "; ")
	}
	ran("c1", "get_stock", `{"sku":"a"}`)
	ran("c2", "order", call)
	ran("c3", "get_stock", `{"sku":1}`)
	if got := open(); !strings.HasPrefix(got, "c1 all; c2 all; c2 own; c3 all the arguments are not as the tool's schema") {
		t.Errorf("got %s", got)
	}
	ran("c4", "send_email", `{"to":"x"}`)
	if got := open(); !strings.HasPrefix(got, "c2 own; c3 all ") {
		t.Errorf("got %s", got)
	}
}

// TestEveryToolDocument writes policies for every tool, and reads them back.
func TestEveryToolDocument(t *testing.T) {
	d := guard.NewEditor("every-tool.yaml", "", guard.EveryTool)
	must(t, d.Put(&guard.Policy{Name: "r", Message: "m", Examples: []guard.Example{{Name: "e", Expect: label.Allow, Server: "shop", Tool: "order", Args: json.RawMessage(`{}`)}}}))
	f, err := d.File()
	must(t, err)
	if e := f.Policies[0].Examples[0]; f.Tool != guard.EveryTool || e.Tool != "order" || e.Server != "shop" {
		t.Errorf("got %+v of %s", e, f.Tool)
	}
}

// TestPoliciesOfSomeTools judges only the calls of the tools that a policy names.
func TestPoliciesOfSomeTools(t *testing.T) {
	const text = "tool: \"*\"\npolicies:\n  - {name: p, tools: [get_stock, shop/order], require: \"false\", message: m}\n"
	set, err := compiled(t, shop(t), text)
	must(t, err)
	for tool, want := range map[string]string{"get_stock": "p", "order": "p", "get_customer": "", "nobody": ""} {
		args := map[string]string{"get_stock": `{"sku":"a"}`, "order": call, "get_customer": `{"id":"c"}`, "nobody": `{}`}[tool]
		out := set.Evaluate(t.Context(), guard.Request{Server: "shop", Tool: tool, Arguments: json.RawMessage(args)})
		if got := said(out); got != want {
			t.Errorf("%s: %q doesn't hold, want %q", tool, got, want)
		}
	}
	if _, err := compiled(t, shop(t), strings.Replace(text, "get_stock", "get_stok", 1)); err == nil || !strings.Contains(err.Error(), `there is no tool "get_stok"`) {
		t.Errorf("a tool that there isn't: %v", err)
	}
	if _, err := guard.Load("f.yaml", []byte(strings.Replace(text, `"*"`, "order", 1))); err == nil || !strings.Contains(err.Error(), "only policies of the file for every tool") {
		t.Errorf("a file of one tool: %v", err)
	}
}

// TestPoliciesOfAbsentTools: what a policy says of its other tools holds, whatever else there isn't. A
// name that may be a misspelling of a tool which the policy then lacks stops every call.
func TestPoliciesOfAbsentTools(t *testing.T) {
	for name, c := range map[string]struct {
		tools  string
		absent []string // nil where the name is a mistake
	}{
		"like no tool":                      {"[order, refund_customer]", []string{"refund_customer"}},
		"like a tool that is named as well": {"[order, ordr]", []string{"ordr"}},
		"like one that is named in full":    {"[shop/order, shop/ordr]", []string{"shop/ordr"}},
		"like a tool that isn't named":      {"[order, get_stok]", nil},
		"in another case":                   {"[order, Get_Stock]", nil},
		"with its server":                   {"[order, shop/get_stok]", nil},
		"of a server like one there is":     {"[order, shp/get_stock]", nil},
		"of a server like none":             {"[order, mail/get_stock]", []string{"mail/get_stock"}},
		"beside an absent one":              {"[order, refund_customer, get_stok]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := compiled(t, shop(t), "tool: \"*\"\npolicies:\n  - {name: p, tools: "+c.tools+", require: \"false\", message: m}\n")
			if err == nil {
				t.Fatal("nobody is told of the tool")
			}
			for tool, want := range map[string]string{"order": "p", "get_customer": ""} {
				args := map[string]string{"order": call, "get_customer": `{"id":"c"}`}[tool]
				got := said(set.Evaluate(t.Context(), guard.Request{Server: "shop", Tool: tool, Arguments: json.RawMessage(args)}))
				isMistaken := strings.Contains(got, "the policies for every tool have mistakes")
				if isMistaken != (c.absent == nil) || !isMistaken && got != want {
					t.Errorf("%s: %q doesn't hold, want %q", tool, got, want)
				}
			}
			if got := set.Guards()[0].Absent("p"); c.absent != nil && !slices.Equal(got, c.absent) {
				t.Errorf("absent are %v", got)
			}
		})
	}
}

// TestPoliciesOfSeveralServersTools: a tool that a policy names on one server isn't named on another, where a name
// may be a misspelling of it.
func TestPoliciesOfSeveralServersTools(t *testing.T) {
	scope := guard.Deployment{}
	for _, server := range []string{"eu", "us"} {
		c, err := schema.Parse(server, []byte(`{"tools": [{"name": "refund", "inputSchema": {"type": "object"}}, {"name": "look_up", "inputSchema": {"type": "object"}}]}`))
		must(t, err)
		scope.Tools = append(scope.Tools, c)
	}
	for tools, want := range map[string]string{
		"[eu/refund, us/refund]":            "",
		"[eu/refund, us/refnd]":             "mistake",
		"[eu/refund, refnd]":                "mistake",
		"[us/refnd]":                        "mistake",
		"[eu/refund, us/refund, us/refnd]":  "absent",
		"[eu/refund, us/refund, refnd]":     "absent",
		"[eu/refund, eu/refnd]":             "absent",
		"[eu/refund, us/send_parcel_label]": "absent",
	} {
		t.Run(tools, func(t *testing.T) {
			set, err := compiled(t, scope, "tool: \"*\"\npolicies:\n  - {name: p, tools: "+tools+", require: \"false\", message: m}\n")
			if (err == nil) != (want == "") {
				t.Errorf("compiled with %v", err)
			}
			out := said(set.Evaluate(t.Context(), guard.Request{Server: "us", Tool: "look_up", Arguments: json.RawMessage(`{}`)}))
			if denied := strings.Contains(out, "the policies for every tool have mistakes"); denied != (want == "mistake") {
				t.Errorf("got %q", out)
			}
			if got := set.Guards()[0].Absent("p"); (len(got) > 0) != (want == "absent") {
				t.Errorf("absent are %v", got)
			}
		})
	}
}
