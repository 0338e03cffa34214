package airline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/examples/airline"
)

// small is an airline with two flights, two users and a reservation.
func small(t testing.TB) *airline.Airline {
	t.Helper()
	seats := func(n int) map[airline.Cabin]int {
		return map[airline.Cabin]int{airline.Economy: n, airline.Business: n}
	}
	prices := map[airline.Cabin]airline.Dollars{airline.Economy: 10000, airline.Business: 30000}
	balance := airline.Dollars(15000)
	a, err := airline.New(&airline.Records{
		Flights: map[string]*airline.Flight{
			"HAT001": {Number: "HAT001", Origin: "PHL", Destination: "LGA", Departure: "06:00:00", Arrival: "07:00:00", Dates: map[string]airline.Day{
				"2024-05-20": {Status: airline.Available, Seats: seats(2), Prices: prices}, "2024-05-15": {Status: "delayed"}}},
			"HAT002": {Number: "HAT002", Origin: "LGA", Destination: "BOS", Departure: "08:00:00", Arrival: "09:00:00", Dates: map[string]airline.Day{
				"2024-05-20": {Status: airline.Available, Seats: seats(9), Prices: prices}}},
		},
		Reservations: map[string]*airline.Reservation{"RES001": {ID: "RES001", UserID: "ann", Origin: "PHL", Destination: "LGA", Type: airline.OneWay, Cabin: airline.Economy,
			Flights:    []airline.Segment{{Origin: "PHL", Destination: "LGA", Number: "HAT001", Date: "2024-05-20", Price: 5000}},
			Passengers: []airline.Passenger{{FirstName: "Ann", LastName: "Lee", Born: "1990-01-02"}},
			Payments:   []airline.Payment{{ID: "gift", Amount: 5000}}, TotalBaggages: 1, Insurance: "no"}},
		Users: map[string]*airline.User{"ann": {Address: map[string]string{}, Saved: []airline.Passenger{}, Membership: "gold", Reservations: []string{"RES001"}, PaymentMethods: map[string]airline.PaymentMethod{
			"card": {ID: "card", Source: airline.CreditCard, LastFour: "4373"}, "gift": {ID: "gift", Source: airline.GiftCard, Amount: &balance},
			"certificate": {ID: "certificate", Source: airline.Certificate, Amount: &balance}}}},
	})
	must(t, err)
	return a
}

// TestTools calls tools one after the other: what one changes the next one sees.
func TestTools(t *testing.T) {
	type call struct{ tool, arguments, want string }
	book := func(payments string) string {
		return `{"user_id":"ann","origin":"PHL","destination":"LGA","flight_type":"one_way","cabin":"economy","flights":[{"flight_number":"HAT001","date":"2024-05-20"}],
			"passengers":[{"first_name":"Bob","last_name":"Ray","dob":"1985-11-20"}],"payment_methods":[` + payments + `],"total_baggages":4,"nonfree_baggages":1,"insurance":"yes"}`
	}
	for name, calls := range map[string][]call{
		"a booking is paid for": {
			{"book_reservation", book(`{"payment_id":"gift","amount":99.5},{"payment_id":"card","amount":80.5}`), `"reservation_id":"NEW001"`},
			{"get_user_details", `{"user_id":"ann"}`, `"amount":50.50`},
			{"get_reservation_details", `{"reservation_id":"NEW001"}`, `"created_at":"2024-05-15T15:00:00"`},
		},
		"a certificate is used up": {
			{"book_reservation", book(`{"payment_id":"certificate","amount":150},{"payment_id":"card","amount":30}`), `"NEW001"`},
			{"book_reservation", book(`{"payment_id":"certificate","amount":150},{"payment_id":"card","amount":30}`), `error: certificate: payment method not found`},
		},
		"a payment that doesn't add up":         {{"book_reservation", book(`{"payment_id":"card","amount":179.99}`), `error: payment amount does not add up, total price is 180, but paid 179.99`}},
		"a payment with nothing left":           {{"book_reservation", book(`{"payment_id":"gift","amount":180}`), `error: gift: the balance of the payment method is not enough`}},
		"a failed payment takes nothing":        {{"book_reservation", book(`{"payment_id":"gift","amount":100},{"payment_id":"none","amount":80}`), `error: none: payment method not found`}, {"get_user_details", `{"user_id":"ann"}`, `"gift_card","amount":150}`}},
		"arguments that the schema has not":     {{"get_user_details", `{"user":"ann"}`, `error: arguments of get_user_details`}},
		"fractions of cents":                    {{"send_certificate", `{"user_id":"ann","amount":0.001}`, `error: arguments of send_certificate`}},
		"a status that searches don't show":     {{"search_direct_flight", `{"origin":"PHL","destination":"LGA","date":"2024-05-15"}`, `{"flights":[]}`}, {"get_flight_status", `{"flight_number":"HAT001","date":"2024-05-15"}`, `"status":"delayed"`}},
		"a flight nobody knows":                 {{"get_flight_status", `{"flight_number":"HAT009","date":"2024-05-15"}`, `error: flight HAT009 not found`}},
		"a day nobody knows":                    {{"get_flight_status", `{"flight_number":"HAT001","date":"2023-05-15"}`, `error: flight HAT001 not found on date 2023-05-15`}},
		"one stop":                              {{"search_onestop_flight", `{"origin":"PHL","destination":"BOS","date":"2024-05-20"}`, `"flight_number":"HAT002"`}},
		"airports":                              {{"list_all_airports", `{}`, `"PHL":"Philadelphia"`}},
		"sums":                                  {{"calculate", `{"expression":"2 * (430 - 0.5) / 3"}`, `"286.33"`}, {"calculate", `{"expression":"1 / 0"}`, `error: division by zero`}, {"calculate", `{"expression":"os.Exit(1)"}`, `error: write numbers`}},
		"a cancelled reservation is refunded":   {{"cancel_reservation", `{"reservation_id":"RES001"}`, `"amount":-50`}, {"cancel_reservation", `{"reservation_id":"RES001"}`, `error: the reservation is cancelled`}},
		"what is kept keeps its price":          {{"update_reservation_flights", `{"reservation_id":"RES001","cabin":"economy","flights":[{"flight_number":"HAT001","date":"2024-05-20"}],"payment_id":"gift"}`, `"price":50`}},
		"another cabin is paid for":             {{"update_reservation_flights", `{"reservation_id":"RES001","cabin":"business","flights":[{"flight_number":"HAT001","date":"2024-05-20"}],"payment_id":"card"}`, `{"payment_id":"card","amount":250}`}},
		"another cabin, too dear":               {{"update_reservation_flights", `{"reservation_id":"RES001","cabin":"business","flights":[{"flight_number":"HAT001","date":"2024-05-20"}],"payment_id":"gift"}`, `error: the balance`}},
		"a flight that can't be booked":         {{"update_reservation_flights", `{"reservation_id":"RES001","cabin":"economy","flights":[{"flight_number":"HAT001","date":"2024-05-15"}],"payment_id":"card"}`, `error: flight HAT001 not available on date 2024-05-15`}},
		"a certificate for a change":            {{"update_reservation_baggages", `{"reservation_id":"RES001","total_baggages":2,"nonfree_baggages":1,"payment_id":"certificate"}`, `error: certificate cannot be used to update reservation`}},
		"bags are paid for":                     {{"update_reservation_baggages", `{"reservation_id":"RES001","total_baggages":5,"nonfree_baggages":2,"payment_id":"gift"}`, `{"payment_id":"gift","amount":100}`}, {"get_user_details", `{"user_id":"ann"}`, `"amount":50}`}},
		"another passenger":                     {{"update_reservation_passengers", `{"reservation_id":"RES001","passengers":[{"first_name":"Bob","last_name":"Ray","dob":"1985-11-20"}]}`, `"Bob"`}},
		"one passenger more":                    {{"update_reservation_passengers", `{"reservation_id":"RES001","passengers":[]}`, `error: number of passengers does not match`}},
		"a certificate can be paid with":        {{"send_certificate", `{"user_id":"ann","amount":180}`, `certificate_new_1`}, {"book_reservation", book(`{"payment_id":"certificate_new_1","amount":180}`), `"NEW001"`}},
		"a thought and a person change nothing": {{"think", `{"thought":"hm"}`, `{"text":""}`}, {"transfer_to_human_agents", `{"summary":"s"}`, `Transfer successful`}},
		"a tool nobody knows":                   {{"fly", `{}`, `error: there is no tool "fly"`}},
	} {
		t.Run(name, func(t *testing.T) {
			a := small(t)
			for _, c := range calls {
				got, err := a.Call(c.tool, json.RawMessage(c.arguments))
				text := string(got)
				if err != nil {
					text = "error: " + err.Error()
				}
				if !strings.Contains(text, c.want) {
					t.Errorf("%s %s: got %s, want %s", c.tool, c.arguments, text, c.want)
				}
			}
		})
	}
}

// Forks don't see each other's changes.
func TestFork(t *testing.T) {
	a := small(t)
	b := a.Fork()
	before, err := a.Call("get_user_details", json.RawMessage(`{"user_id":"ann"}`))
	must(t, err)
	for _, c := range [][2]string{{"cancel_reservation", `{"reservation_id":"RES001"}`}, {"send_certificate", `{"user_id":"ann","amount":100}`}} {
		if _, err := b.Call(c[0], json.RawMessage(c[1])); err != nil {
			t.Fatal(err)
		}
	}
	after, err := a.Call("get_user_details", json.RawMessage(`{"user_id":"ann"}`))
	must(t, err)
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Error(diff)
	}
	if r, err := a.Call("get_reservation_details", json.RawMessage(`{"reservation_id":"RES001"}`)); err != nil || strings.Contains(string(r), "cancelled") {
		t.Errorf("%s %v", r, err)
	}
}

// Look-ups of rules can't change anything.
func TestRead(t *testing.T) {
	if _, err := small(t).Read(t.Context(), airline.Name, "cancel_reservation", json.RawMessage(`{"reservation_id":"RES001"}`)); err == nil {
		t.Error("a rule has cancelled a reservation")
	}
}

// The server says by the protocol what the tools say.
func TestServer(t *testing.T) {
	client, server := mcp.NewInMemoryTransports()
	a := small(t)
	serving, err := a.Server().Connect(t.Context(), server, nil)
	must(t, err)
	defer serving.Close()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), client, nil)
	must(t, err)
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	must(t, err)
	if len(tools.Tools) != 15 {
		t.Errorf("%d tools", len(tools.Tools))
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_reservation_details", Arguments: map[string]any{"reservation_id": "RES001"}})
	must(t, err)
	if fields, ok := got.StructuredContent.(map[string]any); !ok || fields["user_id"] != "ann" || got.IsError {
		t.Errorf("%+v", got)
	}
	got, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_reservation_details", Arguments: map[string]any{"reservation_id": "NONE"}})
	must(t, err)
	if !got.IsError {
		t.Errorf("%+v", got)
	}
}
