package shell_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/shell"
)

// Whatever bash gives to a program, the reader has read so: of a line whose words
// it claims to know, no word reaches a program in another form.
func TestReadsAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no bash to compare with: install it")
		}
		t.Skip("there is no bash to compare with")
	}
	dir := t.TempDir()
	// No slash and no name of a program: whatever comes out stays in the folder.
	pieces := []string{"p", "p ", " ", "a", "b1", "'", "\"", "\\", "$", "$a", "$?", "`", "#", " #", ";", " | ", "&&", " || ", "&", "<", ">", ">>", "2>&1", "<<<", "<<E\n", "<<'E'\n", "\nE\n", "(", ")", "{", "}", "{a,b}", "~", "*", "?", "[", "]", "=", "a=", "!", "\n", "\t", "-x", "--", "$(p x)", "\"$(cat <<'E'\nx\nE\n)\"", ",", ":", "^", "%", "é", "\u00a0", ">&", "<&", "&>", " |& ", ">|", "<>", "<<-E\n\t", "1", "-", "$'", "$\"", "\\n", "\\\n", "((", "))", "[[ ", " ]]", "$((", "${", "if ", "; then ", "; fi", "time ", "function ", "case ", "in ", "esac", "select ", "do ", "done", "coproc ", "+=", "for a in b1 c; do p $a", "for a in 'x y' b1; do p ", "\"$a\"", "${a}x", "; done", "$(p b)", "if p; then p ", "while p; do break; done; p ", "! p ", "\\*", "\\ ", "\"\\$x\"", "\"a\\.b\"", "{}", "\\;", "@(", "!(", "\v", "\x01x", "\x7f"}
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		text := "p " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "line"), "")
		line, err := shell.Read(text)
		if err != nil || len(line.Unread) > 0 {
			return
		}
		var read []string
		for _, c := range line.All {
			if slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Kind != shell.Literal }) {
				return
			}
			for _, d := range c.Redirects {
				if d.Unknown || d.File.Kind != shell.Literal {
					return
				}
			}
			for _, a := range c.Assignments {
				if a.Value.Kind != shell.Literal {
					return
				}
			}
			if len(c.Words) > 0 {
				var b strings.Builder
				for _, w := range c.Words {
					b.WriteString(w.Text + "\x00")
				}
				read = append(read, b.String())
			}
		}
		ran, ok := runBash(bash, dir, text)
		if !ok {
			return
		}
		compared++
		for _, r := range ran {
			// "$?" is a number, and read as 0.
			if !strings.Contains(text, "$?") && !slices.Contains(read, r) {
				t.Fatalf("bash runs %q of %q, which was read as %q", r, text, read)
			}
		}
	})
	if compared == 0 {
		t.Error("no line was compared")
	}
}

// runBash runs a line in which p and cat tell what they are given, and nothing
// else can be run.
func runBash(bash, dir, text string) (ran []string, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, false
	}
	defer r.Close()
	said := make(chan []byte)
	go func() {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r) // what came until the shell ended
		said <- b.Bytes()
	}()
	const defined = `p() { printf '%s\0' p "$@" $'\1' >&3; }
cat() { while IFS= read -r l || [ -n "$l" ]; do printf '%s\n' "$l"; done; }
`
	cmd := exec.CommandContext(ctx, bash, "-c", defined+text)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, []string{"PATH=/none"}, []*os.File{w}
	_ = cmd.Run() // what the line itself ends with doesn't matter
	w.Close()
	out := <-said
	if ctx.Err() != nil || cmd.ProcessState == nil {
		return nil, false
	}
	for one := range strings.SplitSeq(string(out), "\x01\x00") {
		if one != "" {
			ran = append(ran, one)
		}
	}
	return ran, true
}
