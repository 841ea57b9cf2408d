package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	MaxIntervals = 6  // of a linear axis
	maxDecades   = 10 // labelled on a logarithmic axis
	minLabels    = 3  // wanted on a logarithmic axis that holds two powers of ten or fewer
	maxLabels    = 7  // on such an axis, more would touch
)

// Ticks returns the tick marks of an axis that shows drawing coordinates in [lo, hi] and has room for the given number of
// labels. At least two marks have a label. A logarithmic axis labels multiples of powers of ten if it holds two powers or
// fewer, powers of ten if it holds more, and round numbers if it is too short for either.
func (a Axis) Ticks(lo, hi float64, room int) []Tick {
	room = max(room, 2)
	if !a.Log {
		return LinearTicks(lo, hi, float64(min(MaxIntervals, room)))
	}
	powers := math.Floor(hi+slack) - math.Ceil(lo-slack) + 1
	if powers <= 2 {
		if marks := multiplesTicks(lo, hi, min(maxLabels, room)); marks != nil {
			return marks
		}
	}
	if powers >= 2 {
		return decadeTicks(lo, hi, a.Decimal, min(maxDecades, room))
	}
	var out []Tick
	for _, t := range LinearTicks(math.Pow(10, lo), math.Pow(10, hi), float64(min(MaxIntervals, maxLabels, room))) {
		if t.At > 0 {
			out = append(out, Tick{At: math.Log10(t.At), Label: t.Label})
		}
	}
	return out
}

// A Tick is a mark with a label at a place of an axis, in decimal logarithms on a logarithmic one.
type Tick struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

// TextTicks returns the marks with a label of an axis from lo to hi, decimal logarithms if it is logarithmic, that has room for the
// given number of labels. The labels are plain text, with
// powers as in 10⁻³.
func TextTicks(lo, hi float64, log bool, room int) []Tick {
	var out []Tick
	for _, t := range (Axis{Log: log, Decimal: true}).Ticks(lo, hi, room) {
		if t.Label != "" {
			base, exponent, _ := strings.Cut(PlainText(t.Label), "^")
			out = append(out, Tick{t.At, base + raised.Replace(exponent)})
		}
	}
	return out
}

var raised = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", Minus, "⁻")

// slack is the relative rounding error that a tick at the edge of an axis may have.
const slack = 1e-9

// LinearTicks returns marks at round numbers in [lo, hi], with at most the given number of intervals between labels, or more
// if only one mark had a label.
func LinearTicks(lo, hi, intervals float64) []Tick {
	for ; ; intervals++ {
		out := roundTicks(lo, hi, intervals)
		labels := 0
		for _, t := range out {
			if t.Label != "" {
				labels++
			}
		}
		if labels >= 2 || intervals >= 2*MaxIntervals {
			return out
		}
	}
}

// roundTicks returns marks at round numbers in [lo, hi], with at most the given number of intervals between labels.
func roundTicks(lo, hi, intervals float64) []Tick {
	step, minor := linearStep(hi-lo, intervals)
	var out []Tick
	edge := slack * (hi - lo)
	for i := math.Ceil((lo - edge) / minor); i*minor <= hi+edge; i++ {
		t := Tick{At: i * minor}
		if n := math.Round(t.At / step); math.Abs(t.At-n*step) < minor/2 {
			t.At = n * step
			t.Label = linearLabel(t.At, step, math.Max(math.Abs(lo), math.Abs(hi)))
		}
		out = append(out, t)
	}
	return out
}

// linearStep returns the distance between labels, and between marks, on an axis of the given length.
func linearStep(length, intervals float64) (step, minor float64) {
	unit := math.Pow(10, math.Floor(math.Log10(length/intervals)))
	for _, s := range []struct{ step, minors float64 }{{1, 5}, {2, 4}, {2.5, 5}, {5, 5}} {
		if length/(s.step*unit) <= intervals+slack {
			return s.step * unit, s.step * unit / s.minors
		}
	}
	return 10 * unit, 2 * unit
}

// linearLabel writes a multiple of step with as many decimals as the step needs, or as m×10^{k} if the largest number of
// the axis is very large or very small.
func linearLabel(v, step, largest float64) string {
	if v == 0 {
		return "0"
	}
	exponent := 0
	if largest >= 1e5 || largest < 1e-2 {
		exponent = int(math.Floor(math.Log10(largest) + slack))
	}
	unit := math.Pow(10, float64(exponent))
	decimals := 0
	for s := step / unit; decimals < 15 && math.Abs(s-math.Round(s)) > 1e-6*s; s *= 10 {
		decimals++
	}
	label := strconv.FormatFloat(v/unit, 'f', decimals, 64)
	if exponent != 0 {
		label += "×" + power(exponent)
	}
	return WithMinus(label)
}

// decadeTicks marks powers of ten and their multiples on a range that holds two of them or more. It labels at most about the given
// number.
func decadeTicks(lo, hi float64, decimal bool, most int) []Tick {
	first, last := int(math.Floor(lo+slack)), int(math.Ceil(hi-slack))
	every := 1 + (last-first)/(most+1)
	decimal = decimal && first >= -3 && last <= 4
	var out []Tick
	for k := first; k <= last; k++ {
		if v := float64(k); v >= lo-slack && v <= hi+slack {
			t := Tick{At: v}
			if k%every == 0 {
				t.Label = power(k)
				if decimal {
					t.Label = strconv.FormatFloat(math.Pow10(k), 'f', -1, 64)
				}
			}
			out = append(out, t)
		}
		for m := 2; m < 10 && every == 1; m++ {
			if v := float64(k) + math.Log10(float64(m)); v > lo && v < hi {
				out = append(out, Tick{At: v})
			}
		}
	}
	return out
}

// multiplesTicks returns marks at the multiples of powers of ten. It labels the multiples 1, 2 and 5, or more of them if these
// are too few. It returns nil if none of these choices has from minLabels to most labels.
func multiplesTicks(lo, hi float64, most int) []Tick {
	plain := lo >= -3-slack && hi < 5
	for _, digits := range []string{"125", "12357", "123456789"} {
		var out []Tick
		labels := 0
		for k := int(math.Floor(lo)); k <= int(math.Floor(hi+slack)); k++ {
			for m := 1; m < 10; m++ {
				t := Tick{At: float64(k) + math.Log10(float64(m))}
				if t.At < lo-slack || t.At > hi+slack {
					continue
				}
				if strings.Contains(digits, strconv.Itoa(m)) {
					t.Label = multipleLabel(m, k, plain)
					labels++
				}
				out = append(out, t)
			}
		}
		if labels >= minLabels && labels <= most {
			return out
		}
	}
	return nil
}

// multipleLabel writes m·10^k.
func multipleLabel(m, k int, plain bool) string {
	switch {
	case plain:
		return strconv.FormatFloat(float64(m)*math.Pow10(k), 'f', max(0, -k), 64)
	case m == 1:
		return power(k)
	}
	return fmt.Sprintf("%d×%s", m, power(k))
}
