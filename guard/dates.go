package guard

import (
	"fmt"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// dates declares the functions that parse dates and local times, which CEL's own
// timestamp() doesn't accept.
func dates() cel.EnvOption {
	return cel.Lib(dateLibrary{})
}

type dateLibrary struct{}

// CompileOptions implements [cel.Library].
func (dateLibrary) CompileOptions() []cel.EnvOption {
	return []cel.EnvOption{
		local("date", "reads a day as its midnight, in UTC or the zone that is given",
			[]string{`date("2031-03-01") // 2031-03-01T00:00:00Z`, `date("2031-03-01", "Europe/Berlin")`}, time.DateOnly),
		local("datetime", "reads a local time or RFC 3339; without a zone in the text it is in UTC, or in the zone that is given",
			[]string{`datetime("2031-03-01T09:30:00") // 2031-03-01T09:30:00Z`, `datetime("2031-03-01T09:30:00", "-05:00") // 2031-03-01T14:30:00Z`}, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"),
	}
}

// ProgramOptions implements [cel.Library].
func (dateLibrary) ProgramOptions() []cel.ProgramOption { return nil }

func local(name, what string, examples []string, layouts ...string) cel.EnvOption {
	return cel.Function(name, cel.FunctionDocs(what),
		cel.Overload(name+"_string", []*cel.Type{cel.StringType}, cel.TimestampType, cel.OverloadExamples(examples[0]),
			cel.UnaryBinding(func(text ref.Val) ref.Val { return readTime(name, text, types.String("UTC"), layouts) })),
		cel.Overload(name+"_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.TimestampType, cel.OverloadExamples(examples[1]),
			cel.BinaryBinding(func(text, zone ref.Val) ref.Val { return readTime(name, text, zone, layouts) })))
}

func readTime(name string, text, zone ref.Val, layouts []string) ref.Val {
	s, ok := text.(types.String)
	z, zoned := zone.(types.String)
	if !ok || !zoned {
		return types.NewErr("%s wants texts", name)
	}
	in, err := location(string(z))
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

// location parses a time zone such as "Europe/Berlin" or "-05:00". It refuses the zone
// of the machine: a decision must not depend on it.
func location(zone string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", zone); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(zone, offset), nil
	}
	if zone == "" || zone == "Local" {
		return nil, fmt.Errorf("%q is not a time zone: write Europe/Berlin or +01:00", zone)
	}
	in, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time zone: write Europe/Berlin or +01:00", cut(zone, MaxShown))
	}
	return in, nil
}
