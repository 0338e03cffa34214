package airline

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a tool with what it does.
type tool struct {
	definition *mcp.Tool
	call       func(a *Airline, arguments json.RawMessage) (json.RawMessage, error)
}

// tools makes the definitions of all tools: those of τ-bench, and one that shows
// the status of any flight, which they can't. Their schemas are those of the Go
// types.
func tools() ([]*tool, error) {
	var out []*tool
	for _, define := range []func() (*tool, error){
		reads("get_user_details", "Get the details of a user, with the user's reservations.", (*Airline).getUser),
		reads("get_reservation_details", "Get the details of a reservation.", (*Airline).getReservation),
		reads("get_flight_status", "Get the status of a flight on a day, also of one that can't be booked.", (*Airline).flightStatus),
		reads("list_all_airports", "List all airports and their cities.", (*Airline).listAirports),
		reads("search_direct_flight", "Search direct flights between two cities on a day.", (*Airline).searchDirect),
		reads("search_onestop_flight", "Search flights with one stop between two cities on a day.", (*Airline).searchOneStop),
		reads("calculate", "Calculate the result of a mathematical expression.", (*Airline).calculate),
		reads("think", "Think about something. It finds out nothing new and changes nothing.", (*Airline).think),
		writes("book_reservation", "Book a reservation.", (*Airline).book),
		writes("cancel_reservation", "Cancel the whole reservation.", (*Airline).cancel),
		writes("update_reservation_flights", "Update the flights or the cabin of a reservation.", (*Airline).updateFlights),
		writes("update_reservation_baggages", "Update the checked bags of a reservation.", (*Airline).updateBags),
		writes("update_reservation_passengers", "Update the passengers of a reservation.", (*Airline).updatePassengers),
		writes("send_certificate", "Send a certificate to a user.", (*Airline).sendCertificate),
		writes("transfer_to_human_agents", "Transfer the user to a human agent, with a summary of the user's issue.", (*Airline).transfer),
	} {
		t, err := define()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}

	return out, nil
}

func reads[In, Out any](name, about string, do func(*Airline, In) (*Out, error)) func() (*tool, error) {
	return func() (*tool, error) { return define(name, about, true, do) }
}

func writes[In, Out any](name, about string, do func(*Airline, In) (*Out, error)) func() (*tool, error) {
	return func() (*tool, error) { return define(name, about, false, do) }
}

func define[In, Out any](name, about string, readOnly bool, do func(*Airline, In) (*Out, error)) (*tool, error) {
	in, err := jsonschema.For[In](words())
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	out, err := jsonschema.For[Out](words())
	if err != nil {
		return nil, fmt.Errorf("result of %s: %w", name, err)
	}

	plain(in, true)
	plain(out, false)
	valid, err := in.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	return &tool{
		definition: &mcp.Tool{Name: name, Description: about, InputSchema: in, OutputSchema: out, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
		call: func(a *Airline, arguments json.RawMessage) (json.RawMessage, error) {
			var given map[string]any
			if err := json.Unmarshal(arguments, &given); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", name, err)
			}
			if err := valid.Validate(given); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", name, err)
			}

			var args In
			if err := json.Unmarshal(arguments, &args); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", name, err)
			}
			result, err := do(a, args)
			if err != nil {
				return nil, err
			}
			return json.Marshal(result)
		},
	}, nil
}

// plain takes null away from the types of lists and maps: Go has nil for them, and
// the records don't. In results nothing is promised to be there, so that examples
// of guards need to give no more than what a rule reads.
func plain(s *jsonschema.Schema, required bool) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if !required {
		s.Required = nil
	}
	for _, p := range s.Properties {
		plain(p, required)
	}
	if s.Items != nil {
		plain(s.Items, required)
	}
	if s.AdditionalProperties != nil {
		plain(s.AdditionalProperties, required)
	}
}

// words returns the schemas of types that are no plain texts and numbers.
func words() *jsonschema.ForOptions {
	enum := func(values ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: values} }
	byCabin := func(of *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", AdditionalProperties: of}
	}
	number := &jsonschema.Schema{Type: "number"}
	return &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Dollars]():           number,
		reflect.TypeFor[*Dollars]():          number,
		reflect.TypeFor[Cabin]():             enum("basic_economy", "economy", "business"),
		reflect.TypeFor[TripType]():          enum("one_way", "round_trip"),
		reflect.TypeFor[YesNo]():             enum("yes", "no"),
		reflect.TypeFor[Membership]():        enum("regular", "silver", "gold"),
		reflect.TypeFor[Source]():            enum("credit_card", "gift_card", "certificate"),
		reflect.TypeFor[Status]():            enum("available", "delayed", "on time", "flying", "landed", "cancelled"),
		reflect.TypeFor[map[Cabin]int]():     byCabin(&jsonschema.Schema{Type: "integer"}),
		reflect.TypeFor[map[Cabin]Dollars](): byCabin(number),
	}}
}
