package algostest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// unsupported is the law of algos.Unsupported: Start says that it does not solve a problem before it reads a row, and the number of
// rows is no reason. A plan therefore skips the cells that a run skips.
func unsupported(t *testing.T, a algos.Algorithm) {
	a = With(a, lawSettings["single"])
	at := compute.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 6)}
	variants := map[string]func(p *algos.Problem){
		"as it is":     func(*algos.Problem) {},
		"without ν":    func(p *algos.Problem) { p.Nu = 0 },
		"file order":   func(p *algos.Problem) { p.FileOrder = true },
		"other kernel": func(p *algos.Problem) { p.Kernel = kernels.Laplacian{Sigma: 1} },
		"variances":    func(p *algos.Problem) { p.Train = KernelTargets(p, at).Train },
		"mean too": func(p *algos.Problem) {
			p.Train = algos.KernelTargets{Samples: p.Train, Kernel: p.Kernel, At: at, Mean: true}
		},
	}
	for _, loss := range losses.Names() {
		for variant, change := range variants {
			t.Run(loss+"/"+variant, func(t *testing.T) {
				p := Problem(lawPoints, Loss(t, loss))
				change(p)
				asked := algos.Unsupported(a, p)
				_, err := a.Start(p)
				if !errors.Is(err, algos.ErrUnsupported) {
					require.NoError(t, asked, "Start solves it")
					return
				}
				assert.EqualError(t, asked, err.Error(), "Start must say so before it reads a row or uses the engine")
				in, out := p.Train.Dims()
				many := *p
				many.Train = algos.NoRows{N: 50 * lawPoints, In: in, Out: out}
				if _, kernels := p.Train.(algos.KernelTargets); !kernels {
					assert.EqualError(t, algos.Unsupported(a, &many), err.Error(), "more rows are no other answer")
				}
			})
		}
	}
}
