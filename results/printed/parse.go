// Package printed reads decimal numbers as papers print them, with the interval that rounds to each, and writes
// numbers for people to read.
package printed

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// printedNumber is a decimal as papers print them: sign, digits, fraction, exponent.
var printedNumber = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$`)

// Parse reads a number as a paper printed it, with the interval that rounds to it: half a unit of the last printed digit
// either way, so "3.1" is 3.1 in [3.05, 3.15) and "15" is 15 in [14.5, 15.5).
func Parse(s string) (value, low, high float64, err error) {
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

// InPercent writes a printed fraction in per cent with the same digits, so that the interval that rounds to it is the same:
// "0.10" as "10", "0.153" as "15.3", "0.2" as "2e1", "1.6e-3" as "1.6e-1". Any other text stays as it is.
func InPercent(printed string) string {
	m := printedNumber.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(printed), "−", "-"))
	if m == nil || m[2]+m[3] == "" {
		return printed
	}
	if exponent, err := strconv.Atoi(m[4]); err == nil {
		mantissa, _, _ := strings.Cut(strings.ToLower(printed), "e")
		return fmt.Sprintf("%se%d", mantissa, exponent+2)
	}
	if len(m[3]) < 2 {
		return fmt.Sprintf("%s%se%d", m[1], strings.TrimLeft(m[2], "0")+m[3], 2-len(m[3]))
	}
	whole := strings.TrimLeft(m[2]+m[3][:2], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction := m[3][2:]; fraction != "" {
		whole += "." + fraction
	}
	return m[1] + whole
}

func decimal(digits int64, exp int) (float64, error) {
	return strconv.ParseFloat(fmt.Sprintf("%de%d", digits, exp), 64)
}
