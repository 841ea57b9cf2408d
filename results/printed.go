package results

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// printedNumber is a decimal as papers print them: sign, digits, fraction, exponent.
var printedNumber = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$`)

// Printed reads a number as a paper printed it, with the interval that rounds to it: half a unit of
// the last printed digit either way, so "3.1" is 3.1 in [3.05, 3.15) and "15" is 15 in [14.5, 15.5).
func Printed(s string) (value, low, high float64, err error) {
	m := printedNumber.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(s), "−", "-"))
	if m == nil || m[2]+m[3] == "" {
		return 0, 0, 0, fmt.Errorf("published %q is not a decimal number such as 3.1 or 2.97e-1", s)
	}
	digits, err := strconv.ParseInt(m[1]+m[2]+m[3], 10, 64)
	if err != nil || digits > math.MaxInt64/20 || digits < -math.MaxInt64/20 {
		return 0, 0, 0, fmt.Errorf("published %q has too many digits", s)
	}
	exp := -len(m[3])
	if m[4] != "" {
		e, err := strconv.Atoi(m[4])
		if err != nil {
			return 0, 0, 0, fmt.Errorf("published %q: %w", s, err)
		}
		exp += e
	}
	// The bounds are parsed as decimals, so that they are the same numbers as their literals.
	if value, err = decimal(digits*10, exp-1); err != nil {
		return 0, 0, 0, fmt.Errorf("published %q: %w", s, err)
	}
	low, _ = decimal(digits*10-5, exp-1)
	high, _ = decimal(digits*10+5, exp-1)
	return value, low, high, nil
}

func decimal(digits int64, exp int) (float64, error) {
	return strconv.ParseFloat(fmt.Sprintf("%de%d", digits, exp), 64)
}

// num writes a number with four significant digits, for reasons and messages.
func num(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// A region is what a claim accepts; its ends are ±Inf where it is unbounded.
type region struct {
	low, high float64
	openHigh  bool // high itself is outside: a rounding interval, or "better than"
}

// place compares an interval with the region.
func (a region) place(e Estimate) Word {
	switch {
	case !e.Bounded():
		return Inconclusive
	case e.Low >= a.low && (e.High < a.high || e.High == a.high && !a.openHigh):
		return Reproduced
	case e.High < a.low || e.Low > a.high || e.Low == a.high && a.openHigh:
		return Deviates
	}
	return Inconclusive
}

// overhang returns how far the estimate reaches out of the region; negative if it lies inside.
func (a region) overhang(e Estimate) float64 {
	if !e.Bounded() {
		return max(e.Mean-a.high, a.low-e.Mean)
	}
	return max(e.High-a.high, a.low-e.Low)
}

func (a region) String() string {
	switch {
	case math.IsInf(a.low, -1) && a.openHigh:
		return "below " + decimalText(a.high)
	case math.IsInf(a.low, -1):
		return "at most " + decimalText(a.high)
	case a.openHigh:
		return "[" + decimalText(a.low) + ", " + decimalText(a.high) + ")"
	}
	return "[" + decimalText(a.low) + ", " + decimalText(a.high) + "]"
}

// decimalText writes a bound with as many digits as it needs, up to ten.
func decimalText(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

// accepted returns what a claim with a published number accepts: the number ± tolerance, or all
// that rounds to it where no tolerance is given.
func accepted(c Claim) (region, error) {
	value, low, high, err := Printed(c.Published)
	if err != nil {
		return region{}, err
	}
	if c.Tolerance > 0 {
		return region{low: value - c.Tolerance, high: value + c.Tolerance}, nil
	}
	return region{low: low, high: high, openHigh: true}, nil
}
