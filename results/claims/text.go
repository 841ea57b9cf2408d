package claims

import (
	"fmt"

	"repro/results/printed"
)

// A Quantity is what the numbers of a verdict measure.
type Quantity string

const (
	OfMetric     Quantity = "" // the metric itself
	Slope        Quantity = "slope"
	Ratio        Quantity = "ratio"
	Difference   Quantity = "difference"
	PlaceReached Quantity = "reached at"
	PlaceLevel   Quantity = "level from"
)

// Quantity returns what the verdict's numbers measure. An order or a match compares the method with its rival by a
// ratio or, if a metric is not positive or the claim asks for it, by a difference; the accepted region says which.
func (v Verdict) Quantity() Quantity {
	k := KindOf(v.Kind)
	if k.Differs != nil && k.Differs(v.Accept) {
		return Difference
	}
	return k.Quantity
}

// UnitSign returns what follows the verdict's numbers. Slopes and ratios have no unit.
func (v Verdict) UnitSign() string {
	if q := v.Quantity(); q == Slope || q == Ratio {
		return ""
	}
	return UnitSign(v.Unit)
}

// PublishedText returns the published or derived number with its unit, and the empty string if there is none.
func (v Verdict) PublishedText() string {
	n := v.Number()
	if n == "" {
		return ""
	}
	return n + v.UnitSign()
}

// MarkedText returns the number of PublishedText, marked if it is derived.
func (v Verdict) MarkedText() string {
	if v.Derived == "" {
		return v.PublishedText()
	}
	return v.PublishedText() + " (" + v.Origin() + ")"
}

// MeasuredText returns the measured number with its unit and interval, and the empty string if there is none. It formats
// numbers with format.
func (v Verdict) MeasuredText(format func(float64) string) string {
	if v.Measured == nil {
		return ""
	}
	s := format(*v.Measured) + v.UnitSign()
	if v.Low != nil && v.High != nil {
		s += fmt.Sprintf(" [%s, %s]", format(*v.Low), format(*v.High))
	}
	return s
}

// VisibleText says which difference from the number, or which ratio, would have been seen, and is empty if that is not
// known.
func (v Verdict) VisibleText() string {
	if v.Visible == nil {
		return ""
	}
	what, unit, digits := "difference", v.UnitSign(), 2
	if v.Quantity() == Ratio {
		what, digits = "ratio", 3
	}
	if unit == " %" {
		unit = " points"
	}
	return fmt.Sprintf("a %s of %s%s would have been seen", what, printed.Digits(*v.Visible, digits), unit)
}

// VerdictText returns the word and, if the records cannot be compared with the paper, what it is at the size that ran.
func (v Verdict) VerdictText() string {
	if v.AtSize == "" {
		return string(v.Verdict)
	}
	return fmt.Sprintf("%s (at this size: %s)", v.Verdict, v.AtSize)
}
