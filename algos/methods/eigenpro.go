package methods

import (
	"errors"
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
)

var _ = algos.Register[*eigenPro]("eigenpro", "EigenPro: preconditioned stochastic gradient descent with the full kernel [ma2017 Table 2]", func() algos.Algorithm {
	return &EigenPro{EigenProSettings{Batch: 256, Directions: 160, Subsample: 4800, Tau: 1, Decomposition: "rsvd", Flatten: "sqrt", Rule: "code"}}
})

// EigenPro is EigenPro iteration in the RKHS, ma2017 Table 2. With E, Λ the top k eigenvectors and
// eigenvalues of K,
//
//	D = E Λ⁻¹ (I - C) Eᵀ,  C = diag(c_1, …, c_k)
//	g_m ← (1/m)(K_m α - y_m),  α_m ← α_m - η g_m,  α ← α + η D K_mᵀ g_m
//
// for the m rows of K drawn. E and Λ are those of RSVD or NSVD, App. A, with M rows.
//
// With K stored, KE is computed once and α is kept as β + EΓ. An iteration changes m rows of β and the k×out
// numbers of Γ. It is the same iteration because (KE)_mᵀ g_m = Eᵀ K_mᵀ g_m, and the cost of its preconditioner
// does not grow with n.
//
// Departures. Rows are drawn without replacement within an epoch. Any smooth loss without a threshold may
// take the place of the square loss, with l' for K_m α - y_m and η divided by the bound of its second
// derivative. It needs ν = 0: a preconditioned iteration with a regulariser would not end where others do.
type EigenPro struct{ EigenProSettings }

// eigenProState is α = Alpha + E·Gamma.
type eigenProState struct {
	parts.Count
	Alpha []float64 // n × outputs, row-major
	Gamma []float64 // k × outputs; zero if K is not stored
}

type eigenPro struct {
	eigenProState
	parts.Expansion
	settings *EigenProSettings
	p        *algos.Problem
	order    parts.Order
	e        compute.Matrix      // E, n×k
	ke       compute.Matrix      // KE, n×k, if K is stored
	h        compute.Matrix      // K_mᵀ g_m, n×out, if it is not: memory of an iteration
	d        []float64           // (1 - c_i)/λ_i
	gamma    func(t int) float64 // η of step t
}

func (a *EigenPro) Start(p *algos.Problem) (algos.Fit, error) {
	if err := errors.Join(preconditionable("eigenpro", p), a.check("eigenpro")); err != nil {
		return nil, err
	}
	f := &eigenPro{settings: &a.EigenProSettings, p: p, order: parts.NewOrder(p)}
	f.Expansion = parts.NewExpansion(p, f.whole)
	n, out := f.Gram.Y.Rows, f.Gram.Y.Cols
	f.Alpha, f.Gamma = make([]float64, n*out), make([]float64, a.Directions*out)
	s, err := f.Gram.Decompose(a.Decomposition, a.Directions, a.Subsample)
	if err != nil {
		return nil, fmt.Errorf("eigenpro: %w", err)
	}
	f.e = s.Vectors
	for i, c := range a.scales(s.Values) {
		f.d = append(f.d, (1-c)/s.Values[i])
	}
	f.factor()
	for i := range s.Values { // from now on of K/n
		s.Values[i] /= float64(n)
	}
	f.gamma = a.steps(p, s.Values, f.Gram.Kappa, func(kappa float64) float64 { return 8 * intrinsic(s.Values, kappa) })
	return f, nil
}

func (f *eigenPro) Step() (algos.Progress, error) {
	eta, b := f.gamma(f.T+1), f.draw()
	defer f.p.Engine.Release(b.k)
	g := f.product(b) // K_m α
	if !parts.Residual(f.p, g, f.Gram.Targets(b.rows)) {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	g.Scale(1 / float64(len(b.rows)))
	parts.AddRows(f.Gram.LikeTargets(f.Alpha), b.rows, -eta, g)
	f.addPreconditioned(eta, b, g)
	return f.Stepped(len(b.rows)), nil
}

func (f *eigenPro) State() any { return &f.eigenProState }

// Footprint implements Sizer: the coefficients, the points they belong to and the eigenvectors.
func (f *eigenPro) Footprint() int64 {
	return 8 * int64(len(f.Alpha)+len(f.Gram.X.Data)+len(f.e.Data)+len(f.ke.Data)+len(f.Gamma))
}

// Cost implements Coster. K is evaluated once if it is stored, else its rows in every step. The sketch of RSVD has 2(k+1)
// columns; NSVD evaluates its block again. With K stored there is one product for KE; without it every step has a product
// with K_mᵀ and two with E.
func (a *EigenPro) Cost(s algos.Size) algos.Cost {
	c, n, k := parts.GramCost(s, float64(a.Batch)), float64(s.N), float64(a.Directions)
	m, b := min(float64(a.Subsample), n), min(float64(a.Batch), n)
	parts.AddDecomposition(&c, a.Decomposition, k, m, n)
	c.Bytes += 8 * n * (float64(parts.SketchOf(a.Directions)) + k) // while the eigenvectors are computed from the sketch
	if a.Decomposition == "nystrom" {
		c.KernelEvals += m * m
		c.Bytes += 16 * m * m
	}
	columns := float64(s.Steps) * float64(s.Out)
	if s.Stores(n * n) {
		c.Flops += 2*n*n*k + 4*b*columns*k
		return c
	}
	if a.Decomposition == "nystrom" {
		c.KernelEvals += m * n
	} else {
		parts.AddRowsOfK(&c, s, m)
	}
	c.KernelEvals += float64(s.Steps) * (s.Evaluated(b*n, 2) - b*n) // K_m and K_mᵀ
	c.Flops += 2*b*columns*n + 4*n*k*columns
	return c
}
