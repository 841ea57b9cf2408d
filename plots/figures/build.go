package figures

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// ErrNoData is wrapped by errors about a figure that cannot be drawn until the runs it needs have been made.
var ErrNoData = errors.New("nothing to draw")

// A Builder has what the model of a figure is made from.
type Builder struct {
	claims.Case
	Spec claims.Figure // of the experiment
	dir  string        // output folder, which holds surfaces and functions
	unit claims.Unit   // of y
}

// Build makes the model of a figure from the records and verdicts of its case. It reads the
// surfaces of heat maps and the functions of function figures below dir; one that is missing or damaged becomes a warning.
// It returns an error if nothing can be drawn.
func Build(dir string, j claims.Case, fig claims.Figure) (Figure, error) {
	f := Figure{ID: fig.ID}
	b := Builder{Case: j, Spec: fig, dir: dir, unit: claims.Unit{Factor: 1}}
	f.Title = cmp.Or(fig.Title, j.Title)
	if fig.Source != "" {
		f.Title += " (" + fig.Source + ")"
	}
	f.Title, f.Note = Typeset(f.Title), spelt(j.Reduced(b.drawn()))
	f.Caption.Add("%s", Typeset(fig.Caption))
	k := KindOf(fig.Kind)
	var err error
	if k.Build == nil {
		err = fmt.Errorf("unknown kind %q: want one of %s", fig.Kind, strings.Join(Kinds(), ", "))
	} else {
		err = k.Build(&b, &f)
	}
	if err != nil {
		return f, fmt.Errorf("figure %s of %s: %w", fig.ID, j.ID, err)
	}
	b.endCaption(&f.Caption)
	return f, nil
}

// XLabel returns the label of the horizontal axis: the spec's, or the one given.
func (b *Builder) XLabel(words string) string { return cmp.Or(Typeset(b.Spec.XLabel), words) }

// YLabel returns the label of the vertical axis or of the colour bar: the spec's, or the one given.
func (b *Builder) YLabel(words string) string { return cmp.Or(Typeset(b.Spec.YLabel), words) }

// Series returns what to draw.
func (b *Builder) Series() []claims.Series { return Series(b.Experiment, b.Spec) }

// Series returns what a figure draws: the series that it lists, or every method. A figure of learnt functions that lists none starts with the function that generated the data.
func Series(exp claims.Experiment, fig claims.Figure) []claims.Series {
	if len(fig.Series) > 0 {
		return fig.Series
	}
	var all []claims.Series
	if KindOf(fig.Kind).Learnt {
		all = append(all, claims.Series{Method: Truth})
	}
	for _, m := range exp.Methods {
		all = append(all, claims.Series{Method: m.ID})
	}
	return all
}

// Label returns a method's name in legends.
func (b *Builder) Label(method string) string {
	for _, m := range b.Experiment.Methods {
		if m.ID == method && m.Label != "" {
			return Typeset(m.Label)
		}
	}
	for _, s := range b.Spec.Series {
		if s.Method == method && s.Members != nil && s.Label != "" {
			return Typeset(s.Label)
		}
	}
	if method == Truth {
		return "generating function"
	}
	return method
}

// figureClaims returns the claims that the figure names, in the figure's order.
func (b *Builder) figureClaims() []claims.Claim {
	var out []claims.Claim
	for _, id := range b.Spec.Claims {
		for _, c := range b.Experiment.Claims {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	return out
}

// drawn returns the records of the methods that the figure draws.
func (b *Builder) drawn() []*records.Record {
	var recs []*records.Record
	for _, s := range b.Series() {
		for _, m := range append(slices.Clone(s.Members), s.Method) {
			recs = append(recs, records.Select(b.Records, m)...)
		}
	}
	return recs
}

// endCaption adds the verdicts on the figure's claims, how the runs differ from the paper's, and missing data.
func (b *Builder) endCaption(c *Caption) {
	var numbers []claims.Verdict
	for _, id := range b.Spec.Claims {
		switch v := b.On(id); {
		case v == nil:
		case v.Column != "" || v.Whole():
			numbers = append(numbers, *v)
		default:
			c.Add("%s", VerdictSentence(b.Experiment, *v))
		}
	}
	c.Add("%s", columnsSentence(numbers))
	if s := b.Experiment.Departure(b.drawn()); s != "" {
		c.Add("These runs have %s", s)
	}
	if s := b.partialSentence(); s != "" {
		c.Add("%s", s)
	}
}

// partialSentence counts the missing data: planned cells without a record, and runs that were interrupted, timed out,
// failed or were skipped.
func (b *Builder) partialSentence() string {
	have := map[string]bool{}
	odd := map[records.Status]int{}
	for _, r := range b.Records {
		have[r.Header.Cell] = true
		switch s := r.Status(); s {
		case records.Partial, records.Timeout, records.Memory, records.Failed, records.Skipped:
			odd[s]++
		}
	}
	missing := 0
	for _, p := range b.Experiment.Expected {
		if !have[p.Cell] {
			missing++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without a record", missing, printed.Count(len(b.Experiment.Expected), "planned run")))
	}
	for _, s := range []records.Status{records.Partial, records.Timeout, records.Memory, records.Failed, records.Skipped} {
		if odd[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", odd[s], s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Data is incomplete: " + strings.Join(parts, ", ")
}

// A Kind is a sort of figure. One declaration says which keys of a spec it takes, what is wrong with them together, and how its
// model is made from records. The loader, the schema, the reference and the report ask it.
type Kind struct {
	Name string // in specs
	Doc  string // what such a figure shows, in a sentence without a full stop

	Needs []string // keys that a spec must give, beside those of every figure
	May   []string // keys that a spec may give

	// Learnt says that it shows functions as they were learnt, which runs write if evaluate.surface is set. Its series name
	// methods, or Truth, and no metrics.
	Learnt bool

	// Check notes what is wrong with the keys of a figure together. Nil if nothing can be.
	Check func(f *claims.Figure, keys Keys)

	// Build gives a figure that has its title, its note and its style either curves or heat maps, adds to its caption what they
	// show, and to its warnings what is left out. The error wraps ErrNoData if only runs are missing.
	Build func(b *Builder, f *Figure) error
}

// Keys are what a spec gives for a figure: a kind's Check looks there and notes what is wrong.
type Keys interface {
	claims.Keys
	Measured(key, metric, method string) // notes at the key unless runs of the method measure the metric
	Varied(key, setting, method string)  // notes at the key unless the grid of the method varies the setting
}

// commonKeys are the keys of figures of every kind.
var commonKeys = []string{"id", "kind", "title", "source", "caption", "claims", "y_range", "x_label", "y_label"}

// Takes reports whether figures of the kind may have a key.
func (k *Kind) Takes(key string) bool {
	return slices.Contains(commonKeys, key) || slices.Contains(k.Needs, key) || slices.Contains(k.May, key)
}

var kinds = claims.Registry[Kind, claims.Figure]{Package: "figures", Noun: "figure"}

// Register adds a kind of figure that specs may name. It panics if the kind has no name or no words, cannot be built, has the
// name of another, or lists a key that no figure has.
func Register(k Kind) *Kind {
	if k.Name == "" || k.Doc == "" || k.Build == nil {
		panic(fmt.Sprintf("figures: a kind needs Name, Doc and Build, got %q", k.Name))
	}
	kinds.Add(k.Name, &k, slices.Concat(k.Needs, k.May))
	return &k
}

// Kinds lists the names of the kinds of figure in alphabetical order.
func Kinds() []string { return kinds.Names() }

// KindOf returns the kind of that name; figures of no kind are curves. For a name that is not registered, it is a kind that takes
// no keys of its own and builds nothing.
func KindOf(name string) *Kind {
	if name == "" {
		name = curvesName
	}
	if k := kinds.Get(name); k != nil {
		return k
	}
	return &Kind{Name: name}
}

const curvesName = "curves"

// A Caption is a list of sentences.
type Caption []string

// Add adds a sentence, unless it is empty. It ends it with a full stop if it has no end.
func (c *Caption) Add(format string, args ...any) {
	if s := Sentence(fmt.Sprintf(format, args...)); s != "" {
		*c = append(*c, s)
	}
}

// String returns the sentences as a paragraph.
func (c Caption) String() string { return strings.Join(c, " ") }

// Sentence ends a text with a full stop, unless it ends with one or is empty.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// AppendNew appends the values that are not empty and not there yet.
func AppendNew(list []string, values ...string) []string {
	for _, v := range values {
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// columnsSentence counts the verdicts on the numbers of whole columns of tables.
func columnsSentence(verdicts []claims.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	var sources, origins []string
	for _, v := range verdicts {
		sources, origins = AppendNew(sources, v.Source), AppendNew(origins, v.Origin())
	}
	s := "Verdicts on numbers " + strings.Join(origins, " and ")
	if len(sources) > 0 {
		s += " (" + strings.Join(sources, ", ") + ")"
	}
	return s + ": " + claims.ScoreOf(verdicts).String()
}

// What the sentences of a caption on the axes and on a claim begin with.
const (
	AxesSentence  = "Horizontal: "
	ClaimSentence = "Claim "
)

// VerdictSentence returns a verdict as a sentence: the measured and the published number, and the word.
func VerdictSentence(exp claims.Experiment, v claims.Verdict) string {
	s := ClaimSentence + v.Claim
	if v.Source != "" {
		s += " (" + v.Source + ")"
	}
	var parts []string
	if m := Measured(v); m != "" {
		what := string(v.Quantity())
		if what == "" {
			what = CurveName(exp, v.Metric)
		}
		parts = append(parts, what+" "+m)
	}
	if p := Published(v); p != "" {
		parts = append(parts, v.Origin()+" "+p)
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	return s + ": " + v.VerdictText()
}

// gridWords names the keys of grids that figures can be drawn across.
var gridWords = map[string]string{
	"data.inputs": "input dimension d",
	"data.train":  "training examples n",
	"features":    "number of features or landmarks r",
	"batch":       "batch size B",
	"block":       "block size F",
	"step.gamma0": "step size γ",
}

// CurveName returns the words for a metric or a cost of the experiment. A metric's words do not include its unit.
func CurveName(exp claims.Experiment, name string) string {
	return InWords(exp.Metric(name).Words, name)
}

// InWords returns the words for the metric or the cost of the given name. words are those of the metric.
func InWords(words, name string) string {
	base, average := strings.CutSuffix(name, records.AverageSuffix)
	if words == "" {
		words = AbscissaName(base)
	}
	if average {
		words += " of the averaged iterate"
	}
	return words
}

// AbscissaOf returns the words for an abscissa of the experiment, with its unit, or for a key of a grid.
func AbscissaOf(exp claims.Experiment, x string) string {
	a, ok := exp.Abscissa(x)
	switch {
	case !ok:
		return AbscissaName(x)
	case a.Finer != "" && a.Words != a.Name && len(a.Name) <= 2: // in the letters of the theory
		a.Words += " " + a.Name
	}
	return a.Label()
}

// AbscissaName returns the words for one of records.Abscissae, with its unit, or for a key of a grid.
func AbscissaName(x string) string {
	if a, ok := records.AbscissaOf(x); ok {
		return a.Label()
	}
	if words, ok := gridWords[x]; ok {
		return words
	}
	return strings.ReplaceAll(x, "-", " ")
}

// marks returns the published and derived values of the figure's claims on a metric of a series. Across a grid those of its
// combinations have one label, after the name of the grid.
func (b *Builder) marks(s claims.Series, metric, name string, style int) []Mark {
	var out []Mark
	var column string
	for _, c := range b.figureClaims() {
		member := slices.Contains(s.Members, c.Method)
		if c.Method != s.Method && !member || c.Metric != metric || b.Spec.Across != "" && c.At.Value != 0 {
			continue
		}
		if c.Reference != nil {
			out = append(out, b.curveMarks(c, style)...)
			continue
		}
		x := math.NaN() // a line across the panel
		if member || b.Spec.Across == "" {
			x = b.markX(c)
		}
		if c.Quantity() != claims.OfMetric || member && math.IsNaN(x) {
			continue
		}
		y, low, high, err := printed.Parse(c.Number())
		if err != nil {
			continue // the claim's verdict holds the error
		}
		if c.AtMost || c.AtLeast {
			low, high = y, y // a bound has no other numbers that round to it
		}
		if c.Column != "" {
			name = b.Label(s.Method)
		} else if member {
			c.Column = s.Method
		}
		label := fmt.Sprintf("%s: %s %s%s%s", b.Label(s.Method), c.Origin(), ofBound(c), Typeset(c.Number()), claims.UnitSign(c.Unit))
		if c.Column != "" {
			label = name + ": " + c.Origin()
		}
		if c.Column != "" && c.Column == column {
			label = "" // the whole column has one entry in the legend
		}
		column = c.Column
		out = append(out, Mark{X: x, Y: y, Low: low, High: high, Style: style, Label: label, Origin: c.Origin(), Column: c.Column != "", Claim: c.ID})
	}
	return out
}

// curveMarks returns points of a published curve, at equal distances in their order, with their errors of reading.
func (b *Builder) curveMarks(c claims.Claim, style int) (out []Mark) {
	if c.Across != b.Spec.Across {
		return nil
	}
	unit, label := b.unit.Factor, b.Label(c.Method)+": "+c.Origin()
	if c.Unit == claims.Percent {
		unit /= 100
	}
	for _, i := range stats.Evenly(len(c.Reference.Points), curvePoints) {
		x, y, _, dy := c.Reference.At(i)
		if c.Across == "" {
			c.At = records.At{X: c.X, Value: x}
			x = b.markX(c)
		}
		out = append(out, Mark{X: x, Y: unit * y, Low: unit * (y - dy), High: unit * (y + dy), Style: style, Label: label, Origin: c.Origin(), Column: true, Read: true, Claim: c.ID})
		label = "" // the whole curve has one entry in the legend
	}
	return slices.DeleteFunc(out, func(m Mark) bool { return math.IsNaN(m.X) })
}

// curvePoints is the largest number of points of a published curve that a figure draws.
const curvePoints = 24

// ofBound returns what stands before a published value that is a bound.
func ofBound(c claims.Claim) string {
	if c.AtMost {
		return "upper bound "
	}
	if c.AtLeast {
		return "lower bound "
	}
	return ""
}

// unmarked says which claims of a figure across a grid have published values that it does not mark.
func (b *Builder) unmarked(marks []Mark) (warnings []string) {
	for _, c := range b.figureClaims() {
		_, _, _, err := printed.Parse(c.Number())
		valued := c.Reference != nil || err == nil && c.Quantity() == claims.OfMetric
		if b.Spec.Across != "" && valued && !slices.ContainsFunc(marks, func(m Mark) bool { return m.Claim == c.ID }) {
			warnings = append(warnings, fmt.Sprintf("claim %s: the number %s is not marked: it is of another method, metric or place than the figure shows", c.ID, c.Origin()))
		}
	}
	return warnings
}

// markX returns the place at which a claim reads its curve, on the figure's abscissa or, across a grid, the setting of its method. It
// is NaN for the end of the curve, and for a method without that setting.
func (b *Builder) markX(c claims.Claim) float64 {
	if b.Spec.Across != "" {
		for _, r := range records.Select(b.Records, c.Method) {
			if x, err := r.Header.Setting(b.Spec.Across); err == nil {
				return x
			}
		}
		return math.NaN()
	}
	if c.At.Value == 0 {
		return math.NaN()
	}
	if c.At.X == b.Spec.X {
		return c.At.Value
	}
	for _, r := range records.Select(b.Records, c.Method) {
		if x, ok := r.At(b.Spec.X, c.At); ok {
			return x
		}
	}
	return math.NaN()
}
