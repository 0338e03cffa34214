package label

// Evidence is a place in a session on which the label of a value rests, or that
// explains it.
type Evidence struct {
	// Origin names the event as "system:0", "user:2" or "result:c3", with the
	// JSON pointer of a field after "#" where the place is one:
	// "result:c3#/emails/0/body".
	Origin string `json:"origin"`
	Trust  Trust  `json:"trust"`
	// Start and End are byte offsets in the event's text (in the field's text
	// where Origin names a field).
	Start int `json:"start"`
	End   int `json:"end"`
	// ValueStart and ValueEnd are the bytes of the argument that this explains.
	ValueStart int `json:"value_start"`
	ValueEnd   int `json:"value_end"`
	// Text is the evidence itself. In a decision it is cut to the length that
	// decisions show of a value.
	Text string `json:"text"`
	// Vouches reports whether the value's trust rests on this place. Evidence
	// that doesn't vouch only explains.
	Vouches bool `json:"vouches,omitempty"`
}
