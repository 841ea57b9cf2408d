package baseline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/changes"
)

func entry(commit, experiment string) Entry {
	return Entry{
		Schema: LogSchema, Commit: strings.Repeat(commit, 8), Time: "2026-01-02T12:00:00Z", Seconds: map[string][]float64{"dsg": {0.5, 1e306}},
		Snapshot: changes.Snapshot{Schema: changes.Schema, Experiment: experiment},
	}
}

func noWait(string) {}

func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "runs.jsonl")
	_, _, err := ReadLog(file)
	assert.ErrorContains(t, err, "repro check --append")
	require.NoError(t, Append(t.Context(), file, []Entry{entry("a", "own/one"), entry("a", "own/two")}, noWait))
	require.NoError(t, Append(t.Context(), file, []Entry{entry("b", "own/one")}, noWait))
	all, warnings, err := ReadLog(file)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	require.Len(t, all, 3)
	assert.Equal(t, "bbbbbbbb", all[2].Commit)
	assert.Equal(t, []float64{0.5, 1e306}, all[0].Seconds["dsg"])
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no lock stays")
}

// A writer that is stopped in the middle of a line costs that line, and no other.
func TestLogWithLinesThatWereCut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	require.NoError(t, Append(t.Context(), file, []Entry{entry("a", "own/one")}, noWait))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 2, len(whole) - 1, len(whole)} {
		require.NoError(t, os.WriteFile(file, append(whole[:len(whole):len(whole)], whole[:n]...), 0o600))
		all, warnings, err := ReadLog(file)
		require.NoError(t, err)
		want := 1
		if n >= len(whole)-1 { // only the end of the line is missing
			want = 2
		}
		assert.Len(t, all, want, n)
		cut := n > 0 && n < len(whole)-1
		require.Equal(t, cut, len(warnings) == 1, n)
		if cut {
			assert.ErrorContains(t, warnings[0], file+":2: the line was cut off")
		}
		require.NoError(t, Append(t.Context(), file, []Entry{entry("b", "own/one")}, noWait))
		all, warnings, err = ReadLog(file)
		require.NoError(t, err)
		assert.Len(t, all, want+1, n)
		assert.Equal(t, "bbbbbbbb", all[want].Commit)
		assert.Equal(t, cut, len(warnings) == 1, n)
	}
}

func TestLogWithOtherLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}\n\nnull\n[1]\n\x00\xff\n{\"log\": 99, \"commit\": \"a\"}\n"), 0o600))
	outside, odd := entry("a", "../own"), entry("<", "own/one")
	require.NoError(t, Append(t.Context(), file, []Entry{outside, odd}, noWait))
	all, warnings, err := ReadLog(file)
	require.NoError(t, err)
	assert.Empty(t, all)
	assert.Len(t, warnings, 7)
	assert.ErrorContains(t, warnings[1], file+":3: not a line of check --append")
}

// Eight processes append at once: no line is lost, and none is mixed with another.
func TestLogOfManyProcesses(t *testing.T) {
	if file := os.Getenv("APPEND_TO"); file != "" {
		for i := range 5 {
			e := entry(os.Getenv("APPEND_AS"), fmt.Sprint("own/", i))
			e.Subject = strings.Repeat(e.Commit, 50_000) // more than a pipe or a page holds
			require.NoError(t, Append(t.Context(), file, []Entry{e, e}, noWait))
		}
		return
	}
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	var writers []*exec.Cmd
	for i := range 8 {
		c := exec.Command(os.Args[0], "-test.run", "^TestLogOfManyProcesses$")
		c.Env = append(os.Environ(), "APPEND_TO="+file, fmt.Sprint("APPEND_AS=", i))
		require.NoError(t, c.Start())
		writers = append(writers, c)
	}
	for _, c := range writers {
		require.NoError(t, c.Wait())
	}
	all, warnings, err := ReadLog(file)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	lines := map[string]int{}
	for _, e := range all {
		assert.Equal(t, strings.Repeat(e.Commit, 50_000), e.Subject)
		lines[e.Commit+" "+e.Snapshot.Experiment]++
	}
	assert.Len(t, lines, 40)
	for key, n := range lines {
		assert.Equal(t, 2, n, key)
	}
}
