package airline

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Arguments and results of the tools that change nothing.
type (
	userArgs struct {
		ID string `json:"user_id" jsonschema:"The user, such as sara_doe_496."`
	}
	reservationArgs struct {
		ID string `json:"reservation_id" jsonschema:"The reservation, such as ZFA04Y."`
	}
	statusArgs struct {
		Number string `json:"flight_number" jsonschema:"The flight, such as HAT001."`
		Date   string `json:"date" jsonschema:"The day of departure, as YYYY-MM-DD."`
	}
	searchArgs struct {
		Origin      string `json:"origin" jsonschema:"IATA code of the airport of departure, such as SFO."`
		Destination string `json:"destination" jsonschema:"IATA code of the airport of arrival, such as JFK."`
		Date        string `json:"date" jsonschema:"The day of departure, as YYYY-MM-DD."`
	}
	calculateArgs struct {
		Expression string `json:"expression" jsonschema:"Numbers, + - * / and parentheses, such as 2 * (3 + 4)."`
	}
	thinkArgs struct {
		Thought string `json:"thought" jsonschema:"What to think about."`
	}
	transferArgs struct {
		Summary string `json:"summary" jsonschema:"The user's issue in short."`
	}
	noArgs struct{}

	// FlightOn is a flight on one day.
	FlightOn struct {
		Number      string `json:"flight_number"`
		Date        string `json:"date"`
		Origin      string `json:"origin"`
		Destination string `json:"destination"`
		Departure   string `json:"scheduled_departure_time_est"`
		Arrival     string `json:"scheduled_arrival_time_est"`
		Day
	}
	found struct {
		Flights [][]FlightOn `json:"flights" jsonschema:"Ways to travel, each with its flights in order."`
	}
	airports struct {
		Cities map[string]string `json:"cities" jsonschema:"Names of cities by the codes of their airports."`
	}
	text struct {
		Text string `json:"text"`
	}
)

func (a *Airline) getUser(in userArgs) (*User, error) { return a.user(in.ID) }
func (a *Airline) getReservation(in reservationArgs) (*Reservation, error) {
	return a.reservation(in.ID)
}

func (a *Airline) flightStatus(in statusArgs) (*FlightOn, error) {
	f, d, err := a.day(in.Number, in.Date)
	if err != nil {
		return nil, err
	}
	on := f.on(in.Date, d)
	return &on, nil
}

func (f *Flight) on(date string, d Day) FlightOn {
	return FlightOn{Number: f.Number, Date: date, Origin: f.Origin, Destination: f.Destination, Departure: f.Departure, Arrival: f.Arrival, Day: d}
}

// bookable lists the flights between two airports on a day that can be booked;
// an empty destination is any.
func (a *Airline) bookable(origin, destination, date string) []FlightOn {
	out := []FlightOn{}
	for _, f := range a.records.Flights {
		if d := f.Dates[date]; f.Origin == origin && (destination == "" || f.Destination == destination) && d.Status == Available {
			out = append(out, f.on(date, d))
		}
	}
	slices.SortFunc(out, func(x, y FlightOn) int { return strings.Compare(x.Number, y.Number) })
	return out
}

func (a *Airline) searchDirect(in searchArgs) (*found, error) {
	out := &found{Flights: [][]FlightOn{}}
	for _, f := range a.bookable(in.Origin, in.Destination, in.Date) {
		out.Flights = append(out.Flights, []FlightOn{f})
	}
	return out, nil
}

func (a *Airline) searchOneStop(in searchArgs) (*found, error) {
	out := &found{Flights: [][]FlightOn{}}
	for _, first := range a.bookable(in.Origin, "", in.Date) {
		if first.Destination == in.Destination {
			continue
		}
		arrival, overnight := strings.CutSuffix(first.Arrival, "+1")
		if overnight {
			continue // the next flight would be on another day
		}
		for _, second := range a.bookable(first.Destination, in.Destination, in.Date) {
			if second.Departure > arrival {
				out.Flights = append(out.Flights, []FlightOn{first, second})
			}
		}
	}
	return out, nil
}

func (a *Airline) listAirports(noArgs) (*airports, error) {
	return &airports{Cities: map[string]string{
		"SFO": "San Francisco", "JFK": "New York", "LAX": "Los Angeles", "ORD": "Chicago", "DFW": "Dallas", "DEN": "Denver", "SEA": "Seattle",
		"ATL": "Atlanta", "MIA": "Miami", "BOS": "Boston", "PHX": "Phoenix", "IAH": "Houston", "LAS": "Las Vegas", "MCO": "Orlando",
		"EWR": "Newark", "CLT": "Charlotte", "MSP": "Minneapolis", "DTW": "Detroit", "PHL": "Philadelphia", "LGA": "New York",
	}}, nil
}

func (a *Airline) think(thinkArgs) (*text, error) { return &text{}, nil }

func (a *Airline) transfer(transferArgs) (*text, error) {
	return &text{Text: "Transfer successful"}, nil
}

func (a *Airline) calculate(in calculateArgs) (*text, error) {
	const longest = 200 // characters: sums of prices are short, and products of long numbers are not
	if len(in.Expression) > longest {
		return nil, fmt.Errorf("the expression is longer than %d characters", longest)
	}
	e, err := parser.ParseExpr(in.Expression)
	if err != nil {
		return nil, fmt.Errorf("write numbers, + - * / and parentheses: %w", err)
	}
	v, err := value(e)
	if err != nil {
		return nil, err
	}
	f, _ := constant.Float64Val(v)
	return &text{Text: fmt.Sprintf("%.2f", f)}, nil
}

// value works an expression out exactly.
func value(e ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return value(e.X)
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
		}
	case *ast.UnaryExpr:
		x, err := value(e.X)
		if err == nil && (e.Op == token.SUB || e.Op == token.ADD) {
			return constant.UnaryOp(e.Op, x, 0), nil
		}
	case *ast.BinaryExpr:
		x, err := value(e.X)
		if err != nil {
			return nil, err
		}
		y, err := value(e.Y)
		if err != nil {
			return nil, err
		}
		switch {
		case e.Op == token.QUO && constant.Sign(y) == 0:
			return nil, fmt.Errorf("division by zero")
		case e.Op == token.ADD, e.Op == token.SUB, e.Op == token.MUL, e.Op == token.QUO:
			return constant.BinaryOp(x, e.Op, y), nil
		}
	}

	return nil, fmt.Errorf("write numbers, + - * / and parentheses")
}
