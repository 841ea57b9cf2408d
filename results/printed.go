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

// inPercent returns a printed fraction in per cent with the same digits: "0.10" as "10", "0.153" as "15.3".
func inPercent(printed string) string {
	m := printedNumber.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(printed), "−", "-"))
	if m == nil || m[2]+m[3] == "" || m[4] != "" {
		return printed
	}
	fraction := m[3]
	for len(fraction) < 2 {
		fraction += "0"
	}
	whole := strings.TrimLeft(m[2]+fraction[:2], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = fraction[2:]; fraction != "" {
		whole += "." + fraction
	}
	return m[1] + whole
}

func decimal(digits int64, exp int) (float64, error) {
	return strconv.ParseFloat(fmt.Sprintf("%de%d", digits, exp), 64)
}

// Number writes a number for people in ASCII: with four significant digits, whole numbers up to a
// trillion in full with thousands apart from 10,000 on, as in 0.1235, 4096, 32,768 and 1.5e-7.
func Number(v float64) string { return decimals(v, 4) }

// decimals writes a number as Number does with the given significant digits.
func decimals(v float64, digits int) string {
	a := math.Abs(v)
	switch {
	case math.IsInf(v, 1):
		return "infinity"
	case math.IsInf(v, -1):
		return "-infinity"
	case a >= math.Pow10(digits-1) && a < 1e12:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(v, 'g', digits, 64), "e")
	if !ok {
		return thousands(mantissa)
	}
	return mantissa + "e" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-0", "-", 1)
}

// thousands sets the thousands of a decimal of five digits or more apart.
func thousands(decimal string) string {
	whole, _, _ := strings.Cut(decimal, ".")
	fraction := decimal[len(whole):]
	if len(strings.TrimPrefix(whole, "-")) < 5 {
		return decimal
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + fraction
}

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
	low, high := decimals(a.low, boundDigits), decimals(a.high, boundDigits)
	switch {
	case math.IsInf(a.low, -1) && a.openHigh:
		return "below " + high
	case math.IsInf(a.low, -1):
		return "at most " + high
	case math.IsInf(a.high, 1):
		return "at least " + low
	case a.openHigh:
		return "[" + low + ", " + high + ")"
	}
	return "[" + low + ", " + high + "]"
}

// boundDigits is the most digits of a bound.
const boundDigits = 10

// relation says in words how an interval that place gave the word lies to the region.
func (a region) relation(word Word) string {
	bounded := !math.IsInf(a.low, -1) && !math.IsInf(a.high, 1)
	switch {
	case word == Inconclusive && bounded:
		return "straddles " + a.String()
	case word == Inconclusive && math.IsInf(a.high, 1):
		return "straddles " + decimals(a.low, boundDigits)
	case word == Inconclusive:
		return "straddles " + decimals(a.high, boundDigits)
	case word == Deviates && bounded:
		return "lies outside " + a.String()
	case word == Deviates:
		return "is not " + a.String()
	case bounded:
		return "lies inside " + a.String()
	}
	return "is " + a.String()
}

// accepted returns what a claim with a published number accepts: the number ± tolerance, or all
// that rounds to it where no tolerance is given; of an upper bound, all up to it, of a lower one, all from it on.
func accepted(c Claim) (region, error) {
	value, low, high, err := Printed(c.Published)
	if err != nil {
		return region{}, err
	}
	if c.AtMost {
		return region{low: math.Inf(-1), high: value + c.Tolerance}, nil
	}
	if c.AtLeast {
		return region{low: value - c.Tolerance, high: math.Inf(1)}, nil
	}
	if c.Tolerance > 0 {
		return region{low: value - c.Tolerance, high: value + c.Tolerance}, nil
	}
	return region{low: low, high: high, openHigh: true}, nil
}
