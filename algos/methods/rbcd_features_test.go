package methods

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
)

// rbcds are both methods with r features in b blocks.
func rbcds(r, b int) map[string]algos.Algorithm {
	return map[string]algos.Algorithm{"r-rbcd": &RRBCD{RBCDSettings{r, b}}, "n-rbcd": &NRBCD{RBCDSettings{r, b}, parts.UsualNystrom()}}
}

// naiveObjective returns P(w) = (1/n) Σ l(⟨w, z_i⟩, y_i) + ν/2·‖w‖² and its gradient.
func naiveObjective(p *algos.Problem, z, y, w compute.Matrix) (value float64, gradient compute.Matrix) {
	gradient = w.Clone()
	gradient.Scale(p.Nu)
	u, g := make([]float64, w.Cols), make([]float64, w.Cols)
	for _, v := range w.Data {
		value += p.Nu / 2 * v * v
	}
	n := float64(z.Rows)
	for i := range z.Rows {
		for o := range u {
			u[o] = 0
			for j, v := range z.Row(i) {
				u[o] += v * w.At(j, o)
			}
		}
		value += p.Loss.Value(u, y.Row(i)) / n
		p.Loss.Gradient(g, u, y.Row(i))
		for o, v := range g {
			for j, c := range z.Row(i) {
				gradient.Data[j*w.Cols+o] += v * c / n
			}
		}
	}
	return value, gradient
}

// TestRBCDSteps checks every step against its formula, with L_J from a dense eigensolver of naive Z, and
// that none increases P. 1100 rows are more than are in memory at once.
func TestRBCDSteps(t *testing.T) {
	const n, r, b = chunkRows + 76, 10, 4
	for _, l := range []losses.Loss{losses.Square{}, losses.Logistic{}, losses.SquaredHinge{}, losses.Huber{Delta: 0.5}, losses.Softmax{}} {
		for name, a := range rbcds(r, b) {
			p := algostest.Problem(n, l)
			p.Nu = 0.01
			f := algostest.Start(t, a, p).(*rbcd)
			z := explicitly(t, p, name == "n-rbcd", r)
			_, y := p.Dense()
			seen := map[int]bool{}
			for step := range 12 {
				j := f.blocks.Stream(uint64(step)).IntN(b)
				seen[j] = true
				lo, hi := parts.Cut(r, b, j)
				before := f.View(f.Alpha).Clone()
				value, gradient := naiveObjective(p, z, y, before)
				lipschitz := l.Smoothness()*naiveLargest(t, z.ColRange(lo, hi))/n + p.Nu
				want := before.Clone()
				want.RowRange(lo, hi).AddScaled(-1/lipschitz, gradient.RowRange(lo, hi))

				progress, err := f.Step()
				require.NoError(t, err)
				require.Equal(t, algos.Progress{Seen: n}, progress)
				// Means of 1100 numbers, divided by L_J ≥ ν, on z that carry 1e-15·√(largest/smallest eigenvalue).
				require.InDeltaSlice(t, want.Data, f.Alpha, 1e-9, "%s, %s, step %d", name, l.Name(), step)
				after, _ := naiveObjective(p, z, y, f.View(f.Alpha))
				require.LessOrEqual(t, after, value, "%s, %s, step %d", name, l.Name(), step)
			}
			assert.Len(t, seen, b, "all blocks have been drawn")
		}
	}
}

// naiveLargest returns the largest eigenvalue of ZᵀZ from the singular values of Z.
func naiveLargest(t *testing.T, z compute.Matrix) float64 {
	t.Helper()
	var s mat.SVD
	require.True(t, s.Factorize(mat.NewDense(z.Rows, z.Cols, z.Clone().Data), mat.SVDNone))
	return s.Values(nil)[0] * s.Values(nil)[0]
}
