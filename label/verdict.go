package label

import "fmt"

// Verdict is the outcome of a decision, or of one check that it rests on.
type Verdict string

// The verdicts, from the mildest to the strictest. Only Allow lets a call run. Ask
// is a call that a person may still let through; it stops like Deny where there is
// no person to ask.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// ParseVerdict reads a verdict as contracts, guards and messages spell it.
func ParseVerdict(text string) (Verdict, error) {
	switch v := Verdict(text); v {
	case Allow, Ask, Deny:
		return v, nil
	}
	return "", fmt.Errorf("unknown verdict %q: write allow, ask or deny", text)
}
