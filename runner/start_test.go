package runner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/experiments"
)

// Options.Start takes the place of a method's own Start, for every cell, and the record has the cell's settings all the same.
func TestStartInPlaceOfTheMethod(t *testing.T) {
	s := spec(t, head+compared, "repeat.seeds=1")
	healthy, out := t.TempDir(), t.TempDir()
	execute(t, s, Options{Out: healthy})
	execute(t, s, Options{Out: out, Start: func(c *experiments.Cell, p *algos.Problem) (algos.Fit, error) {
		narrow := *p
		narrow.Nu *= 1000
		x, _ := p.Dense()
		p.Engine.KernelMatrix(p.Kernel, x.RowRange(0, 10), x.RowRange(10, 20))
		return c.Method.Configured.Start(&narrow)
	}})
	for _, c := range s.Expand() {
		was, is := record(t, healthy, s, c.Name), record(t, out, s, c.Name)
		assert.Equal(t, was.Header.Digest, is.Header.Digest)
		require.NotEmpty(t, is.Points)
		assert.Equal(t, was.Points[0].Counters.KernelEvals+100, is.Points[0].Counters.KernelEvals, "%s: what a start computes counts", c.Name)
		assert.NotEqual(t, was.Points[len(was.Points)-1].Values, is.Points[len(is.Points)-1].Values, c.Name)
	}
}
