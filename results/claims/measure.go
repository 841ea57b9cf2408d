package claims

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Measurement is the number of a claim with its value on every seed. A verdict is concluded from it, and two versions of
// the program are compared by it.
type Measurement struct {
	stats.Estimate
	Quantity Quantity // what the number measures; that of the kind if empty
	What     string   // the number in words
	Rival    string   // the method that the claim's method is compared with; empty for kinds without rivals
	Unit     string   // what follows the number
	Seeds    []uint64 // of the Values
	Joint    bool     // Values are pseudo-values, each of which depends on all seeds

	Bounds []uint64     // seeds of which only a range is known, such as those that never reach the target: their value is an end of it
	Ranges [][2]float64 // if there are Bounds, of the number of every seed

	Undecided   string // why the interval decides nothing; of Bounds, the words before "is only known to lie between", and Ranges decide
	Warnings    []string
	Window      *[2]float64 // range of x in which a line was fitted
	Sensitivity []stats.Sensitivity
	Halves      []stats.Sensitivity // the line in both halves of the window; empty if it is not known

	Word   Word   // if not its region but the kind decides
	Reason string // then
	Parts  *Parts // of a whole curve

	Fixed  bool          // nothing was drawn at random: Low and High are the range of numbers that the run agrees with
	Orders *stats.Orders // between the points of its curve, if a line was fitted to it; nil if none was

	accept  Region
	planned int // seeds that were planned before the first look; 0 if it is not known
}

// level returns the confidence at which the look with the measurement's seeds decides on a number that is a mean of k runs.
func (m Measurement) level(k float64) float64 { return stats.LookLevel(m.N, m.planned, k) }

// decisive returns the estimate that decides, which has that confidence.
func (m Measurement) decisive(k float64) stats.Estimate { return m.At(m.level(k)) }

// measure returns the numbers of a claim from complete records, with the region that each must lie in. Numbers measured before
// an error are returned with it. A kind from outside that panics or measures nothing is an error too, so that the other claims
// have their verdicts.
func measure(c Claim, recs []*records.Record) (numbers []Measurement, err error) {
	kind := KindOf(c.Kind)
	if kind.Measure == nil {
		return nil, fmt.Errorf("unknown kind of claim %q", c.Kind)
	}
	defer func() {
		if v := recover(); v != nil {
			numbers, err = nil, fmt.Errorf("the kind of claim %q panics at %s: %v", c.Kind, panicked(), v)
		}
	}()
	numbers, err = kind.Measure(c, recs)
	if err == nil && len(numbers) == 0 {
		err = fmt.Errorf("the kind of claim %q measures no number", c.Kind)
	}
	for i := range numbers {
		m := &numbers[i]
		m.Quantity, m.planned = cmp.Or(m.Quantity, kind.Quantity), c.planned
		var wrong error
		if m.accept, wrong = c.Accepts(m.Quantity); wrong != nil {
			err = wrong
		}
		if n := len(m.Values); err == nil && (m.N < 1 || n > 0 && n != len(m.Seeds)) {
			err = fmt.Errorf("the kind of claim %q measures %s for %s", c.Kind, printed.Count(n, "value"), printed.Count(len(m.Seeds), "seed"))
		}
		switch {
		case err != nil:
		case c.fixed && m.Orders == nil && m.Undecided == "" && len(m.Values) > 0 && slices.Min(m.Values) == slices.Max(m.Values):
			m.Fixed, m.Low, m.High = true, m.Mean, m.Mean
		default:
			m.withoutSpread(c, recs)
		}
	}
	return numbers, err
}

// panicked returns the file and the line that panicked, for the function that recovers.
func panicked() string {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(4, callers)])
	frame, more := frames.Next()
	for more && strings.HasPrefix(frame.Function, "runtime.") {
		frame, more = frames.Next()
	}
	return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
}

// overflow returns an error if a finite value of the runs is so large that the number, its interval or the value of a seed is
// not finite. Runs do not diverge at 1e306, but nothing can be concluded from their numbers. Only intervals other than Student's may have
// no end.
func (m Measurement) overflow(c Claim) error {
	if m.Scales != nil || m.Wider != [2]float64{} {
		m.Scales, m.Wider = nil, [2]float64{}
		m.Estimate = m.OfSeeds(m.N)
	}
	numbers := append([]float64{m.Mean}, m.Values...)
	if m.Bounded() {
		next, beyond := m.Next(c.Runs())
		numbers = append(numbers, m.Low, m.High, m.SD, next, beyond)
	}
	if !slices.ContainsFunc(numbers, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }) {
		return nil
	}
	return fmt.Errorf("claim %s: %s or its interval is %w: values of the runs are too large or too small for a float64", c.ID, m.What, stats.ErrNotFinite)
}

// word returns the word for a number that is a mean of k runs of the paper and, if not its interval decides, the reason.
func (m Measurement) word(k float64) (word Word, reason string) {
	switch {
	case m.Word != "" && m.Undecided == "":
		return m.Word, m.Reason
	case m.Fixed:
		return m.fixedWord(k)
	case m.Undecided == "":
		if word = m.accept.place(m.decisive(k), k); m.doubt(word, k) != "" {
			word = Inconclusive
		}
		return word, ""
	case len(m.Bounds) == 0:
		return Inconclusive, m.Undecided
	}
	word = Inconclusive
	low, high := m.between()
	reason = fmt.Sprintf("%s is only known to lie between %s and %s on every seed", m.Undecided, printed.Number(low), printed.Number(high))
	switch from, to, ok := stats.MedianRange(m.Ranges, m.level(k)); {
	case m.accept.misses(low, high) && m.N > 1:
		word = Deviates
	case m.accept.contains(low, high) && m.N >= runSeeds:
		word = Reproduced
	case ok:
		reason += fmt.Sprintf("; its median over seeds lies between %s and %s (%s)", printed.Number(from), printed.Number(to), percent(m.level(k)))
		if !m.accept.rounding && m.accept.contains(from, to) {
			word = Reproduced
		}
	}
	return word, fmt.Sprintf("%s; accepted is %s", reason, m.accept)
}

// doubt says why an estimate whose interval decides on a word decides nothing; it is empty if the word stands.
func (m Measurement) doubt(word Word, k float64) string {
	switch {
	case m.bent(word):
		early, late := m.Halves[0], m.Halves[1]
		law := "power law"
		if m.Quantity == Factor || m.Quantity == Speed {
			law = "linear convergence"
		}
		return fmt.Sprintf("no %s on this window (%s early, %s [%s, %s] late)", law,
			printed.Number(early.Slope), printed.Number(late.Slope), printed.Number(late.Low), printed.Number(late.High))
	case m.uneven(word, k):
		low, high := m.decisive(k).Averages()
		return fmt.Sprintf("the averages may disagree: with so much spread the harmonic mean may be down to %s and the arithmetic one up to %s",
			printed.Number(low), printed.Number(high))
	}
	return ""
}

// uneven reports whether the geometric mean of ratios to a rival decides something that their arithmetic or harmonic mean may
// contradict: a method that is better on most seeds and far worse on a few is worse on average. Where one more run is compared
// with the paper's, no average is. Nor is it where one more seed is expected, on the scale of logarithms, on the side of the word
// too: a few ratios to a rival near zero say nothing of their arithmetic mean, and are all far from 1.
func (m Measurement) uneven(word Word, k float64) bool {
	if m.Rival == "" || !m.Log || !m.Bounded() || m.accept.ofRuns(k) {
		return false
	}
	d := m.decisive(k)
	if low, high := d.Next(1); word == Reproduced && m.accept.contains(low, high) || word == Deviates && m.accept.misses(low, high) {
		return false
	}
	low, high := d.Averages()
	return word == Reproduced && !m.accept.contains(low, high) || word == Deviates && !m.accept.misses(low, high)
}

// bent reports whether a line decides something that its second half does not bear out: a rate that is reproduced only because it
// is fitted through a bend, or one that deviates because of what happens before it. The window then holds no power law.
func (m Measurement) bent(word Word) bool {
	if len(m.Halves) != 2 {
		return false
	}
	late := m.Halves[1]
	misses := m.accept.misses(late.Low, late.High)
	significant := m.Mean < late.Low || m.Mean > late.High
	return significant && (word == Reproduced && misses || word == Deviates && !misses)
}

// between returns the range in which the number of every seed lies.
func (m Measurement) between() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range m.Ranges {
		low, high = min(low, r[0]), max(high, r[1])
	}
	return low, high
}

// conclude writes the numbers of a claim into the verdict, and returns its word and reason. Of several rivals, the one that is
// worst for the claim decides: deviates is worse than inconclusive, which is worse than reproduced; of one word, a number outside
// the accepted region, and then the interval that reaches farthest out of it.
func conclude(c Claim, numbers []Measurement, v *Verdict) (Word, string) {
	rank := map[Word]int{Reproduced: 0, Inconclusive: 1, Deviates: 2}
	var worst Measurement
	var word Word
	var reason string
	for i, m := range numbers {
		w, why := m.word(c.Runs())
		if i == 0 || rank[w] > rank[word] || w == word && slices.Compare(m.outside(), worst.outside()) > 0 {
			worst, word, reason = m, w, why
		}
	}
	v.Window, v.Sensitivity, v.Halves = worst.Window, worst.Sensitivity, worst.Halves
	if reason != "" {
		v.Seeds = worst.N
		v.accept(worst.accept)
		switch {
		case worst.Word != "":
			v.conclude(worst, c.Runs())
			v.Visible, v.Parts = records.Value(worst.Parts.Visible), worst.Parts
		case worst.Fixed:
			v.What, v.Measured, v.Low, v.High = worst.What, records.Value(worst.Mean), records.Value(worst.Low), records.Value(worst.High)
			if v.Rule = "deterministic"; worst.Orders != nil {
				v.Orders = worst.Orders.Observed
			}
		case len(worst.Bounds) > 0:
			v.median(worst)
		default:
			v.What, v.Measured = worst.What, records.Value(worst.Mean)
		}
		return word, reason
	}
	return v.conclude(worst, c.Runs())
}

// outside returns whether the number is outside the accepted region, 1 or 0, and how far its interval reaches out of it.
func (m Measurement) outside() []float64 {
	own := 0.
	if m.accept.misses(m.Mean, m.Mean) {
		own = 1
	}
	return []float64{own, m.accept.overhang(m.Estimate)}
}

// Read returns the claim's metric at the claim's place and in its unit.
func (c Claim) Read(r *records.Record) (float64, error) {
	who := fmt.Sprintf("%s of %s seed %d", c.Metric, r.Header.Method, r.Header.Seed)
	v, ok := r.MeasureAt(c.Metric, c.At)
	if !ok {
		return 0, fmt.Errorf("%s was not measured %s", who, c.At)
	}
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is %w %s", who, stats.ErrNotFinite, c.At)
	}
	return v * c.factor(), nil
}

// readReached is Read of a run that has to reach the claim's place.
func (c Claim) readReached(r *records.Record) (float64, error) {
	if !r.Reaches(c.At) {
		return 0, fmt.Errorf("%s seed %d ends before %s %s", r.Header.Method, r.Header.Seed, c.At.X, printed.Number(c.At.Value))
	}
	return c.Read(r)
}

// factor is what a recorded value is multiplied by in the claim's unit.
func (c Claim) factor() float64 {
	if c.Unit == Percent {
		return 100
	}
	return 1
}

// againstRivals makes the Measure of a kind that compares the method with every rival, paired by seed.
func againstRivals(compare func(Claim, string, [][2]*records.Record) (Measurement, error)) func(Claim, []*records.Record) ([]Measurement, error) {
	return func(c Claim, recs []*records.Record) ([]Measurement, error) {
		if len(c.Against) == 0 {
			return nil, errors.New("the claim names no rival under against")
		}
		var all []Measurement
		for _, rival := range c.Against {
			pairs := pair(records.Select(recs, c.Method), records.Select(recs, rival))
			if len(pairs) == 0 {
				return all, fmt.Errorf("%s and %s have no seed in common", c.Method, rival)
			}
			m, err := compare(c, rival, pairs)
			if err != nil {
				return all, err
			}
			m.Rival = rival
			for _, p := range pairs {
				m.Seeds = append(m.Seeds, p[0].Header.Seed)
			}
			all = append(all, m)
		}
		return all, nil
	}
}

// pair matches the records of two methods by seed.
func pair(a, b []*records.Record) [][2]*records.Record {
	var pairs [][2]*records.Record
	for _, r := range a {
		for _, s := range b {
			if r.Header.Seed == s.Header.Seed {
				pairs = append(pairs, [2]*records.Record{r, s})
				break
			}
		}
	}
	return pairs
}

func ratioOf(c Claim, rival string, a, b []float64) Measurement {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return Measurement{
		What:     fmt.Sprintf("%s of %s divided by that of %s %s", c.Metric, c.Method, rival, c.At),
		Estimate: stats.GeometricInterval(ratios),
	}
}

func differenceOf(c Claim, rival string, a, b []float64) Measurement {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	e := stats.MeanInterval(d)
	if c.shareOf != "" {
		e = e.WithLimits(-c.factor(), c.factor())
	}
	return Measurement{
		What:     fmt.Sprintf("%s of %s minus that of %s %s", c.Metric, c.Method, rival, c.At),
		Estimate: e,
		Quantity: Difference,
		Unit:     UnitSign(c.Unit),
	}
}

func positive(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v <= 0 })
}

// readPairs reads the metric from both records of every pair.
func readPairs(c Claim, pairs [][2]*records.Record) (a, b []float64, err error) {
	for _, p := range pairs {
		v, err := c.Read(p[0])
		w, err2 := c.Read(p[1])
		if err := errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
		a, b = append(a, v), append(b, w)
	}
	return a, b, nil
}

// withoutSpread says what a number decides that is the same on all seeds. Counts are exact, and so is what the claim says is. Of
// a share of rows the variation of the rows counts, as if the rows of every method had been drawn independently, which makes
// the interval of a comparison wider than rows in common would. Any other number has no interval: that seeds agree does not
// say how far another data set, or a method that draws more, would be from it.
func (m *Measurement) withoutSpread(c Claim, recs []*records.Record) {
	n := len(m.Values)
	if n < 2 || slices.Min(m.Values) != slices.Max(m.Values) || m.Wider != [2]float64{} || m.Undecided != "" || m.accept.every || c.Exact != "" || counted(c.Metric) {
		return
	}
	rows := recs[0].Header.Resolved[c.shareOf]
	if rows == 0 || c.X != "" || c.Across != "" { // a place or a slope is no share, whatever its metric is
		m.Undecided = fmt.Sprintf("%s is %s%s on all of %s: nothing varies, so there is no interval; accepted is %s",
			m.What, printed.Number(m.Mean), m.Unit, printed.Count(n, "seed"), m.accept)
		return
	}
	variance := 0.0
	for _, method := range []string{c.Method, m.Rival} {
		if of := records.Select(recs, method); len(of) > 0 {
			variance += c.varianceOfRows(of[0], rows, m.Log)
		}
	}
	m.Estimate = m.WithError(math.Sqrt(variance))
	m.What += fmt.Sprintf(" (the same on every seed, so that the interval is that of %s rows)", printed.Number(rows))
}

// varianceOfRows returns the variance of the claim's metric, a share p of rows drawn independently, in the claim's unit, or of its
// logarithm: p(1 − p)/n, or (1 − p)/(pn), with two rows of either kind added [Agresti & Coull 1998], so that no share is certain.
func (c Claim) varianceOfRows(r *records.Record, rows float64, log bool) float64 {
	p, err := c.Read(r)
	if err != nil {
		return math.Inf(1)
	}
	p = (p/c.factor()*rows + 2) / (rows + 4)
	if log {
		return (1 - p) / (p * rows)
	}
	return c.factor() * c.factor() * p * (1 - p) / rows
}

// counted reports whether the runner counts the metric, so that it is exact.
func counted(metric string) bool {
	a, ok := records.AbscissaOf(metric)
	return ok && a.Source != records.Clock
}
