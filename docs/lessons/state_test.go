package lessons

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/results/records"
)

// idle is a trainer that must not be called.
func idle(t *testing.T) Trainer {
	return func(context.Context, *experiments.Spec, string) (*records.Store, error) {
		t.Error("a spec has run")
		return nil, os.ErrInvalid
	}
}

// walked walks lesson 1 with typed lines until they end.
func walked(t *testing.T, dir string, l *Lesson, typed ...string) *paper {
	screen := &paper{typed: typed}
	s, err := Open(dir, screen, idle(t))
	require.NoError(t, err)
	_, err = s.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	return screen
}

// A learner who stops continues at the question that was open. What was answered is kept with its reason, and not asked again.
// (rustlings had no state for three years and compiled everything again: rust-lang/rustlings#729, #1843.)
func TestResume(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	screen := walked(t, dir, l, "5", "x", "h", "2", "all pairs")
	text := screen.String()
	assert.Contains(t, text, "want a number from 1 to 3, got 5")
	assert.Contains(t, text, `"x" is not a number`)
	assert.Contains(t, text, "Hint: The matrix has a row and a column")

	screen = walked(t, dir, l, "1 .5 .3 .2 .1", "again", "1 .7 .5 .35 .25", "", "", "2")
	text = screen.String()
	assert.Contains(t, text, "You answered: 2. 4 times\nYour reason: all pairs")
	assert.Equal(t, 2, strings.Count(text, "Enter keeps the curve"), "drawn twice")
	assert.Len(t, screen.charts, 2)

	s, err := OpenState(dir)
	require.NoError(t, err)
	sum := s.Summary(l)
	assert.Equal(t, Summary{Number: 1, Name: l.Name, Title: l.Title, Minutes: l.Minutes, Seconds: l.Seconds(), Asked: 5, Answered: 2, State: "begun"}, sum,
		"the number was typed, its reason was not: it is asked again")
}

// An answer counts as long as the question is the one that was answered.
func TestAnswerToAnotherQuestion(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	walked(t, dir, l, "2", "")
	s, err := OpenState(dir)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Summary(l).Answered)
	l.Predictions()[0].Choices[0].Text = "3 times"
	assert.Zero(t, s.Summary(l).Answered)
}

// Every lesson can be begun at once (rust-lang/rustlings#1870), and the last one is listed (#585).
func TestNoLessonWaitsForAnother(t *testing.T) {
	all, err := Read()
	require.NoError(t, err)
	last := all[len(all)-1]
	screen := walked(t, t.TempDir(), last)
	assert.Contains(t, screen.String(), Plain(last.Predictions()[0].Question)[0].Text)
}

// A mistake in the exercise of another lesson is not shown to a learner as one of this lesson (rust-lang/rustlings#230).
func TestMistakeInAnotherExercise(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "02-exercise.toml"), []byte("= nonsense"), 0o666))
	screen := &paper{}
	s, err := Open(dir, screen, idle(t))
	require.NoError(t, err)
	_, untouched, err := s.Grade(t.Context(), l)
	require.NoError(t, err)
	assert.True(t, untouched)
	assert.NotContains(t, screen.String(), "02-exercise")
}

func TestReset(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	walked(t, dir, l, "2", "")
	s, err := Open(dir, &paper{}, idle(t))
	require.NoError(t, err)
	kept, err := s.Reset(l)
	require.NoError(t, err)
	assert.Empty(t, kept, "the exercise was not begun")
	_, _, err = s.Grade(t.Context(), l)
	require.NoError(t, err)
	kept, err = s.Reset(l)
	require.NoError(t, err)
	assert.FileExists(t, kept)
	fresh, err := OpenState(dir)
	require.NoError(t, err)
	assert.Equal(t, "new", fresh.Summary(l).State)
}

func TestPlain(t *testing.T) {
	assert.Equal(t, []Block{
		{Title, "A title"}, {Paragraph, "Two lines with emphasis, a link, code *as it is* and a*b."}, {Quote, "f(x) = 2 * 3 * 4"},
		{Bullet, "- one that goes on"}, {Bullet, "2. two"}, {Table, "| a | b |\n|---|---|\n"}, {Verbatim, "x  =  *y*\n"}, {Paragraph, "The end."},
	}, Plain("# A title\nTwo *lines*\nwith **emphasis**, a [link](x.md), code `*as it is*`\nand a*b.\n\n> f(x) =\n> 2 * 3 * 4\n\n- one\n  that goes on\n2. two\n\n| a | b |\n|---|---|\n\n```text\nx  =  *y*\n```\nThe end.\n"))
}

func TestResults(t *testing.T) {
	r := newResults([]Test{{Status: pass}, {Status: failed, Message: "broken"}})
	assert.Equal(t, failed, r.Status)
	assert.Equal(t, "broken", r.Message)
	assert.False(t, newResults(nil).Passed(), "no tests are no pass")
}

// What a learner is told to type works for the learner's folder.
func TestCommand(t *testing.T) {
	for dir, want := range map[string]string{Folder: "repro lesson check 3", "./" + Folder: "repro lesson check 3", "mine": "repro lesson check 3 --dir mine", "my work": "repro lesson check 3 --dir 'my work'", "it's": `repro lesson check 3 --dir 'it'\''s'`} {
		assert.Equal(t, want, (&State{dir: dir}).Command("check 3"))
	}
}

// An answer that a file gives takes the place of another one.
func TestAnotherAnswer(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	for _, choice := range []int{2, 3, 3} {
		s, err := Open(dir, &paper{}, idle(t))
		require.NoError(t, err)
		s.Answers = map[string]Answer{"matrix": {Choice: choice, Why: "it is so"}}
		_, err = s.Walk(t.Context(), l)
		require.ErrorIs(t, err, ErrAsked)
	}
	s, err := OpenState(dir)
	require.NoError(t, err)
	assert.Equal(t, &Given{Answer: Answer{Choice: 3, Why: "it is so"}, Question: l.Predictions()[0].Digest()}, s.of(l).given(l.Predictions()[0]))
}

// What a second terminal writes while the first one waits stays.
func TestTwoTerminals(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	first, err := Open(dir, &paper{}, idle(t))
	require.NoError(t, err)
	var group sync.WaitGroup
	for _, p := range l.Predictions()[1:] {
		group.Go(func() {
			second, err := OpenState(dir)
			assert.NoError(t, err)
			assert.NoError(t, second.keep(l, p, Given{}))
		})
	}
	group.Wait()
	first.Answers = map[string]Answer{"matrix": {Choice: 1}}
	_, err = first.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	s, err := OpenState(dir)
	require.NoError(t, err)
	assert.Len(t, s.Lessons[l.Name].Answers, len(l.Predictions()))
	assert.NoFileExists(t, s.path()+".lock")
}
