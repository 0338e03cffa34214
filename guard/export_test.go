package guard

import "github.com/remit-project/remit/internal/direct"

// ByCEL leaves every expression of a set to cel-go.
func ByCEL(s *Set) {
	for _, g := range s.guards {
		for _, p := range g.policies {
			for _, v := range p.variables {
				v.expression.byCEL()
			}
			p.require.byCEL()
		}
		for _, d := range g.duties {
			d.when.byCEL()
			d.require.byCEL()
		}
	}
}

func (e *expression) byCEL() {
	if e != nil {
		e.direct = func() *direct.Program { return nil }
	}
}
