package guard

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A moment is what a commit accepted, or what a run of it measured, of an experiment.
type moment struct {
	revision
	dirty    bool
	run      bool
	snapshot *changes.Snapshot
	seconds  map[string][]float64 // of a run: training time of every seed, by method
	cpu      string
}

func (m moment) mark() string { return marked(m.revision, m.dirty) }

// at is the time of a commit.
func (m moment) at() time.Time {
	at, _ := time.Parse(time.RFC3339, m.time) // git writes it so, and ReadLog leaves others out
	return at
}

// A book has experiments as their specs have them now, by id.
type book map[string]claims.Experiment

// experiment returns an experiment as its spec has it now; without claims and title if there is no such spec, as for those that do
// not come with repro.
func (b book) experiment(id string) claims.Experiment {
	if e, known := b[id]; known {
		return e
	}
	var e claims.Experiment
	if s, err := catalog.Load(catalog.Ref{ID: id}, experiments.LoadOptions{Profile: experiments.CI}); err == nil {
		e = s.Experiment()
	}
	b[id] = e
	return e
}

// claim returns a claim as its spec has it now.
func (b book) claim(experiment, id string) (claims.Claim, bool) {
	for _, c := range b.experiment(experiment).Claims {
		if c.ID == id {
			return c, true
		}
	}
	return claims.Claim{}, false
}

// writePages writes the pages of experiments: one for each into a folder, or one for all if the name ends in .html. note stands on
// each.
func writePages(t *terminal.Terminal, name, note string, all []plots.Timeline) error {
	write := func(dir, name string, of ...plots.Timeline) error {
		title := "History of " + printed.Count(len(of), "experiment")
		if len(of) == 1 {
			title = "History of " + of[0].ID
		}
		text, err := plots.TimelinePage(title, note, of)
		if err != nil {
			return err
		}
		return files.Write(dir, name, text)
	}
	if filepath.Ext(name) == ".html" {
		t.Note("the history of %s goes to %s", printed.Count(len(all), "experiment"), name)
		return write(filepath.Dir(name), name, all...)
	}
	for _, p := range all {
		if err := write(name, files.Path(name, "", p.ID, "history.html"), p); err != nil {
			return err
		}
	}
	t.Note("%s written into %s", printed.Count(len(all), "page"), name)
	return nil
}

// groups yields the histories of each experiment, which follow each other.
func groups(all []*past) func(yield func([]*past) bool) {
	return func(yield func([]*past) bool) {
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(p *past) bool { return p.experiment() != all[0].experiment() })
			if n < 0 {
				n = len(all)
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// experiment returns the experiment of the claim.
func (p *past) experiment() string {
	id, _, _ := strings.Cut(p.Claim, "#")
	return id
}

// A calendar is the horizontal axis of an experiment's figures: its commits, from 1.
type calendar struct {
	axis figures.Axis
	at   map[string]float64 // by the mark of a commit
}

// newCalendar puts the commits of moments and versions in the order of their times.
func newCalendar(all []*past, moments []moment) (c calendar, days []moment) {
	moments = slices.Clone(moments)
	for _, p := range all {
		for _, v := range p.Versions {
			moments = append(moments, moment{revision: v.revision, dirty: v.Dirty})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at().Compare(b.at()) })
	c = calendar{figures.Axis{Label: "commit", Min: 0.5}, map[string]float64{}}
	for _, m := range moments {
		if c.at[m.mark()] == 0 {
			days = append(days, m)
			c.at[m.mark()] = float64(len(days))
			c.axis.Names = append(c.axis.Names, strings.TrimSpace(m.mark()+" "+m.Date+" "+m.Subject))
		}
	}
	c.axis.Max = float64(len(days)) + 0.5
	return c, days
}

// timeline returns the page of an experiment: of the histories of its claims, and of what its snapshots and runs said.
func timeline(specs book, segments stats.Segments, all []*past, moments []moment) plots.Timeline {
	id := all[0].experiment()
	moments = slices.DeleteFunc(slices.Clone(moments), func(m moment) bool { return m.snapshot.Experiment != id })
	c, days := newCalendar(all, moments)
	page := plots.Timeline{ID: id, Title: specs.experiment(id).Title}
	runs := 0
	for _, m := range moments {
		if m.run {
			runs++
		}
	}
	page.About = fmt.Sprintf("%s from %s to %s; %s of the accepted baseline", printed.Count(len(days), "commit"), days[0].Date, days[len(days)-1].Date, printed.Count(len(moments)-runs, "version"))
	if runs > 0 {
		page.About += ", " + printed.Count(runs, "run")
	}
	page.About = figures.Sentence(page.About)
	b := pageBuilder{book: specs, segments: segments, id: id, moments: moments, days: c, turns: map[string][]plots.TurnWords{}}
	for claim := range byClaim(all) {
		b.numbers(claim)
	}
	b.costs(moments)
	page.Groups = b.groups
	for _, d := range slices.Backward(days) {
		if words := b.turns[d.mark()]; words != nil {
			page.Changes = append(page.Changes, plots.Turn{Commit: d.mark(), Date: d.Date, Subject: d.Subject, Words: words})
		}
		page.Moments = append(page.Moments, plots.Moment{Commit: d.mark(), Date: d.Date, Subject: d.Subject, Words: wordsOf(d, all, moments)})
	}
	return page
}

// A pageBuilder draws the figures of an experiment's page.
type pageBuilder struct {
	book
	segments stats.Segments
	days     calendar
	id       string // of the experiment
	moments  []moment
	groups   []plots.TimelineGroup
	turns    map[string][]plots.TurnWords // by the mark of a commit
}

// turn says what changed at a commit.
func (b *pageBuilder) turn(mark, figure, of, words string) {
	b.turns[mark] = append(b.turns[mark], plots.TurnWords{Figure: figure, Of: of, Words: words})
}

// byClaim yields the histories of each claim: what was accepted, and the runs.
func byClaim(all []*past) func(yield func([]*past) bool) {
	return func(yield func([]*past) bool) {
		done := map[string]bool{}
		for _, p := range all {
			if done[p.Claim] {
				continue
			}
			done[p.Claim] = true
			var same []*past
			for _, q := range all {
				if q.Claim == p.Claim {
					same = append(same, q)
				}
			}
			if !yield(same) {
				return
			}
		}
	}
}

// wordsOf says what a commit accepted or measured.
func wordsOf(d moment, all []*past, moments []moment) string {
	var parts []string
	for _, run := range []bool{false, true} {
		word, source := "accepted", ""
		if run {
			word, source = "run", runSource
		}
		i := slices.IndexFunc(moments, func(m moment) bool { return m.run == run && m.mark() == d.mark() })
		changed := map[changes.Part]int{}
		for _, p := range all {
			for k, v := range p.Versions {
				if p.Source == source && v.mark() == d.mark() && k > 0 {
					for _, part := range v.Changed {
						changed[part]++
					}
				}
			}
		}
		if i < 0 && len(changed) == 0 {
			continue
		}
		for _, part := range slices.Sorted(maps.Keys(changed)) {
			word += fmt.Sprintf(", %s of %s", part, printed.Count(changed[part], "number"))
		}
		if i >= 0 && moments[i].cpu != "" {
			word += ", on " + moments[i].cpu
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, "; ")
}

// numbers draws the number of a claim over the commits, and its curves unless the claim has them already for another rival.
func (b *pageBuilder) numbers(of []*past) {
	_, name, _ := strings.Cut(of[0].Claim, "#")
	id, _, _ := strings.Cut(name, " against ")
	claim, _ := b.claim(b.id, id)
	n := len(b.groups) - 1
	first := n < 0 || b.groups[n].Title != id
	if first {
		b.groups = append(b.groups, plots.TimelineGroup{Title: id, Words: claim.Statement})
		n++
	}
	g := &b.groups[n]
	number := numberFigure(b.days.axis, b.days.at, of)
	number.ID = fmt.Sprintf("%d-number-%d", n, len(g.Figures))
	number.Title = cmp.Or(of[len(of)-1].latest().What, "Number of "+name)
	g.Figures = append(g.Figures, number)
	if curves, ok := b.curves(of, claim); ok && first {
		curves.ID = fmt.Sprintf("%d-curve", n)
		g.Figures = append(g.Figures, curves)
	}
	for _, p := range of {
		for _, change := range p.ChangePoints {
			b.turn(marked(change.revision, change.Dirty), number.ID, p.label(), change.words())
		}
	}
}

// label names the claim without its experiment.
func (p *past) label() string {
	_, name, _ := strings.Cut(p.name(), "#")
	return name
}

// numberFigure draws the number of a claim over its commits with its intervals, and its change points.
func numberFigure(x figures.Axis, at map[string]float64, of []*past) figures.Figure {
	c := figures.Curves{X: x, Y: figures.Axis{Label: "number of the claim"}}
	low, high := math.Inf(1), 0.0
	for _, p := range of {
		line := figures.Line{Label: cmp.Or(p.Source, "accepted"), Style: len(c.Lines), Points: p.Source == "" || len(p.Versions) == 1}
		for _, v := range p.Versions {
			if v.Value == nil {
				continue
			}
			from, to := *v.Value, *v.Value
			if v.Low != nil && v.High != nil {
				from, to = *v.Low, *v.High
			}
			line.X, line.Y = append(line.X, at[v.mark()]), append(line.Y, *v.Value)
			line.Low, line.High = append(line.Low, from), append(line.High, to)
			low, high = min(low, *v.Value), max(high, *v.Value)
		}
		if len(line.X) == 0 {
			continue
		}
		for _, change := range p.ChangePoints {
			c.Marks = append(c.Marks, changeMark(at[marked(change.revision, change.Dirty)], change, line.Style))
		}
		c.Lines = append(c.Lines, line)
	}
	c.Y.Log = low > 0 && high > wideRange*low
	return figures.Figure{Curves: &c}
}

// wideRange is the ratio of values from which an axis is logarithmic.
const wideRange = 20

// changeMark marks a change point: a ring at the level after it, with a bar from the level before.
func changeMark(at float64, change pastChange, style int) figures.Mark {
	return figures.Mark{
		X: at, Y: change.After, Low: min(change.Before, change.After), High: max(change.Before, change.After), Style: style,
		Origin: "change point", Label: "change point " + marked(change.revision, change.Dirty),
	}
}

// mostCurves is the largest number of curves in a figure.
const mostCurves = 6

// curves draws the mean curves of the first version, of those at change points and of the last: of runs if there are any, else of
// what was accepted.
func (b *pageBuilder) curves(of []*past, claim claims.Claim) (figures.Figure, bool) {
	p := of[len(of)-1]
	var chosen []pastVersion
	for i, v := range p.Versions {
		turn := slices.ContainsFunc(p.ChangePoints, func(c pastChange) bool { return c.Commit == v.Commit && c.Dirty == v.Dirty })
		if v.Curve != nil && (i == 0 || turn || i == len(p.Versions)-1) {
			chosen = append(chosen, v)
		}
	}
	if n := len(chosen); n > mostCurves {
		chosen = append(chosen[:1], chosen[n-mostCurves+1:]...)
	}
	c := figures.Curves{X: figures.Axis{Label: cmp.Or(claim.Across, claim.X, "step"), Log: true}, Y: figures.Axis{Label: cmp.Or(claim.Metric, "metric"), Log: true}}
	if a, ok := records.AbscissaOf(c.X.Label); ok {
		c.X.Label = a.Label()
	}
	for _, v := range chosen {
		line := b.curve(v, p.Source != "", claim)
		if k := len(c.Lines) - 1; k >= 0 && slices.Equal(c.Lines[k].X, line.X) && slices.Equal(c.Lines[k].Y, line.Y) {
			continue
		}
		line.Label, line.Style = v.mark()+" "+v.Date, len(c.Lines)
		c.Lines = append(c.Lines, line)
		c.Y.Log = c.Y.Log && !slices.ContainsFunc(line.Y, func(y float64) bool { return y <= 0 })
	}
	return figures.Figure{Title: "Mean curve", Curves: &c}, len(c.Lines) > 0
}

// curve returns the mean curve of a version: with its interval over seeds, if the snapshot has the values of the seeds.
func (b *pageBuilder) curve(v pastVersion, run bool, claim claims.Claim) figures.Line {
	for _, m := range b.moments {
		if m.run != run || m.mark() != v.mark() || claim.Across != "" || cmp.Or(claim.X, "step") != "step" {
			continue
		}
		for _, s := range m.snapshot.Series {
			if s.Method != claim.Method || s.Metric != claim.Metric || s.Valid() != nil {
				continue
			}
			if band := s.Band(); len(band.X) > 1 {
				return figures.Line{X: band.X, Y: band.Y, Low: band.Low, High: band.High}
			}
		}
	}
	return figures.Line{X: v.Curve.X, Y: v.Curve.Y}
}

// costs are the counts of work that a page shows.
var costs = []struct {
	label string
	of    func(changes.Work) int64
}{
	{"kernel evaluations", func(w changes.Work) int64 { return w.KernelEvals }},
	{"feature evaluations", func(w changes.Work) int64 { return w.FeatureEvals }},
	{"floating-point operations", func(w changes.Work) int64 { return w.Flops }},
	{"bytes moved", func(w changes.Work) int64 { return w.Bytes }},
	{"bytes of the predictor", func(w changes.Work) int64 { return w.Memory }},
}

// costs draws the counted work and the training time of every method over the commits: of runs, or of what was accepted if there
// are none.
func (b *pageBuilder) costs(moments []moment) {
	if runs := slices.DeleteFunc(slices.Clone(moments), func(m moment) bool { return !m.run }); len(runs) > 0 {
		moments = runs
	}
	work := plots.TimelineGroup{Title: "Counted work", Words: "Of the first seed of each method. Counts are exact: they do not depend on the machine."}
	for _, cost := range costs {
		f := figures.Figure{ID: "work-" + strings.ReplaceAll(cost.label, " ", "-"), Title: cost.label, Curves: &figures.Curves{X: b.days.axis, Y: figures.Axis{Label: cost.label, Log: true}}}
		lines := map[string]*figures.Line{}
		for _, m := range moments {
			values := workOf(m.snapshot, cost.of)
			for _, method := range slices.Sorted(maps.Keys(values)) {
				l, v := b.line(lines, method), values[method]
				if n := len(l.Y); n > 0 && l.Y[n-1] != v {
					b.turn(m.mark(), f.ID, cost.label+" of "+l.Label, "×"+printed.Digits(v/l.Y[n-1], 3))
				}
				l.X, l.Y = append(l.X, b.days.at[m.mark()]), append(l.Y, v)
			}
		}
		if addLines(f.Curves, lines) {
			work.Figures = append(work.Figures, f)
		}
	}
	times := plots.TimelineGroup{Title: "Training time", Words: "Geometric mean over seeds, with its 95 % interval. Times of different machines cannot be compared."}
	if f, ok := b.timeFigure(moments); ok {
		times.Figures = append(times.Figures, f)
	}
	for _, g := range []plots.TimelineGroup{work, times} {
		if len(g.Figures) > 0 {
			b.groups = append(b.groups, g)
		}
	}
}

// line returns the line of a method, and makes it if it is not there.
func (b *pageBuilder) line(of map[string]*figures.Line, method string) *figures.Line {
	if of[method] == nil {
		of[method] = &figures.Line{Label: b.methodLabel(b.id, method)}
	}
	return of[method]
}

// workOf returns a count of the first seed of every method, where there is any.
func workOf(s *changes.Snapshot, of func(changes.Work) int64) map[string]float64 {
	all, first := map[string]float64{}, map[string]uint64{}
	for _, cell := range s.Cells {
		if seed, ok := first[cell.Method]; !ok || cell.Seed < seed {
			all[cell.Method], first[cell.Method] = float64(of(cell.Work)), cell.Seed
		}
	}
	maps.DeleteFunc(all, func(_ string, v float64) bool { return v <= 0 })
	return all
}

// timeFigure draws the training time of every method over the runs.
func (b *pageBuilder) timeFigure(moments []moment) (figures.Figure, bool) {
	f := figures.Figure{ID: "time", Title: "Training time", Curves: &figures.Curves{X: b.days.axis, Y: figures.Axis{Label: "training time of a seed, s", Log: true}}}
	lines, versions, when := map[string]*figures.Line{}, map[string][]changes.Version{}, map[string][]moment{}
	for _, m := range moments {
		for method, seconds := range m.seconds {
			seconds = slices.DeleteFunc(slices.Clone(seconds), func(v float64) bool { return !(v > 0) })
			if len(seconds) == 0 {
				continue
			}
			e, l := stats.GeometricInterval(seconds), b.line(lines, method)
			low, high := e.Low, e.High
			if !e.Bounded() {
				low, high = e.Mean, e.Mean
			}
			l.X, l.Y = append(l.X, b.days.at[m.mark()]), append(l.Y, e.Mean)
			l.Low, l.High = append(l.Low, low), append(l.High, high)
			versions[method], when[method] = append(versions[method], changes.VersionOfTime(e)), append(when[method], m)
		}
	}
	ok := addLines(f.Curves, lines)
	for _, method := range slices.Sorted(maps.Keys(lines)) {
		for _, p := range changes.Levels(versions[method], b.segments) {
			m := when[method][p.At]
			change := pastChange{m.revision, m.dirty, p.Before, p.After, p.P, true}
			mark := changeMark(b.days.at[m.mark()], change, lines[method].Style)
			mark.Label = "" // every method has one of its own
			f.Curves.Marks = append(f.Curves.Marks, mark)
			b.turn(m.mark(), f.ID, "training seconds of "+lines[method].Label, change.words())
		}
	}
	return f, ok
}

// methodLabel returns the name of a method in figures.
func (b book) methodLabel(experiment, method string) string {
	for _, m := range b.experiment(experiment).Methods {
		if m.ID == method {
			return m.Label
		}
	}
	return method
}

// addLines adds the lines of methods in alphabetical order, each with a style of its own, and reports whether there is one.
func addLines(c *figures.Curves, of map[string]*figures.Line) bool {
	for i, method := range slices.Sorted(maps.Keys(of)) {
		of[method].Style = i
		c.Lines = append(c.Lines, *of[method])
	}
	return len(of) > 0
}

// drawHistory draws the number of every claim over its commits into a folder.
func drawHistory(t *terminal.Terminal, all []*past, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	drawn := 0
	for of := range byClaim(all) {
		c, _ := newCalendar(of, nil)
		f := numberFigure(c.axis, c.at, of)
		if len(f.Curves.Lines) == 0 {
			continue
		}
		f.ID, f.Title = strings.NewReplacer("/", "-", "#", "-", " ", "-").Replace(of[0].Claim), of[0].Claim
		picture, err := drawings.Render(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.ID+".svg"), picture.SVG(), 0o644); err != nil {
			return err
		}
		drawn++
	}
	t.Note("%s drawn into %s", printed.Count(drawn, "figure"), dir)
	return nil
}
