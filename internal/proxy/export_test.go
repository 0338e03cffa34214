package proxy

// Remember says how long a body must be for its beginning to be remembered.
func (p *Proxy) Remember(least int) { p.beginnings.least = least }
