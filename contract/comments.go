package contract

import (
	"bytes"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictyaml"
)

// MarshalOver marshals the file as [File.Marshal] does and keeps the comments of
// old, the text that the result replaces, next to the entries that they describe.
// Errors call old by name.
func (f *File) MarshalOver(name string, old []byte) ([]byte, error) {
	plain, err := f.Marshal()
	if err != nil || !bytes.Contains(old, []byte("#")) {
		return plain, err
	}

	was, err := strictyaml.Open(name, old)
	if err != nil {
		return nil, err
	}
	now, err := strictyaml.Open(name, plain)
	if err != nil {
		return nil, err
	}

	if !carryComments(was.Root, now.Root) {
		return plain, nil
	}
	text, err := now.Marshal()
	if err != nil {
		return nil, err
	}

	// Drop the comments if the commented text does not load as the same file.
	again, err := Load(name, text)
	if err != nil {
		return plain, nil
	}
	if got, err := again.Marshal(); err != nil || !bytes.Equal(got, plain) {
		return plain, nil
	}

	return text, nil
}

// carryComments copies the comments of one tree into another, entry by entry, and
// reports whether there were any. The format limits the depth of the trees.
func carryComments(old, fresh *strictyaml.Node) bool {
	found := carryOwn(old, fresh)
	if old.Kind != fresh.Kind {
		return found
	}

	switch old.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(old.Content); i += 2 {
			k, v := strictyaml.Member(fresh, old.Content[i].Value)
			if v == nil {
				continue
			}
			found = carryOwn(old.Content[i], k) || found
			found = carryComments(old.Content[i+1], v) || found
		}
	case yaml.SequenceNode:
		entries := map[string]*strictyaml.Node{}
		for _, n := range fresh.Content {
			entries[strictyaml.Meaning(n)] = n
		}
		for _, n := range old.Content {
			if same := entries[strictyaml.Meaning(n)]; same != nil {
				found = carryComments(n, same) || found
			}
		}
	}

	return found
}

func carryOwn(old, fresh *strictyaml.Node) bool {
	if old.HeadComment+old.LineComment+old.FootComment == "" {
		return false
	}
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return true
}
