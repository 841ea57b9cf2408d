package claims

import (
	"cmp"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// Percent is the unit of a claim whose numbers are fractions in per cent.
const Percent = "percent"

// A Unit says how the recorded values of a metric are shown in tables and figures: times Factor, in units of Sign.
type Unit struct {
	Sign   string // "%", "s", "MiB" or empty
	Factor float64
}

// Of returns a recorded value in the unit.
func (u Unit) Of(v float64) float64 { return printed.Scaled(v, u.Factor) }

// Label returns a metric's name, followed by the unit.
func (u Unit) Label(name string) string {
	if u.Sign == "" {
		return name
	}
	return name + " (" + u.Sign + ")"
}

// Unit returns the unit in which a metric is shown: per cent if it is a fraction of rows or if a claim gives it in per cent.
func (e Experiment) Unit(metric string) Unit {
	a, _ := records.AbscissaOf(metric)
	switch {
	case a.Unit == "bytes":
		return Unit{"MiB", 1.0 / (1 << 20)}
	case e.inPercent(metric):
		return Unit{"%", 100}
	}
	return Unit{a.Unit, 1}
}

// inPercent reports whether a metric, of the last and of the averaged iterate, is shown in per cent.
func (e Experiment) inPercent(metric string) bool {
	base, _ := strings.CutSuffix(metric, records.AverageSuffix)
	return e.Metric(base).Unit == "fraction" || slices.ContainsFunc(e.Claims, func(c Claim) bool {
		return c.Unit == Percent && (c.Metric == base || c.Metric == base+records.AverageSuffix)
	})
}

// Converted returns claims with their numbers in the units in which their metrics are shown, so that tables, figures and
// verdicts have the same numbers. Rates, ratios and places on a curve have no unit.
func (e Experiment) Converted(all []Claim) []Claim {
	converted := slices.Clone(all)
	for i := range converted {
		c := &converted[i]
		if of := c.Quantity(); of != OfMetric && of != Difference || c.Unit == Percent || !e.inPercent(c.Metric) {
			continue
		}
		c.Unit, c.Tolerance = Percent, printed.Scaled(c.Tolerance, 100)
		c.Published, c.Derived = printed.InPercent(c.Published), printed.InPercent(c.Derived)
	}
	return converted
}

// target returns the claim's target in the unit in which its metric is shown.
func (c Claim) target() string {
	sign := c.shown.Sign
	if sign != "" {
		sign = " " + sign
	}
	return printed.Number(c.shown.Of(c.Target)) + sign
}

// UnitSign returns what follows a number in the given unit of a claim: " %" for Percent.
func UnitSign(unit string) string {
	switch unit {
	case "":
		return ""
	case Percent:
		return " %"
	}
	return " " + unit
}

// Number returns the number that the measured one is compared with: the published one or, if the paper prints none, the
// derived one. It is empty if there is neither.
func (c Claim) Number() string { return cmp.Or(c.Published, c.Derived) }

// Number returns the claim's number.
func (v Verdict) Number() string { return cmp.Or(v.Published, v.Derived) }

// Origin returns what the claim's number is called in tables, figures and captions: "published" or "derived".
func (c Claim) Origin() string { return origin(c.Derived) }

// Origin returns what the claim's number is called.
func (v Verdict) Origin() string { return origin(v.Derived) }

func origin(derived string) string {
	if derived != "" {
		return "derived"
	}
	return "published"
}
