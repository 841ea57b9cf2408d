package results

import (
	"slices"
	"strings"
)

// An Experiment is what figures, tables and verdicts need to know of a spec.
type Experiment struct {
	ID          string // paper/name
	Paper       Paper
	Title       string
	Source      string // where in the paper
	Methods     []Method
	Claims      []Claim
	Figures     []Figure
	Tables      []Table
	Ambiguities []Ambiguity
	Metrics     []Metric // those it measures
	Profile     string
	Expected    []Planned // the cells of its plan, so that a missing or outdated record is seen
}

// A Planned is one cell of a plan.
type Planned struct {
	Cell, Method string
	Digest       string // of its settings; empty if they are not known
}

// Records returns those of the records that are the experiment's as it is laid out, in their order:
// those at its profile, at any if it names none, and those of a planned cell with the plan's digest,
// which ran the same thing under another profile. The latter are returned as copies at its profile.
func (e Experiment) Records(recs []*Record) []*Record {
	digests := e.digests()
	var own []*Record
	for _, r := range recs {
		switch h := r.Header; {
		case h.Experiment != e.ID:
		case e.Profile == "" || h.Profile == e.Profile:
			own = append(own, r)
		case h.Digest != "" && h.Digest == digests[h.Cell]:
			adopted := *r
			adopted.Header.Profile = e.Profile
			own = append(own, &adopted)
		}
	}
	return own
}

// outdated lists the methods of records whose settings are not those the plan has for their cell.
func (e Experiment) outdated(own []*Record) []string {
	digests := e.digests()
	var methods []string
	for _, r := range own {
		if d := digests[r.Header.Cell]; d != "" && d != r.Header.Digest && !slices.Contains(methods, r.Header.Method) {
			methods = append(methods, r.Header.Method)
		}
	}
	return methods
}

// A Method names one curve.
type Method struct{ ID, Label string }

// A Paper is one entry of experiments/papers.toml.
type Paper struct {
	Key     string   `toml:"-" json:"key"`
	Authors []string `toml:"authors" json:"authors"`
	Title   string   `toml:"title" json:"title"`
	Venue   string   `toml:"venue" json:"venue"`
	Year    int      `toml:"year" json:"year"`
	URL     string   `toml:"url" json:"url"`
}

// An Ambiguity is something a paper leaves open, with the choice made.
type Ambiguity struct {
	Item         string   `toml:"item" json:"item" doc:"what the paper leaves open"`
	Chosen       string   `toml:"chosen" json:"chosen" doc:"the choice made here"`
	Alternatives []string `toml:"alternatives" json:"alternatives,omitempty" doc:"what else it could mean"`
	Why          string   `toml:"why" json:"why" doc:"why this choice"`
}

// digests returns the digests of the plan by cell.
func (e Experiment) digests() map[string]string {
	digests := map[string]string{}
	for _, p := range e.Expected {
		digests[p.Cell] = p.Digest
	}
	return digests
}

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

	At     At         `toml:"at" json:"at,omitzero" doc:"where on the curve to read the metric; its end if left out"`
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

// An At says where on a curve to read: the last point whose x is not beyond Value. Zero means the end.
type At struct {
	X     string  `toml:"x" json:"x,omitempty" doc:"abscissa, as in a claim's x"`
	Value float64 `toml:"value" json:"value,omitempty" doc:"its value"`
}

// Abscissae lists the names an X may have.
var Abscissae = []string{"step", "seen", "epoch", "seconds", "step-seconds", "kernel-evals", "feature-evals", "evals", "flops", "memory"}

// AverageSuffix after a metric's name means the metric of the averaged iterate.
const AverageSuffix = "@average"

// A Metric is what figures, tables and claims need to know of a metric that the experiment measures.
type Metric struct {
	Name   string
	Words  string // without its unit
	Symbol string // in the letters of the papers; empty if it has none
	Unit   string // fraction; empty if it is in units of the target or has none
	Better string // which values are: smaller, larger or neither
}

// Metric returns what is known of a metric, of the averaged iterate too; only its name if the experiment does not
// measure it.
func (e Experiment) Metric(name string) Metric {
	base, _ := strings.CutSuffix(name, AverageSuffix)
	for _, m := range e.Metrics {
		if m.Name == base {
			return m
		}
	}
	return Metric{Name: base}
}

// InPercent says whether a metric is shown in per cent: it is a fraction of rows, or a claim prints it so.
func (e Experiment) InPercent(metric string) bool {
	return e.Metric(metric).Unit == "fraction" ||
		slices.ContainsFunc(e.Claims, func(c Claim) bool { return c.Metric == metric && c.Unit == percent })
}

// A Figure says which curves to draw.
type Figure struct {
	ID      string `toml:"id" json:"id" doc:"name of the figure and of its files"`
	Kind    string `toml:"kind" json:"kind" doc:"curves (the default); heatmap or functions: what was learnt, of two inputs or of one"`
	Title   string `toml:"title" json:"title" doc:"title above the figure"`
	Source  string `toml:"source" json:"source" doc:"the paper's figure it reproduces"`
	Caption string `toml:"caption" json:"caption" doc:"what to look at, in a sentence; axes, seeds, bands and verdicts are added"`

	X      string     `toml:"x" json:"x" doc:"abscissa, as in a claim's x"`
	Across string     `toml:"across" json:"across,omitempty" doc:"in place of x: the key of the grids of the series' methods, whose combinations become the points of a curve, at the end of their runs"`
	Y      string     `toml:"y" json:"y" doc:"metric on the vertical axis"`
	Scale  string     `toml:"scale" json:"scale" doc:"loglog (the default), semilogx, semilogy or linear"`
	Series []Series   `toml:"series" json:"series,omitempty" doc:"curves to draw; every method if left out"`
	Guides []Guide    `toml:"guides" json:"guides,omitempty" doc:"lines of a given slope, on logarithmic axes"`
	Claims []string   `toml:"claims" json:"claims,omitempty" doc:"claims whose published values are marked and whose verdicts the caption tells"`
	YRange [2]float64 `toml:"y_range" json:"y_range,omitzero" doc:"smallest and largest y shown, of a heat map the ends of its colours; from the data if left out"`
}

// A Series is one curve, or one panel of a heat map.
type Series struct {
	Method string `toml:"method" json:"method" doc:"id of a method; truth for the generating function in a figure of functions learnt"`
	Metric string `toml:"metric" json:"metric,omitempty" doc:"metric, the figure's y if left out"`
	Label  string `toml:"label" json:"label,omitempty" doc:"name in the legend, the method's if left out"`

	Level bool `toml:"level" json:"level,omitempty" doc:"draw the value at the end of the run as a level line across the figure, for a method whose curve is a point"`

	Statistic string   `toml:"statistic" json:"statistic,omitempty" doc:"statistic over seeds to draw, without a band, in place of the median: mean, or a quantile such as q90"`
	Members   []string `toml:"-" json:"members,omitempty"` // methods of the grid that Method names, in a figure across it
}

// A Guide is a line of a known slope.
type Guide struct {
	Slope float64 `toml:"slope" json:"slope" doc:"slope on logarithmic axes"`
	Label string  `toml:"label" json:"label" doc:"name in the legend"`
}

// A Table lists methods against metrics or, with X, places on the curves against both.
type Table struct {
	ID      string   `toml:"id" json:"id" doc:"name of the table and of its files"`
	Title   string   `toml:"title" json:"title" doc:"title above the table"`
	Source  string   `toml:"source" json:"source" doc:"the paper's table or figure it reproduces"`
	Metrics []string `toml:"metrics" json:"metrics" doc:"columns: metrics, or abscissae such as seconds and memory"`
	Methods []string `toml:"methods" json:"methods,omitempty" doc:"rows, or with x groups of columns: ids of methods, every method if left out"`
	At      At       `toml:"at" json:"at,omitzero" doc:"where on the curves to read"`

	X    string    `toml:"x" json:"x,omitempty" doc:"abscissa of a table whose rows are places on the curves and whose columns are methods by metrics"`
	Rows []float64 `toml:"rows" json:"rows,omitempty" doc:"these places, rising"`
}

// The verdict on a claim.
type Word string

const (
	Reproduced    Word = "reproduced"     // the interval lies inside the tolerance
	Deviates      Word = "deviates"       // the interval lies outside
	Inconclusive  Word = "inconclusive"   // it straddles, or there are too few seeds for one
	NotComparable Word = "not comparable" // reduced profile, substitute data, other hardware for a timing
	NotRun        Word = "not run"
	FailedVerdict Word = "failed" // a run the claim needs failed or diverged
)

// A Verdict is the outcome of one claim. Low and High bound the 95 % interval over seeds. Numbers
// are nil where there are none.
type Verdict struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Kind       string   `json:"kind"`
	Statement  string   `json:"statement"`
	Source     string   `json:"source"`
	Method     string   `json:"method"`
	Against    []string `json:"against,omitempty"`
	Metric     string   `json:"metric"`
	Unit       string   `json:"unit,omitempty"`
	Column     string   `json:"column,omitempty"` // the claim of kind values that the claim is a number of

	Published     string      `json:"published"`
	PublishedLow  *float64    `json:"published_low"` // of its rounding interval
	PublishedHigh *float64    `json:"published_high"`
	Measured      *float64    `json:"measured"`
	Low           *float64    `json:"low"`
	High          *float64    `json:"high"`
	Tolerance     float64     `json:"tolerance"`
	Accept        [2]*float64 `json:"accept"` // the measured interval must lie in here; nil is unbounded

	Verdict Word   `json:"verdict"`
	AtSize  Word   `json:"at_this_size,omitempty"` // what the records say by themselves, where they are not comparable
	Profile string `json:"profile"`
	Seeds   int    `json:"seeds"`
	Reason  string `json:"reason"`

	OneRun      *[2]float64   `json:"one_run,omitempty"`     // where one more run lies with probability 0.95, for a printed number
	Window      *[2]float64   `json:"window,omitempty"`      // x range a rate was fitted on
	Sensitivity []Sensitivity `json:"sensitivity,omitempty"` // how a rate moves when its window moves
	Warnings    []string      `json:"warnings,omitempty"`
}

// A Sensitivity is a rate fitted on another window.
type Sensitivity struct {
	Window [2]float64 `json:"window"`
	Slope  float64    `json:"slope"`
	Low    float64    `json:"low"`
	High   float64    `json:"high"`
}
