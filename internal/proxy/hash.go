package proxy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"net/http"

	"github.com/remit-project/remit/internal/strictjson"
)

// hash identifies a prefix of a conversation.
type hash [sha256.Size]byte

// short returns a hash for maps whose entries are checked otherwise.
func (h hash) short() uint64 { return binary.BigEndian.Uint64(h[:8]) }

// hashParts hashes parts and the boundaries between them.
func hashParts(parts ...[]byte) hash {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return hash(h.Sum(nil))
}

// whose are the headers that identify a conversation's owner. Owners that differ
// in one of them never share anything.
var whose = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Goog-User-Project", "Openai-Organization", "Openai-Project", headerSession, headerAttached}

// tenant hashes the owner of a request and what else must match.
func tenant(dialect string, r *http.Request) hash {
	parts := [][]byte{[]byte(dialect), []byte(r.URL.RawQuery)}
	for _, name := range whose {
		for _, v := range r.Header.Values(name) {
			parts = append(parts, []byte(name), []byte(v))
		}
		parts = append(parts, nil)
	}
	return hashParts(parts...)
}

// locate hashes the conversation before its first turn and after each turn: all of it
// from one seed, and without the deployment's turns from the other. Each turn is read
// once, however long, and not again where the conversation began so before.
func (r *reader) locate(all, spoken hash) {
	n := len(r.req.turns)
	r.before, r.spoken, r.system = make([]hash, n+1), make([]hash, n+1), make([]bool, n)
	r.before[0], r.spoken[0] = all, hashParts(spoken[:], []byte("spoken"))

	from := 0
	if b := r.begun; b != nil && b.before[0] == r.before[0] && b.spoken[0] == r.spoken[0] {
		copy(r.before, b.before)
		copy(r.spoken, b.spoken)
		from = copy(r.system, b.system)
	}
	for i := from; i < n; i++ {
		turn := r.req.turns[i]
		r.system[i] = isSystem(turn)
		turn = removeCacheMarks(turn)
		if r.system[i] {
			r.before[i+1], r.spoken[i+1] = hashParts(r.before[i][:], turn), r.spoken[i]
			continue
		}
		r.spoken[i+1] = hashParts(r.spoken[i][:], turn)
		r.before[i+1] = hashParts(r.before[i][:], []byte("spoken"), r.spoken[i+1][:])
	}
}

// isSystem reports whether a turn is the deployment's.
func isSystem(turn json.RawMessage) bool {
	role := strictjson.Text(strictjson.First(turn, "role"))
	return role == "system" || role == "developer"
}

// textsHash hashes texts; zero for none.
func textsHash(texts []string) hash {
	if len(texts) == 0 {
		return hash{}
	}
	parts := make([][]byte, len(texts))
	for i := range texts {
		parts[i] = []byte(texts[i])
	}
	return hashParts(parts...)
}

// digest identifies an answer at a place of a conversation.
func (s *utterance) digest(before hash) hash {
	parts := [][]byte{before[:], []byte("answer"), []byte(squeeze(words(s.text)))}
	for _, c := range s.calls {
		parts = append(parts, []byte(c.tool), []byte(plainJSON(c.arguments)))
	}
	return hashParts(parts...)
}

// hashAside identifies text beside an answer, which clients may omit.
func hashAside(before hash, text string) hash {
	return hashParts(before[:], []byte("aside"), []byte(squeeze(text)))
}
