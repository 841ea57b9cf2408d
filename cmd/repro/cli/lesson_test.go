package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/docs/lessons"
)

func called(t *testing.T, args ...string) (out, notes string, status int) {
	o := repro(t, args...)
	return o.out, o.errors, o.status
}

func TestLessonList(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, status := called(t, "lesson")
	assert.Zero(t, status)
	assert.Regexp(t, `(?m)^ +1 +Why random features +8 min +\d+ s +new +0 of 5 +0 % +open$`, out)
	assert.Contains(t, out, "Next: repro lesson 1")

	out, _, status = called(t, "lesson", "--json")
	assert.Zero(t, status)
	var all []lessons.Summary
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	assert.Equal(t, "01-why-random-features", all[0].Name)
	assert.NoDirExists(t, "lessons-work", "listing writes nothing")
}

// Without a terminal and without answers a lesson asks, says how to answer, and passes in no form of its output.
func TestLessonAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	out, notes, status := called(t, "lesson", "1")
	assert.Equal(t, int(exits.Undecided), status)
	assert.Contains(t, out, "You double the number n of training points.")
	assert.Contains(t, notes, "repro lesson 1 --answers FILE.json")

	out, _, status = called(t, "lesson", "1", "--json")
	assert.Zero(t, status)
	var r lessons.Results
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Equal(t, 3, r.Version)
	assert.Equal(t, "fail", r.Status)
	require.Len(t, r.Tests, 5)
	for _, test := range r.Tests {
		assert.Equal(t, "fail", test.Status)
		assert.Equal(t, "not answered", test.Message)
	}
}

// The exercise as it was copied is neither solved nor run.
func TestLessonCheckAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, status := called(t, "lesson", "check", "1")
	assert.Equal(t, int(exits.Undecided), status)
	assert.Contains(t, out, "Not yet. lessons-work/01-exercise.toml is as it was.")
	assert.FileExists(t, "lessons-work/01-exercise.toml")
	assert.NoDirExists(t, "lessons-work/out")
	assert.NoDirExists(t, "out", "the records of repro run are elsewhere")

	require.NoError(t, os.WriteFile("lessons-work/01-exercise.toml", []byte("schema = 1\nfeatures"), 0o666))
	out, _, status = called(t, "lesson", "check", "1")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "lessons-work/01-exercise.toml:2:", "a mistake has file and line")
	out, _, status = called(t, "lesson", "check", "1", "--json")
	assert.Zero(t, status)
	assert.Contains(t, out, `"status": "error"`)

	_, notes, status := called(t, "lesson", "reset", "1")
	assert.Zero(t, status)
	assert.Contains(t, notes, "lessons-work/01-exercise.toml.bak")
	assert.FileExists(t, "lessons-work/01-exercise.toml.bak")
}

func TestLessonMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"lesson", "99"}, "there is no lesson 99; repro lesson lists the"},
		{[]string{"lesson", "01-why-random-feature"}, `did you mean "01-why-random-features"?`},
		{[]string{"lesson", "1", "--answers", write("a.json", `{"matrx": {"choice": 1}}`)}, `unknown prediction "matrx" of lesson 1; did you mean "matrix"?`},
		{[]string{"lesson", "1", "--answers", write("b.json", `{"matrix": {"number": 1}}`)}, "matrix: matrix asks for a choice, not for a number"},
		{[]string{"lesson", "1", "--answers", write("c.json", `{"matrix": {"choices": 1}}`)}, `unknown field "choices"`},
		{[]string{"lesson", "1", "--answers", write("d.json", `{"matrix": {"choice": 4}}`)}, "want a number from 1 to 3, got 4"},
		{[]string{"lesson", "1", "--answers", "none.json"}, "none.json"},
	} {
		_, notes, status := called(t, c.args...)
		assert.Equal(t, int(exits.Mistake), status, c.args)
		assert.Contains(t, notes, c.want)
	}
	require.NoError(t, os.MkdirAll("lessons-work", 0o777))
	write("lessons-work/state.json", `{"schema": 3, "lessons": `)
	_, notes, status := called(t, "lesson")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "lessons-work/state.json: unexpected end of JSON input; it is not a file of answers as this program wrote it; correct it, or remove it")
}

func TestLessonHelpForTeachers(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, status := called(t, "lesson", "1", "--notes")
	assert.Zero(t, status)
	assert.Contains(t, out, "Expected wrong answers")
	assert.Contains(t, out, "a solution: method.features.features=128")
	assert.NotContains(t, out, "{{")

	out, _, status = called(t, "lesson", "hint", "1")
	assert.Zero(t, status)
	assert.Contains(t, out, "Hint: The matrix has a row and a column for each training point.")

	out, _, status = called(t, "__complete", "lesson", "")
	assert.Zero(t, status)
	assert.Contains(t, out, "1\tWhy random features")
}

// The whole way of a lecturer: a student's file is judged alone and in its class.
func TestLessonHandedIn(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a lesson")
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("in", 0o777))
	all, err := lessons.Read()
	require.NoError(t, err)
	ada := &lessons.Progress{Answers: map[string]lessons.Given{}, Exercise: "schema = 1\nfeatures", Solved: true}
	for _, p := range all[1].Predictions() {
		a := lessons.Answer{Why: "=HYPERLINK(1)\u202e\nand so on"}
		switch p.Kind {
		case lessons.Choice:
			a.Choice = 1
		case lessons.Number:
			x := 1e306
			a.Number = &x
		case lessons.Order:
			for i := range p.Items {
				a.Order = append(a.Order, i+1)
			}
		case lessons.Draw:
			a.Draw = p.Straight(-1, 1)
		}
		ada.Answers[p.ID] = lessons.Given{Answer: a, Right: true, Part: 1}
	}
	hand := func(file string, p *lessons.Progress) {
		text, err := json.Marshal(lessons.State{Schema: 3, Lessons: map[string]*lessons.Progress{all[1].Name: p}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o666))
	}
	hand("in/ada.json", ada)
	hand("in/bob.json", &lessons.Progress{})
	require.NoError(t, os.WriteFile("in/broken.json", []byte("{"), 0o666))
	require.NoError(t, os.WriteFile("in/notes.txt", []byte("hello"), 0o666))
	require.NoError(t, os.WriteFile("in/huge.json", make([]byte, 2<<20), 0o666))

	out, notes, status := called(t, "lesson", "class", "in")
	assert.Equal(t, 1, status, "files are left out")
	assert.Contains(t, notes, "in/broken.json: unexpected end of JSON input")
	assert.Contains(t, notes, "in/huge.json")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+2*(len(all[1].Predictions())+1), "each student has a row for each prediction, and one for the exercise")
	for _, row := range rows[1:] {
		assert.Equal(t, "02-one-over-root-d", row[1])
		if row[0] == "in/bob.json" {
			assert.Equal(t, []string{"fail", "", ""}, row[3:6])
		} else if row[2] != "exercise" {
			assert.Equal(t, `'=HYPERLINK(1)\u202e and so on`, row[5], "no formula, and one line")
		}
	}

	out, _, status = called(t, "lesson", "check", "2", "--answers", "in/ada.json")
	assert.Equal(t, 1, status, "whatever the file says of itself")
	assert.Contains(t, out, "You drew 1/D. The variance")
	assert.Contains(t, out, "02-exercise.toml:2:", "the mistake in the exercise has its line")
	_, notes, status = called(t, "lesson", "check", "3", "--answers", "in/ada.json")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "in/ada.json: it has no answers to lesson 3")
	_, notes, status = called(t, "lesson", "class", "none")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "none: no such file")
}
