package proxy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"net/http"

	"github.com/remit-project/remit/internal/strictjson"
)

// hash identifies a conversation up to a place in it.
type hash [sha256.Size]byte

// hashed is the hash of parts, whose borders count.
func hashed(parts ...[]byte) hash {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return hash(h.Sum(nil))
}

// whose are the headers that say whose a conversation is. Two who differ in one
// of them never share anything.
var whose = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Goog-User-Project", "Openai-Organization", "Openai-Project", headerSession, headerAttached}

// tenant is the hash of whose a request is, with what else must be the same.
func tenant(dialect string, r *http.Request) hash {
	parts := [][]byte{[]byte(dialect), []byte(r.URL.RawQuery)}
	for _, name := range whose {
		for _, v := range r.Header.Values(name) {
			parts = append(parts, []byte(name), []byte(v))
		}
		parts = append(parts, nil)
	}
	return hashed(parts...)
}

// prefixes are the hashes of a conversation before its first turn and after
// every one.
func prefixes(seed hash, turns []json.RawMessage) []hash {
	out := make([]hash, len(turns)+1)
	out[0] = seed
	for i, t := range turns {
		out[i+1] = hashed(out[i][:], uncached(t))
	}
	return out
}

// spoken are the same without what the deployment has put between the turns.
func spoken(seed hash, turns []json.RawMessage) []hash {
	out := make([]hash, len(turns)+1)
	out[0] = hashed(seed[:], []byte("spoken"))
	for i, t := range turns {
		if out[i+1] = out[i]; !isSystem(t) {
			out[i+1] = hashed(out[i][:], uncached(t))
		}
	}
	return out
}

// isSystem reports whether a turn is the deployment's.
func isSystem(turn json.RawMessage) bool {
	role := strictjson.GetText(turn, "role")
	return role == "system" || role == "developer"
}

// textsHash identifies texts, zero where there are none.
func textsHash(texts []string) hash {
	if len(texts) == 0 {
		return hash{}
	}
	parts := make([][]byte, len(texts))
	for i := range texts {
		parts[i] = []byte(texts[i])
	}
	return hashed(parts...)
}

// digest identifies an answer at a place of a conversation.
func (s *said) digest(before hash) hash {
	parts := [][]byte{before[:], []byte("answer"), []byte(squeezed(words(s.text)))}
	for _, c := range s.calls {
		parts = append(parts, []byte(c.tool), []byte(plainJSON(c.arguments)))
	}
	return hashed(parts...)
}

// aside identifies what was said beside an answer, which clients may leave out.
func aside(before hash, text string) hash {
	return hashed(before[:], []byte("aside"), []byte(squeezed(text)))
}
