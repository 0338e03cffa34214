package synth

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// TestDoubt gives synthesis estimates by which arguments named "slot" are likely targets,
// and those named "knob" or "city" now and then need the user's word.
func TestDoubt(t *testing.T) {
	roles := parsed(t, "classes content control selector target\nany argument\t0\t0\t0\t-700\nends slot\t0\t0\t0\t700\nends body\t0\t0\t0\t700\nends id\t0\t0\t0\t150\nends city\t0\t0\t0\t50\n")
	floors := parsed(t, "classes EXTERNAL TOOL_OUTPUT USER\nany argument\t100\t0\t-300\nends knob\t0\t0\t300\nends city\t0\t0\t300\nends body\t0\t0\t300\nends widget_id\t0\t0\t300\n")
	arguments := map[string]any{"slot": map[string]any{}, "knob": map[string]any{}, "body": map[string]any{}, "city": map[string]any{}, "style": map[string]any{}, "widget_id": map[string]any{}}
	for _, c := range []struct {
		tool, arg string
		floor     label.Trust
		marked    bool
	}{
		{"save_page", "/knob", label.User, true}, // no rule knows it
		{"save_page", "/style", label.External, false},
		{"save_page", "/body", label.External, true},            // text is taken from anywhere, and looked at
		{"save_page", "/city", label.External, false},           // a place in words is text
		{"update_widget", "/widget_id", label.ToolOutput, true}, // what is picked there may as well receive
		{"get_page", "/widget_id", label.External, false},
		{"get_page", "/slot", label.External, true},
		{"get_page", "/style", label.External, false},
		{"get_page", "/body", label.External, true}, // a read may be told whom to ask
	} {
		catalogue := catalogue(t, map[string]any{"name": c.tool, "inputSchema": map[string]any{"type": "object", "properties": arguments}})
		tool := Estimated(Estimates{Roles: roles, Floors: floors}, catalogue).Tools[0]
		i := slices.IndexFunc(tool.Args, func(a contract.Arg) bool { return a.Pattern == c.arg })
		a := tool.Args[i]
		if a.Floor != c.floor || (a.Review != "") != c.marked {
			t.Errorf("%s %s: floor %s, review %q; want %s, marked %v", c.tool, c.arg, a.Floor, a.Review, c.floor, c.marked)
		}
	}
}

// TestDoubtMakesNothingMilder holds for every labelled server that estimates of floors raise
// floors alone, and only in tools that do more than read. Milder is at most a value that a tool stores.
func TestDoubtMakesNothingMilder(t *testing.T) {
	raised := 0
	for _, dir := range []string{"unseen", "further"} {
		files, err := filepath.Glob(filepath.Join("..", "internal", "eval", "testdata", dir, "dev", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal(err, len(files))
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := schema.Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			without := Estimated(Estimates{Roles: estimate.Roles(), Effects: estimate.Effects()}, c)
			with := Contract(c)
			for i := range with.Tools {
				raised += heldAgainst(t, &with.Tools[i], &without.Tools[i])
			}
		}
	}
	if raised == 0 {
		t.Error("no floor was raised")
	}
}

// heldAgainst compares a tool with what it is without an estimate of floors, and returns
// how many floors are higher.
func heldAgainst(t *testing.T, with, without *contract.Tool) (raised int) {
	t.Helper()
	for i, a := range with.Args {
		b := without.Args[i]
		writes := with.Effect == contract.Write || strings.Contains(with.Why, "draws what it is given")
		stored := writes && (a.Role == label.Content || a.Role == label.Control) && a.Floor == label.External
		switch {
		case a.Role != b.Role || a.Review != b.Review || (a.Floor < b.Floor && !stored):
			t.Errorf("%s %s: %s %s, without the estimate %s %s", with.Name, a.Pattern, a.Role, a.Floor, b.Role, b.Floor)
		case a.Floor > b.Floor && with.Effect == contract.Read:
			t.Errorf("%s %s: a read needs %s, without the estimate %s", with.Name, a.Pattern, a.Floor, b.Floor)
		case a.Floor > b.Floor:
			raised++
			if !strings.Contains(a.Why, "arguments like it need") {
				t.Errorf("%s %s: %q doesn't say why it needs %s", with.Name, a.Pattern, a.Why, a.Floor)
			}
		}
	}
	return raised
}

func parsed(t *testing.T, text string) *estimate.Table {
	t.Helper()
	x, err := estimate.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestHeadStart: an estimate by which everything is likely content takes a setting of a read for it, but
// neither one that a write acts by, nor what authority lands on, nor what is paid.
func TestHeadStart(t *testing.T) {
	roles := parsed(t, "classes content control selector target\nany argument\t40\t0\t0\t0\n")
	catalogue := catalogue(t,
		map[string]any{"name": "create_profile", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"price": map[string]any{}, "style": map[string]any{}}}},
		map[string]any{"name": "show_profile", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"style": map[string]any{}}}},
		map[string]any{"name": "send_payment", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"amount": map[string]any{}, "workspace": map[string]any{}}}})
	made := Estimated(Estimates{Roles: roles}, catalogue)
	for _, c := range []struct {
		tool, arg string
		role      label.Role
	}{
		{"show_profile", "/style", label.Content},
		{"create_profile", "/style", label.Control},
		{"send_payment", "/amount", label.Control},
		{"send_payment", "/workspace", label.Target},
	} {
		tool, _ := made.Tool(c.tool)
		if a := find(tool.Args, c.arg); a.Role != c.role {
			t.Errorf("%s %s is %s, want %s (%s)", c.tool, c.arg, a.Role, c.role, a.Why)
		}
	}
}

// TestEstimatesSeeEnglish: what arguments of another language are like is known by the English words.
func TestEstimatesSeeEnglish(t *testing.T) {
	catalogue := catalogue(t, map[string]any{"name": "crearFactura", "description": "Crea una factura",
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"fecha_vencimiento": map[string]any{}, "msg": map[string]any{}}}})
	features := FeaturesOf(catalogue)["crearFactura"]
	for _, want := range []string{"name create invoice", "says early invoice"} {
		if !slices.Contains(features.Tool, want) {
			t.Errorf("the tool lacks %q: %v", want, features.Tool)
		}
	}
	if got := features.Arguments["/fecha_vencimiento"]; !slices.Contains(got, "named date_deadline") {
		t.Errorf("the date is seen as %v", got)
	}
	if got := features.Arguments["/msg"]; !slices.Contains(got, "named msg") {
		t.Errorf("an English abbreviation is seen as %v", got)
	}
}
