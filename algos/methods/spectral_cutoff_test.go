package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/parts"
)

// With few eigenvectors of many rows the eigenvalues, the residuals and the projection are those of the whole
// decomposition, whether K is stored or evaluated in every product.
func TestSpectralCutoffOfManyRows(t *testing.T) {
	const n, k = 1000, 30
	require.True(t, parts.FewOf(n, k))
	s := compute.NewStream(3, "inputs", 0)
	d := &algostest.Samples{X: compute.NewMatrix(n, 4), Y: compute.NewMatrix(n, 1)}
	for i := range d.X.Data {
		d.X.Data[i] = s.Normal()
	}
	for i := range n {
		d.Y.Data[i] = math.Sin(d.X.At(i, 0)) + d.X.At(i, 1)*d.X.At(i, 2)
	}
	kernel := kernels.Gaussian{Sigma: 1}
	e := compute.NewEngine(compute.Options{})
	values, vectors, err := parts.Symmetric(e, e.KernelMatrix(kernel, d.X, d.X), k)
	require.NoError(t, err)
	leading := vectors.ColRange(0, k)
	want := e.Mul(leading, e.Mul(leading, d.Y, true), false).Data // Σ e_i⟨e_i, y⟩, the predictions at the rows
	for _, memory := range []int64{64 << 20, 1 << 20} {
		p := &algos.Problem{Train: d, Kernel: kernel, Loss: losses.Square{}, Engine: compute.NewEngine(compute.Options{MemoryBytes: memory})}
		f := algostest.Start(t, &SpectralCutoff{Directions: k}, p)
		assert.Equal(t, memory > 8*n*n, compute.IsStored(f.(cutoff).Gram.K))
		assert.Len(t, f.(cutoff).values, k, "not those of the whole decomposition")
		for i := range k {
			algostest.Steps(t, f, 1)
			now := algostest.Number(t, f, "eigenvalue")
			assert.InEpsilon(t, values[i]/n, now, 1e-11, "λ_%d", i+1)
			assert.Less(t, algostest.Number(t, f, "eigen-residual"), 1e-10)
		}
		// Eigenvectors to 1e-13 λ_1 over a gap of at least 1e-4 λ_1.
		assert.InDeltaSlice(t, want, f.Model().Predict(d.X).Data, 1e-8)
	}
}

// Eigenvalues below n·2⁻⁵³ of the first are rounding errors.
func TestSpectralCutoffEndsInRoundingErrors(t *testing.T) {
	for share, some := range map[float64]bool{1e-15: true, 2e-16: false} { // of n = 2, the end is 2.2e-16
		p := algostest.Single([][]float64{{1, 0}, {0, math.Sqrt(share)}}, []float64{1, 2}, losses.Square{}, 0)
		p.Kernel = kernels.Linear{Sigma: 1}
		_, err := (&SpectralCutoff{Directions: 2}).Start(p)
		assert.Equal(t, some, err == nil, "%g: %v", share, err)
	}
}
