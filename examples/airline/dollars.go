package airline

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Dollars is an amount of money in cents. In JSON it is a number of dollars.
type Dollars int64

const cents = 100

// UnmarshalJSON implements [json.Unmarshaler]. Fractions of cents are refused.
func (d *Dollars) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	const longest = 32 // characters; an exponent must not make a number of gigabytes
	r := new(big.Rat)
	if _, ok := r.SetString(n.String()); !ok || len(n) > longest {
		return fmt.Errorf("%.*q is no amount in dollars", longest, n)
	}
	if r.Mul(r, big.NewRat(cents, 1)); !r.IsInt() || !r.Num().IsInt64() {
		return fmt.Errorf("%s is no amount in dollars and cents", n)
	}
	*d = Dollars(r.Num().Int64())
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (d Dollars) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// String writes the amount as JSON does.
func (d Dollars) String() string {
	if d%cents == 0 {
		return fmt.Sprint(int64(d / cents))
	}
	return big.NewRat(int64(d), cents).FloatString(2)
}
