package airline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The words of the records.
type (
	// Cabin is one of [BasicEconomy], [Economy] and [Business].
	Cabin string
	// TripType is one of [OneWay] and [RoundTrip].
	TripType string
	// Status is that of a flight on one day.
	Status string
	// YesNo is "yes" or "no".
	YesNo string
	// Membership is "regular", "silver" or "gold".
	Membership string
	// Source is the kind of a payment method.
	Source string
)

// The values that the words can have.
const (
	BasicEconomy Cabin = "basic_economy"
	Economy      Cabin = "economy"
	Business     Cabin = "business"

	OneWay    TripType = "one_way"
	RoundTrip TripType = "round_trip"

	Available Status = "available"

	CreditCard  Source = "credit_card"
	GiftCard    Source = "gift_card"
	Certificate Source = "certificate"
)

// Flight is a flight number with its days.
type Flight struct {
	Number      string         `json:"flight_number"`
	Origin      string         `json:"origin"`
	Destination string         `json:"destination"`
	Departure   string         `json:"scheduled_departure_time_est"`
	Arrival     string         `json:"scheduled_arrival_time_est"`
	Dates       map[string]Day `json:"dates"`
}

// Day is a flight on one day. What is known depends on its status.
type Day struct {
	Status             Status            `json:"status"`
	Seats              map[Cabin]int     `json:"available_seats,omitempty"`
	Prices             map[Cabin]Dollars `json:"prices,omitempty"`
	ActualDeparture    string            `json:"actual_departure_time_est,omitempty"`
	ActualArrival      string            `json:"actual_arrival_time_est,omitempty"`
	EstimatedDeparture string            `json:"estimated_departure_time_est,omitempty"`
	EstimatedArrival   string            `json:"estimated_arrival_time_est,omitempty"`
}

// Reservation is a booked trip.
type Reservation struct {
	ID             string      `json:"reservation_id"`
	UserID         string      `json:"user_id"`
	Origin         string      `json:"origin"`
	Destination    string      `json:"destination"`
	Type           TripType    `json:"flight_type"`
	Cabin          Cabin       `json:"cabin"`
	Flights        []Segment   `json:"flights"`
	Passengers     []Passenger `json:"passengers"`
	Payments       []Payment   `json:"payment_history"`
	CreatedAt      string      `json:"created_at" jsonschema:"Local time in EST, without a zone."`
	TotalBaggages  int         `json:"total_baggages"`
	NonfreeBaggage int         `json:"nonfree_baggages"`
	Insurance      YesNo       `json:"insurance"`
	Status         string      `json:"status,omitempty" jsonschema:"'cancelled' once it is."`
}

// Segment is a flight of a reservation, with the price for one passenger.
type Segment struct {
	Origin      string  `json:"origin"`
	Destination string  `json:"destination"`
	Number      string  `json:"flight_number"`
	Date        string  `json:"date"`
	Price       Dollars `json:"price"`
}

// Passenger is a person on a flight.
type Passenger struct {
	FirstName string `json:"first_name" jsonschema:"Given name, such as Noah."`
	LastName  string `json:"last_name" jsonschema:"Family name, such as Brown."`
	Born      string `json:"dob" jsonschema:"Date of birth, as YYYY-MM-DD."`
}

// Payment is an amount by one of the user's payment methods.
type Payment struct {
	ID     string  `json:"payment_id" jsonschema:"A payment method of the user's profile."`
	Amount Dollars `json:"amount" jsonschema:"Dollars."`
}

// User is a customer's profile.
type User struct {
	Name struct {
		First string `json:"first_name"`
		Last  string `json:"last_name"`
	} `json:"name"`
	Address        map[string]string        `json:"address"`
	Email          string                   `json:"email"`
	Born           string                   `json:"dob"`
	PaymentMethods map[string]PaymentMethod `json:"payment_methods"`
	Saved          []Passenger              `json:"saved_passengers"`
	Membership     Membership               `json:"membership"`
	Reservations   []string                 `json:"reservations"`
}

// PaymentMethod is a way in which a user pays. Gift cards and certificates have
// an amount that is left.
type PaymentMethod struct {
	ID       string   `json:"id"`
	Source   Source   `json:"source"`
	Amount   *Dollars `json:"amount,omitempty"`
	Brand    string   `json:"brand,omitempty"`
	LastFour string   `json:"last_four,omitempty"`
}

// Records are all that the airline knows.
type Records struct {
	Flights      map[string]*Flight
	Reservations map[string]*Reservation
	Users        map[string]*User
}

// LoadRecords reads flights.json, reservations.json and users.json.
func LoadRecords(dir string) (*Records, error) {
	r := &Records{}
	for name, into := range map[string]any{"flights.json": &r.Flights, "reservations.json": &r.Reservations, "users.json": &r.Users} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("give the directory that holds τ-bench's airline: %w", err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
	}
	return r, nil
}
