package transforms

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
)

// Every row has 1 in the column of its own label and Off in all others.
func TestOneHot(t *testing.T) {
	const n = 1000
	s := InMemory{X: compute.NewMatrix(n, 1), Y: compute.NewMatrix(n, 1)}
	labels := []float64{-3, 0, 2, 7}
	for i := range n {
		s.X.Data[i], s.Y.Data[i] = float64(i), labels[i*i%7%len(labels)]
	}
	assert.Equal(t, []float64{s.Y.Data[4], s.Y.Data[2]}, Labels(Subset{Samples: s, Rows: []int{4, 2}}))
	for _, off := range []float64{0, -1} {
		x, y := Gather(OneHot{Samples: s, Classes: labels, Off: off}, Span(0, n))
		assert.Equal(t, s.X.Data, x.Data)
		for i := range n {
			for c, label := range labels {
				want := off
				if label == s.Y.Data[i] {
					want = 1
				}
				assert.Equal(t, want, y.At(i, c), "row %d, class %v", i, label)
			}
		}
	}
}
