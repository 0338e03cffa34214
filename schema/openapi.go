package schema

func (p *parser) openAPI() (*Catalogue, error) { return p.done() }
