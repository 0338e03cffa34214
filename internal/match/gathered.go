package match

// gathered are the values that the results of one source offer, but for those that a later one takes back.
type gathered struct {
	values []candidate
	isGone []bool
	left   int
	// byText and byCall say where the values are, by their texts and by the calls whose results they are of, as far as they are indexed.
	byText  map[string][]int
	byCall  map[int][]int
	indexed int
}

// add adds the values of a result, which are the caller's no more.
func (g *gathered) add(values []candidate) {
	if g.values == nil {
		g.values = values
	} else {
		g.values = append(g.values, values...)
	}
	g.left += len(values)
}

// index brings what says where the values are up to date.
func (g *gathered) index(m *matcher) {
	if g.byText == nil {
		g.byText, g.byCall = map[string][]int{}, map[int][]int{}
	}
	for ; g.indexed < len(g.values); g.indexed++ {
		v := &g.values[g.indexed]
		g.byText[v.text] = append(g.byText[v.text], g.indexed)
		if place := m.placeOf(*v); place >= 0 {
			call := m.sequence().calls[place]
			g.byCall[call] = append(g.byCall[call], g.indexed)
		}
	}
	g.isGone = append(g.isGone, make([]bool, len(g.values)-len(g.isGone))...)
}

// dropCall takes the values of a call back that was made again, and dropText those with a text.
func (g *gathered) dropCall(call int) {
	g.drop(g.byCall[call])
	delete(g.byCall, call)
}

func (g *gathered) dropText(text string) {
	g.drop(g.byText[text])
	delete(g.byText, text)
}

func (g *gathered) drop(places []int) {
	for _, i := range places {
		if !g.isGone[i] {
			g.isGone[i] = true
			g.left--
		}
	}
}

// rest returns the values that are left.
func (g *gathered) rest() []candidate {
	if g.left == len(g.values) {
		return g.values
	}
	out := make([]candidate, 0, g.left)
	for i, v := range g.values {
		if i >= len(g.isGone) || !g.isGone[i] {
			out = append(out, v)
		}
	}
	return out
}
