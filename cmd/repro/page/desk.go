// Package page does the work of a page that runs experiments: it checks specs, says what they take, runs them in a folder, makes
// figures and verdicts of what is there, and packs it as a bundle. Program wasm calls it in a browser.
//
// A spec may come from a stranger's link. It reaches what this package imports: generated data, and the files that the reader dropped.
// No file of a page leads out of it, and nothing here downloads or starts programs.
package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/plots/figures"
	"repro/plots/live"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A Desk is a folder in which a page works.
type Desk struct {
	Dir    string // of the reader's files and, below, of what runs write
	Memory int64  // bytes that a run may take
}

// A Spec is what a page asks about.
type Spec struct {
	File    string `json:"file"` // such as ridge.toml; the id of the experiment is its paper with this name
	Text    string `json:"text"`
	Profile string `json:"profile"`

	Set []string `json:"set,omitempty"` // edits, path=value, as of run --set
	Out string   `json:"out,omitempty"` // folder of what runs write, below that of all
}

// A Mistake is a line of a spec with what is wrong there; Line is 0 if it is about no line.
type Mistake struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A Checked is what is known of a spec before it runs.
type Checked struct {
	Mistakes []Mistake `json:"mistakes"`
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Cells    int       `json:"cells"`
	Takes    string    `json:"takes"` // in words, on a typical processor
	Refused  string    `json:"refused,omitempty"`
	Profiles []string  `json:"profiles"`
	Files    []string  `json:"files"` // that the spec names and are not here
}

// out is the folder of what the runs of a spec write.
func (d *Desk) out(s Spec) string { return filepath.Join(d.Dir, "out", filepath.Clean("/"+s.Out)) }

// library opens generated data and the reader's files.
func (d *Desk) library() *datasets.Library {
	return &datasets.Library{Offline: true, Memory: d.Memory, SearchPath: []string{d.Dir}}
}

// load loads a spec beside the reader's files.
func (d *Desk) load(s Spec) (*experiments.Spec, error) {
	return catalog.LoadText(filepath.Join(d.Dir, path.Base(s.File)), []byte(s.Text), experiments.LoadOptions{Profile: s.Profile, Set: s.Set})
}

// located matches the beginning of a mistake: its file and its line.
var located = regexp.MustCompile(`^(?:[^:]*\.toml):(\d+): (?s)(.*)$`)

// mistakes takes an error of the loader apart.
func mistakes(err error) []Mistake {
	var all []Mistake
	for _, text := range strings.Split(err.Error(), "\n") {
		m := Mistake{Text: text}
		if found := located.FindStringSubmatch(text); found != nil {
			m.Line, _ = strconv.Atoi(found[1]) // it matched digits
			m.Text = found[2]
		}
		all = append(all, m)
	}
	return all
}

// Check says what is wrong with a spec, or what its run takes.
func (d *Desk) Check(ctx context.Context, s Spec) Checked {
	spec, err := d.load(s)
	if err != nil {
		return Checked{Mistakes: mistakes(err)}
	}
	c := Checked{ID: spec.ID, Title: spec.Title, Profiles: spec.Profiles, Mistakes: []Mistake{}}
	cells := spec.Expand()
	c.Cells = len(cells)
	if ok, why := d.library().Ready(spec.Data, spec.Dir()); !ok {
		c.Refused = "The data is not in this page: " + why + "."
		if spec.Data.Name != "" {
			c.Refused = fmt.Sprintf("The data set %s is not in this page, which downloads nothing. Choose a spec with generated data, drop a file of your own, or run it on a machine: %s.",
				spec.Data.Name, printed.Command("run "+spec.ID))
		}
		return c
	}
	plan, err := d.plan(ctx, s, cells)
	if err != nil {
		c.Refused = err.Error()
		return c
	}
	cost := plan.Cost()
	c.Takes = cost.String()
	if cost.Bytes > float64(d.Memory) {
		c.Refused = fmt.Sprintf("It would need %s of memory, and a page has %s. Take fewer rows or features, or run it on a machine: %s.",
			printed.Bytes(cost.Bytes), printed.Bytes(float64(d.Memory)), printed.Command("run "+path.Base(s.File)))
	}
	return c
}

// plan estimates what cells take on a typical processor: to measure this one would take as long as a small run.
func (d *Desk) plan(ctx context.Context, s Spec, cells []experiments.Cell) (*runner.Plan, error) {
	e := runner.NewNominalEstimator(d.library())
	defer e.Retire()
	p := runner.EmptyPlan(d.options(s))
	for i := range cells {
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, err
		}
		p.Add(&cells[i], records.ToDo, expected)
	}
	return p, nil
}

func (d *Desk) options(s Spec) runner.Options {
	return runner.Options{Out: d.out(s), Threads: 1, Library: d.library()}
}

// A Progress is how far a run is.
type Progress struct {
	Done  int     `json:"done"`
	Cells int     `json:"cells"`
	Doing string  `json:"doing"` // the cell that runs
	Note  string  `json:"note,omitempty"`
	Share float64 `json:"share"` // of its work, from 0 to 1
}

// Run runs the cells of a spec whose names are given, or all if there are none, and tells how far it is.
func (d *Desk) Run(ctx context.Context, s Spec, names []string, tell func(Progress)) error {
	spec, err := d.load(s)
	if err != nil {
		return err
	}
	cells := spec.Expand()
	if names != nil {
		cells = slices.DeleteFunc(cells, func(c experiments.Cell) bool { return !slices.Contains(names, c.Name) })
	}
	return d.run(ctx, d.options(s), cells, tell)
}

func (d *Desk) run(ctx context.Context, o runner.Options, cells []experiments.Cell, tell func(Progress)) error {
	p := Progress{Cells: len(cells)}
	o.Observe = func(e runner.Event) {
		p.Note, p.Doing, p.Share = "", e.Cell.Name, max(e.Work, 0)
		switch e.Kind {
		case runner.Ended, runner.Kept:
			p.Done, p.Share = p.Done+1, 0
			if !e.Status.Complete() {
				p.Note = fmt.Sprintf("%s: %s: %s", e.Cell.Name, e.Status, e.Reason)
			}
		case runner.Warned, runner.Lost:
			p.Note = e.Cell.Name + ": " + e.Reason
		}
		tell(p)
	}
	_, err := runner.Run(ctx, cells, o)
	return err
}

// Groups divides the cells of a spec among workers by their predicted work: by seed, if there are enough seeds. A group of nil is all
// cells, where they cannot be divided: some need others, or they are timed.
func (d *Desk) Groups(ctx context.Context, s Spec, workers int) ([][]string, error) {
	spec, err := d.load(s)
	if err != nil {
		return nil, err
	}
	cells := spec.Expand()
	if workers < 2 || spec.Alone() || slices.ContainsFunc(cells, func(c experiments.Cell) bool { return len(c.Needs) > 0 }) {
		return [][]string{nil}, nil
	}
	plan, err := d.plan(ctx, s, cells)
	if err != nil {
		return nil, err
	}
	seeds := map[uint64]bool{}
	for _, c := range cells {
		seeds[c.Seed] = true
	}
	units := map[string]*unit{}
	var order []*unit
	for _, c := range plan.Cells {
		name := c.Cell
		if len(seeds) >= workers {
			name = strconv.FormatUint(c.Seed, 10)
		}
		u := units[name]
		if u == nil {
			u = &unit{}
			units[name], order = u, append(order, u)
		}
		u.cells, u.seconds = append(u.cells, c.Cell), u.seconds+max(c.Time(), 1e-3)
	}
	slices.SortStableFunc(order, func(a, b *unit) int { return cmp.Compare(b.seconds, a.seconds) })
	groups, loads := make([][]string, min(workers, len(order))), make([]float64, min(workers, len(order)))
	for _, u := range order {
		i := slices.Index(loads, slices.Min(loads))
		groups[i], loads[i] = append(groups[i], u.cells...), loads[i]+u.seconds
	}
	return groups, nil
}

// A unit is cells that stay together: those of a seed share their data and what is computed of it.
type unit struct {
	cells   []string
	seconds float64
}

// A Result is what the records of a spec show.
type Result struct {
	Figures  *live.Data `json:"figures"`
	Captions []string   `json:"captions"` // of the figures
	Verdicts []Verdict  `json:"verdicts"`
	Notes    []string   `json:"notes"`
}

// A Verdict is a claim with what was found.
type Verdict struct {
	Word      claims.Word `json:"word"`
	Called    string      `json:"called"`
	Claim     string      `json:"claim"`
	Title     string      `json:"title"`
	Published string      `json:"published"`
	Measured  string      `json:"measured"`
	Reason    string      `json:"reason"`
}

// Show makes the figures and verdicts of a spec from the records that are there.
func (d *Desk) Show(s Spec) (*Result, error) {
	spec, err := d.load(s)
	if err != nil {
		return nil, err
	}
	store, err := records.Open(d.out(s))
	if err != nil {
		return nil, err
	}
	exp := spec.Experiment()
	j := claims.Judge(exp, store.Records)
	r := &Result{Figures: live.New(exp.ID), Captions: []string{}, Verdicts: []Verdict{}, Notes: []string{}}
	for _, f := range exp.Figures {
		built, err := figures.Build(d.out(s), j, f)
		if err != nil {
			if !errors.Is(err, figures.ErrNoData) {
				r.Notes = append(r.Notes, err.Error())
			}
			continue
		}
		r.add(j, f, &built, nil)
	}
	for _, v := range j.Verdicts {
		if v.Column != "" {
			continue
		}
		r.Verdicts = append(r.Verdicts, Verdict{
			Word: v.Verdict, Called: v.Called(), Claim: v.Claim, Title: figures.Typeset(cmp.Or(v.Statement, v.Claim)),
			Published: figures.WithMinus(v.MarkedText()), Measured: figures.Measured(v), Reason: figures.Typeset(v.Reason),
		})
	}
	for _, w := range store.Warnings {
		r.Notes = append(r.Notes, w.Error())
	}
	return r, nil
}

// add adds a figure.
func (r *Result) add(j claims.Case, spec claims.Figure, f *figures.Figure, besides []*records.Record) {
	if f.Heat != nil {
		r.Figures.AddMaps(f, live.Places(f.Heat))
	} else {
		r.Figures.AddCurves(j, spec, f, besides)
	}
	r.Captions = append(r.Captions, f.Caption.String())
}

// Bundle packs the records of a spec with the spec and its verdicts, for repro judge.
func (d *Desk) Bundle(s Spec) ([]byte, error) {
	spec, err := d.load(s)
	if err != nil {
		return nil, err
	}
	texts, err := records.Texts(d.out(s))
	if err != nil {
		return nil, err
	}
	exp := spec.Experiment()
	c := bundles.Contents{Program: builds.This()}
	var recs []*records.Record
	for _, t := range texts {
		if len(exp.Own([]*records.Record{t.Record})) > 0 {
			c.Records, recs = append(c.Records, t), append(recs, t.Record)
		}
	}
	if len(recs) == 0 {
		return nil, errors.New("there are no records yet: run the spec first")
	}
	written, made, err := catalog.WrittenText(filepath.Join(d.Dir, path.Base(s.File)), []byte(s.Text))
	if err != nil {
		return nil, err
	}
	shipped, _, err := catalog.Written(catalog.Ref{ID: exp.ID})
	c.Experiments = []bundles.Experiment{{
		ID: exp.ID, File: path.Base(s.File), Own: err != nil || string(shipped) != string(written), Profile: exp.Profile, Text: written, Files: made,
	}}
	c.Verdicts = claims.Judge(exp, recs).Verdicts
	c.Data, c.Machines = bundles.DataOf(recs, func(*bundles.Dataset) {}), bundles.MachinesOf(recs)
	return bundles.Encode(c)
}

// Propose returns a spec that judges the curves in a file of the reader, as repro judge proposes one.
func (d *Desk) Propose(name string) (string, error) {
	p, err := experiments.Propose([]string{filepath.Join(d.Dir, path.Base(name))}, d.Dir)
	if err != nil {
		return "", err
	}
	return p.Text, nil
}

// Example returns the text of a spec of the catalog.
func (d *Desk) Example(id string) (string, error) {
	text, _, err := catalog.Written(catalog.Ref{ID: id})
	return string(text), err
}
