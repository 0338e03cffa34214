package store

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Rule finds secrets in text. The rule's name replaces the match of the pattern,
// or of its first group if it has one.
type Rule struct {
	// Name is what the log has instead: "[redacted: NAME]".
	Name string
	// Pattern is a regular expression in Go's syntax, which takes linear time
	// whatever the text.
	Pattern string

	// hints are texts in lower case, one of which every match has: looking for them is much
	// quicker than the pattern. Without any the pattern is tried.
	hints []string
}

// DefaultRules returns the shapes of secrets that can be told by their look. Whole tokens are
// asked for, but not their whole length, since values in decisions are cut.
func DefaultRules() []Rule {
	return []Rule{
		{"private key", `(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`, []string{"private key"}},
		{"json web token", `\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`, []string{"eyj"}},
		{"github token", `\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}`, []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}},
		{"gitlab token", `\bgl(?:pat|oas|dt|rt|ptt|ft|soat)-[A-Za-z0-9_.-]{16,}`, []string{"gl"}},
		{"aws key", `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, []string{"akia", "asia"}},
		{"google key", `\bAIza[A-Za-z0-9_-]{30,}`, []string{"aiza"}},
		{"google token", `\bya29\.[A-Za-z0-9_-]{16,}`, []string{"ya29."}},
		{"slack token", `\bxox[abceoprs]-[A-Za-z0-9-]{10,}`, []string{"xox"}},
		{"stripe key", `\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}`, []string{"sk_", "rk_", "whsec_"}},
		{"api key", `\bsk-[A-Za-z0-9_-]{16,}`, []string{"sk-"}},
		{"npm token", `\bnpm_[A-Za-z0-9]{16,}`, []string{"npm_"}},
		{"pypi token", `\bpypi-[A-Za-z0-9_-]{16,}`, []string{"pypi-"}},
		{"authorization", `(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/=._~-]{12,})`, []string{"bearer", "basic"}},
		{"password in an address", `(?i)\b[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@`, []string{"://"}},
		{"secret", `(?i)(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token)["']?\s*[:=]\s*["']?([^\s"',;&\[][^\s"',;&]{3,})`, []string{"passw", "passphrase", "secret", "key", "token"}},
	}
}

// Redactor takes secrets out of what goes into the audit log.
type Redactor struct {
	rules []compiled
}

type compiled struct {
	re    *regexp.Regexp
	with  string
	hints []string
}

// may reports whether a text, given in lower case, can have a match.
func (c *compiled) may(lower string) bool {
	return len(c.hints) == 0 || slices.ContainsFunc(c.hints, func(hint string) bool { return strings.Contains(lower, hint) })
}

// NewRedactor compiles rules, and reports every mistake in them at once.
func NewRedactor(rules ...Rule) (*Redactor, error) {
	r := &Redactor{}
	var errs []error
	for _, rule := range rules {
		re, err := regexp.Compile(rule.Pattern)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("redaction rule %q: %w", rule.Name, err))
		case re.MatchString(""):
			errs = append(errs, fmt.Errorf("redaction rule %q: the pattern matches the empty text: it must match a secret", rule.Name))
		case rule.Name == "":
			errs = append(errs, fmt.Errorf("redaction rule %q: give it a name, which stands in the log instead", rule.Pattern))
		default:
			r.rules = append(r.rules, compiled{re, redacted(rule.Name), rule.hints})
		}
	}
	return r, errors.Join(errs...)
}

func redacted(what string) string { return "[redacted: " + what + "]" }

// Text takes the secrets out of a text that the rules know.
func (r *Redactor) Text(s string) string {
	lower := strings.ToLower(s)
	for i := range r.rules {
		rule := &r.rules[i]
		if !rule.may(lower) {
			continue
		}
		var b strings.Builder
		at := 0
		for _, m := range rule.re.FindAllStringSubmatchIndex(s, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			b.WriteString(s[at:from])
			b.WriteString(rule.with)
			at = to
		}
		if at > 0 {
			b.WriteString(s[at:])
			s = b.String()
		}
	}

	return s
}

// Decision returns a decision for the audit log. The values of credential arguments are left out
// wherever they appear, also in messages.
func (r *Redactor) Decision(d *remit.Decision) *Decided {
	var secrets []string
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Role == label.Credential && f.Value != "" {
			secrets = append(secrets, f.Value)
		}
	}

	text := func(s string) string {
		for _, secret := range secrets {
			s = strike(s, secret)
		}
		return r.Text(s)
	}
	out := &Decided{Server: d.Server, Tool: text(d.Tool), Variant: text(d.Variant), Verdict: d.Verdict,
		Effect: string(d.Effect), Confirmed: d.Confirmed}
	for i := range d.Findings {
		f := &d.Findings[i]
		if i == MaxDecided {
			out.More += len(d.Findings) - i
			break
		}
		v := DecidedValue{Path: text(f.Path), Role: f.Role, Floor: f.Floor, Trust: f.Trust, How: f.How, Satisfied: f.Satisfied}
		for _, o := range f.Origins[:min(len(f.Origins), MaxDecided)] {
			v.Origins = append(v.Origins, text(o))
		}
		v.Value = text(f.Value)
		if f.Role == label.Credential {
			v.Value = redacted("credential")
		}
		out.Arguments = append(out.Arguments, v)
	}

	for i, reason := range d.Reasons {
		if i == MaxDecided {
			out.More += len(d.Reasons) - i
			break
		}
		out.Reasons = append(out.Reasons, DecidedReason{Code: reason.Code, Path: text(reason.Path), Verdict: reason.Verdict, Message: text(reason.Message)})
	}
	return out
}

// knownBy is how many bytes of a secret are looked for: messages may repeat it
// cut short.
const knownBy = 8

// strike takes a secret out of a text, also where the text has only its beginning.
// Values of one or two bytes are not secrets, and would strike every letter.
func strike(s, secret string) string {
	if len(secret) < 3 {
		return s
	}

	begin := secret[:min(len(secret), knownBy)]
	var b strings.Builder
	for {
		i := strings.Index(s, begin)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		n := len(begin)
		for n < len(secret) && i+n < len(s) && s[i+n] == secret[n] {
			n++
		}
		b.WriteString(s[:i])
		b.WriteString(redacted("credential"))
		s = s[i+n:]
	}
}

// readings are readings for the audit log. A shape is redacted line by line, since each is the
// name of a field: no name is the value of the one before it.
func (r *Redactor) readings(all []scope.Reading) []scope.Reading {
	out := slices.Clone(all)
	for i := range out {
		as := &out[i]
		lines := strings.Split(as.Shape, "\n")
		for n, line := range lines {
			lines[n] = r.Text(line)
		}
		as.Shape, as.Tool, as.Call = strings.Join(lines, "\n"), r.Text(as.Tool), r.Text(as.Call)
	}
	return out
}

// note redacts a note.
func (r *Redactor) note(n Note) *Note {
	out := &Note{About: r.Text(n.About), Members: map[string]string{}}
	for name, value := range n.Members {
		// "password" = "x" is one thing to a rule, and two to a map.
		both := r.Text(name + ": " + value)
		if v, ok := strings.CutPrefix(both, name+": "); ok {
			out.Members[name] = v
		} else {
			out.Members[r.Text(name)] = r.Text(value)
		}
	}
	return out
}
