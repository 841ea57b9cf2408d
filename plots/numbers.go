package plots

import (
	"math"
	"strconv"
	"strings"

	"repro/results/claims"
)

// number writes a number with four significant digits. Very large and very small ones have a power of ten, as m×10^{k}.
func number(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "∞", false: minus + "∞"}[v > 0]
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
	return withMinus(s)
}

// numberWithin returns a format for numbers of the interval from low to high. It writes the decimals that show two digits
// of half the interval's length, but no more than five digits in all.
func numberWithin(low, high float64) func(float64) string {
	half, largest := (high-low)/2, math.Max(math.Abs(low), math.Abs(high))
	if !(half > 0) || math.IsInf(half, 0) || largest < 1e-3 || largest >= 1e6 {
		return number
	}
	decimals := min(1-int(math.Floor(math.Log10(half))), 4-int(math.Floor(math.Log10(largest))))
	return func(v float64) string {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return number(v)
		}
		return withMinus(strconv.FormatFloat(v, 'f', max(decimals, 0), 64))
	}
}

// measured returns the measured number of a verdict with its interval, and the empty string if there is none.
func measured(v claims.Verdict) string {
	if v.Low == nil || v.High == nil {
		return v.MeasuredText(number)
	}
	return v.MeasuredText(numberWithin(*v.Low, *v.High))
}

// marked returns the published or derived number of a claim, marked if it is derived.
func marked(v claims.Verdict) string { return withMinus(v.MarkedText()) }

// published returns the published or derived number of a claim, and the empty string if there is none.
func published(v claims.Verdict) string { return withMinus(v.PublishedText()) }

// withMinus writes a printed number with a minus sign in place of the hyphen.
func withMinus(s string) string { return strings.ReplaceAll(s, "-", minus) }
