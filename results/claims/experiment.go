package claims

import (
	"slices"
	"strings"

	"repro/results/records"
)

// An Experiment is the part of a spec that figures, tables and verdicts use.
type Experiment struct {
	ID          string // paper/name
	Paper       Paper
	Title       string
	Source      string // where in the paper
	Data        string // the data set
	Methods     []Method
	Claims      []Claim
	Figures     []Figure
	Casts       func() []Cast // returns those of every figure of the paper's experiments, in which a method looks the same; nil for none
	Tables      []Table
	Ambiguities []Ambiguity
	Metrics     []Metric           // metrics that the experiment measures
	Abscissae   []records.Abscissa // discretisation parameters against which it measures them
	Profile     string
	Argument    string    // names the spec on the command line: its file, or its id if that is empty
	Imported    []string  // methods whose curves other programs made, so that nothing runs them
	External    bool      // a method is a program of the user's, which runs with --allow-external only
	Expected    []Planned // cells of the plan, by which missing and outdated records are found
	Original    Original  // the spec at profile paper
	FailOn      []string  // layers that a gate on it fails on, where a test says them; nil if it does not

	// Where returns the file and the line of a key of a claim, or of the claim if it does not have the key. Nil if they are unknown.
	Where func(claim, key string) (file string, line int)
}

// A Planned names one cell of a plan.
type Planned struct {
	Cell, Method string
	Digest       string // of its settings; empty if they are not known
}

// A Method names one curve. TimeOf is the method whose training time it takes; empty if there is none. Planned is the number of seeds
// that were planned before anybody looked at a verdict; 0 if it is not known. Of a Deterministic one nothing is drawn at random.
type Method struct {
	ID, Label, TimeOf string
	Planned           int
	Deterministic     bool
}

// deterministic reports whether nothing is drawn at random in all methods of a claim.
func (e Experiment) deterministic(c Claim) bool {
	needed := c.Methods()
	for _, m := range e.Methods {
		if m.Deterministic {
			needed = slices.DeleteFunc(slices.Clone(needed), func(id string) bool { return id == m.ID })
		}
	}
	return len(needed) == 0
}

// planned returns the number of seeds that were planned for all methods of a claim; 0 if it is not known.
func (e Experiment) planned(c Claim) (seeds int) {
	for _, m := range e.Methods {
		if m.Planned > 0 && slices.Contains(c.Methods(), m.ID) && (seeds == 0 || m.Planned < seeds) {
			seeds = m.Planned
		}
	}
	return seeds
}

// A Metric is what figures, tables and claims need to know of a metric that the experiment measures.
type Metric struct {
	Name   string
	Words  string // without its unit
	Symbol string // in the letters of the papers; empty if it has none
	Unit   string // fraction is shown in per cent; empty if it is in units of the target or has none
	Better string // which values are: smaller, larger or neither
	Signed bool   // it can be negative

	ShareOf string // the rows of which it is a share, "train" or "test"; empty if it is none
}

// Metric returns the metric of that name, with or without the suffix of the averaged iterate. If the experiment does not
// measure it, only the name is set.
func (e Experiment) Metric(name string) Metric {
	base, _ := strings.CutSuffix(name, records.AverageSuffix)
	for _, m := range e.Metrics {
		if m.Name == base {
			return m
		}
	}
	return Metric{Name: base}
}

// Abscissa returns the abscissa of that name: a discretisation parameter that the experiment declares or uses, or one of
// records.Abscissae. A metric is one with its words and its unit.
func (e Experiment) Abscissa(name string) (a records.Abscissa, ok bool) {
	if i := slices.IndexFunc(e.Abscissae, func(a records.Abscissa) bool { return a.Name == name }); i >= 0 {
		return e.Abscissae[i], true
	}
	if a, ok := records.AbscissaOf(name); ok {
		return a, true
	}
	if m := e.Metric(name); m.Words != "" {
		mesh, _ := records.MeshOf(name)
		return records.Abscissa{Name: name, Words: m.Words, Unit: m.Unit, Finer: mesh.Finer, Source: records.Values}, true
	}
	return records.MeshOf(name)
}

// A Paper is one entry of experiments/papers/papers.toml.
type Paper struct {
	Key     string   `toml:"-" json:"key"`
	Authors []string `toml:"authors" json:"authors" doc:"names in full, in the order of the paper"`
	Title   string   `toml:"title" json:"title" doc:"title of the paper"`
	Venue   string   `toml:"venue" json:"venue" doc:"conference or journal"`
	Year    int      `toml:"year" json:"year" doc:"when it appeared"`
	URL     string   `toml:"url" json:"url" doc:"where the paper can be read"`
	Page    string   `toml:"page" json:"-" doc:"file of the repository that says why its verdicts are what they are"`
	Data    []string `toml:"data" json:"-" doc:"the data sets on which its claims count: its own, and generated ones that meet the conditions of its theorems; any if left out"`
	Rows    []Row    `toml:"row" json:"-" doc:"the lines of its scoreboard; without any it has no scoreboard"`
}

// An Ambiguity is something a paper leaves open, with the choice made.
type Ambiguity struct {
	Item         string   `toml:"item" json:"item" must:"yes" doc:"what the paper leaves open"`
	Chosen       string   `toml:"chosen" json:"chosen" must:"yes" doc:"the choice made here"`
	Alternatives []string `toml:"alternatives" json:"alternatives,omitempty" doc:"other choices that the paper allows"`
	Why          string   `toml:"why" json:"why" must:"yes" doc:"the reason for the choice"`
}

// Own returns the records that belong to the experiment, in their order: those at its profile, or at any profile if it
// names none. It also returns records at other profiles whose digest is that of the planned cell, because they ran the
// same settings; these are copies, with the experiment's profile. It leaves out Strays.
func (e Experiment) Own(recs []*records.Record) []*records.Record {
	own := e.recorded(recs)
	if strays, _ := e.strays(own); len(strays) > 0 {
		own = slices.DeleteFunc(own, func(r *records.Record) bool { return slices.Contains(strays, r) })
	}
	return own
}

// Strays returns the records of the experiment that its plan does not have, as further seeds are, and that differ from the planned
// records of their method in more than the seed, and the settings in which they differ. An earlier run of another spec or of other
// code left them. Further seeds with the settings of the planned ones are none.
func (e Experiment) Strays(recs []*records.Record) (left []*records.Record, keys []string) {
	return e.strays(e.recorded(recs))
}

// Unplanned returns the records of cells that the plan does not have, such as those of further seeds.
func (e Experiment) Unplanned(recs []*records.Record) []*records.Record {
	digests := e.digests()
	return slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool { _, planned := digests[r.Header.Cell]; return planned })
}

// strays is Strays of the experiment's own records.
func (e Experiment) strays(own []*records.Record) (left []*records.Record, keys []string) {
	further := e.Unplanned(own)
	if len(further) == 0 {
		return nil, nil
	}
	digests, planned := e.digests(), map[string][]*records.Record{} // by method
	for _, r := range own {
		if _, ok := digests[r.Header.Cell]; ok {
			planned[r.Header.Method] = append(planned[r.Header.Method], r)
		}
	}
	for method, all := range planned {
		planned[method] = distinct(all)
	}
	for _, r := range further {
		for _, p := range planned[r.Header.Method] {
			if !records.Alike(p, r) {
				left, keys = append(left, r), append(keys, records.VariedSettings([]*records.Record{p, r})...)
				break
			}
		}
	}
	slices.Sort(keys)
	return left, slices.Compact(keys)
}

// recorded returns Own with Strays.
func (e Experiment) recorded(recs []*records.Record) (own []*records.Record) {
	digests := e.digests()
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

// outdated lists the methods of records whose settings differ from those that the plan has for their cell.
func (e Experiment) outdated(own []*records.Record) []string {
	digests := e.digests()
	var methods []string
	for _, r := range own {
		if d := digests[r.Header.Cell]; d != "" && d != r.Header.Digest && !slices.Contains(methods, r.Header.Method) {
			methods = append(methods, r.Header.Method)
		}
	}
	return methods
}

// digests returns the digests of the plan by cell.
func (e Experiment) digests() map[string]string {
	digests := map[string]string{}
	for _, p := range e.Expected {
		digests[p.Cell] = p.Digest
	}
	return digests
}

// A Figure says which curves to draw.
type Figure struct {
	ID      string `toml:"id" json:"id" must:"yes" doc:"name of the figure and of its files"`
	Kind    string `toml:"kind" json:"kind" want:"|figure" doc:"what it shows; curves if left out"`
	Title   string `toml:"title" json:"title" doc:"title above the figure"`
	Source  string `toml:"source" json:"source" doc:"the paper's figure it reproduces"`
	Caption string `toml:"caption" json:"caption" doc:"what to look at, in a sentence; axes, seeds, bands and verdicts are added"`

	X       string     `toml:"x" json:"x" want:"|abscissa" doc:"abscissa, as in a claim's x"`
	Across  string     `toml:"across" json:"across,omitempty" doc:"instead of x: the key of the grids of the series' methods, such as data.inputs; a curve then has one point for each combination of a grid, at the end of its runs"`
	By      string     `toml:"by" json:"by,omitempty" doc:"map: the key of the grid on the vertical axis, such as step.gamma0; across is on the horizontal one"`
	Limit   string     `toml:"limit" json:"limit,omitempty" doc:"map: metric to draw as a line over the colours, a value of the key by, such as step-limit"`
	Y       string     `toml:"y" json:"y" want:"|curve" doc:"metric on the vertical axis"`
	Scale   string     `toml:"scale" json:"scale" want:"|loglog|semilogx|semilogy|linear" doc:"loglog (the default), semilogx, semilogy or linear"`
	Methods []string   `toml:"methods" json:"-" doc:"in place of series: the methods to draw, each as its metric y"`
	Series  []Series   `toml:"series" json:"series,omitempty" doc:"curves to draw; every method if left out, but with across the grids have to be named"`
	Guides  []Guide    `toml:"guides" json:"guides,omitempty" doc:"lines of a given slope on logarithmic axes, or of a given factor with scale = semilogy"`
	Claims  []string   `toml:"claims" json:"claims,omitempty" doc:"claims whose published values the figure marks and whose verdicts the caption gives"`
	Levels  []float64  `toml:"levels" json:"levels,omitempty" doc:"heatmap: values at which a line is drawn, such as 0 for the boundary of two classes"`
	Classes []string   `toml:"classes" json:"classes,omitempty" doc:"heatmap of a problem with classes: their names in the order of their numbers, for the legend. functions: the names of the rows with y < 0 and y > 0, which are then drawn at the lower and the upper edge"`
	YRange  [2]float64 `toml:"y_range" json:"y_range,omitzero" doc:"smallest and largest y shown, or the ends of the colour scale of a heat map or a map; from the data if left out"`

	XLabel string `toml:"x_label" json:"x_label,omitempty" doc:"label of the horizontal axis; the words for x if left out"`
	YLabel string `toml:"y_label" json:"y_label,omitempty" doc:"label of the vertical axis, or of the colour bar; the words for y with its unit if left out"`
}

// Limits of the width of a figure in cm, and of its font in points.
const (
	SmallestSide, LargestSide = 3, 100
	SmallestFont, LargestFont = 4, 100
)

// A Cast lists the methods that a figure draws.
type Cast []Method

// A Series is one curve, or one panel of a heat map.
type Series struct {
	Method string `toml:"method" json:"method" must:"yes" doc:"id of a method; truth for the function that generated the data, in a heatmap or functions figure"`
	Metric string `toml:"metric" json:"metric,omitempty" want:"|curve" doc:"metric, the figure's y if left out"`
	Label  string `toml:"label" json:"label,omitempty" doc:"name in the legend, the method's if left out"`

	Level bool `toml:"level" json:"level,omitempty" doc:"draw the value at the end of the run as a horizontal line across the figure; a curve that is a single point always is. In a figure across a grid, a method without the grid may have one"`

	Statistic string   `toml:"statistic" json:"statistic,omitempty" want:"|statistic" doc:"statistic over seeds to draw without a band, instead of the median: mean, or a quantile such as q90"`
	Members   []string `toml:"-" json:"members,omitempty"` // methods of the grid that Method names, if the figure has Across
}

// A Guide is a line of a known slope or factor.
type Guide struct {
	Slope  float64 `toml:"slope" json:"slope,omitempty" not:"factor" doc:"slope on logarithmic axes"`
	Factor float64 `toml:"factor" json:"factor,omitempty" want:">= 0" doc:"factor in every unit of x, as of a claim of kind geometric"`
	Label  string  `toml:"label" json:"label" doc:"name in the legend"`
}

// A Table lists methods against metrics or, with X, places on the curves against both.
type Table struct {
	ID      string     `toml:"id" json:"id" must:"yes" doc:"name of the table and of its files"`
	Title   string     `toml:"title" json:"title" doc:"title above the table"`
	Source  string     `toml:"source" json:"source" doc:"the paper's table or figure it reproduces"`
	Metrics []string   `toml:"metrics" json:"metrics" want:"curve" must:"yes" doc:"columns: metrics, or abscissae such as seconds and memory"`
	Methods []string   `toml:"methods" json:"methods,omitempty" doc:"ids of the methods in the rows, or with x in groups of columns; every method if left out"`
	At      records.At `toml:"at" json:"at,omitzero" not:"rows" doc:"where on the curves to read"`

	X    string    `toml:"x" json:"x,omitempty" want:"|abscissa" doc:"abscissa of a table whose rows are places on the curves and whose columns are methods by metrics; of a discretisation parameter, with the observed orders"`
	Rows []float64 `toml:"rows" json:"rows,omitempty" asks:"x name the abscissa of the rows, as in x = \"epoch\"" want:"> 0" doc:"the places, rising; every mesh if x is a discretisation parameter and they are left out"`
}
