package guard

import (
	"fmt"
	"path"
	"sync"
	"time"
	_ "time/tzdata" // rules know the time zones where the machine has none

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// dates declares the functions that parse dates and local times, which CEL's own
// timestamp() doesn't accept.
func dates() cel.EnvOption {
	return cel.Lib(dateLibrary{&zones{known: map[string]*time.Location{}}})
}

type dateLibrary struct{ zones *zones }

// zones are the time zones that rules have named, so that a decision reads no file for a zone
// that is known. They are safe for concurrent use.
type zones struct {
	mu    sync.Mutex
	known map[string]*time.Location
}

// maxZones bounds the zones that are kept. A name may come from an argument.
const maxZones = 64

// CompileOptions implements [cel.Library].
func (l dateLibrary) CompileOptions() []cel.EnvOption {
	return []cel.EnvOption{
		l.local("date", "reads a day as its midnight, in UTC or the zone that is given",
			[]string{`date("2031-03-01") // 2031-03-01T00:00:00Z`, `date("2031-03-01", "Europe/Berlin")`}, time.DateOnly),
		l.local("datetime", "reads a local time or RFC 3339; without a zone in the text it is in UTC, or in the zone that is given",
			[]string{`datetime("2031-03-01T09:30:00") // 2031-03-01T09:30:00Z`, `datetime("2031-03-01T09:30:00", "-05:00") // 2031-03-01T14:30:00Z`}, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"),
	}
}

// ProgramOptions implements [cel.Library].
func (dateLibrary) ProgramOptions() []cel.ProgramOption { return nil }

func (l dateLibrary) local(name, what string, examples []string, layouts ...string) cel.EnvOption {
	return cel.Function(name, cel.FunctionDocs(what),
		cel.Overload(name+"_string", []*cel.Type{cel.StringType}, cel.TimestampType, cel.OverloadExamples(examples[0]),
			cel.UnaryBinding(func(text ref.Val) ref.Val { return l.readTime(name, text, types.String("UTC"), layouts) })),
		cel.Overload(name+"_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.TimestampType, cel.OverloadExamples(examples[1]),
			cel.BinaryBinding(func(text, zone ref.Val) ref.Val { return l.readTime(name, text, zone, layouts) })))
}

func (l dateLibrary) readTime(name string, text, zone ref.Val, layouts []string) ref.Val {
	s, ok := text.(types.String)
	z, zoned := zone.(types.String)
	if !ok || !zoned {
		return types.NewErr("%s wants texts", name)
	}
	in, err := l.zones.find(string(z))
	if err != nil {
		return types.WrapErr(err)
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, string(s), in); err == nil {
			return types.Timestamp{Time: t.UTC()}
		}
	}
	return types.NewErr("%q is not a %s", cut(string(s), MaxShown), name)
}

// find parses a time zone such as "Europe/Berlin" or "-05:00". It refuses the zone
// of the machine: a decision must not depend on it.
func (z *zones) find(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(name, offset), nil
	}
	// A path that isn't the shortest one exists where the machine has the zones in files.
	if name == "" || name == "Local" || path.Clean(name) != name {
		return nil, fmt.Errorf("%q is not a time zone: write Europe/Berlin or +01:00", cut(name, MaxShown))
	}

	z.mu.Lock()
	defer z.mu.Unlock()
	if in, ok := z.known[name]; ok {
		return in, nil
	}
	in, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time zone: write Europe/Berlin or +01:00", cut(name, MaxShown))
	}
	if len(z.known) < maxZones {
		z.known[name] = in
	}
	return in, nil
}
