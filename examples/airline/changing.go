package airline

import (
	"fmt"
	"slices"
)

// Prices of what is sold beside seats.
const (
	bagPrice       Dollars = 50 * cents
	insurancePrice Dollars = 30 * cents // for each passenger
)

// FlightDate names a flight on a day.
type FlightDate struct {
	Number string `json:"flight_number" jsonschema:"The flight, such as HAT001."`
	Date   string `json:"date" jsonschema:"The day of departure, as YYYY-MM-DD."`
}

// Arguments of the tools that change something.
type (
	bookArgs struct {
		UserID      string       `json:"user_id" jsonschema:"The user who books, such as sara_doe_496."`
		Origin      string       `json:"origin" jsonschema:"IATA code of the airport where the trip begins, such as SFO."`
		Destination string       `json:"destination" jsonschema:"IATA code of the airport where it goes, such as JFK."`
		Type        TripType     `json:"flight_type"`
		Cabin       Cabin        `json:"cabin"`
		Flights     []FlightDate `json:"flights" jsonschema:"All flights of the trip, in order."`
		Passengers  []Passenger  `json:"passengers"`
		Payments    []Payment    `json:"payment_methods" jsonschema:"How the price is paid."`
		Bags        int          `json:"total_baggages" jsonschema:"How many checked bags the reservation includes."`
		NonfreeBags int          `json:"nonfree_baggages" jsonschema:"How many of them are paid for."`
		Insurance   YesNo        `json:"insurance"`
	}
	flightsArgs struct {
		ID        string       `json:"reservation_id" jsonschema:"The reservation, such as ZFA04Y."`
		Cabin     Cabin        `json:"cabin"`
		Flights   []FlightDate `json:"flights" jsonschema:"All flights of the reservation, in order, also those that stay as they are."`
		PaymentID string       `json:"payment_id" jsonschema:"The method of the user's profile that pays, or is refunded."`
	}
	bagsArgs struct {
		ID          string `json:"reservation_id" jsonschema:"The reservation, such as ZFA04Y."`
		Bags        int    `json:"total_baggages" jsonschema:"How many checked bags the reservation then includes."`
		NonfreeBags int    `json:"nonfree_baggages" jsonschema:"How many of them are paid for."`
		PaymentID   string `json:"payment_id" jsonschema:"The method of the user's profile that pays."`
	}
	passengersArgs struct {
		ID         string      `json:"reservation_id" jsonschema:"The reservation, such as ZFA04Y."`
		Passengers []Passenger `json:"passengers"`
	}
	certificateArgs struct {
		UserID string  `json:"user_id" jsonschema:"The user who gets the certificate, such as sara_doe_496."`
		Amount Dollars `json:"amount" jsonschema:"Dollars."`
	}
)

func (a *Airline) book(in bookArgs) (*Reservation, error) {
	before, err := a.user(in.UserID)
	if err != nil {
		return nil, err
	}

	r := &Reservation{UserID: in.UserID, Origin: in.Origin, Destination: in.Destination, Type: in.Type, Cabin: in.Cabin,
		Passengers: in.Passengers, Payments: in.Payments, CreatedAt: a.now(), TotalBaggages: in.Bags, NonfreeBaggage: in.NonfreeBags, Insurance: in.Insurance}
	people := Dollars(len(in.Passengers))
	price := bagPrice * Dollars(in.NonfreeBags)
	if in.Insurance == "yes" {
		price += insurancePrice * people
	}
	for _, f := range in.Flights {
		s, err := a.seat(f, in.Cabin, len(in.Passengers))
		if err != nil {
			return nil, err
		}
		r.Flights = append(r.Flights, s)
		price += s.Price * people
	}

	var paid Dollars
	for _, p := range in.Payments {
		paid += p.Amount
	}
	if paid != price {
		return nil, fmt.Errorf("payment amount does not add up, total price is %s, but paid %s", price, paid)
	}

	for _, p := range in.Payments {
		if err := a.charge(in.UserID, p.ID, p.Amount); err != nil {
			a.records.Users[in.UserID] = before
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
	}

	a.booked++
	r.ID = fmt.Sprintf("NEW%03d", a.booked)
	changed := *a.records.Users[in.UserID]
	changed.Reservations = append(slices.Clip(changed.Reservations), r.ID)
	a.records.Users[in.UserID], a.records.Reservations[r.ID] = &changed, r
	return r, nil
}

func (a *Airline) cancel(in reservationArgs) (*Reservation, error) {
	r, err := a.open(in.ID)
	if err != nil {
		return nil, err
	}
	changed := *r
	changed.Status = "cancelled"
	for _, p := range r.Payments {
		changed.Payments = append(slices.Clip(changed.Payments), Payment{p.ID, -p.Amount})
	}
	a.records.Reservations[in.ID] = &changed
	return &changed, nil
}

func (a *Airline) updateFlights(in flightsArgs) (*Reservation, error) {
	r, err := a.open(in.ID)
	if err != nil {
		return nil, err
	}

	changed := *r
	changed.Cabin, changed.Flights = in.Cabin, nil
	var price Dollars
	for _, f := range in.Flights {
		i := slices.IndexFunc(r.Flights, func(s Segment) bool {
			return s.Number == f.Number && s.Date == f.Date && in.Cabin == r.Cabin
		})
		var s Segment
		if i >= 0 {
			s = r.Flights[i] // what stays keeps its price
		} else if s, err = a.seat(f, in.Cabin, len(r.Passengers)); err != nil {
			return nil, err
		}
		changed.Flights = append(changed.Flights, s)
		price += s.Price
	}

	for _, s := range r.Flights {
		price -= s.Price
	}
	return a.settle(&changed, in.PaymentID, price*Dollars(len(r.Passengers)))
}

func (a *Airline) updateBags(in bagsArgs) (*Reservation, error) {
	r, err := a.open(in.ID)
	if err != nil {
		return nil, err
	}
	changed := *r
	changed.TotalBaggages, changed.NonfreeBaggage = in.Bags, in.NonfreeBags
	return a.settle(&changed, in.PaymentID, bagPrice*Dollars(max(0, in.NonfreeBags-r.NonfreeBaggage)))
}

// settle pays for a change of a reservation and keeps it.
func (a *Airline) settle(r *Reservation, method string, price Dollars) (*Reservation, error) {
	if u, err := a.user(r.UserID); err != nil {
		return nil, err
	} else if u.PaymentMethods[method].Source == Certificate {
		return nil, errCertificate
	}
	if err := a.charge(r.UserID, method, price); err != nil {
		return nil, err
	}
	if price != 0 {
		r.Payments = append(slices.Clip(r.Payments), Payment{method, price})
	}
	a.records.Reservations[r.ID] = r
	return r, nil
}

func (a *Airline) updatePassengers(in passengersArgs) (*Reservation, error) {
	r, err := a.open(in.ID)
	switch {
	case err != nil:
		return nil, err
	case len(in.Passengers) != len(r.Passengers):
		return nil, errPassengers
	}
	changed := *r
	changed.Passengers = in.Passengers
	a.records.Reservations[in.ID] = &changed
	return &changed, nil
}

func (a *Airline) sendCertificate(in certificateArgs) (*text, error) {
	u, err := a.user(in.UserID)
	if err != nil {
		return nil, err
	}
	a.granted++
	id := fmt.Sprintf("certificate_new_%d", a.granted)
	changed := *u
	changed.PaymentMethods = map[string]PaymentMethod{id: {ID: id, Source: Certificate, Amount: &in.Amount}}
	for name, m := range u.PaymentMethods {
		changed.PaymentMethods[name] = m
	}
	a.records.Users[in.UserID] = &changed
	return &text{Text: fmt.Sprintf("Certificate %s added to user %s with amount %s.", id, in.UserID, in.Amount)}, nil
}
