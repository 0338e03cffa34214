package eval

// grouping says for each of several things in which groups it is. The groups may
// overlap; a thing's are in order, without repetition.
type grouping [][]int

// pairs returns how many pairs a grouping of n things has.
func pairs(n int) int { return n * (n - 1) / 2 }

// randIndex returns the share of the pairs of things on which two groupings agree: both have them
// together, or neither has. Two things are together when they share a group. Where no groups
// overlap it is the index of Rand (Objective criteria for the evaluation of clustering methods,
// JASA 66, 1971); for groups that do, it is what ToolGuard (arXiv 2507.16459) computes of
// references. There must be two things.
func randIndex(a, b grouping) float64 { return agreement(a, b, together) }

// gradedRandIndex returns the fuzzy Rand index of Hüllermeier, Rifqi, Henzgen and Senge
// (Comparing Fuzzy Partitions: A Generalization of the Rand Index and Related Measures, IEEE
// Transactions on Fuzzy Systems 20, 2012): pairs are together to a degree, and the index is 1
// minus the mean difference of the degrees. A thing belongs to each of its groups in equal parts,
// which add up to one. There must be two things.
func gradedRandIndex(a, b grouping) float64 { return agreement(a, b, closeness) }

func agreement(a, b grouping, degree func(x, y []int) float64) float64 {
	apart := 0.0
	for i := range a {
		for j := range i {
			apart += abs(degree(a[i], a[j]) - degree(b[i], b[j]))
		}
	}
	return 1 - apart/float64(pairs(len(a)))
}

func abs(x float64) float64 { return max(x, -x) }

// together is 1 for things that share a group, and else 0.
func together(x, y []int) float64 {
	if inBoth(x, y) > 0 {
		return 1
	}
	return 0
}

// closeness is 1 minus half the sum of the differences in membership: 1 for
// things in the same groups, 0 for things that share none.
func closeness(x, y []int) float64 {
	both := inBoth(x, y)
	in, other := 1/float64(len(x)), 1/float64(len(y))
	differ := float64(both)*abs(in-other) + float64(len(x)-both)*in + float64(len(y)-both)*other
	return 1 - differ/2
}

func inBoth(x, y []int) int {
	n, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}
