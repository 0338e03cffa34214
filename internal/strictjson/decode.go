package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Decode decodes one JSON object into a struct and refuses members that
// the struct doesn't name. The caller has made sure that none repeats.
//
// Names must match exactly: encoding/json alone would take "TOOL" for "tool",
// and two members for one.
func Decode(data []byte, to any) error {
	var exact map[string]json.RawMessage
	if err := json.Unmarshal(data, &exact); err != nil {
		return errors.New("it is not a JSON object")
	}
	for name := range exact {
		if lower := strings.ToLower(name); lower != name {
			return fmt.Errorf("unknown member %q: write names in lower case", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return plainer(err)
	}
	return nil
}

// plainer rewords the decoder's errors for people who write JSON, not Go.
func plainer(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%q is a %s, not a %s", wrong.Field, wrong.Value, wrong.Type)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown member %s", name)
	}
	return err
}
