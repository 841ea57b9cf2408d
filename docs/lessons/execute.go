package lessons

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"

	"repro/experiments"
	"repro/results/records"
)

// A Trainer runs the cells of a spec into a folder, as repro run does, and returns the records of the folder. Cells whose records
// are complete do not run again.
type Trainer func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error)

// classSeeds are the seeds of a class: none of them is a seed of a spec.
const classSeeds = 1_000_000

// seedsOf returns the change of a spec that gives a class its own seeds, none for the class without a name.
func seedsOf(class string) []string {
	if class == "" {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(class))
	return []string{fmt.Sprintf("repeat.first=%d", classSeeds+int64(h.Sum32()))}
}

// runFolder is the folder of the records of a run below the learner's folder.
func runFolder(dir string, l *Lesson, id string) string { return filepath.Join(dir, "out", l.Name, id) }

// execute runs the spec of a run below dir with the seeds of a class.
func (l *Lesson) execute(ctx context.Context, train Trainer, r *Run, dir, class string) (*Outcome, error) {
	spec, err := l.load(r, nil, experiments.LoadOptions{Profile: r.Profile, Set: slices.Concat(r.Set, seedsOf(class))})
	if err != nil {
		return nil, err
	}
	store, err := train(ctx, spec, runFolder(dir, l, r.ID))
	if err != nil {
		return nil, err
	}
	return NewOutcome(spec, store), nil
}

// Execute runs everything that the lesson runs, its breaks included, below dir with the seeds of a class; an empty class has
// those of the specs. The result is what Key, Filled and Numbers need.
func (l *Lesson) Execute(ctx context.Context, train Trainer, dir, class string) (Runs, error) {
	runs := Runs{}
	for _, r := range l.Runs() {
		o, err := l.execute(ctx, train, r, dir, class)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: run %s: %w", l.File, r.Line(), r.ID, err)
		}
		runs[r.ID] = o
	}
	return runs, nil
}

// Chart returns the figure of a run: of a break, with the curves of the run that it changes.
func (l *Lesson) Chart(runs Runs, id string) Chart {
	all := l.Runs()
	i := slices.IndexFunc(all, func(r *Run) bool { return r.ID == id })
	if i < 0 || runs[id] == nil {
		return Chart{}
	}
	r := all[i]
	for _, s := range l.Steps {
		b, ok := s.(*Break)
		if !ok || b.ID != id || runs[b.of.ID] == nil {
			continue
		}
		return beside(runs[b.of.ID].chartOf(r.Figure, nil), runs[id].chartOf(r.Figure, nil))
	}
	return runs[id].chartOf(r.Figure, nil)
}

// beside returns a chart with the lines of two in turn: first those that changed, because a screen has room for a few, then the
// others, once.
func beside(before, changed Chart) Chart {
	c := before
	c.Lines = nil
	var same []Line
	for i := range max(len(before.Lines), len(changed.Lines)) {
		if i < len(before.Lines) && i < len(changed.Lines) && slices.Equal(before.Lines[i].X, changed.Lines[i].X) && slices.Equal(before.Lines[i].Y, changed.Lines[i].Y) {
			same = append(same, before.Lines[i].named(", unchanged"))
			continue
		}
		if i < len(before.Lines) {
			c.Lines = append(c.Lines, before.Lines[i].named(", before"))
		}
		if i < len(changed.Lines) {
			c.Lines = append(c.Lines, changed.Lines[i].named(", changed"))
		}
	}
	c.Lines = append(c.Lines, same...)
	return c
}

// named returns the line with words after its label.
func (l Line) named(suffix string) Line {
	l.Label += suffix
	return l
}

// Over returns the measured curve of a drawing with a learner's answer.
func (p *Predict) Over(runs Runs, k Key, a Answer) Chart {
	c := runs[p.run].chartOf(p.Figure, []string{p.Method})
	if len(c.Lines) > 0 {
		c.Lines = c.Lines[:1]
	}
	c.Lines = append(c.Lines, Line{Label: "your prediction", X: p.At, Y: a.Draw})
	return c
}

// drawn returns the chart of an answer before anything is measured.
func (p *Predict) drawn(a Answer) Chart {
	o := &Outcome{Spec: p.spec, Experiment: p.spec.Experiment()}
	c := o.chartOf(p.Figure, nil)
	c.Lines = []Line{{Label: "your prediction", X: p.At, Y: a.Draw}}
	return c
}

// Numbers returns the numbers that an explain fence shows, by their names.
func (e *Explain) Numbers(runs Runs) ([]string, error) {
	var all []string
	for _, m := range e.Measured {
		v, err := m.value.number(runs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Text, err)
		}
		all = append(all, m.Text+": "+v.String())
	}
	return all, nil
}
