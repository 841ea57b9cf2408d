// Package claims holds what a spec says of a paper (its claims, figures, tables and ambiguities) and the verdict that
// records allow on every claim.
//
// A number that the paper does not print but that follows from it is derived, not published. A tolerance is never wider
// because our own numerics are biased: then the numerics are changed. Numbers of one metric have one unit in tables, figures
// and verdicts (Unit).
//
// Data, problem, budget, precision and the settings of the methods that a claim needs make another experiment; evaluation
// points, seeds, threads and memory do not (Departure). The claim must be the same too: where it is read, its window,
// its target. A claim with the key holds, a theorem by its own words, is judged at other numbers of rows and features,
// batch sizes, budgets and windows too, as long as the runs have min_rows and min_steps.
package claims

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Claim is one measurable statement of a paper.
type Claim struct {
	ID        string `toml:"id" json:"id" must:"yes" doc:"name of the claim, unique in the spec"`
	Kind      string `toml:"kind" json:"kind" want:"kind" must:"yes" doc:"what the claim says of its metric; it decides which keys the claim takes"`
	Statement string `toml:"statement" prose:"yes" json:"statement" must:"yes" doc:"the claim as we read it"`
	Source    string `toml:"source" prose:"yes" json:"source" must:"yes" doc:"section, figure, table or theorem where it is printed"`
	Words     string `toml:"words" prose:"yes" json:"words,omitempty" doc:"the paper's own words at that place, of which statement is our reading; ... stands for what is left out of a sentence or of the row of a table"`
	Drawn     string `toml:"drawn" prose:"yes" json:"drawn,omitempty" doc:"what a figure of the paper shows and no sentence says; of a published number, how it was read off"`
	Ours      string `toml:"ours" prose:"given" loose:"given" json:"ours,omitempty" not:"words drawn published cells" doc:"why the claim is made, if the paper does not make it"`

	Method  string   `toml:"method" json:"method" must:"yes" doc:"id of the method the claim is about"`
	Against []string `toml:"against" loose:"less" json:"against,omitempty" doc:"ids of the methods it is compared with"`
	Metric  string   `toml:"metric" json:"metric" want:"curve" must:"yes" doc:"metric the claim is about; name@average for the averaged iterate"`

	Published     string `toml:"published" json:"published,omitempty" want:"digits" doc:"the number as printed, so that its rounding is known: \"3.1\" means [3.05, 3.15)"`
	PublishedIs   string `toml:"published_is" json:"published_is,omitempty" needs:"published cells curve" asks:"published_says give the paper's sentence or the place that shows it" doc:"what the printed number is: run for the result of one run, mean of K for the mean over K runs, such as mean of 5, of a curve also median of K, theorem for an exponent, a bound or another statement that holds exactly; is of [published] if left out"`
	PublishedSays string `toml:"published_says" prose:"yes" json:"published_says,omitempty" needs:"published cells curve" asks:"published_is published_says shows that the number is what it names" doc:"the paper's sentence, or the place, that shows it; says of [published] if left out"`
	Derived       string `toml:"derived" json:"derived,omitempty" not:"published" asks:"derivation say how the number follows from what the paper prints" want:"digits" doc:"in place of published: a number that the paper does not print, worked out from what it prints"`
	Derivation    string `toml:"derivation" prose:"yes" json:"derivation,omitempty" needs:"derived" doc:"how the derived number follows"`

	Visible    float64 `toml:"visible" loose:"more" json:"visible,omitempty" want:">= 0" asks:"visible_why say why a larger or smaller difference must be seen" doc:"the difference from a printed number of runs, as a share of it, that must have been visible if the claim is reproduced without an interval inside the accepted numbers; 0.25 if left out"`
	VisibleWhy string  `toml:"visible_why" prose:"yes" json:"visible_why,omitempty" needs:"visible" doc:"the reason for visible"`

	Curve string `toml:"curve" json:"curve,omitempty" doc:"id of the [[published_curve]] that ours is compared with"`

	Unit      string    `toml:"unit" json:"unit,omitempty" doc:"percent if a fraction was printed in per cent"`
	Rows      []float64 `toml:"rows" json:"rows,omitempty" want:"> 0" doc:"the places along x at which the table's rows are read, rising"`
	Cells     []string  `toml:"cells" json:"cells,omitempty" want:"digits" doc:"the numbers printed in these rows, written as in published; empty where the table has none"`
	Tolerance float64   `toml:"tolerance" json:"tolerance,omitempty" want:">= 0" doc:"largest accepted difference from the published number, in its unit; of a match, largest accepted ratio or difference; of an order, the ratio to the rival that ours must be below; of a plateau, largest accepted factor between it and the place found"`
	Why       string    `toml:"why" prose:"yes" json:"why,omitempty" needs:"tolerance" doc:"the reason for the width of tolerance; every tolerance needs one"`
	AtMost    bool      `toml:"at_most" json:"at_most,omitempty" doc:"the published number is an upper bound, and every number below it is accepted; a rate of O(1/t) is the upper bound -1, and the upper bound 0 accepts every metric that falls"`
	AtLeast   bool      `toml:"at_least" json:"at_least,omitempty" not:"at_most" doc:"the published number is a lower bound, and every number above it is accepted"`
	Every     bool      `toml:"every" json:"every,omitempty" needs:"at_most at_least" doc:"with at_most or at_least: the bound holds for every run; the seed farthest on its wrong side decides, not the mean"`
	Relative  bool      `toml:"relative" json:"relative,omitempty" doc:"tolerance is a ratio instead of a difference; 2 accepts ratios from 1/2 to 2"`

	At     records.At `toml:"at" loose:"moved" json:"at,omitzero" doc:"where on the curve to read the metric; the end if left out"`
	X      string     `toml:"x" json:"x,omitempty" want:"|abscissa" doc:"abscissa: one of the costs, a discretisation parameter such as h, or a [[metric]]"`
	Across string     `toml:"across" json:"across,omitempty" doc:"rate, instead of x: the key of the method's grid, such as data.inputs; the line is fitted to the metric of the grid's combinations against this key; curve, instead of x: the key that the published curve is against; plateau: the key of which more stops to help"`
	Best   string     `toml:"best" json:"best,omitempty" needs:"across" doc:"with across: another key of the grid; the line is fitted to its value with the best metric, for each value of across, instead of to the metric"`
	Bound  string     `toml:"measured_bound" json:"measured_bound,omitempty" want:"|curve" doc:"a metric of the same run, read at its end, that is a factor for one unit of x, such as a bound from a measured condition number"`
	Window [2]float64 `toml:"window" loose:"moved" json:"window,omitzero" doc:"range of x in which the line is fitted"`
	Within float64    `toml:"within" loose:"more" json:"within,omitempty" doc:"by which share the best metric at larger values of across may be better than on the plateau; 0.02 for two per cent"`
	Target float64    `toml:"target" loose:"moved" json:"target,omitempty" want:">= 0" doc:"the value of the metric that must be reached; with best: the line is fitted to the frontier, the largest value of best whose metric is better than this one, instead of to the value with the best metric"`

	Richardson bool `toml:"richardson" loose:"moved" json:"richardson,omitempty" doc:"the metric is a value whose limit is not known, such as a drag or an eigenvalue: its errors are judged by the differences between successive meshes, and the verdict has the limit with the grid convergence index"`

	Statistic string `toml:"statistic" json:"statistic,omitempty" want:"|statistic" doc:"fit one line to this statistic over seeds, with the interval of the jackknife, instead of one line for each seed; mean for a statement in expectation, q90 for one with probability 0.9"`

	Holds    string `toml:"holds" prose:"given" loose:"given" json:"holds,omitempty" doc:"why the claim does not depend on the size of the experiment, and why from min_rows or min_steps on; it is then judged at every profile that changes only data.train, data.test, data.starts, the budget, the precision, the claim's window, and features, landmarks, batch and block of a method"`
	Exact    string `toml:"exact" prose:"given" loose:"given" json:"exact,omitempty" doc:"why the number has no spread although it is not a count: nothing of the experiment is drawn at random; without it, a number that is the same on all seeds decides nothing, unless it is a share of rows, whose variation then counts"`
	MinRows  int    `toml:"min_rows" loose:"more" json:"min_rows,omitempty" needs:"holds" want:">= 0" doc:"with holds: the smallest number of training rows from which the claim holds"`
	MinSteps int    `toml:"min_steps" loose:"more" json:"min_steps,omitempty" needs:"holds" want:">= 0" doc:"with holds: the smallest number of iterations from which the claim holds"`

	Description string `toml:"description" prose:"given" loose:"given" json:"description,omitempty" doc:"why no fault in what is learned could refute the claim; its verdict is shown, and never counted among those that are reproduced. A claim about a count, such as memory or operations, needs no such key"`
	SameAs      string `toml:"same_as" loose:"given" json:"same_as,omitempty" doc:"the claim whose number this is once more, as PAPER/EXPERIMENT#CLAIM: of the same metric and place, in a run of the same settings; it is judged but not counted"`
	Fitted      string `toml:"fitted" prose:"given" loose:"given" json:"fitted,omitempty" doc:"the step or the setting that we fitted to this number or its column, and how; the claim is judged but not counted"`
	CountsAs    string `toml:"counts_as" json:"counts_as,omitempty" want:"|class" asks:"counts_why say why it is not what its number and its source give" doc:"the class of the claim, if it is not what its number and its source give: printed, drawn, stated or proved by the paper, or ours; apart for a claim that is judged but not counted"`
	CountsWhy   string `toml:"counts_why" prose:"yes" json:"counts_why,omitempty" needs:"counts_as" doc:"why the claim counts as that"`
	Because     string `toml:"deviates_because" prose:"yes" json:"deviates_because,omitempty" doc:"why the claim deviates at the published size, as far as we know, in a sentence or two"`

	Members   []string        `toml:"-" json:"members,omitempty"`   // methods of the grid that Method names, if Across is set
	Reference *PublishedCurve `toml:"-" json:"reference,omitempty"` // that Curve names
	Column    string          `toml:"-" json:"column,omitempty"`    // id of the claim of kind values that loading split into this one and others

	Larger bool `toml:"-" json:"-"` // larger values of the metric are better; Judge sets it
	Signed bool `toml:"-" json:"-"` // the metric can be negative; Judge sets it

	shareOf string // rows of which the metric is a share, as Metric.ShareOf; Judge sets it
	shown   Unit   // of the metric; Judge sets it
	planned int    // seeds that were planned before the first look; Judge sets it
	fixed   bool   // nothing is drawn at random in its methods; Judge sets it
}

// Methods lists the methods whose records the claim needs.
func (c Claim) Methods() []string {
	if len(c.Members) > 0 {
		return c.Members
	}
	return append([]string{c.Method}, c.Against...)
}

// Describes says why nothing that is learned could refute the claim, so that its verdict is not counted among those that are
// reproduced: what a method counts itself is a law of our code. It is empty if something could.
func (c Claim) Describes() string {
	if c.Description == "" && counted(c.Metric) {
		return "the method counts this itself, whatever it learns"
	}
	return c.Description
}

// Runs returns the number of runs behind the claim's number, as RunsOf does, and +Inf for a derived number, which has no spread.
func (c Claim) Runs() float64 {
	return runs(c.Published != "" || c.Kind == columnKind || c.Kind == curveKind, c.PublishedIs)
}

func runs(published bool, is string) float64 {
	if k, ok := RunsOf(is); ok && published {
		return k
	}
	return math.Inf(1)
}

// RunsOf returns the number of runs behind a printed number that is "run", "mean of K", "median of K" or "theorem", which has no
// spread: +Inf. For a median it is that of the runs whose mean spreads as much. ok is false for any other word.
func RunsOf(is string) (runs float64, ok bool) {
	switch is {
	case "run":
		return 1, true
	case "theorem":
		return math.Inf(1), true
	}
	word, number, _ := strings.Cut(is, " of ")
	switch k, err := strconv.Atoi(number); {
	case err != nil || k < 2:
	case word == "mean":
		return float64(k), true
	case word == "median":
		return stats.MedianRuns(k), true
	}
	return 0, false
}

// ofMean reports whether the printed number is an arithmetic mean of runs.
func (c Claim) ofMean() bool { return strings.HasPrefix(c.PublishedIs, "mean ") }

// abscissaOf returns the claim's abscissa, steps if it names none.
func abscissaOf(c Claim) string {
	if c.X == "" {
		return "step"
	}
	return c.X
}

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

// Unit returns the unit in which a metric is shown: per cent if it is a fraction or if a claim gives it in per cent.
func (e Experiment) Unit(metric string) Unit {
	a, _ := records.AbscissaOf(metric)
	switch {
	case a.Unit == "bytes":
		return Unit{"MiB", 1.0 / (1 << 20)}
	case e.inPercent(metric):
		return Unit{"%", 100}
	}
	return Unit{cmp.Or(a.Unit, e.Metric(metric).Unit), 1}
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

// ByUs is what screens and pages say of a number that is derived.
const ByUs = "computed by us"

// Number returns the number that the measured one is compared with: the published one or, if the paper prints none, the
// derived one. It is empty if there is neither.
func (c Claim) Number() string { return cmp.Or(c.Published, c.Derived) }

// Number returns the claim's number.
func (v Verdict) Number() string { return cmp.Or(v.Published, v.Derived) }

// NumberKey returns the key of the claim's number.
func (c Claim) NumberKey() string {
	if c.Derived != "" {
		return "derived"
	}
	return "published"
}

// Origin returns what the claim's number is called in tables, figures and captions: "published" or ByUs.
func (c Claim) Origin() string { return origin(c.Derived) }

// Origin returns what the claim's number is called.
func (v Verdict) Origin() string { return origin(v.Derived) }

func origin(derived string) string {
	if derived != "" {
		return ByUs
	}
	return "published"
}

// A Definition is what a claim says, by the keys of a spec, with values as JSON has them. Two tags of Claim decide what it has, so
// that a new key is part of it:
//
//	prose:"yes"    explains the claim and decides nothing: left out
//	prose:"given"  a reason, which decides only by being there: true
//	loose:"…"      when a change of the key makes the claim easier to meet; see Loosens
type Definition map[string]any

// Now returns a definition of an earlier version with the classes as they are called now.
func (d Definition) Now() Definition {
	d = maps.Clone(d)
	if c, ok := d["counts_as"].(string); ok {
		d["counts_as"] = string(cmp.Or(earlier[Class(c)], Class(c)))
	}
	return d
}

// keyTags returns the tags of a claim's keys, by key.
func keyTags() map[string]reflect.StructTag {
	tags := map[string]reflect.StructTag{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Claim]()) {
		if key := f.Tag.Get("toml"); key != "" && key != "-" {
			tags[key] = f.Tag
		}
	}
	return tags
}

// Definition returns what the claim says.
func (c Claim) Definition() Definition {
	text, err := json.Marshal(c)
	if err != nil {
		panic("claims: a claim is not JSON: " + err.Error())
	}
	var d Definition
	if err := json.Unmarshal(text, &d); err != nil {
		panic("claims: a claim is not a JSON object: " + err.Error())
	}
	for key, tag := range keyTags() {
		switch _, there := d[key]; {
		case tag.Get("prose") == "yes":
			delete(d, key)
		case tag.Get("prose") == "given" && there:
			d[key] = true
		}
	}
	return d
}

// Claim returns the claim of a definition, which is judged as the defined one was; reasons are not known any more.
func (d Definition) Claim() (c Claim, err error) {
	d = d.Now()
	for key, tag := range keyTags() {
		if d[key] == true && tag.Get("prose") == "given" {
			d[key] = "given"
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return c, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return c, in.Decode(&c)
}

// Loosens reports whether the change of a key, whose value is nil where it is not given, makes a claim easier to meet by itself: its
// tag says that it does if it is "given", "more", "less" or "moved" at all. What the accepted numbers follow from needs no tag.
func Loosens(key string, was, is any) bool {
	switch keyTags()[key].Get("loose") {
	case "given":
		return was == nil && is != nil
	case "more":
		return size(is) > size(was)
	case "less":
		return size(is) < size(was)
	case "moved":
		return true
	}
	return false
}

// size returns a number, or the length of a list.
func size(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case []any:
		return float64(len(v))
	}
	return 0
}

// Wider reports whether the region accepts anything that another one does not.
func (a Region) Wider(than Region) bool {
	return a.Low < than.Low || a.High > than.High || a.High == than.High && than.Open && !a.Open || than.every && !a.every
}

// TextOf writes a value of JSON, such as one of a definition, nil as what is not given.
func TextOf(v any) string {
	if v == nil {
		return "not given"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// without returns the definition without some keys.
func (d Definition) without(keys ...string) Definition {
	maps.DeleteFunc(d, func(key string, _ any) bool { return slices.Contains(keys, key) })
	return d
}
