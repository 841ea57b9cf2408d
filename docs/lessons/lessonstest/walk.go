// Package lessonstest walks through lessons in the tests of the modules that have them.
package lessonstest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/results/records"
	"repro/runner"
)

// A paper collects what a lesson shows; it cannot be asked.
type paper struct {
	strings.Builder
	charts []lessons.Chart
}

func (p *paper) Heading(text string)   { fmt.Fprintln(p, "#", text) }
func (p *paper) Line(text string)      { fmt.Fprintln(p, text) }
func (p *paper) Chart(c lessons.Chart) { p.charts = append(p.charts, c) }
func (p *paper) Text(markdown string) {
	for _, b := range lessons.Plain(markdown) {
		fmt.Fprintln(p, b.Text)
	}
}

func (p *paper) Ask(prompt string) (string, bool) {
	fmt.Fprintln(p, prompt)
	return "", false
}

// Train runs specs as repro run does.
func Train(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	if _, err := runner.Run(ctx, s.Expand(), runner.Options{Out: out, Library: datasets.NewLibrary()}); err != nil {
		return nil, err
	}
	return records.Open(out)
}

// begin opens a session in a folder whose state is new, but whose records stay.
func (w walk) begin(t *testing.T, train lessons.Trainer) (*lessons.Session, *paper) {
	screen := &paper{}
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "state.json")))
	s, err := lessons.Open(w.dir, screen, train)
	require.NoError(t, err)
	return s, screen
}

// A walk is a lesson with the folder of its runs.
type walk struct {
	*lessons.Lesson
	dir string
}

// Walk runs a registered lesson below dir: the right answers pass, and every wrong answer and solution that the lesson lists is caught
// with its own sentence. The right answers come from the records, so the walk also shows that the records decide every question. name is
// that of the page without .md.
func Walk(t *testing.T, name, dir string) {
	all, err := lessons.Read()
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(l *lessons.Lesson) bool { return l.Name == name })
	require.GreaterOrEqual(t, i, 0, "there is no lesson %s", name)
	w := walk{all[i], dir}
	began := time.Now()
	runs, err := w.Execute(t.Context(), Train, dir)
	require.NoError(t, err)
	t.Logf("computed in %.1f s; the lesson says %.1f s for that and the exercise", time.Since(began).Seconds(), w.Seconds())
	right := map[string]lessons.Answer{}
	for _, p := range w.Predictions() {
		k, err := p.Key(runs)
		require.NoError(t, err, "%s:%d", w.File, p.Line())
		right[p.ID] = rightAnswer(p, k)
		w.wrongAnswers(t, p, k)
	}
	w.rightWalk(t, right)
	w.exercises(t)
}

// rightAnswer returns the answer that the records give.
func rightAnswer(p *lessons.Predict, k lessons.Key) lessons.Answer {
	a := lessons.Answer{Why: "the records say so"}
	switch p.Kind {
	case lessons.Choice:
		a.Choice = k.Choice
	case lessons.Number:
		a.Number = &k.Number
	case lessons.Order:
		a.Order = k.Order
	case lessons.Draw:
		a.Draw = k.Draw
	}
	return a
}

// wrongAnswers answers a prediction with every wrong answer that the lesson lists.
func (w walk) wrongAnswers(t *testing.T, p *lessons.Predict, k lessons.Key) {
	caught := func(i int, a lessons.Answer) {
		s := p.Score(k, a)
		assert.False(t, s.Right, "%s:%d: wrong answer %d of %s counts as right", w.File, p.Line(), i+1, p.ID)
		assert.True(t, strings.HasPrefix(s.Says, k.Says[i]), "%s:%d: wrong answer %d of %s is not caught with its own sentence, but with: %s", w.File, p.Line(), i+1, p.ID, s.Says)
		assert.Less(t, s.Part, 1.0)
	}
	for i := range p.Choices {
		if i+1 != k.Choice {
			caught(i, lessons.Answer{Choice: i + 1})
		}
	}
	for i, wrong := range p.Wrong {
		caught(i, wrongAnswer(p, k, wrong))
	}
}

// wrongAnswer returns a wrong answer that a lesson lists. A wrong curve begins where the measured one does.
func wrongAnswer(p *lessons.Predict, k lessons.Key, wrong lessons.Wrong) lessons.Answer {
	switch p.Kind {
	case lessons.Number:
		return lessons.Answer{Number: wrong.Near}
	case lessons.Order:
		return lessons.Answer{Order: wrong.Order}
	}
	return lessons.Answer{Draw: p.Straight(*wrong.Slope, k.Draw[0])}
}

// rightWalk walks with all answers right.
func (w walk) rightWalk(t *testing.T, right map[string]lessons.Answer) {
	s, screen := w.begin(t, Train)
	s.Answers = right
	r, err := s.Walk(t.Context(), w.Lesson)
	require.NoError(t, err)
	assert.True(t, r.Passed(), "%v", r.Tests)
	assert.NotContains(t, screen.String(), "Not so.")
	assert.NotContains(t, screen.String(), "no number", "a placeholder has no number")
	assert.NotContains(t, screen.String(), "{{")
	assert.NotEmpty(t, screen.charts)
	for _, c := range screen.charts {
		assert.NotEmpty(t, c.Lines, c.Title)
	}
	sum := s.State.Summary(w.Lesson)
	assert.Equal(t, sum.Asked, sum.Right)
	assert.Equal(t, "begun", sum.State, "the exercise is open")
}

// exercises solves the exercise, after every wrong solution that the lesson lists.
func (w walk) exercises(t *testing.T) {
	c := w.Exercise()
	for i, wrong := range c.Wrong {
		s, _ := w.begin(t, Train)
		w.edit(t, s.File(w.Lesson), wrong.Set)
		r, untouched, err := s.Grade(t.Context(), w.Lesson)
		require.NoError(t, err)
		assert.False(t, untouched)
		assert.False(t, r.Passed(), "%s:%d: wrong solution %d passes", w.File, c.Line(), i+1)
		assert.Equal(t, s.Filled(c.ID, wrong.Says), r.Tests[0].Message, "%s:%d: wrong solution %d is not caught with its own sentence", w.File, c.Line(), i+1)
		assert.False(t, s.State.Summary(w.Lesson).Solved)
	}
	s, _ := w.begin(t, Train)
	w.edit(t, s.File(w.Lesson), c.Right)
	r, _, err := s.Grade(t.Context(), w.Lesson)
	require.NoError(t, err)
	assert.True(t, r.Passed(), "%s:%d: the right solution: %s", w.File, c.Line(), r.Tests[0].Message)
	assert.True(t, s.State.Summary(w.Lesson).Solved)
}

// edit writes an edited copy of the exercise's spec, as a learner with an editor would.
func (w walk) edit(t *testing.T, file string, set []string) {
	spec := w.exerciseSpec(t)
	for _, s := range set {
		path, value, _ := strings.Cut(s, "=")
		var v map[string]any
		if toml.Unmarshal([]byte("v = "+value), &v) != nil {
			v = map[string]any{"v": value}
		}
		change(t, spec, strings.Split(path, "."), v["v"])
	}
	var text bytes.Buffer
	require.NoError(t, toml.NewEncoder(&text).Encode(spec))
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o666))
}

// change sets the value under a path of keys; a method is named by its id.
func change(t *testing.T, in map[string]any, path []string, value any) {
	if len(path) == 1 {
		in[path[0]] = value
		return
	}
	switch next := in[path[0]].(type) {
	case map[string]any:
		change(t, next, path[1:], value)
	case []map[string]any:
		i := slices.IndexFunc(next, func(e map[string]any) bool { return e["id"] == path[1] })
		require.GreaterOrEqual(t, i, 0, "no %s", path[1])
		change(t, next[i], path[2:], value)
	case []any: // as {…} in […]
		var tables []map[string]any
		for _, e := range next {
			tables = append(tables, e.(map[string]any))
		}
		in[path[0]] = tables
		change(t, in, path, value)
	case nil:
		fresh := map[string]any{}
		in[path[0]] = fresh
		change(t, fresh, path[1:], value)
	default:
		require.Fail(t, "no table "+path[0])
	}
}

// exerciseSpec returns the spec of the exercise as it is given.
func (w walk) exerciseSpec(t *testing.T) map[string]any {
	spec := map[string]any{}
	text, err := w.Spec(w.Exercise().From)
	require.NoError(t, err)
	require.NoError(t, toml.Unmarshal(text, &spec))
	return spec
}
