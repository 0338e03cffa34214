package command

import (
	"reflect"
	"strings"
	"unicode"
)

// only returns the commands without those that the arguments don't select: to read the
// tags of all of them takes longer than many a command, which hooks start for each event.
// It returns all where the first argument selects none, or something that reads all.
func only(commands any, args []string) any {
	all := reflect.ValueOf(commands).Elem()
	var kept []reflect.StructField
	var values []reflect.Value
	selected := false
	for i := range all.NumField() {
		f := all.Type().Field(i)
		if _, command := f.Tag.Lookup("cmd"); command {
			if len(args) == 0 || args[0] != commandName(f.Name) || f.Type == reflect.TypeFor[Manual]() {
				continue
			}
			selected = true
		}
		kept, values = append(kept, f), append(values, all.Field(i))
	}
	if !selected {
		return commands
	}

	out := reflect.New(reflect.StructOf(kept))
	for i, v := range values {
		out.Elem().Field(i).Set(v)
	}
	return out.Interface()
}

// commandName returns the word for a field: DemoOffice is demo-office.
func commandName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
