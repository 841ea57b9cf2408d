package lessons

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
	s, err := Open(dir, "", "", screen, idle(t))
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
	assert.Equal(t, Summary{Number: 1, Name: l.Name, Title: l.Title, Minutes: l.Minutes, Seconds: l.Seconds(), Asked: 5, Answered: 2, Hints: 1, State: "begun"}, sum,
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
	s, err := Open(dir, "", "", screen, idle(t))
	require.NoError(t, err)
	_, untouched, err := s.Grade(t.Context(), l)
	require.NoError(t, err)
	assert.True(t, untouched)
	assert.NotContains(t, screen.String(), "02-exercise")
}

func TestClass(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	s, err := Open(dir, "2026a", "", &paper{typed: []string{"2", ""}}, idle(t))
	require.NoError(t, err)
	_, err = s.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	again, err := Open(dir, "", "", &paper{}, idle(t))
	require.NoError(t, err)
	assert.Equal(t, "2026a", again.State.Class, "the folder keeps it")
	_, err = Open(dir, "2026b", "", &paper{}, idle(t))
	require.ErrorContains(t, err, `its answers are of the class "2026a"; use another folder with --dir`)

	assert.NotEqual(t, seedsOf("2026a"), seedsOf("2026b"))
	var first uint64
	train := func(_ context.Context, s *experiments.Spec, out string) (*records.Store, error) {
		first = s.Repeat.First
		return nil, os.ErrInvalid
	}
	_, err = l.Execute(t.Context(), train, dir, "2026a")
	require.ErrorIs(t, err, os.ErrInvalid)
	assert.GreaterOrEqual(t, first, uint64(classSeeds))
}

func TestReset(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	walked(t, dir, l, "2", "")
	s, err := Open(dir, "", "", &paper{}, idle(t))
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
	assert.Equal(t, []string{Answered, Again}, fresh.kinds(l), "the log keeps what was answered before")
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

func (s *State) kinds(l *Lesson) (kinds []string) {
	for _, e := range s.Lessons[l.Name].Log {
		kinds = append(kinds, e.What)
	}
	return kinds
}

// An answer that a file gives in place of another one is a second entry; the same one again is none.
func TestNothingIsOverwritten(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	for _, choice := range []int{2, 3, 3} {
		s, err := Open(dir, "", "Ada", &paper{}, idle(t))
		require.NoError(t, err)
		s.Answers = map[string]Answer{"matrix": {Choice: choice, Why: "it is so"}}
		_, err = s.Walk(t.Context(), l)
		require.ErrorIs(t, err, ErrAsked)
	}
	s, err := OpenState(dir)
	require.NoError(t, err)
	assert.Equal(t, "Ada", s.Name)
	assert.Equal(t, []string{Answered, Answered}, s.kinds(l))
	log := s.Lessons[l.Name].Log
	assert.Equal(t, 2, log[0].Answer.Choice)
	assert.Equal(t, Answer{Choice: 3, Why: "it is so"}, *log[1].Answer)
	assert.False(t, log[0].At.IsZero())
	_, err = Open(dir, "", "Bob", &paper{}, idle(t))
	require.ErrorContains(t, err, `its answers are of the name "Ada"; use another folder with --dir, or leave --name out`)
}

// What a second terminal writes while the first one waits stays, in the order of writing.
func TestTwoTerminals(t *testing.T) {
	dir, l := t.TempDir(), lessonOne(t)
	first, err := Open(dir, "", "", &paper{}, idle(t))
	require.NoError(t, err)
	first.Answers = map[string]Answer{"matrix": {Choice: 1}}
	_, err = first.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			second, err := Open(dir, "", "", &paper{}, idle(t))
			assert.NoError(t, err)
			assert.NoError(t, second.Hint(l))
		})
	}
	group.Wait()
	first.Answers["matrix"] = Answer{Choice: 2}
	_, err = first.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	s, err := OpenState(dir)
	require.NoError(t, err)
	assert.Equal(t, append(append([]string{Answered}, slices.Repeat([]string{Hinted}, 8)...), Answered), s.kinds(l))
	assert.NoFileExists(t, s.path()+".lock")
}

// Files of version 1 are read as a log.
func TestFirstVersion(t *testing.T) {
	l := lessonOne(t)
	q := l.Predictions()[0]
	text := `{"schema": 1, "class": "2026a", "lessons": {"` + l.Name + `": {"answers": {"matrix": {"choice": 2, "why": "w", "question": "` + q.Digest() + `", "judged": true, "right": true, "part": 1}}, "hints": 1, "tries": 2, "solved": true}}}`
	s, err := ReadState([]byte(text))
	require.NoError(t, err)
	sum := s.Summary(l)
	assert.Equal(t, []any{1, 1, 1, true}, []any{sum.Answered, sum.Right, sum.Hints, sum.Solved})
	again, err := s.Encode()
	require.NoError(t, err)
	s, err = ReadState(again)
	require.NoError(t, err)
	assert.Equal(t, sum, s.Summary(l))
	assert.Equal(t, stateSchema, s.Schema)
}

// A signature shows an edit of anything in the file, and who could have signed.
func TestSignature(t *testing.T) {
	secret := Secret(make([]byte, keyBytes))
	dir, l := t.TempDir(), lessonOne(t)
	s, err := Open(dir, "2026a:"+FormatKey(secret.StudentKey("2026a", "Ada")), "Ada", &paper{typed: []string{"2", "all pairs"}}, idle(t))
	require.NoError(t, err)
	_, err = s.Walk(t.Context(), l)
	require.ErrorIs(t, err, ErrAsked)
	text, err := os.ReadFile(filepath.Join(dir, "state.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), FormatKey(s.State.key), "the key is not handed in")
	signed := func(old, new string) string {
		require.Contains(t, string(text), old)
		s, err := ReadState([]byte(strings.Replace(string(text), old, new, 1)))
		require.NoError(t, err)
		return s.Signed(secret)
	}
	assert.Equal(t, ByStudent, signed(" ", "  "), "spaces do not count")
	for _, edit := range [][2]string{{`"choice": 2`, `"choice": 1`}, {"all pairs", "all pears"}, {`"name": "Ada"`, `"name": "Bob"`}, {"2026a", "2026b"}, {`"at": "2`, `"at": "1`}, {`"signature": "`, `"signature": "0`}} {
		assert.Equal(t, Edited, signed(edit[0], edit[1]), edit)
	}
	s.State.key = secret.ClassKey("2026a")
	require.NoError(t, s.State.write())
	text, err = os.ReadFile(filepath.Join(dir, "state.json"))
	require.NoError(t, err)
	assert.Equal(t, ByClass, signed(" ", " "))
	other, err := ReadState(text)
	require.NoError(t, err)
	assert.Equal(t, Edited, other.Signed(NewSecret()), "another class's secret")
	assert.Equal(t, Unchecked, other.Signed(nil))
	other.Signature = ""
	assert.Equal(t, Unsigned, other.Signed(secret))

	// As openssl dgst -sha256 -hmac aaaaaaaaaaaaaaaaaaaaaaaaaa signs it, whose file a script wrote in its own way.
	foreign, err := ReadState([]byte(`{"name": "Ada", "schema": 2, "signature": "SIGN", "lessons": {"x": {"log": [ {"what": "hint"} ] }}, "class": "2026a"}`))
	require.NoError(t, err)
	assert.Equal(t, "SIGN", foreign.Signature)
	assert.Equal(t, "c23d8f54f1e18d8495fb97c9900c7ce004a3b90f26b8e2fe1be2b6826cbefea1", foreign.signature(make([]byte, keyBytes)))

	_, err = Open(t.TempDir(), "", strings.Repeat("A", 201), &paper{}, idle(t))
	require.ErrorContains(t, err, "--name: a name of more than 200 bytes")
	_, err = Open(t.TempDir(), "2026a:short", "Ada", &paper{}, idle(t))
	require.ErrorContains(t, err, "--class 2026a: a key has 26 small letters")
}

// What is not a file of answers is an error, and no panic.
func TestHostileState(t *testing.T) {
	entry := func(e string) string { return `{"schema": 2, "lessons": {"x": {"log": [` + e + `]}}}` }
	for text, want := range map[string]string{
		"":                                      "unexpected end of JSON input",
		"[]":                                    "cannot unmarshal array",
		"{}":                                    "schema 0",
		`{"schema": 3}`:                         "schema 3",
		`{"schema": 2, "extra": 1}`:             `unknown field "extra"`,
		`{"schema": 2} {}`:                      "after top-level value",
		`{"schema": 2, "lessons": 7}`:           "cannot unmarshal number",
		`{"schema": 2, "lessons": {"x": null}}`: "a lesson without a log",
		`{"schema": 2, "name": "` + strings.Repeat("a", 201) + `"}`: "a name of more than 200 bytes",
		entry(`{"what": "answer"}`):                                 "an answer without an answer",
		entry(`{"what": "answer", "answer": {"choice": 1e99}}`):     "cannot unmarshal number",
		entry(`{"what": "outcome", "seconds": 1e300}`):              "out of range",
		entry(`{"what": "outcome", "part": -1}`):                    "out of range",
		strings.Repeat("[", 100_000):                                "exceeded max depth",
	} {
		_, err := ReadState([]byte(text))
		require.ErrorContains(t, err, want, "%.60s", text)
	}
}
