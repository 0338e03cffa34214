package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

const tolerance = 1e-9

func near(a, b float64) bool { return math.Abs(a-b) < tolerance }

// groupings draws groupings of the same things, in overlapping groups or in one
// group each.
func groupings(t *rapid.T, overlapping bool) (a, b grouping) {
	n := rapid.IntRange(2, 12).Draw(t, "things")
	draw := func(name string) grouping {
		g := make(grouping, n)
		for i := range g {
			if !overlapping {
				g[i] = []int{rapid.IntRange(0, 4).Draw(t, name)}
				continue
			}
			set := rapid.IntRange(1, 31).Draw(t, name)
			for j := range 5 {
				if set&(1<<j) != 0 {
					g[i] = append(g[i], j)
				}
			}
		}
		return g
	}
	return draw("a"), draw("b")
}

var indexes = map[string]func(a, b grouping) float64{"shared": randIndex, "graded": gradedRandIndex}

func TestRandIndexOfOverlappingGroups(t *testing.T) {
	for name, index := range indexes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := groupings(t, true)
				x := index(a, b)
				if x < -tolerance || x > 1+tolerance {
					t.Errorf("%v is not between 0 and 1", x)
				}
				if y := index(b, a); !near(x, y) {
					t.Errorf("%v one way and %v the other", x, y)
				}
				if x := index(a, a); !near(x, 1) {
					t.Errorf("%v of itself", x)
				}
				renamed := make(grouping, len(a))
				for i, groups := range a {
					for j := len(groups) - 1; j >= 0; j-- {
						renamed[i] = append(renamed[i], 9-groups[j])
					}
				}
				if y := index(renamed, b); !near(x, y) {
					t.Errorf("%v, and %v with other names for the groups", x, y)
				}
			})
		})
	}
}

// Where nothing overlaps, both are the index of Rand: pairs together in both or
// apart in both, of all pairs.
func TestRandIndexOfPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := groupings(t, false)
		agree, all := 0, 0
		for i := range a {
			for j := i + 1; j < len(a); j++ {
				all++
				if (a[i][0] == a[j][0]) == (b[i][0] == b[j][0]) {
					agree++
				}
			}
		}
		want := float64(agree) / float64(all)
		for name, index := range indexes {
			if got := index(a, b); !near(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	})
}

func TestRandIndexByHand(t *testing.T) {
	for _, tt := range []struct {
		name           string
		a, b           grouping
		shared, graded float64
	}{
		{"all in one, and each alone", grouping{{0}, {0}, {0}}, grouping{{0}, {1}, {2}}, 0, 0},
		{"one of three pairs differs", grouping{{0}, {0}, {1}, {1}}, grouping{{0}, {0}, {1}, {2}}, 5.0 / 6, 5.0 / 6},
		// Together is all that the first counts. Of the second, the membership of
		// the first thing is half in each group, so that the pair is half together.
		{"one thing is in a second group", grouping{{0}, {0}}, grouping{{0, 1}, {0}}, 1, 0.5},
		{"no group is shared", grouping{{0, 1}, {2}}, grouping{{0}, {1}}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := randIndex(tt.a, tt.b); !near(got, tt.shared) {
				t.Errorf("shared: %v, want %v", got, tt.shared)
			}
			if got := gradedRandIndex(tt.a, tt.b); !near(got, tt.graded) {
				t.Errorf("graded: %v, want %v", got, tt.graded)
			}
		})
	}
}

// The largest matching is found where taking the first that fits is not enough.
func TestMatched(t *testing.T) {
	for _, tt := range []struct {
		name  string
		left  [][]int
		right int
		want  int
	}{
		{"nothing", nil, 0, 0},
		{"nothing fits", [][]int{nil, nil}, 2, 0},
		{"the first must give way", [][]int{{0, 1}, {0}}, 2, 2},
		{"a chain gives way", [][]int{{0, 1}, {1, 2}, {0}, {1}}, 3, 3},
		{"two want one", [][]int{{0}, {0}}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := matchingSize(tt.left, tt.right); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
