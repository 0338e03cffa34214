package proxy

// Remember says how long a body must be for its beginning to be remembered.
func (p *Proxy) Remember(least int) { p.beginnings.least = least }

// MaxExact is how many words that were brought are told apart.
const MaxExact = maxExact

// Brought returns what notes that words were brought, as a name in a record, and what tells whether they were, as a name or as a text.
func Brought() (add func(key uint64), isOne, isText func(key uint64) bool) {
	t := &traits{}
	has := func(of trait) func(uint64) bool { return func(key uint64) bool { return t.of(key)&of != 0 } }
	return func(key uint64) { t.add(key, isName) }, has(isName), has(isWordy)
}
