package schema

import "slices"

// references computes fingerprints of operations that share definitions. It caches
// the digest of each definition, because hundreds of operations refer to it.
type references struct {
	// direct lists the references inside a value, as written.
	direct map[*value][]string
	// digests is the digest of each definition's own text.
	digests map[*value]string
	// hashed counts the bytes that went into digests, followed the references that
	// went into fingerprints.
	hashed, followed int
}

// fingerprint covers an operation, the shared parts of its path item, and every
// definition that they refer to, directly or indirectly.
func (r *references) fingerprint(path, method string, item, op *value, c *compiler) (string, error) {
	refs := &value{kind: kindObject}
	seen := map[string]struct{}{}
	queue := slices.Concat(r.of(op), r.of(item.get("parameters")))

	for len(queue) > 0 {
		ref := queue[0]
		queue = queue[1:]
		if r.followed++; r.followed > maxShared || r.hashed > 4*MaxDocument {
			return "", c.errorf("split the document", "its operations refer to too many definitions")
		}

		if _, dup := seen[ref]; dup {
			continue
		}
		seen[ref] = struct{}{}

		target, err := c.resolve(ref)
		if err != nil {
			// The compiler didn't need it: it appears in an example, for instance.
			continue
		}

		sum, ok := r.digests[target]
		if !ok {
			text := appendCanonical(nil, target)
			r.hashed += len(text)
			sum = digest(text)
			r.digests[target] = sum
		}

		refs.members = append(refs.members, member{ref, stringValue(sum)})
		queue = append(queue, r.of(target)...)
	}

	var d definition
	d.add("path", stringValue(path))
	d.add("method", stringValue(method))
	d.add("operation", op)
	d.add("parameters", item.get("parameters"))
	d.add("refs", refs)
	return d.fingerprint(), nil
}

// of returns the references inside a value. It caches the result.
func (r *references) of(v *value) []string {
	if v == nil {
		return nil
	}
	if list, ok := r.direct[v]; ok {
		return list
	}

	var list []string
	seen := map[string]struct{}{}
	var visit func(v *value)
	visit = func(v *value) {
		for _, e := range v.elems {
			visit(e)
		}
		for _, m := range v.members {
			if m.name != "$ref" || m.value.kind != kindString {
				visit(m.value)
			} else if _, dup := seen[m.value.text]; !dup {
				seen[m.value.text] = struct{}{}
				list = append(list, m.value.text)
			}
		}
	}

	visit(v)
	r.direct[v] = list
	return list
}
