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

	o := repro(t, "lesson", "class", "in")
	assert.Equal(t, 1, o.status, "files are left out")
	assert.Contains(t, o.errors, "in/broken.json: unexpected end of JSON input")
	assert.Contains(t, o.errors, "in/huge.json")
	rows, err := csv.NewReader(strings.NewReader(o.out)).ReadAll()
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

	o = repro(t, "lesson", "check", "2", "--answers", "in/ada.json")
	assert.Equal(t, 1, o.status, "whatever the file says of itself")
	assert.Contains(t, o.out, "You drew 1/D. The variance")
	assert.Contains(t, o.out, "02-exercise.toml:2:", "the mistake in the exercise has its line")
	o = repro(t, "lesson", "check", "3", "--answers", "in/ada.json")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Contains(t, o.errors, "in/ada.json: it has no answers to lesson 3")
}
