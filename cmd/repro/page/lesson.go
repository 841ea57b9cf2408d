package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/figures"
	"repro/plots/live"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A Taking is a lesson, and one of its runs.
type Taking struct {
	Lesson string `json:"lesson"` // name
	Run    string `json:"run"`    // id
}

// find returns the lesson, and the run.
func (t Taking) find() (*lessons.Lesson, *lessons.Run, error) {
	all, err := lessons.Read()
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all {
		if l.Name != t.Lesson {
			continue
		}
		for _, r := range l.Runs() {
			if r.ID == t.Run {
				return l, r, nil
			}
		}
		return l, nil, nil
	}
	return nil, nil, fmt.Errorf("the program of this page has no lesson %s", printed.Quote(t.Lesson))
}

// LessonSpec returns the spec of a run of a lesson.
func (d *Desk) LessonSpec(t Taking) (Spec, error) {
	l, r, err := t.find()
	if err == nil && r == nil {
		err = fmt.Errorf("lesson %d has no run %s", l.Number, printed.Quote(t.Run))
	}
	if err != nil {
		return Spec{}, err
	}
	file, text, err := l.Source(r)
	return Spec{File: file, Text: string(text), Set: r.Set, Out: filepath.ToSlash(filepath.Join(l.Name, r.ID))}, err
}

// A Told is what the runs of a lesson say so far.
type Told struct {
	Keys      map[string]*lessons.Key `json:"keys"`      // by prediction; the words are Markdown
	Undecided map[string]string       `json:"undecided"` // predictions that the records do not decide, with the reason
	Numbers   [][]string              `json:"numbers"`   // of each explain fence
	Figures   *live.Data              `json:"figures"`   // of the run that was asked for
	Captions  []string                `json:"captions"`
	Texts     []string                `json:"texts"` // that were asked for, with the numbers of the records
}

// A Text has places for numbers of the records of a run.
type Text struct {
	Run  string `json:"run"`
	Text string `json:"text"`
}

// Tell makes what a lesson says after a run.
func (d *Desk) Tell(ctx context.Context, t Taking, texts []Text) (*Told, error) {
	l, r, err := t.find()
	if err != nil {
		return nil, err
	}
	runs, err := l.RecordedRuns(ctx, d.Dir)
	if err != nil {
		return nil, err
	}
	told := &Told{Keys: map[string]*lessons.Key{}, Undecided: map[string]string{}}
	for _, p := range l.Predictions() {
		if runs[p.Run.ID] == nil {
			continue
		}
		if k, err := p.Key(runs); err != nil {
			told.Undecided[p.ID] = err.Error()
		} else {
			told.Keys[p.ID] = &k
		}
	}
	for _, step := range l.Steps {
		if e, ok := step.(*lessons.Explain); ok {
			told.Numbers = append(told.Numbers, e.Numbers(runs))
		}
	}
	for _, text := range texts {
		told.Texts = append(told.Texts, runs.Fill(text.Run, text.Text))
	}
	if r != nil && runs[r.ID] != nil {
		err = d.tellFigures(told, l, r, runs)
	}
	return told, err
}

// tellFigures adds the figures of a run: those of a break with the curves of the run that it changes.
func (d *Desk) tellFigures(told *Told, l *lessons.Lesson, r *lessons.Run, runs lessons.Runs) error {
	o, before := runs[r.ID], runs[r.Of]
	result := &Result{Figures: live.New(r.ID)}
	for _, id := range append([]string{r.Figure}, r.Also...) {
		f, err := built(l.Folder(d.Dir, r.ID), o.Case, id)
		if err != nil {
			return err
		}
		var besides []*records.Record
		if before != nil {
			besides = before.Records
			if other, err := built(l.Folder(d.Dir, r.Of), before.Case, id); err == nil {
				f.Beside(other, "before")
			}
		}
		result.add(o.Case, figureOf(o.Experiment, id), &f, besides)
	}
	told.Figures, told.Captions = result.Figures, result.Captions
	return nil
}

// figureOf returns the figure of an experiment with an id.
func figureOf(e claims.Experiment, id string) claims.Figure {
	for _, f := range e.Figures {
		if f.ID == id {
			return f
		}
	}
	return claims.Figure{}
}

func built(dir string, j claims.Case, id string) (figures.Figure, error) {
	return figures.Build(dir, j, figureOf(j.Experiment, id))
}

// A Graded is the judgement of an exercise.
type Graded struct {
	Solved  bool     `json:"solved"`
	Says    string   `json:"says"`    // Markdown
	Changed []string `json:"changed"` // settings
}

// quiet is the screen of a session whose page shows the result.
type quiet struct{}

func (quiet) Heading(string)            {}
func (quiet) Text(string)               {}
func (quiet) Line(string)               {}
func (quiet) Chart(lessons.Chart)       {}
func (quiet) Ask(string) (string, bool) { return "", false }

// Exercise returns the spec that the exercise of a lesson begins with.
func (d *Desk) Exercise(t Taking) (string, error) {
	l, _, err := t.find()
	if err != nil {
		return "", err
	}
	text, err := l.Spec(l.Exercise().From)
	return string(text), err
}

// Grade runs a spec as the solution of a lesson's exercise and judges it.
func (d *Desk) Grade(ctx context.Context, t Taking, text string, tell func(Progress)) (*Graded, error) {
	l, _, err := t.find()
	if err != nil {
		return nil, err
	}
	train := func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
		o := d.options(Spec{})
		o.Out = out
		if err := d.run(ctx, o, s.Expand(), tell); err != nil {
			return nil, err
		}
		return records.Open(out)
	}
	s, err := lessons.Open(d.Dir, quiet{}, train)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(s.File(l)), 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.File(l), []byte(text), 0o666); err != nil {
		return nil, err
	}
	results, _, err := s.Grade(ctx, l)
	if err != nil {
		return nil, err
	}
	test := results.Tests[0]
	g := &Graded{Solved: results.Passed(), Says: strings.ReplaceAll(test.Message, s.File(l), l.Exercise().From), Changed: []string{}}
	if test.Output != "" {
		g.Changed = strings.Split(test.Output, "\n")
	}
	return g, nil
}
