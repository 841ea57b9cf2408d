package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const importedSpec = `schema = 1
paper = "own"
title = "Curves"
problem.kind = "own"
repeat = { seeds = 2, first = 0 }
curves = { file = "c.csv", method = "m", seed = "s", step = "t" }

[[metric]]
name = "loss"

[[method]]
id = "a"
algorithm = "imported"

[[method]]
id = "b"
algorithm = "imported"
curve = "B 2"

[[claim]]
id = "c"
kind = "order"
statement = "b is better"
source = "mine"
ours = "it is"
method = "b"
against = ["a"]
metric = "loss"
`

// TestImported: the cells of imported methods find their curves, and a changed file is another setting.
func TestImported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.toml")
	data := filepath.Join(filepath.Dir(file), "c.csv")
	write := func(text string) { require.NoError(t, os.WriteFile(data, []byte(text), 0o600)) }
	write("m,s,t,loss\na,0,1,0.5\na,1,1,0.25\nB 2,0,1,4\nB 2,1,1,8\n")
	load := func(text string) []Cell {
		s, err := Load(Source{File: file, Text: text}, LoadOptions{})
		require.NoError(t, err)
		return s.Expand()
	}
	cells := load(importedSpec)
	require.Len(t, cells, 4)
	for i, want := range []float64{0.5, 4, 0.25, 8} {
		curve, _, err := cells[i].Curve()
		require.NoError(t, err)
		assert.Equal(t, want, curve.Points[0].Values[0])
	}
	named := load(strings.Replace(importedSpec, `step = "t" }`, `step = "t", seeds = ["1", "7"] }`, 1))
	curve, _, err := named[0].Curve()
	require.NoError(t, err)
	assert.Equal(t, 0.25, curve.Points[0].Values[0])
	_, _, err = named[2].Curve()
	require.ErrorContains(t, err, `has no curve of method "a" and seed "7"; the file has no rows of that seed`)
	require.NotErrorIs(t, err, ErrAbsent, "no method has it")
	write("m,s,t,loss\na,0,1,0.5\na,1,1,0.25\nB 2,0,1,4\nb,1,1,\n")
	gap := load(importedSpec)
	_, _, err = gap[3].Curve()
	require.ErrorIs(t, err, ErrAbsent)
	require.EqualError(t, err, "c.csv has no curve of this seed")
	empty := load(strings.Replace(importedSpec, "B 2", "b", 1))
	_, _, err = empty[3].Curve()
	require.ErrorContains(t, err, `has no curve of method "b" and seed "1"; all its values are empty`)
	unknown := load(strings.Replace(importedSpec, "B 2", "B 3", 1))
	_, _, err = unknown[1].Curve()
	require.ErrorContains(t, err, `no curve of method "B 3" and seed "0"; set curve to what the file calls the method; did you mean "B 2"?`)

	assert.NotEqual(t, cells[0].Digest, named[0].Digest)
	write("m,s,t,loss\na,0,1,0.75\na,1,1,0.25\nB 2,0,1,4\nB 2,1,1,8\n")
	assert.NotEqual(t, cells[0].Digest, load(importedSpec)[0].Digest)
	touched, _ := cells[0].Touched()
	assert.Equal(t, []string{"c.csv"}, touched)

	assert.NotContains(t, cells[0].Settings["problem"], "kernel", "a problem of its own has none")
	mixed := cells[0].Spec
	mixed.Methods[0].Configured, mixed.Budget.Steps = &versioned{}, 3
	assert.Empty(t, mixed.Expand()[1].Settings["budget"], "an imported curve has the budget of no other method")
}

// A proposed spec is over the steps of a file, without them over its epochs, and without these over its seconds.
func TestAbscissaOfAProposal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.csv")
	for header, want := range map[string]string{"step,epoch,seconds": "step", "other,epoch,seconds": "epoch", "other,another,seconds": "seconds"} {
		require.NoError(t, os.WriteFile(file, []byte(header+",loss\n1,0.5,3,4\n2,1,6,2\n"), 0o600))
		p, err := Propose([]string{file}, filepath.Dir(file))
		require.NoError(t, err)
		assert.Equal(t, want, p.X, header)
	}
}
