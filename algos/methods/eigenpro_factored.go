package methods

import (
	"repro/algos/compute"
	"repro/algos/parts"
)

// How eigenPro keeps α = β + EΓ. If K is stored, KE is computed once, and an iteration changes the rows β_m and all of
// Γ, k×out numbers. If K is not stored, Γ = 0 and every iteration changes all n rows of β.

// factor computes KE if K is stored.
func (f *eigenPro) factor() {
	if compute.IsStored(f.Gram.K) {
		f.ke = compute.NewMatrix(f.e.Rows, f.e.Cols)
		f.Gram.K.MulTo(f.ke, f.e)
	}
}

// factored says whether Γ is in use.
func (f *eigenPro) factored() bool { return f.ke.Data != nil }

// A kernelBatch is the m rows of the kernel matrix that an iteration uses.
type kernelBatch struct {
	rows []int
	k    compute.Operator // K_m
	ke   compute.Matrix   // (KE)_m, if Γ is in use
}

// draw returns the next batch. The caller releases its K_m.
func (f *eigenPro) draw() kernelBatch {
	rows := f.order.Rows(f.Seen, f.settings.Batch)
	return kernelBatch{rows, f.Gram.Rows(rows), f.ke.Select(rows)}
}

// product returns K_m α = K_m β + (KE)_m Γ.
func (f *eigenPro) product(b kernelBatch) compute.Matrix {
	beta, gamma := f.Gram.LikeTargets(f.Alpha), f.Gram.LikeTargets(f.Gamma)
	if !f.factored() && parts.Nonzero(f.Gamma) { // the state was saved by a fit that had K stored
		f.p.Engine.Gemm(beta, 1, f.e, false, gamma, false, 1)
		clear(f.Gamma)
	}
	u := compute.NewMatrix(len(b.rows), beta.Cols)
	b.k.MulTo(u, beta)
	if f.factored() {
		f.p.Engine.Gemm(u, 1, b.ke, false, gamma, false, 1)
	}
	return u
}

// addPreconditioned sets α ← α + η D K_mᵀ g. With Γ that is Γ ← Γ + η Λ⁻¹(I - C) (KE)_mᵀ g.
func (f *eigenPro) addPreconditioned(eta float64, b kernelBatch, g compute.Matrix) {
	if f.factored() {
		f.Gram.LikeTargets(f.Gamma).AddScaled(1, f.scaled(eta, f.p.Engine.Mul(b.ke, g, true)))
		return
	}
	if f.h.Data == nil {
		f.h = compute.NewMatrix(f.e.Rows, g.Cols)
	}
	b.k.MulTransTo(f.h, g)
	f.p.Engine.Gemm(f.Gram.LikeTargets(f.Alpha), 1, f.e, false, f.scaled(eta, f.p.Engine.Mul(f.e, f.h, true)), false, 1)
}

// scaled multiplies row i of m by s(1 - c_i)/λ_i.
func (f *eigenPro) scaled(s float64, m compute.Matrix) compute.Matrix {
	for i, d := range f.d {
		m.RowRange(i, i+1).Scale(s * d)
	}
	return m
}

// whole returns α.
func (f *eigenPro) whole() compute.Matrix {
	alpha := f.Gram.LikeTargets(f.Alpha)
	if parts.Nonzero(f.Gamma) {
		alpha = alpha.Clone()
		f.p.Engine.Gemm(alpha, 1, f.e, false, f.Gram.LikeTargets(f.Gamma), false, 1)
	}
	return alpha
}
