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
	Methods     []Method
	Claims      []Claim
	Figures     []Figure
	Casts       func() []Cast // returns those of every figure of the paper's experiments, in which a method looks the same; nil for none
	Tables      []Table
	Ambiguities []Ambiguity
	Metrics     []Metric // metrics that the experiment measures
	Profile     string
	Expected    []Planned // cells of the plan, by which missing and outdated records are found
	Original    Original  // the spec at profile paper
}

// A Planned names one cell of a plan.
type Planned struct {
	Cell, Method string
	Digest       string // of its settings; empty if they are not known
}

// A Method names one curve. TimeOf is the method whose training time it takes; empty if there is none.
type Method struct{ ID, Label, TimeOf string }

// A Metric is what figures, tables and claims need to know of a metric that the experiment measures.
type Metric struct {
	Name   string
	Words  string // without its unit
	Symbol string // in the letters of the papers; empty if it has none
	Unit   string // fraction; empty if it is in units of the target or has none
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

// A Paper is one entry of experiments/papers.toml.
type Paper struct {
	Key     string   `toml:"-" json:"key"`
	Authors []string `toml:"authors" json:"authors" doc:"names in full, in the order of the paper"`
	Title   string   `toml:"title" json:"title" doc:"title of the paper"`
	Venue   string   `toml:"venue" json:"venue" doc:"conference or journal"`
	Year    int      `toml:"year" json:"year" doc:"when it appeared"`
	URL     string   `toml:"url" json:"url" doc:"where the paper can be read"`
	Page    string   `toml:"page" json:"-" doc:"file of the repository that says why its verdicts are what they are"`
	Rows    []Row    `toml:"row" json:"-" doc:"the lines of its scoreboard; without any it has no scoreboard"`
}

// An Ambiguity is something a paper leaves open, with the choice made.
type Ambiguity struct {
	Item         string   `toml:"item" json:"item" must:"yes" doc:"what the paper leaves open"`
	Chosen       string   `toml:"chosen" json:"chosen" must:"yes" doc:"the choice made here"`
	Alternatives []string `toml:"alternatives" json:"alternatives,omitempty" doc:"other choices that the paper allows"`
	Why          string   `toml:"why" json:"why" must:"yes" doc:"the reason for the choice"`
}

// Records returns the records that belong to the experiment, in their order: those at its profile, or at any profile if it
// names none. It also returns records at other profiles whose digest is that of the planned cell, because they ran the
// same settings; these are copies, with the experiment's profile.
func (e Experiment) Records(recs []*records.Record) []*records.Record {
	digests := e.digests()
	var own []*records.Record
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

// A Case is an experiment with the verdicts on its claims: what commands judge, reports show and exports describe.
type Case struct {
	Experiment
	Verdicts []Verdict // in the order of the claims
}

// NewCase judges the claims of an experiment from records, among which there may be those of others.
func NewCase(exp Experiment, recs []*records.Record) Case {
	return Case{Experiment: exp, Verdicts: Judge(exp, recs)}
}
