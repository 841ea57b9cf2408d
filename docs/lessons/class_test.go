package lessons_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/docs/lessons"
	"repro/docs/lessons/lessonstest"
)

// handIn writes files of answers of a class into a folder.
func handIn(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

// answers returns a file of answers to lesson 2.
func answers(name, class string, log ...string) string {
	text, _ := json.Marshal(name)
	return `{"schema": 2, "name": ` + string(text) + `, "class": "` + class + `", "lessons": {"02-one-over-root-d": {"log": [` + strings.Join(log, ",") + `]}}}`
}

func reasons(c *lessons.Class) map[string]string {
	all := map[string]string{}
	for _, l := range c.Left {
		all[l.File] = l.Reason
	}
	return all
}

// A folder of files by others: what is no file of answers is named and left out, and nothing else happens.
func TestHostileHandIns(t *testing.T) {
	dir := handIn(t, map[string]string{
		"ada.json":              answers("Ada", "2026a", `{"what": "hint"}`),
		"old/ada.json":          answers("Ada", "2026a"),
		"other.json":            answers("Ada", "2026a", `{"what": "skip", "id": "x"}`),
		"bob.json":              answers("Bob", "2025", `{"what": "hint"}`),
		"broken.json":           `{"schema": 2, "lessons": {`,
		"deep.json":             strings.Repeat(`{"a":`, 200_000),
		"empty.json":            "",
		"huge.json":             `{"schema": 2, "name": "` + strings.Repeat("x", 2<<20) + `"}`,
		"markup.json":           answers("<script>alert(1)</script>\u202e\u001b[2J", "2026a"),
		"verdicts.json":         `[]`,
		"Eve 7/state.json":      answers("", "2026a"),
		".git/x.json":           "{}",
		"a/b/c/d/e/f/deep.json": "{}",
		"notes.txt":             "hello",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.json")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.json"), 0o777))
	_, err := lessons.ReadClass(dir, "", nil)
	require.ErrorContains(t, err, "the files are of several classes: 2025 (1 file), 2026a (5 files); choose one with --class")
	c, err := lessons.ReadClass(dir, "2026a", nil)
	require.NoError(t, err)
	var names []string
	for _, s := range c.Students {
		names = append(names, s.Name)
		assert.Len(t, s.SHA256, 64)
	}
	assert.Equal(t, []string{`<script>alert(1)</script>\u202e\u001b[2J`, "Ada", "Eve 7"}, names)
	left := reasons(c)
	for file, want := range map[string]string{
		"old/ada.json": "an earlier state of ", "bob.json": `of the class "2025"`, "broken.json": "unexpected end of JSON input", "deep.json": "exceeded max depth",
		"empty.json": "unexpected end of JSON input", "huge.json": "larger than 1024 KiB", "verdicts.json": "cannot unmarshal array", "link.json": "a symbolic link",
	} {
		assert.Contains(t, left[file], want, file)
	}
	assert.Contains(t, left["ada.json"]+left["other.json"], "says otherwise than", "two files of one name that contradict each other")
	assert.Len(t, left, 9)
	_, err = lessons.ReadClass(t.TempDir(), "", nil)
	assert.ErrorContains(t, err, "there is no file of answers below")
	_, err = lessons.ReadClass(filepath.Join(dir, "none"), "", nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// A class is judged by a run with its seeds, whatever the files say of themselves.
func TestClassIsJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a lesson")
	}
	all, err := lessons.Read()
	require.NoError(t, err)
	l := all[1]
	work := t.TempDir()
	runs, err := l.Execute(t.Context(), lessonstest.Train, work, "2026a")
	require.NoError(t, err)
	q := l.Predictions()[slices.IndexFunc(l.Predictions(), func(p *lessons.Predict) bool { return p.Kind == lessons.Choice })]
	k, err := q.Key(runs)
	require.NoError(t, err)
	answer := func(choice int, why string) string {
		text, err := json.Marshal(lessons.Entry{What: lessons.Answered, ID: q.ID, Question: q.Digest(), Answer: &lessons.Answer{Choice: choice, Why: why}, Seconds: 30})
		require.NoError(t, err)
		return string(text)
	}
	told := `{"what": "outcome", "id": "` + q.ID + `", "right": true, "part": 1}`
	right, wrong := k.Choice, k.Choice%len(q.Choices)+1
	dir := handIn(t, map[string]string{
		"ada.json": answers("Ada", "2026a", answer(wrong, ""), answer(right, "I know it")),
		"bob.json": answers("Bob", "2026a", answer(wrong, "<b>so</b>"), told, `{"what": "reset"}`, answer(right, "now I know")),
		"eve.json": answers("Eve", "2026a", told, answer(right, "")),
		"joe.json": answers("Joe", "2026a", `{"what": "answer", "id": "`+q.ID+`", "question": "0123", "answer": {"choice": 1}}`, answer(99, "")),
	})
	c, err := lessons.ReadClass(dir, "", nil)
	require.NoError(t, err)
	require.NoError(t, c.Judge(t.Context(), all, lessonstest.Train, work))
	require.Len(t, c.Students, 4)
	outcomes := map[string]string{}
	for _, s := range c.Students {
		require.Len(t, s.Lessons, 1)
		for _, p := range s.Lessons[0].Predictions {
			if p.ID == q.ID {
				outcomes[s.Name] = p.Outcome
			}
		}
	}
	assert.Equal(t, map[string]string{"Ada": "right", "Bob": "wrong", "Eve": "late", "Joe": "open"}, outcomes)
	assert.Equal(t, []any{2, 60.0, 1, 1}, []any{c.Students[0].Lessons[0].Attempts, c.Students[0].Lessons[0].Seconds, c.Students[0].Lessons[0].Right, c.Students[0].Lessons[0].Predicted})
	room := c.Questions[slices.IndexFunc(c.Questions, func(r *lessons.Room) bool { return r.ID == q.ID })]
	assert.Equal(t, []int{2, 1}, []int{room.Answered, room.Right})
	assert.Len(t, room.Answers, 2)
	assert.Equal(t, "I know it", room.Whys[0].Why)
	for _, g := range room.Answers {
		assert.Equal(t, 1, g.Count)
		assert.NotEqual(t, g.Right, g.Says != "", "what the lesson says of a wrong one")
	}
}
