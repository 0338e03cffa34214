package proxy

// recent is a bounded map with two generations. An entry that isn't used while a
// full generation of others arrives, by number or by weight, is evicted.
type recent[V any] struct {
	max, maxWeight int
	young, old     map[uint64]V
	weight         int
}

func (r *recent[V]) get(key uint64) (V, bool) {
	if v, ok := r.young[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.put(key, v, 0)
	}
	return v, ok
}

func (r *recent[V]) put(key uint64, v V, weight int) {
	full := len(r.young) >= r.max || (r.maxWeight > 0 && r.weight+weight > r.maxWeight)
	if r.young == nil || full {
		r.young, r.old, r.weight = make(map[uint64]V), r.young, 0
	}
	r.weight += weight
	r.young[key] = v
}
