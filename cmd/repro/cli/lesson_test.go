package cli

import (
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
	write("lessons-work/state.json", `{"schema": 1, "lessons": `)
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

// A class from its secret to the table: keys are made once, signed files are told from edited ones, and hostile files are named.
func TestLessonClass(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("roster.txt", []byte("Ada\n\n  Bob B. \n"), 0o666))
	out, notes, status := called(t, "lesson", "key", "2026a", "--names", "roster.txt", "--json")
	assert.Zero(t, status)
	assert.Contains(t, notes, "2026a.key has the secret")
	var keys []struct{ Name, Class, Fragment string }
	require.NoError(t, json.Unmarshal([]byte(out), &keys))
	require.Len(t, keys, 2)
	assert.Equal(t, "Bob B.", keys[1].Name)
	again, _, _ := called(t, "lesson", "key", "2026a", "--names", "roster.txt", "--json")
	assert.Equal(t, out, again)
	info, err := os.Stat("2026a.key")
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, "only the lecturer reads it")
	out, _, _ = called(t, "lesson", "key", "2026a")
	assert.Contains(t, out, "--name 'YOUR NAME'")

	for i, k := range keys {
		dir := string(rune('a' + i))
		_, _, status := called(t, "lesson", "hint", "2", "--class", k.Class, "--name", k.Name, "--dir", dir)
		require.Zero(t, status)
	}
	text, err := os.ReadFile("b/state.json")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll("in/a", 0o777))
	require.NoError(t, os.Rename("a/state.json", "in/a/state.json"))
	require.NoError(t, os.WriteFile("in/b.json", []byte(strings.Replace(string(text), "hint", "skip", 1)), 0o666))
	c, err := lessons.ReadClass("in", "", nil)
	require.NoError(t, err)
	assert.Equal(t, "2026a", c.Name)
	assert.Equal(t, lessons.Unchecked, c.Students[0].Signed)
	secret, err := lessons.ReadSecret("2026a.key")
	require.NoError(t, err)
	c, err = lessons.ReadClass("in", "", secret)
	require.NoError(t, err)
	assert.Equal(t, []string{"Ada", lessons.ByStudent, "Bob B.", lessons.Edited}, []string{c.Students[0].Name, c.Students[0].Signed, c.Students[1].Name, c.Students[1].Signed})

	_, notes, status = called(t, "lesson", "key", "a/b")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "a word without a colon or a slash")
	_, notes, status = called(t, "lesson", "class", "none")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "none: no such file")
}

// The whole way of lesson 9's lecturer: a student's file is judged alone and in its class, and the slides show the room.
func TestLessonHandedIn(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a lesson")
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("in", 0o777))
	hand := func(file, name, why string, numbers ...string) {
		entries := `{"what": "hint"}`
		for _, n := range numbers {
			entries += "," + n
		}
		require.NoError(t, os.WriteFile("in/"+file, []byte(`{"schema": 2, "name": "`+name+`", "class": "2026a", "lessons": {"02-one-over-root-d": {"log": [`+entries+`], "exercise": "`+why+`"}}}`), 0o666))
	}
	all, err := lessons.Read()
	require.NoError(t, err)
	var entries []string
	for _, p := range all[1].Predictions() {
		a := lessons.Answer{Why: "=HYPERLINK(1)<img src=x onerror=alert(1)>"}
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
		text, err := json.Marshal(lessons.Entry{What: lessons.Answered, ID: p.ID, Answer: &a})
		require.NoError(t, err)
		entries = append(entries, string(text))
	}
	hand("ada.json", "=1+1", "schema = 1\\nfeatures", entries...)
	hand("bob.json", "<b>Bob</b>", "")
	require.NoError(t, os.WriteFile("in/broken.json", []byte("{"), 0o666))

	out, _, status := called(t, "lesson", "class", "in", "--html", "c.html", "--csv", "c.csv", "--why")
	assert.Equal(t, 1, status, "a file is left out")
	assert.Contains(t, out, "broken.json: left out: unexpected end")
	assert.Contains(t, out, "<img src=x", "the reason, as text")
	page, err := os.ReadFile("c.html")
	require.NoError(t, err)
	assert.NotContains(t, string(page), "<img src=x")
	assert.NotContains(t, string(page), "<b>Bob")
	assert.Contains(t, string(page), "&lt;b&gt;Bob")
	rows, err := os.ReadFile("c.csv")
	require.NoError(t, err)
	assert.Contains(t, string(rows), "\n'=1+1,ada.json,")
	assert.Contains(t, string(rows), "'=HYPERLINK")
	out, _, status = called(t, "lesson", "class", "in", "--json")
	assert.Equal(t, 1, status)
	var c lessons.Class
	require.NoError(t, json.Unmarshal([]byte(out), &c))
	assert.Len(t, c.Students, 2)
	assert.Len(t, c.Questions, len(all[1].Predictions()))

	out, _, status = called(t, "lesson", "check", "2", "--answers", "in/ada.json")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "You drew 1/D. The variance")
	assert.Contains(t, out, "02-exercise.toml:2:", "the mistake in the exercise has its line")
	_, notes, status := called(t, "lesson", "check", "3", "--answers", "in/ada.json")
	assert.Equal(t, int(exits.Mistake), status)
	assert.Contains(t, notes, "in/ada.json: it has no answers to lesson 3")

	_, _, status = called(t, "lesson", "2", "--slides", "s.html", "--poll", "in")
	assert.Zero(t, status)
	slides, err := os.ReadFile("s.html")
	require.NoError(t, err)
	assert.Equal(t, len(all[1].Predictions()), strings.Count(string(slides), "how the room predicted</h"))
	assert.NotContains(t, string(slides), "onerror")
}
