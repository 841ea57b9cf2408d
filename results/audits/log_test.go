package audits

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
)

// chained returns the lines of a log of n audits.
func chained(t *testing.T, n int) (path string, lines []string) {
	path = filepath.Join(t.TempDir(), "b.audit.jsonl")
	for i := range n {
		a := Audit{Seed: uint64(i)}
		last, err := a.Append(t.Context(), path)
		require.NoError(t, err)
		l, err := ReadLog(path)
		require.NoError(t, err)
		assert.Equal(t, last, l.Last)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return path, slices.Collect(strings.Lines(string(text)))
}

func TestTheLogIsChained(t *testing.T) {
	path, lines := chained(t, 4)
	l, err := ReadLog(path)
	require.NoError(t, err)
	assert.Empty(t, l.Faults)
	assert.Len(t, l.Audits, 4)
	assert.Equal(t, "4 audits logged, each line with the SHA-256 of the line before", l.Words())

	a, b, c, d := lines[0], lines[1], lines[2], lines[3]
	old := `{"seed":7}` + "\n"
	edit := func(line string) string { return strings.Replace(line, `"seed":`, `"seed":1`, 1) }
	for name, x := range map[string]struct {
		lines  []string
		faults []string
	}{
		"changed":      {[]string{a, edit(b), c, d}, []string{":3: the line before it is not the one that it was written after, which was changed or removed"}},
		"removed":      {[]string{a, c, d}, []string{":2: the line before it is not the one"}},
		"first":        {[]string{b, c, d}, []string{":1: is not the first of its log: the lines before it were removed"}},
		"swapped":      {[]string{a, c, b, d}, []string{":2: was written after line 3: lines were reordered", ":3: was written after line 1:", ":4: was written after line 2:"}},
		"twice":        {[]string{a, b, b, c, d}, []string{":3: was written after line 1:"}},
		"two logs":     {[]string{a, b, a}, []string{":3: was the first of its log: lines were inserted before it"}},
		"inserted":     {[]string{a, old, b, c}, []string{":2: has no SHA-256 of the line before", ":3: was written after line 1"}},
		"put in front": {[]string{old, a, b}, []string{":2: was the first of its log"}},
		"no line":      {[]string{a, "nonsense\n", b}, []string{":2: "}},
	} {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(x.lines, "")), 0o600))
		l, err := ReadLog(path)
		require.NoError(t, err)
		require.Len(t, l.Faults, len(x.faults), "%s: %v", name, l.Faults)
		for i, want := range x.faults {
			assert.ErrorContains(t, l.Faults[i], filepath.Base(path)+want, name)
		}
	}
	for _, same := range []string{strings.Join(lines, ""), strings.Join(lines, "\n"), strings.ReplaceAll(strings.Join(lines, ""), "\n", "\r\n"), strings.TrimSpace(strings.Join(lines, ""))} {
		require.NoError(t, os.WriteFile(path, []byte(same), 0o600))
		next := Audit{}
		_, err = next.Append(t.Context(), path)
		require.NoError(t, err)
		l, err = ReadLog(path)
		require.NoError(t, err)
		assert.Empty(t, l.Faults, "ends of lines do not count")
		assert.Len(t, l.Audits, 5)
	}
}

// A log that an older program wrote goes on with a chain, which says that the old lines were not in it.
func TestOldLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.audit.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"seed\":7}\n{\"seed\":8}\n"), 0o600))
	for range 2 {
		a := Audit{}
		_, err := a.Append(t.Context(), path)
		require.NoError(t, err)
	}
	l, err := ReadLog(path)
	require.NoError(t, err)
	assert.Empty(t, l.Faults)
	assert.Equal(t, "4 audits logged, each line with the SHA-256 of the line before, except the first 2, of an older program: edits of these are not noticed", l.Words())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "8", "9", 1)), 0o600))
	l, err = ReadLog(path)
	require.NoError(t, err)
	assert.Len(t, l.Faults, 1, "only the last of them is held by the first line of the chain")
}

// What a killed process left of a line is cut off, and processes that end at once append one after the other.
func TestAppendOfSeveral(t *testing.T) {
	path, lines := chained(t, 2)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")+lines[1][:len(lines[1])-2]), 0o600))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a := Audit{}
			_, err := a.Append(context.Background(), path)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	l, err := ReadLog(path)
	require.NoError(t, err)
	assert.Empty(t, l.Faults)
	assert.Len(t, l.Audits, 10)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no lock stays")
}
