package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repro/results/claims"
)

// Number writes a number with four significant digits. Very large and very small ones have a power of ten, as m×10^{k}.
func Number(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "∞", false: Minus + "∞"}[v > 0]
	}
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e4 && a < 1e6 {
		s = strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	if mantissa, power10, ok := strings.Cut(s, "e"); ok {
		k, _ := strconv.Atoi(power10) // FormatFloat writes an integer
		s = mantissa + "×" + power(k)
		if mantissa == "1" {
			s = power(k)
		}
	}
	return WithMinus(s)
}

// NumberWithin returns a format for numbers of the interval from low to high. It writes the decimals that show two digits
// of half the interval's length, but no more than five digits in all.
func NumberWithin(low, high float64) func(float64) string {
	half, largest := (high-low)/2, math.Max(math.Abs(low), math.Abs(high))
	if !(half > 0) || math.IsInf(half, 0) || largest < 1e-3 || largest >= 1e6 {
		return Number
	}
	decimals := min(1-int(math.Floor(math.Log10(half))), 4-int(math.Floor(math.Log10(largest))))
	return func(v float64) string {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return Number(v)
		}
		return WithMinus(strconv.FormatFloat(v, 'f', max(decimals, 0), 64))
	}
}

// Within writes an interval.
func Within(low, high float64) string {
	write := NumberWithin(low, high)
	return write(low) + " to " + write(high)
}

// Measured returns the measured number of a verdict with its interval, which is exact if it has no width, and the empty string if there
// is none.
func Measured(v claims.Verdict) string {
	switch {
	case v.Low == nil || v.High == nil:
		return v.MeasuredText(Number)
	case v.Measured != nil && *v.Low == *v.High:
		v.Low, v.High = nil, nil
		return v.MeasuredText(Number) + " exact"
	}
	return v.MeasuredText(NumberWithin(*v.Low, *v.High))
}

// Published returns the published or derived number of a claim, and the empty string if there is none.
func Published(v claims.Verdict) string { return WithMinus(v.PublishedText()) }

// WithMinus writes a printed number with a minus sign in place of the hyphen.
func WithMinus(s string) string { return strings.ReplaceAll(s, "-", Minus) }

// power writes 10^k.
func power(k int) string {
	return WithMinus(fmt.Sprintf("10^{%d}", k))
}
