package airline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Airline is the airline at work: its records, and the tools that read and
// change them. Changes stay in memory. It is safe for concurrent use.
type Airline struct {
	mu      sync.Mutex
	records *Records
	now     func() string // the local time, as records have it
	tools   []*tool
	booked  int
	granted int
}

// New returns an airline over records, which are its own from then on. The time
// of bookings is τ-bench's, as is that of the records.
func New(r *Records) (*Airline, error) {
	tools, err := tools()
	if err != nil {
		return nil, err
	}
	return &Airline{records: r, tools: tools, now: func() string { return "2024-05-15T15:00:00" }}, nil
}

// Fork returns an airline that begins with the records of this one as they are
// now, and whose changes are its own.
func (a *Airline) Fork() *Airline {
	a.mu.Lock()
	defer a.mu.Unlock()
	// What a tool changes it replaces, so that the maps are all there is to copy.
	return &Airline{tools: a.tools, now: a.now, booked: a.booked, granted: a.granted, records: &Records{
		Flights: a.records.Flights, Reservations: maps.Clone(a.records.Reservations), Users: maps.Clone(a.records.Users),
	}}
}

// Call calls a tool and returns its structured result.
func (a *Airline) Call(name string, arguments json.RawMessage) (json.RawMessage, error) {
	for _, t := range a.tools {
		if t.definition.Name == name {
			a.mu.Lock()
			defer a.mu.Unlock()
			return t.call(a, arguments)
		}
	}
	return nil, fmt.Errorf("there is no tool %q", name)
}

// Errors of the tools.
var (
	errNoUser        = errors.New("user not found")
	errNoReservation = errors.New("reservation not found")
	errCancelled     = errors.New("the reservation is cancelled")
	errNoPayment     = errors.New("payment method not found")
	errCertificate   = errors.New("certificate cannot be used to update reservation")
	errBalance       = errors.New("the balance of the payment method is not enough")
	errPassengers    = errors.New("number of passengers does not match")
)

func (a *Airline) user(id string) (*User, error) {
	if u, ok := a.records.Users[id]; ok {
		return u, nil
	}
	return nil, errNoUser
}

func (a *Airline) reservation(id string) (*Reservation, error) {
	if r, ok := a.records.Reservations[id]; ok {
		return r, nil
	}
	return nil, errNoReservation
}

// open returns a reservation that can still be changed.
func (a *Airline) open(id string) (*Reservation, error) {
	r, err := a.reservation(id)
	if err == nil && r.Status != "" {
		err = errCancelled
	}
	return r, err
}

func (a *Airline) day(number, date string) (*Flight, Day, error) {
	f, ok := a.records.Flights[number]
	if !ok {
		return nil, Day{}, fmt.Errorf("flight %s not found", number)
	}
	d, ok := f.Dates[date]
	if !ok {
		return nil, Day{}, fmt.Errorf("flight %s not found on date %s", number, date)
	}
	return f, d, nil
}

// seat returns a flight that is bookable for so many passengers, at today's price.
func (a *Airline) seat(want FlightDate, cabin Cabin, passengers int) (Segment, error) {
	f, d, err := a.day(want.Number, want.Date)
	switch {
	case err != nil:
		return Segment{}, err
	case d.Status != Available:
		return Segment{}, fmt.Errorf("flight %s not available on date %s", want.Number, want.Date)
	case d.Seats[cabin] < passengers:
		return Segment{}, fmt.Errorf("not enough seats on flight %s", want.Number)
	}
	return Segment{Origin: f.Origin, Destination: f.Destination, Number: f.Number, Date: want.Date, Price: d.Prices[cabin]}, nil
}

// charge takes money from a user's payment method, or gives it back where the
// amount is negative. A certificate is used up.
func (a *Airline) charge(userID, method string, amount Dollars) error {
	u, err := a.user(userID)
	if err != nil {
		return err
	}

	m, ok := u.PaymentMethods[method]
	switch {
	case !ok:
		return errNoPayment
	case m.Amount != nil && *m.Amount < amount:
		return errBalance
	}

	changed := *u
	changed.PaymentMethods = maps.Clone(u.PaymentMethods)
	switch m.Source {
	case GiftCard:
		left := *m.Amount - amount
		m.Amount = &left
		changed.PaymentMethods[method] = m
	case Certificate:
		delete(changed.PaymentMethods, method)
	}

	a.records.Users[userID] = &changed
	return nil
}
