// Package claims holds what a spec says of a paper (its claims, figures, tables and ambiguities) and the verdict that
// records allow on every claim.
package claims

import (
	"repro/results/records"
)

// Kinds of claim.
const (
	KindValue  = "value"  // a printed number
	KindValues = "values" // a column of a printed table: as many claims of kind value, into which loading takes it apart
	KindRate   = "rate"   // slope of log metric against log x
	KindOrder  = "order"  // Method is better than every method of Against: its metric is smaller, or larger if that is better
	KindMatch  = "match"  // Method is within Tolerance of every method of Against
	KindRatio  = "ratio"  // Method needs Published times fewer x than Against to reach Target
	KindReach  = "reach"  // Method reaches Target at Published x
)

// Kinds lists the kinds of claim.
var Kinds = []string{KindValue, KindValues, KindRate, KindOrder, KindMatch, KindRatio, KindReach}

// A Claim is one measurable statement of a paper.
type Claim struct {
	ID        string `toml:"id" json:"id" doc:"name of the claim, unique in the spec"`
	Kind      string `toml:"kind" json:"kind" doc:"value, values, rate, order, match, ratio or reach"`
	Statement string `toml:"statement" json:"statement" doc:"the claim in words"`
	Source    string `toml:"source" json:"source" doc:"section, figure, table or theorem where it is printed"`

	Method  string   `toml:"method" json:"method" doc:"id of the method the claim is about"`
	Against []string `toml:"against" json:"against,omitempty" doc:"ids of the methods it is compared with (order, match, ratio)"`
	Metric  string   `toml:"metric" json:"metric" doc:"metric it speaks of; name@average for the averaged iterate"`

	Published string    `toml:"published" json:"published,omitempty" doc:"the number as printed, so that its rounding is known: \"3.1\" means [3.05, 3.15) (value, rate, ratio, reach)"`
	Unit      string    `toml:"unit" json:"unit,omitempty" doc:"percent if a fraction was printed in per cent"`
	Rows      []float64 `toml:"rows" json:"rows,omitempty" doc:"values: the places along x at which the table's rows are read, rising"`
	Cells     []string  `toml:"cells" json:"cells,omitempty" doc:"values: the numbers printed in these rows, each as published is; empty where there is none"`
	Tolerance float64   `toml:"tolerance" json:"tolerance,omitempty" doc:"largest accepted difference from the published number, in its unit (value, values, rate, ratio, reach); largest accepted ratio or difference (match)"`
	AtMost    bool      `toml:"at_most" json:"at_most,omitempty" doc:"rate: the published slope is an upper bound, as of O(1/t), and any below it is accepted; 0 asks that the metric falls; value, reach: so is the published number"`
	AtLeast   bool      `toml:"at_least" json:"at_least,omitempty" doc:"value, rate, ratio, reach: the published number is a lower bound, and any above it is accepted"`
	Relative  bool      `toml:"relative" json:"relative,omitempty" doc:"match: tolerance is a ratio, so 2 accepts a factor of two either way, instead of a difference"`

	At     records.At `toml:"at" json:"at,omitzero" doc:"where on the curve to read the metric; its end if left out"`
	X      string     `toml:"x" json:"x,omitempty" doc:"abscissa of values, a rate, a ratio or a reach: step, seen, epoch, seconds, step-seconds, kernel-evals, feature-evals, evals, flops"`
	Across string     `toml:"across" json:"across,omitempty" doc:"rate, in place of x: the key of the method's grid against which the metric of its combinations is fitted, such as data.inputs"`
	Window [2]float64 `toml:"window" json:"window,omitzero" doc:"rate: part of the x range the line is fitted on"`
	Target float64    `toml:"target" json:"target,omitempty" doc:"ratio, reach: the value of the metric that must be reached"`

	Statistic string `toml:"statistic" json:"statistic,omitempty" doc:"rate: fit one line to this statistic over seeds, with a bootstrap interval, in place of a line a seed: mean for a statement in expectation, q90 for one with a probability of 0.9"`

	Members []string `toml:"-" json:"members,omitempty"` // methods of the grid that Method names, of a claim across it
	Column  string   `toml:"-" json:"column,omitempty"`  // id of the claim of kind values that this one was a number of

	Larger bool `toml:"-" json:"-"` // larger values of the metric are better; Judge sets it
}

// methods lists the methods whose records the claim needs.
func (c Claim) methods() []string {
	if len(c.Members) > 0 {
		return c.Members
	}
	return append([]string{c.Method}, c.Against...)
}

// Percent is the unit of a fraction that was printed in per cent.
const Percent = "percent"

// unit returns the unit to write behind a number of the claim, with a space before it.
func unit(c Claim) string {
	switch c.Unit {
	case "":
		return ""
	case Percent:
		return " %"
	}
	return " " + c.Unit
}

// abscissaOf returns the claim's abscissa, steps if it names none.
func abscissaOf(c Claim) string {
	if c.X == "" {
		return "step"
	}
	return c.X
}
