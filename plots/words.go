package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repro/results/claims"
	"repro/results/records"
)

// gridWords names the keys of grids that figures are drawn across.
var gridWords = map[string]string{
	"data.inputs": "input dimension d",
	"data.train":  "training examples n",
	"features":    "number of features or landmarks r",
	"batch":       "batch size B",
	"block":       "block size F",
}

// curveName says in words what a curve of the experiment is of, a metric or a cost, without the unit of a metric.
func curveName(exp claims.Experiment, name string) string {
	return inWords(exp.Metric(name).Words, name)
}

// inWords says a metric or a cost in words, given those of the metric.
func inWords(words, name string) string {
	base, average := strings.CutSuffix(name, records.AverageSuffix)
	if words == "" {
		words = abscissaName(base)
	}
	if average {
		words += " of the averaged iterate"
	}
	return words
}

// abscissaName says an abscissa, or a key of a grid, in words with its unit.
func abscissaName(x string) string {
	if a, ok := records.AbscissaOf(x); ok {
		return a.Label()
	}
	if words, ok := gridWords[x]; ok {
		return words
	}
	return strings.ReplaceAll(x, "-", " ")
}

// number writes a number with four significant digits, powers of ten as m×10^{k}.
func number(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "∞", false: minus + "∞"}[v > 0]
	}
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e4 && a < 1e6 {
		s = strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		k, _ := strconv.Atoi(exponent) // FormatFloat writes an integer
		s = mantissa + "×" + power(k)
		if mantissa == "1" {
			s = power(k)
		}
	}
	return strings.ReplaceAll(s, "-", minus)
}

// numberWithin returns a format for numbers about the interval from low to high: with the decimals
// that show two digits of half its length, but no more than five digits in all.
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
		return strings.ReplaceAll(strconv.FormatFloat(v, 'f', max(decimals, 0), 64), "-", minus)
	}
}

// unitSign returns what follows a number of a claim in its unit.
func unitSign(unit string) string {
	switch unit {
	case "":
		return ""
	case claims.Percent:
		return " %"
	}
	return " " + unit
}

// measured says what came out for a claim, with its interval; empty if nothing did.
func measured(v claims.Verdict) string {
	if v.Measured == nil {
		return ""
	}
	if v.Low == nil || v.High == nil {
		return number(*v.Measured) + claimUnit(v)
	}
	write := numberWithin(*v.Low, *v.High)
	return fmt.Sprintf("%s%s [%s, %s]", write(*v.Measured), claimUnit(v), write(*v.Low), write(*v.High))
}

// published says what the paper printed for a claim; empty if it printed no number.
func published(v claims.Verdict) string {
	if v.Published == "" {
		return ""
	}
	return strings.ReplaceAll(v.Published, "-", minus) + claimUnit(v)
}

// claimUnit returns the unit sign of the number a claim is judged by: slopes and ratios have none.
func claimUnit(v claims.Verdict) string {
	switch quantity(v) {
	case quantitySlope, quantityRatio:
		return ""
	}
	return unitSign(v.Unit)
}

const (
	quantityMetric     = "" // the metric itself
	quantitySlope      = "slope"
	quantityRatio      = "ratio"
	quantityDifference = "difference"
	quantityReach      = "reached at"
)

// quantity names the number a claim is judged by. An order or a match is a ratio to the rival, or,
// where the accepted region says so, a difference from it.
func quantity(v claims.Verdict) string {
	low, high := v.Accept[0], v.Accept[1]
	switch v.Kind {
	case claims.KindRate:
		return quantitySlope
	case claims.KindRatio:
		return quantityRatio
	case claims.KindReach:
		return quantityReach
	case claims.KindOrder:
		if high != nil && *high == 0 {
			return quantityDifference
		}
		return quantityRatio
	case claims.KindMatch:
		if low != nil && *low > 0 {
			return quantityRatio
		}
		return quantityDifference
	}
	return quantityMetric
}

// count writes n things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// sentence ends a text with a full stop, unless it ends with one or is empty.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
