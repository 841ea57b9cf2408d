package claims

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Word says whether a claim holds.
type Word string

const (
	Reproduced    Word = "reproduced"     // the interval lies inside the accepted region
	Deviates      Word = "deviates"       // the interval lies outside
	Inconclusive  Word = "inconclusive"   // the interval straddles an edge of the region, or there is only one seed
	NotComparable Word = "not comparable" // ran with other settings than the paper's, on substitute data or, for seconds, on other hardware
	NotRun        Word = "not run"        // a run that the claim needs is missing
	Failed        Word = "failed"         // a run that the claim needs failed or diverged
)

// Words are the verdicts in the order in which they are counted.
var Words = []Word{Reproduced, Deviates, Inconclusive, NotComparable, NotRun, Failed}

// Sign returns the one character that stands for a verdict wherever there is no room for its word.
func (w Word) Sign() string { return signs[w] }

var signs = map[Word]string{Reproduced: "✓", Deviates: "✗", Inconclusive: "?", NotComparable: "○", NotRun: "–", Failed: "!"}

// A Verdict is the outcome of one claim. Low and High bound the interval over seeds. A number is nil if there is
// none.
type Verdict struct {
	Of      Claim             `json:"-"` // the claim; no file of verdicts has this and the next three
	Records []*records.Record `json:"-"` // of the methods that the claim needs, by method and seed
	Numbers []Measurement     `json:"-"` // one for each rival, or one; empty if Reason says why there are none
	Shipped *Verdict          `json:"-"` // on the same claim at the published size, as it comes with the program; nil for none

	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Kind       string   `json:"kind"`
	Class      Class    `json:"class"`
	ClassWhy   string   `json:"class_why,omitempty"` // why that is not what its number and its source give
	Uncounted  string   `json:"uncounted,omitempty"` // why it does not count; empty if it does
	Statement  string   `json:"statement"`
	Source     string   `json:"source"`
	Method     string   `json:"method"`
	Against    []string `json:"against,omitempty"`
	Metric     string   `json:"metric"`
	Unit       string   `json:"unit,omitempty"`
	Column     string   `json:"column,omitempty"` // the claim of kind values whose column holds the number

	Published     string        `json:"published"`
	Derived       string        `json:"derived,omitempty"` // in place of Published, a number that the paper does not print
	PublishedLow  *float64      `json:"published_low"`     // of its rounding interval
	PublishedHigh *float64      `json:"published_high"`
	PublishedIs   string        `json:"published_is,omitempty"` // run, mean of K, median of K, or theorem
	What          string        `json:"what,omitempty"`         // what was measured, in words
	Measured      *float64      `json:"measured"`
	Low           *float64      `json:"low"`
	High          *float64      `json:"high"`
	SD            *float64      `json:"sd,omitempty"`     // standard deviation of the value of a seed, of its logarithm if Log is set
	Log           bool          `json:"log,omitempty"`    // Measured is a geometric mean
	Covers        *[2]float64   `json:"covers,omitempty"` // per cent, in simulations, if Low and High are not a 95 % interval
	Values        []float64     `json:"values,omitempty"` // of the seeds, rising; of a statistic over seeds, the jackknife's pseudo-values
	Ranges        [][2]*float64 `json:"ranges,omitempty"` // of the seeds, rising, in place of Values where the number of some is only known to lie between two
	Scales        []stats.Scale `json:"scales,omitempty"` // on which the interval holds too
	Tolerance     float64       `json:"tolerance"`
	MustSee       *float64      `json:"must_see,omitempty"` // the difference from a printed number of runs, or the ratio less 1, that must have been visible
	Why           string        `json:"why,omitempty"`      // the reason for the width of the tolerance
	Accept        [2]*float64   `json:"accept"`             // the accepted region, in which the measured interval must lie; nil is unbounded

	Verdict Word   `json:"verdict"`
	AtSize  Word   `json:"at_this_size,omitempty"` // the word that the numbers alone would give, if Verdict is NotComparable
	Smaller bool   `json:"smaller_run,omitempty"`  // it is NotComparable, and its runs are smaller than the paper's
	Profile string `json:"profile"`
	Seeds   int    `json:"seeds"`
	Planned int    `json:"planned_seeds,omitempty"` // before the first look; 0 if it is not known
	Looks   int    `json:"looks,omitempty"`         // that there may have been: the planned one, and one after each further seed
	Reason  string `json:"reason"`
	Needed  *int   `json:"seeds_needed,omitempty"` // what SeedsNeeded returns, of one that WithSeedsNeeded returned

	Parts       *Parts              `json:"parts,omitempty"`       // of a claim about a whole curve
	Next        *[2]float64         `json:"next,omitempty"`        // 95 % prediction interval of the mean of as many runs as the printed number is of
	Visible     *float64            `json:"visible,omitempty"`     // smallest difference from the number, or ratio, that would have been seen with probability stats.Power
	Window      *[2]float64         `json:"window,omitempty"`      // x range a rate was fitted on
	Sensitivity []stats.Sensitivity `json:"sensitivity,omitempty"` // the slope or the factor in other windows
	Halves      []stats.Sensitivity `json:"halves,omitempty"`      // the same in the first and the second half of its window
	Rule        string              `json:"rule,omitempty"`        // deterministic, if nothing was drawn at random and Low and High are no interval over seeds
	Orders      []stats.Observed    `json:"orders,omitempty"`      // then: between the points of the curve
	Warnings    []string            `json:"warnings,omitempty"`
}

// newVerdict returns a verdict with the fields that it takes from its claim.
func newVerdict(exp Experiment, c Claim) Verdict {
	v := Verdict{
		Of: c, Experiment: exp.ID, Claim: c.ID, Kind: c.Kind, Statement: c.Statement, Source: c.Source,
		Method: c.Method, Against: c.Against, Metric: c.Metric, Unit: c.Unit, Column: c.Column,
		Published: c.Published, PublishedIs: c.PublishedIs, Derived: c.Derived, Tolerance: c.Tolerance, Why: c.Why, Profile: exp.Profile,
	}
	v.classify(exp, c)
	if n := c.Number(); n != "" {
		if _, low, high, err := printed.Parse(n); err == nil {
			v.PublishedLow, v.PublishedHigh = &low, &high
		}
	}
	if a, err := columnRegion(c, Ratio); v.Whole() && err == nil {
		v.PublishedLow, v.PublishedHigh = &a.Low, &a.High
	}
	if a, err := c.Accepts(c.Quantity()); err == nil && a.ofRuns(c.Runs()) {
		v.MustSee = &a.seen
	}
	return v
}

// outdate makes a verdict not comparable if the records of some methods have other settings than the plan.
func (v *Verdict) outdate(methods []string) {
	if len(methods) == 0 || v.Verdict == NotRun {
		return
	}
	if v.Verdict != NotComparable {
		v.AtSize = v.Verdict
	}
	v.Verdict = NotComparable
	v.Reason = fmt.Sprintf("the records of %s have other settings or files than the spec has now; run it again; %s", printed.List(methods), v.Reason)
}

func (v *Verdict) accept(a Region) {
	v.Accept = [2]*float64{records.Value(a.Low), records.Value(a.High)}
}

// conclude writes the measured number into the verdict, compares it with the accepted region of a number that is a mean of k
// runs of the paper, and returns the word and reason.
func (v *Verdict) conclude(m Measurement, k float64) (Word, string) {
	e, a, decisive := m.Estimate, m.accept, m.decisive(k)
	v.Measured, v.Low, v.High, v.SD, v.Seeds = records.Value(e.Mean), records.Value(e.Low), records.Value(e.High), records.Value(e.SD), e.N
	v.Looks = m.looks()
	v.What, v.Log, v.Values, v.Scales = m.What, e.Log, slices.Sorted(slices.Values(e.Values)), e.Scales
	v.accept(a)
	word := a.place(decisive, k)
	if a.every && len(e.Values) > 0 {
		return word, m.everySeed()
	}
	number := func(x float64) string { return printed.Number(x) + m.Unit }
	if !e.Bounded() {
		return word, fmt.Sprintf("%s is %s on one seed, which has no interval; it takes 2 seeds or more; accepted is %s", m.What, number(e.Mean), a)
	}
	interval := fmt.Sprintf("interval %s to %s%s over %d seeds", printed.Number(e.Low), printed.Number(e.High), m.average(), e.N)
	if e.Covers == (stats.Coverage{}) {
		interval = "95 % " + interval
	} else {
		interval += fmt.Sprintf(" (which covers %v)", e.Covers)
		v.Covers = &[2]float64{e.Covers.Low, e.Covers.High}
	}
	reason := fmt.Sprintf("%s is %s, %s", m.What, number(e.Mean), interval)
	low, high := e.Next(k)
	if !a.rounding || !a.ofRuns(k) {
		reason += ", which " + a.relation(e.Low, e.High)
	}
	if !math.IsInf(k, 1) {
		if !math.IsInf(high, 1) {
			v.Next = &[2]float64{low, high}
		}
		if a.rounding || word != Reproduced || !a.contains(decisive.Low, decisive.High) {
			reason += fmt.Sprintf("; %s, such as the paper's, is expected between %s and %s, which %s", furtherRuns(v.PublishedIs), printed.Number(low), printed.Number(high), a.relation(low, high))
		}
	}
	if e.Covers.Poor() {
		return word, reason + "; no interval of so few values of which some are 0 can be trusted"
	}
	reason += v.look(m, k) + "; " + v.seen(a.visible(decisive, k), a, word)
	if word == Inconclusive && a.ofRuns(k) && !a.telling(decisive, k) {
		reason += fmt.Sprintf(", and one of %s must be before a run like ours counts", printed.Digits(a.seen, 3))
	}
	if doubt := m.doubt(word, k); doubt != "" {
		return Inconclusive, doubt + "; " + reason
	}
	return word, reason
}

// looks returns how many looks at the claim there may have been: with the planned seeds and with each further one.
func (m Measurement) looks() int {
	if m.planned == 0 {
		return 1
	}
	return 1 + max(0, m.N-m.planned)
}

// look says at which confidence the look with the verdict's seeds decides, where that is not the planned one or where the interval at
// this confidence says something else than that at stats.Level.
func (v *Verdict) look(m Measurement, k float64) string {
	what, d := "", m.decisive(k)
	switch {
	case m.planned > 0 && m.N > m.planned:
		what = fmt.Sprintf("%s were planned, and there may have been %d looks", printed.Count(m.planned, "seed"), m.looks())
	case m.N < m.planned:
		what = fmt.Sprintf("these are %d of %s that are planned", m.N, printed.Count(m.planned, "seed"))
	}
	low, high := d.Low, d.High
	from, to := m.Low, m.High
	if m.accept.rounding && m.accept.ofRuns(k) {
		low, high = d.Next(k)
		from, to = m.Next(k)
	}
	relation := m.accept.relation(low, high)
	switch {
	case what != "":
		return fmt.Sprintf("; %s, so that it is decided at %s: %s to %s, which %s", what, percent(m.level(k)), printed.Number(low), printed.Number(high), relation)
	case relation != m.accept.relation(from, to):
		return fmt.Sprintf("; it is decided at %s: %s to %s, which %s", percent(m.level(k)), printed.Number(low), printed.Number(high), relation)
	}
	return ""
}

// percent writes a confidence.
func percent(level float64) string { return printed.Digits(100*level, 6) + " %" }

// seen writes into the verdict which number would have been seen, from Region.visible, and returns it in words.
func (v *Verdict) seen(visible float64, a Region, word Word) string {
	if v.Quantity() != Ratio {
		visible = math.Abs(visible - a.center())
	}
	v.Visible = records.Value(visible)
	switch text := v.VisibleText(); {
	case text == "":
		return "no difference would have been seen"
	case word == Inconclusive:
		return "only " + text
	default:
		return text
	}
}

// average names the average that the estimate is, with "of" before it; it is empty for the slope of a statistic, which is none.
func (m Measurement) average() string {
	switch {
	case m.Joint:
		return ""
	case m.Log:
		return " of the geometric mean"
	}
	return " of the mean"
}

// median writes the ranges of the seeds into the verdict and, if it has an interval, their median: the geometric middle of what the
// ranges leave of it.
func (v *Verdict) median(m Measurement) {
	low, high, ok := stats.MedianRange(m.Ranges, stats.Level)
	var ends [2][]float64
	for _, r := range slices.SortedFunc(slices.Values(m.Ranges), func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }) {
		ends[0], ends[1] = append(ends[0], r[0]), append(ends[1], r[1])
		v.Ranges = append(v.Ranges, [2]*float64{records.Value(r[0]), records.Value(r[1])})
	}
	if !ok {
		return
	}
	if middle := math.Sqrt(stats.Median(ends[0]) * stats.Median(ends[1])); middle > 0 && !math.IsInf(middle, 1) {
		v.What = "median over seeds of " + m.What
		v.Measured, v.Low, v.High = records.Value(middle), records.Value(low), records.Value(high)
	}
}

// everySeed says what the worst seed says of a bound for every run, and how rare the runs may be that none of the seeds is:
// of n runs that each break it with probability p, one does with probability stats.Level if p = 1 − (1 − Level)^(1/n).
func (m Measurement) everySeed() string {
	e, a := m.Estimate, m.accept
	i := a.worst(e.Values)
	which := fmt.Sprintf("on the worst of %s", printed.Count(e.N, "seed"))
	if i < len(m.Seeds) {
		which += fmt.Sprintf(", seed %d", m.Seeds[i])
	}
	reason := fmt.Sprintf("%s is %s%s %s, which %s", m.What, printed.Number(e.Values[i]), m.Unit, which, a.relation(e.Values[i], e.Values[i]))
	if !a.contains(e.Values[i], e.Values[i]) {
		return reason + ", and the bound is for every run"
	}
	rare := 1 - math.Pow(1-stats.Level, 1/float64(e.N))
	return reason + fmt.Sprintf("; runs beyond the bound would have been seen if %s %% of all were", printed.Digits(100*rare, 2))
}

// furtherRuns names further runs like those of a printed number.
func furtherRuns(is string) string {
	if is == "run" {
		return "one more run"
	}
	return "the " + is + " more runs"
}

// ReadVerdicts reads verdicts as EncodeVerdicts writes them.
func ReadVerdicts(r io.Reader) ([]Verdict, error) {
	var verdicts []Verdict
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&verdicts); err != nil {
		return nil, err
	}
	for i, v := range verdicts {
		if !slices.Contains(Words, v.Verdict) {
			return nil, fmt.Errorf("%s, claim %s: unknown verdict %q; choose one of %q", v.Experiment, v.Claim, v.Verdict, Words)
		}
		switch c, old := earlier[v.Class]; {
		case c == Apart:
			verdicts[i].Class, verdicts[i].ClassWhy, verdicts[i].Uncounted = Unclassified, "", cmp.Or(v.ClassWhy, string(v.Class))
		case old:
			verdicts[i].Class = c
		}
	}
	return verdicts, nil
}

// WithSeedsNeeded returns the verdicts with what SeedsNeeded returns, for files of them that are read more often than judged.
func WithSeedsNeeded(verdicts []Verdict) []Verdict {
	verdicts = slices.Clone(verdicts)
	for i, v := range verdicts {
		if v.Verdict == Inconclusive {
			verdicts[i].Needed = new(v.SeedsNeeded())
		}
	}
	return verdicts
}

// EncodeVerdicts returns the verdicts as one JSON array, a line each.
func EncodeVerdicts(verdicts []Verdict) ([]byte, error) {
	if len(verdicts) == 0 {
		return []byte("[]\n"), nil
	}
	var lines [][]byte
	for _, v := range verdicts {
		line, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return fmt.Appendf(nil, "[\n%s\n]\n", bytes.Join(lines, []byte(",\n"))), nil
}

// WriteVerdicts writes the verdicts, as EncodeVerdicts has them, to the file at path and replaces what it held.
func WriteVerdicts(path string, verdicts []Verdict) error {
	text, err := EncodeVerdicts(verdicts)
	if err != nil {
		return err
	}
	return files.Keep(filepath.Dir(path), path, text)
}

// A Quantity is what the numbers of a verdict measure.
type Quantity string

const (
	OfMetric     Quantity = "" // the metric itself
	Slope        Quantity = "slope"
	Factor       Quantity = "factor"
	Speed        Quantity = "speed"
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

// UnitSign returns what follows the verdict's numbers. Slopes, factors, speeds and ratios have no unit.
func (v Verdict) UnitSign() string {
	if q := v.Quantity(); q == Slope || q == Factor || q == Speed || q == Ratio {
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
	return v.PublishedText() + " (" + ByUs + ")"
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

// AcceptedText returns the numbers that the claim accepts, with their unit, and the empty string if it accepts all. It formats numbers with
// format.
func (v Verdict) AcceptedText(format func(float64) string) string {
	switch low, high := v.Accept[0], v.Accept[1]; {
	case low != nil && high != nil:
		return format(*low) + " to " + format(*high) + v.UnitSign()
	case high != nil:
		return "at most " + format(*high) + v.UnitSign()
	case low != nil:
		return "at least " + format(*low) + v.UnitSign()
	}
	return ""
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

// ByNumbers returns the word that the numbers alone give, whether or not the records can be compared with the paper.
func (v Verdict) ByNumbers() Word { return cmp.Or(v.AtSize, v.Verdict) }

// Because says why the claim deviates, as far as its spec knows: at the published size, where the verdict that comes with the program
// says so, too. It is empty for other verdicts.
func (v Verdict) Because() string {
	if v.Verdict != Deviates || v.Shipped != nil && v.Shipped.Verdict != Deviates {
		return ""
	}
	return v.Of.Because
}

// SmallerRun stands for NotComparable in texts for people, if the runs are smaller than the paper's.
const SmallerRun = "too small to judge"

// Called returns the word in texts for people.
func (v Verdict) Called() string {
	if v.Smaller {
		return SmallerRun
	}
	return string(v.Verdict)
}

// VerdictText returns the word for people and, if the records cannot be compared with the paper, the word that their numbers give.
func (v Verdict) VerdictText() string {
	if v.AtSize == "" {
		return v.Called()
	}
	return v.Called() + " · " + string(v.AtSize)
}

// estimate returns the estimate that the verdict's numbers are of, as if from n seeds. It is unbounded if the verdict has no
// interval.
func (v Verdict) estimate(n int) stats.Estimate {
	sd := math.NaN()
	switch {
	case v.Measured == nil:
		return stats.Summary(math.NaN(), sd, 0, false)
	case v.SD != nil:
		sd = *v.SD
	}
	e := stats.Summary(*v.Measured, sd, v.Seeds, v.Log)
	switch {
	case len(v.Scales) > 0:
		e.Scales = v.Scales
	case v.Low != nil && v.High != nil:
		e = e.Within(*v.Low, *v.High)
	case v.Low != nil:
		e = e.Within(*v.Low, math.Inf(1))
	}
	if n != v.Seeds || len(v.Scales) > 0 {
		e = e.OfSeeds(n)
	}
	if v.Covers != nil {
		e.Covers = stats.Coverage{Low: v.Covers[0], High: v.Covers[1]}
	}
	return e
}

// measurement returns the number that the verdict is on, in the verdict's accepted region.
func (v Verdict) measurement() Measurement {
	return Measurement{Estimate: v.estimate(v.Seeds), What: v.What, Rival: strings.Join(v.Against, ", "), Unit: v.UnitSign(),
		Halves: v.Halves, accept: v.region(), planned: v.Planned}
}

func (v Verdict) region() Region {
	a := Region{Low: math.Inf(-1), High: math.Inf(1)}
	if v.Accept[0] != nil {
		a.Low = *v.Accept[0]
	}
	if v.Accept[1] != nil {
		a.High = *v.Accept[1]
	}
	a.rounding = v.PublishedLow != nil && v.Tolerance == 0 && a.Low == *v.PublishedLow && a.High == *v.PublishedHigh
	a.Open = a.rounding || KindOf(v.Kind).Strict
	if v.MustSee != nil {
		a.digits, a.seen, a.Exact = &[2]float64{*v.PublishedLow, *v.PublishedHigh}, *v.MustSee, 1
		if value, _, _, err := printed.Parse(v.Number()); err == nil {
			a.Exact = value
		}
	}
	return a
}

// settled is the largest number of seeds that SeedsNeeded tries.
const settled = 1000

// SeedsNeeded returns the smallest number of seeds, at least those that the verdict has, with which it would not be
// inconclusive if mean and spread stayed as they are: the planned seeds or, beyond them, as many as a look needs that was not
// planned. It is 0 if there is no such number up to 1000 or if the verdict has no
// measured spread.
func (v Verdict) SeedsNeeded() int {
	if v.Needed != nil {
		return *v.Needed
	}
	if v.Kind == curveKind || v.Rule != "" { // bands at every place are not stored, and no seed changes what nothing random gave
		return 0
	}
	m, k := v.measurement(), runs(v.Published != "" || v.Whole(), v.PublishedIs)
	if !m.Bounded() {
		return 0
	}
	m.planned = cmp.Or(m.planned, v.Seeds)
	settles := func(n int) bool {
		m.Estimate = v.estimate(n)
		word, _ := m.word(k)
		return word != Inconclusive
	}
	for _, n := range []int{v.Seeds, m.planned} {
		if n >= v.Seeds && settles(n) {
			return n
		}
	}
	least := max(v.Seeds, m.planned) + 1
	n := sort.Search(settled+1, func(n int) bool { // asks all verdicts about the same numbers, whose power is known after the first
		return n >= least && settles(n)
	})
	if n <= settled {
		return n
	}
	return 0
}
