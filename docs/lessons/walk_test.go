package lessons

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/algos/methods"
	"repro/datasets"
	"repro/experiments"
	"repro/plots/figures"
	"repro/results/records"
	"repro/runner"
)

// class has the walks with the seeds of a class: go test ./docs/lessons -run TestWalks -args -class 2026a
var class = flag.String("class", "", "class whose seeds the walks have")

// A paper collects what a lesson shows, and types lines; without any it cannot be asked.
type paper struct {
	strings.Builder
	typed  []string
	charts []Chart
}

func (p *paper) Heading(text string) { fmt.Fprintln(p, "#", text) }
func (p *paper) Line(text string)    { fmt.Fprintln(p, text) }
func (p *paper) Chart(c Chart)       { p.charts = append(p.charts, c) }
func (p *paper) Text(markdown string) {
	for _, b := range Plain(markdown) {
		fmt.Fprintln(p, b.Text)
	}
}

func (p *paper) Ask(prompt string) (string, bool) {
	fmt.Fprintln(p, prompt)
	if len(p.typed) == 0 {
		return "", false
	}
	line := p.typed[0]
	p.typed = p.typed[1:]
	return line, true
}

// train runs specs as repro run does.
func train(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	if _, err := runner.Run(ctx, s.Expand(), runner.Options{Out: out, Library: datasets.NewLibrary()}); err != nil {
		return nil, err
	}
	return records.Open(out)
}

// begin opens a session in a folder whose state is new, but whose records stay.
func begin(t *testing.T, dir string, train Trainer) (*Session, *paper) {
	screen := &paper{}
	require.NoError(t, os.RemoveAll(dir+"/state.json"))
	s, err := Open(dir, *class, screen, train)
	require.NoError(t, err)
	return s, screen
}

// Time limits of all lessons together and of each, in seconds of computing.
const (
	mostTogether = 480
	mostEach     = 60
)

// TestWalks walks through every lesson three ways, which share the runs: the right answers pass, every wrong answer that the lesson
// lists is caught with its own sentence, and an untouched lesson asks and does not pass. The right answers come from the
// records, so the test also shows that the records decide every question.
func TestWalks(t *testing.T) {
	all, err := Read()
	require.NoError(t, err)
	sum := 0.0
	for _, l := range all {
		sum += l.Seconds()
		assert.LessOrEqual(t, l.Seconds(), float64(mostEach), "%s: seconds", l.File)
	}
	assert.LessOrEqual(t, sum, float64(mostTogether), "seconds of all lessons")
	for _, l := range all {
		if testing.Short() && l.Number > 1 {
			break
		}
		t.Run(l.Name, func(t *testing.T) { walks(t, l) })
	}
}

// walks may share the records with the tests of plots/site: where REPRO_LESSONS names a folder, every lesson runs there once.
func walks(t *testing.T, l *Lesson) {
	dir := t.TempDir()
	if shared := os.Getenv("REPRO_LESSONS"); shared != "" && *class == "" {
		dir = filepath.Join(shared, l.Name)
		require.NoError(t, os.MkdirAll(dir, 0o777))
	}
	untouched(t, l, dir)
	began := time.Now()
	runs, err := l.Execute(t.Context(), train, dir, *class)
	require.NoError(t, err)
	t.Logf("computed in %.1f s; the lesson says %.1f s for that and the exercise", time.Since(began).Seconds(), l.Seconds())
	right := map[string]Answer{}
	for _, p := range l.Predictions() {
		k, err := p.Key(runs)
		require.NoError(t, err, "%s:%d", l.File, p.Line())
		right[p.ID] = rightAnswer(p, k)
		wrongAnswers(t, l, p, k)
	}
	rightWalk(t, l, dir, right)
	wrongWalk(t, l, dir, right)
	exercises(t, l, dir)
}

// untouched walks without answers: the lesson asks its first question, runs nothing and does not pass.
func untouched(t *testing.T, l *Lesson, dir string) {
	s, screen := begin(t, dir, func(context.Context, *experiments.Spec, string) (*records.Store, error) {
		t.Error("an unanswered lesson has run something")
		return nil, os.ErrInvalid
	})
	r, err := s.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	assert.False(t, r.Passed())
	assert.Len(t, r.Tests, len(l.Predictions()))
	assert.Contains(t, screen.String(), Plain(l.Predictions()[0].Question)[0].Text)
	assert.Equal(t, "new", s.State.Summary(l).State)

	s, _ = begin(t, dir, s.Train)
	r, copied, err := s.Grade(t.Context(), l)
	require.NoError(t, err)
	assert.True(t, copied)
	assert.False(t, r.Passed())
	assert.NotEqual(t, "done", s.State.Summary(l).State)
}

// rightAnswer returns the answer that the records give.
func rightAnswer(p *Predict, k Key) Answer {
	a := Answer{Why: "the records say so"}
	switch p.Kind {
	case Choice:
		a.Choice = k.Choice
	case Number:
		a.Number = &k.Number
	case Order:
		a.Order = k.Order
	case Draw:
		a.Draw = k.Draw
	}
	return a
}

// wrongAnswers answers a prediction with every wrong answer that the lesson lists.
func wrongAnswers(t *testing.T, l *Lesson, p *Predict, k Key) {
	caught := func(i int, a Answer) {
		s := p.Score(k, a)
		assert.False(t, s.Right, "%s:%d: wrong answer %d of %s counts as right", l.File, p.Line(), i+1, p.ID)
		assert.True(t, strings.HasPrefix(s.Says, k.Says[i]), "%s:%d: wrong answer %d of %s is not caught with its own sentence, but with: %s", l.File, p.Line(), i+1, p.ID, s.Says)
		assert.Less(t, s.Part, 1.0)
	}
	for i := range p.Choices {
		if i+1 != k.Choice {
			caught(i, Answer{Choice: i + 1})
		}
	}
	for i, w := range p.Wrong {
		caught(i, wrongAnswer(p, k, w))
	}
}

// wrongAnswer returns a wrong answer that a lesson lists. A wrong curve begins where the measured one does.
func wrongAnswer(p *Predict, k Key, w Wrong) Answer {
	switch p.Kind {
	case Number:
		return Answer{Number: w.Near}
	case Order:
		return Answer{Order: w.Order}
	}
	return Answer{Draw: straight(p, *w.Slope, k.Draw[0])}
}

// straight returns the heights of a line of the given slope, on the axes of a drawing, that begins at a height.
func straight(p *Predict, slope, first float64) []float64 {
	heights := make([]float64, len(p.At))
	for i, x := range p.At {
		c := p.Axes()
		heights[i] = c.Y.At(first) + slope*(c.X.At(x)-c.X.At(p.At[0]))
		if c.Y.Log {
			heights[i] = math.Pow(10, heights[i])
		}
	}
	return heights
}

// rightWalk walks with all answers right.
func rightWalk(t *testing.T, l *Lesson, dir string, right map[string]Answer) {
	s, screen := begin(t, dir, train)
	s.Answers = right
	r, err := s.Walk(t.Context(), l)
	require.NoError(t, err)
	assert.True(t, r.Passed(), "%v", r.Tests)
	assert.NotContains(t, screen.String(), "Not so.")
	assert.NotContains(t, screen.String(), "no number", "a placeholder has no number")
	assert.NotContains(t, screen.String(), "{{")
	assert.NotEmpty(t, screen.charts)
	for _, c := range screen.charts {
		assert.NotEmpty(t, c.Lines, c.Title)
	}
	sum := s.State.Summary(l)
	assert.Equal(t, sum.Asked, sum.Right)
	assert.Equal(t, "begun", sum.State, "the exercise is open")

	again, err := Open(dir, "", &paper{}, train)
	require.NoError(t, err)
	assert.Equal(t, sum, again.State.Summary(l), "the state is on disk")
}

// wrongWalk walks with one answer wrong: only its test fails.
func wrongWalk(t *testing.T, l *Lesson, dir string, right map[string]Answer) {
	answers := map[string]Answer{}
	for id, a := range right {
		answers[id] = a
	}
	p := l.Predictions()[len(l.Predictions())-1] // that of a break
	answers[p.ID] = Answer{Choice: right[p.ID].Choice%len(p.Choices) + 1}
	s, screen := begin(t, dir, train)
	s.Answers = answers
	r, err := s.Walk(t.Context(), l)
	require.NoError(t, err)
	assert.False(t, r.Passed())
	for _, test := range r.Tests {
		assert.Equal(t, test.Name == p.ID, test.Status == fail, test.Name)
	}
	assert.Contains(t, screen.String(), "Not so.")
}

// exercises solves the exercise, after every wrong solution that the lesson lists.
func exercises(t *testing.T, l *Lesson, dir string) {
	c := l.Exercise()
	for i, w := range c.Wrong {
		s, _ := begin(t, dir, train)
		edit(t, l, s.file(l), w.Set)
		r, untouched, err := s.Grade(t.Context(), l)
		require.NoError(t, err)
		assert.False(t, untouched)
		assert.False(t, r.Passed(), "%s:%d: wrong solution %d passes", l.File, c.Line(), i+1)
		assert.Equal(t, s.runs.fill(c.ID, w.Says), r.Tests[0].Message, "%s:%d: wrong solution %d is not caught with its own sentence", l.File, c.Line(), i+1)
		assert.False(t, s.State.Summary(l).Solved)
	}
	s, _ := begin(t, dir, train)
	edit(t, l, s.file(l), c.Right)
	r, _, err := s.Grade(t.Context(), l)
	require.NoError(t, err)
	assert.True(t, r.Passed(), "%s:%d: the right solution: %s", l.File, c.Line(), r.Tests[0].Message)
	assert.True(t, s.State.Summary(l).Solved)

	edit(t, l, s.file(l), append([]string{"data.test=17"}, c.Right...))
	r, _, err = s.Grade(t.Context(), l)
	require.NoError(t, err)
	assert.False(t, r.Passed(), "a setting that must stay")
	assert.Contains(t, r.Tests[0].Message, "data.test")
}

// edit writes an edited copy of the exercise's spec, as a learner with an editor would.
func edit(t *testing.T, l *Lesson, file string, set []string) {
	spec := map[string]any{}
	original, err := l.text(l.Exercise().From)
	require.NoError(t, err)
	require.NoError(t, toml.Unmarshal(original, &spec))
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
		for _, e := range next {
			if e["id"] == path[1] {
				change(t, e, path[2:], value)
				return
			}
		}
		require.Fail(t, "no "+path[1])
	case nil:
		fresh := map[string]any{}
		in[path[0]] = fresh
		change(t, fresh, path[1:], value)
	default:
		require.Fail(t, "no table "+path[0])
	}
}

// A prediction is right inside its interval, and its score falls with the distance.
func TestScoreOfANumber(t *testing.T) {
	p := &Predict{Kind: Number, Factor: 1.5, Wrong: []Wrong{{Near: new(float64)}}}
	*p.Wrong[0].Near = 100
	k := Key{Number: 10, Low: 9, High: 12, Says: []string{"a hundred"}}
	for x, want := range map[float64]bool{10: true, 9: true, 12: true, 17.9: true, 6.1: true, 18.1: false, 5.9: false, -1: false, 0: false} {
		assert.Equal(t, want, p.Score(k, Answer{Number: &x}).Right, x)
	}
	x, far := 20.0, math.Inf(1)
	assert.Greater(t, p.Score(k, Answer{Number: &x}).Part, p.Score(k, Answer{Number: &far}).Part)
	x = 95
	assert.True(t, strings.HasPrefix(p.Score(k, Answer{Number: &x}).Says, "a hundred"))
}

// A wrong curve is taken for a listed one only if its slope is within a third of the way from there to the measured one.
func TestScoreOfACurve(t *testing.T) {
	p := &Predict{Kind: Draw, At: []float64{1, 10, 100}, Margin: 0.1, Wrong: []Wrong{{Slope: new(float64)}}, axes: &Chart{Curves: figures.Curves{X: figures.Axis{Log: true}, Y: figures.Axis{Log: true}}}}
	k := Key{Draw: []float64{1, 0.1, 0.01}, Says: []string{"a level line"}}
	says := func(slope float64) string { return p.Score(k, Answer{Draw: straight(p, slope, 1)}).Says }
	assert.True(t, strings.HasPrefix(says(-0.3), "a level line"))
	assert.True(t, strings.HasPrefix(says(-0.4), "Your curve is"))
	assert.True(t, strings.HasPrefix(says(-0.95), "Right."))
}
