package serialized_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
)

// TestOutline: records laid out for people, as a contract names it.
func TestOutline(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"lines below a count":       {"2 chats\n\nChat: Family\nChat ID: g1\n\nChat: Work\nChat ID: g2\nNote: x\n", `[{"Chat":"Family","Chat ID":"g1"},{"Chat":"Work","Chat ID":"g2","Note":"x"}]`},
		"lines below what is named": {"Playlist of 4: 2 items\n\nNo: 1\nItem: a\n\nNo: 2\nItem: b\n", `[{"No":1,"Item":"a"},{"No":2,"Item":"b"}]`},
		"sections":                  {"**2 result(s)**\n\n### Gloria\n- **id:** S1\n- **copies:** 3\n\n### Missa\n- **id:** S2\n- **copies:** 4\n", `[{"title":"Gloria","id":"S1","copies":3},{"title":"Missa","id":"S2","copies":4}]`},
		"bullets":                   {"Channels (2):\n- **#design** (C1) | 9 members | Reviews\n- **#ops** (C2) | 3 members | -\n", `[{"title":"#design","id":"C1","text":"9 members | Reviews"},{"title":"#ops","id":"C2","text":"3 members | -"}]`},
		"bullets with lines":        {"## Events (2)\n\n- **Dentist** (`e1`)\n  - When: today\n- **Lunch** (`e2`)\n  - When: Fri\n", `[{"title":"Dentist","id":"e1","text":"","When":"today"},{"title":"Lunch","id":"e2","text":"","When":"Fri"}]`},
		"a table below a heading":   {"## WEB (1 issue)\n\n| Key | Title |\n|---|---|\n| W-1 | Crash |\n", `[{"Key":"W-1","Title":"Crash"}]`},
		"a title with a code in it": {"- **x** (EVIL) | y** (C1) | z\n- **b** (C2) | z\n", ""},
		"a name twice":              {"Chat: a\nID: 1\nID: 2\n", ""},
		"two tables":                {"| a |\n|---|\n| 1 |\n\n| a |\n|---|\n| 2 |\n", ""},
		"words behind a record":     {"From: Ann\nID: 1\n\nHello,\nas promised", ""},
		"words":                     {"Hello there.\nAll is well.", ""},
	} {
		got := ""
		if doc := serialized.Read(c.text, serialized.Outline, serialized.Trust{}); doc != nil {
			got = string(doc.Canonical())
		}
		if got != c.want {
			t.Errorf("%s: read %s, want %s", name, got, c.want)
		}
	}
}

// outlineTemplates write a record as tools do: what strangers may have written is its title, its note and its last word.
var outlineTemplates = []func(id, title, note string) string{
	func(id, title, note string) string {
		return fmt.Sprintf("### %s\n- **id:** %s\n- **note:** %s\n\n", title, id, note)
	},
	func(id, title, note string) string {
		return fmt.Sprintf("title: %s\nid: %s\nnote: %s\n\n", title, id, note)
	},
	func(id, title, note string) string {
		return fmt.Sprintf("- id: %s\n  title: %s\n  note: %s\n", id, title, note)
	},
	func(id, title, note string) string { return fmt.Sprintf("- **%s** (`%s`) | %s\n", title, id, note) },
	func(id, title, note string) string {
		return fmt.Sprintf("1. **%s** — `%s` — %s\n", title, id, note)
	},
	func(id, title, note string) string {
		return fmt.Sprintf("- **%s** (%s)\n  - note: %s\n", title, id, note)
	},
}

// TestOutlineIsNotForged: in a text whose tool begins each line with words of its own, and writes no line end into a value, nobody
// writes another's value or another record, and nobody's record is left out.

// TestOutlineIsBounded: a record has few lines, and a long text is given up soon.
func TestOutlineIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "k%06d: v\n", i)
	}
	if doc := serialized.Read(text.String(), serialized.Outline, serialized.Trust{}); doc != nil {
		t.Error("a record of 20,000 lines is read")
	}
}

func TestOutlineIsNotForged(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"a", "Dana", "7", " ", ": ", "id: 9", "- ", "**", "*", "`", "`EVIL`", "(EVIL)", " | ", " — ", "|", "# ", "### x", "---", "> ", "\"", "'", "{", "[", "]", "\\", "\t", "\r", "\u2028", "\x00", "- **id:** EVIL", "** (`EVIL`) | ",
	})
	value := rapid.Map(rapid.SliceOfN(pieces, 0, 5), func(all []string) string { return strings.Join(all, "") })
	rapid.Check(t, func(t *rapid.T) {
		write := rapid.SampledFrom(outlineTemplates).Draw(t, "template")
		n := rapid.IntRange(1, 3).Draw(t, "records")
		text := rapid.SampledFrom([]string{"", "2 results:\n", "## Found\n\n"}).Draw(t, "introduction")
		var titles []string
		for i := range n {
			title := value.Draw(t, "title")
			titles = append(titles, strings.TrimSpace(title))
			text += write(fmt.Sprintf("C%d", i), title, value.Draw(t, "note"))
		}

		doc := serialized.Read(text, serialized.Outline, serialized.Trust{})
		if doc == nil {
			return
		}
		i := 0
		for _, record := range doc.Root().Elements() {
			got := map[string]string{}
			for name, member := range record.Members() {
				if got[name] = member.Text(); member.Kind() == strictjson.Number {
					got[name] = string(member.Raw())
				}
			}
			title, titled := got["title"]
			if i >= n || got["id"] != fmt.Sprintf("C%d", i) || (titled && strings.TrimSpace(title) != titles[i]) {
				t.Fatalf("%q: record %d is %v, want the title %q", text, i, got, titles)
			}
			i++
		}
		if i != n {
			t.Fatalf("%q has %d records, want %d", text, i, n)
		}
	})
}
