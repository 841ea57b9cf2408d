package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// TestSVRGDirectionIsUnbiased requires that the mean of the directions of all batches, at a w far from the snapshot, is
// the full gradient at w, and that the direction at the snapshot is the full gradient for every batch.
func TestSVRGDirectionIsUnbiased(t *testing.T) {
	const n, batch = 60, 12
	for _, l := range []losses.Loss{losses.Square{}, losses.Logistic{}, losses.Softmax{}, losses.SquaredHinge{}, losses.Huber{Delta: 0.5}} {
		t.Run(l.Name(), func(t *testing.T) {
			p := algostest.Problem(n, l)
			f := algostest.Start(t, &SVRGRF{Batch: batch, Features: 16, Inner: 2}, p).(*svrg)
			s := compute.NewStream(3, "w", 0)
			random := func() []float64 {
				w := make([]float64, len(f.Alpha))
				for i := range w {
					w[i] = s.Normal()
				}
				return w
			}
			copy(f.Alpha, random())
			algostest.Steps(t, f, n/batch) // the pass for the full gradient
			full := func() compute.Matrix {
				x, y := p.Dense()
				z := f.Z.At(x)
				r := f.Z.Apply(z, f.View(f.Alpha))
				require.True(t, parts.Residual(p, r, y))
				g := f.Z.Block(z, r, 0, f.Z.Width())
				g.Scale(1. / n)
				g.AddScaled(p.Nu, f.View(f.Alpha))
				return g
			}
			batches := func() (all []compute.Matrix) {
				for seen := int64(n); seen < 2*n; seen += batch {
					_, x, y := f.Order.Batch(seen, batch)
					g, finite := f.direction(f.Z.At(x), y)
					require.True(t, finite)
					all = append(all, g)
				}
				return all
			}
			for _, g := range batches() {
				assert.InDeltaSlice(t, full().Data, g.Data, handTolerance, "at the snapshot")
			}
			copy(f.Alpha, random())
			mean := compute.NewMatrix(16, 2)
			for _, g := range batches() {
				mean.AddScaled(float64(batch)/n, g)
			}
			assert.InDeltaSlice(t, full().Data, mean.Data, handTolerance, "far from the snapshot")
		})
	}
}

// TestSVRGByHand makes a pass for the full gradient and one inner iteration on one feature, and checks the step of
// 1/(4L).
func TestSVRGByHand(t *testing.T) {
	p := algostest.Single(algostest.Inputs, algostest.Targets, losses.Square{}, 0.3)
	f := algostest.Start(t, &SVRGRF{Batch: 3, Features: 1, Inner: 2}, p)
	n, mu, largest := float64(len(algostest.Inputs)), 0.0, 0.0
	feature := featuresOf(p.Kernel.(kernels.Featured).Features(p.Seed, 2, 1), 0, 2)
	phi := func(x []float64) float64 { return feature(x)[0] }
	for i, x := range algostest.Inputs {
		mu -= algostest.Targets[i] * phi(x) / n // l' = -y at w̃ = 0
		largest = max(largest, phi(x)*phi(x))
	}
	algostest.Steps(t, f, 3)
	mustEqualAt(t, func([]float64) float64 { return 0 }, f.Model(), handTolerance)
	w := -mu / (4 * (0.3 + largest)) // w = w̃ in the first inner iteration
	algostest.Steps(t, f, 1)
	mustEqualAt(t, func(x []float64) float64 { return w * phi(x) }, f.Model(), handTolerance)
	// The second has g_B(w) - g_B(0) = (1/3) Σ_b w φ(x_b)² + νw.
	g := mu + 0.3*w
	for _, x := range algostest.Inputs[3:6] {
		g += w * phi(x) * phi(x) / 3
	}
	w -= g / (4 * (0.3 + largest))
	algostest.Steps(t, f, 1)
	mustEqualAt(t, func(x []float64) float64 { return w * phi(x) }, f.Model(), handTolerance)
}
