package experiments

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets"
	"repro/results/records"
)

// codeVersion is what the algorithm versioned says of its code.
var codeVersion = "1"

type versioned struct{ External }

func (*versioned) Traits() algos.Traits { return algos.Traits{Exact: true, Version: codeVersion} }

// The version that an algorithm declares is one of its settings, so that a run repeats its cells where it changed.
func TestVersionedAlgorithm(t *testing.T) {
	s := loads(t, ridge)
	before := s.expand()
	s.Methods[0].Configured = &versioned{}
	cells := s.expand()
	assert.Equal(t, "1", cells[0].Settings["version"])
	codeVersion = "2"
	defer func() { codeVersion = "1" }()
	again := s.expand()
	for i, c := range again {
		if c.Method.ID == s.Methods[0].ID {
			assert.NotEqual(t, cells[i].Digest, c.Digest)
			continue
		}
		assert.Equal(t, before[i].Digest, c.Digest, "others keep theirs")
		assert.NotContains(t, c.Settings, "version")
	}
}

// Of a cell a file of which is not here, a record of the other files as they are is the cell's, and one of another content is not.
func TestARecordOfAFileThatIsNotHere(t *testing.T) {
	with := func(files map[string]any) map[string]any { return map[string]any{"seed": 1, "content": files} }
	for sum, ran := range map[string]bool{"here": true, "another": false} {
		settings := with(map[string]any{"a.csv": sum, "b.csv": "not here"})
		h := records.Header{Settings: settings, Digest: digest(settings)}
		c := Cell{Settings: with(map[string]any{"a.csv": "here"}), unread: true}
		c.Digest = digest(c.Settings)
		assert.Equal(t, ran, c.Ran(h), sum)
		c.unread = false
		assert.False(t, c.Ran(h), "b.csv is none of the cell's")
	}
}

// A method that has seeds of its own has its own first look, at all of them unless it says planned; no look has more seeds than run.
func TestPlannedSeeds(t *testing.T) {
	s := &Spec{Repeat: Repeat{Seeds: 40, Planned: 10}}
	for _, c := range []struct{ seeds, planned, want int }{{0, 0, 10}, {20, 0, 20}, {20, 5, 5}, {0, 5, 5}, {20, 30, 20}, {80, 0, 40}} {
		assert.Equal(t, c.want, s.effective(&Method{Seeds: c.seeds, Planned: c.planned}).planned(), "%+v", c)
	}
	s.Repeat.Planned = 0
	assert.Equal(t, 40, s.effective(&Method{}).planned())
}

// The contents of a cell are those of the user's data files and of the files of its program.
func TestContentsOfACell(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.csv", "p.py"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	program := new(External)
	program.Files = []string{"p.py"}
	s := &Spec{File: filepath.Join(dir, "s.toml"), Data: datasets.Options{File: "x.csv"}}
	sums, unread := s.effective(&Method{Configured: program}).content()
	assert.False(t, unread)
	assert.Equal(t, []string{"p.py", "x.csv"}, slices.Sorted(maps.Keys(sums)))
}
