package methods

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// fittedOf returns a fit of a registered method after seven steps, with few features and centres, and its problem.
func fittedOf(t *testing.T, name string) (algos.Fit, *algos.Problem) {
	t.Helper()
	registered, err := algos.New(name)
	require.NoError(t, err)
	a := algostest.With(registered, map[string]any{"features": 16, "landmarks": 16, "centres": 16, "directions": 5, "batch": 7, "block": 5})
	for _, loss := range []losses.Loss{losses.Square{}, losses.Hinge{}} {
		p := algostest.Problem(40, loss)
		p.Kernel = kernels.Gaussian{Sigma: 0.3} // so narrow that K is far from singular
		f, p, err := algostest.StartAny(a, p)
		if errors.Is(err, algos.ErrUnsupported) {
			continue
		}
		require.NoError(t, err)
		for range 7 {
			_, err := f.Step()
			require.NoError(t, err)
		}
		return f, p
	}
	require.Fail(t, "no loss suits", name)
	return nil, nil
}

// TestNormsOfPredictions finds the norm of every method's fit again from nothing but its predictions at the training
// inputs. A function of the span of their kernel functions has the norm ‖f‖² = f(X)ᵀK⁻¹f(X); one that is linear in m
// features, fewer than the inputs, has the weights that least squares finds.
func TestNormsOfPredictions(t *testing.T) {
	features := map[string]struct{ block, blocks int }{ // random features by method, after seven steps
		"dsg": {5, 7}, "udsg": {5, 4}, "svrg-rf": {16, 1}, "r-pegasos": {16, 1}, "r-sdca": {16, 1}, "r-sbmd": {16, 1}, "r-rbcd": {16, 1},
		"eigenpro-rf": {16, 1}, "sgd-rf": {16, 1}, "random-features": {5, 7},
	}
	for _, name := range algos.Names() {
		t.Run(name, func(t *testing.T) {
			f, p := fittedOf(t, name)
			normed, ok := f.(algos.Normed)
			if !ok {
				t.Skip("knows no norm")
			}
			got := normed.SquaredNorms()
			x, y := p.Dense()
			require.Len(t, got, y.Cols)
			u := f.Model().Predict(x)
			predictions := mat.NewDense(u.Rows, u.Cols, u.Data)
			var norm func(f, solution mat.Vector) float64
			var system mat.Matrix
			weights := func(_, w mat.Vector) float64 { return mat.Dot(w, w) }
			if f, ok := f.(*cdsg); ok {
				features["cdsg"] = struct{ block, blocks int }{5, f.drawn()}
			}
			if f, ok := f.(*fogd); ok { // linear in 16 pairs of features
				z := f.Z.At(x)
				system, norm = mat.NewDense(z.Rows, z.Cols, z.Data), weights
			} else if r, ok := features[name]; ok {
				phi := p.Engine.FeatureMatrix(p.Kernel.(kernels.Featured).Features(p.Seed, x.Cols, r.block), x, compute.Range{Hi: r.blocks})
				phi.Scale(1 / math.Sqrt(float64(phi.Cols)))
				system = mat.NewDense(phi.Rows, phi.Cols, phi.Data)
				norm = weights
			} else {
				system = mat.NewSymDense(x.Rows, p.Engine.KernelMatrix(p.Kernel, x, x).Data)
				norm = func(f, alpha mat.Vector) float64 { return mat.Dot(f, alpha) }
			}
			var solution mat.Dense
			require.NoError(t, solution.Solve(system, predictions))
			for j, s := range got {
				want := norm(predictions.ColView(j), solution.ColView(j))
				assert.Positive(t, want)
				assert.InEpsilon(t, want, s, 1e-6, "output %d", j) // the condition of K or of the features, up to 1e8, times rounding errors
			}
		})
	}
}
