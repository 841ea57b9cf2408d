package methods

import (
	"fmt"
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
	"repro/algos/parts"
)

// Ridge regression by direct solves: w of Σ_j w_j φ_j for functions φ_j with the Gram matrix G in the RKHS minimises the objective if
// (ΦᵀΦ + nνG)w = Φᵀy. The functions are k(x_i, ·) of all rows, those of landmarks, or random features.

// exactly returns the predictions at z of ridge regression with the kernel: (K + nνI)α = y.
func exactly(t *testing.T, p *algos.Problem, z compute.Matrix) []float64 {
	t.Helper()
	x, y := p.Dense()
	k := kernelOf(algostest.Gaussian)
	return product(k.matrix(z, x), ridge(t, k.matrix(x, x), p.Nu*float64(x.Rows), identity(x.Rows), dense(y)))
}

// onLandmarks returns those of ridge regression in the span of the kernel functions of landmarks.
func onLandmarks(t *testing.T, p *algos.Problem, z compute.Matrix, landmarks int, selection string) []float64 {
	t.Helper()
	x, y := p.Dense()
	rows, err := parts.SelectLandmarks("test", p, landmarks, selection)
	require.NoError(t, err)
	s, k := x.Select(rows), kernelOf(algostest.Gaussian)
	return product(k.matrix(z, s), onFeatures(t, p, k.matrix(x, s), k.matrix(s, s), dense(y)))
}

// onRandomFeatures returns those of ridge regression with r random features.
func onRandomFeatures(t *testing.T, p *algos.Problem, z compute.Matrix, r int) []float64 {
	t.Helper()
	x, y := p.Dense()
	return product(randomly(p, z, r), onFeatures(t, p, randomly(p, x, r), identity(r), dense(y)))
}

func onFeatures(t *testing.T, p *algos.Problem, phi *mat.Dense, gram, y mat.Matrix) *mat.Dense {
	t.Helper()
	var left, right mat.Dense
	left.Mul(phi.T(), phi)
	right.Mul(phi.T(), y)
	return ridge(t, &left, p.Nu*float64(p.Train.Len()), gram, &right)
}

// randomly returns z(x) = r^(-1/2) (φ_1(x), …, φ_r(x)) at the rows of x.
func randomly(p *algos.Problem, x compute.Matrix, r int) *mat.Dense {
	phi, z := featuresOf(p.Kernel.(kernels.Featured).Features(p.Seed, x.Cols, r), 0, x.Cols), mat.NewDense(x.Rows, r, nil)
	for i := range x.Rows {
		z.SetRow(i, phi(x.Row(i)))
	}
	z.Scale(1/math.Sqrt(float64(r)), z)
	return z
}

func product(a, b mat.Matrix) []float64 {
	var c mat.Dense
	c.Mul(a, b)
	return c.RawMatrix().Data
}

// Methods that end at ridge regression, or make it in a step, come to the direct solve. Before their first step they predict 0.
func TestRidgeRegression(t *testing.T) {
	nystrom := func(jitter float64) parts.NystromSettings { return parts.NystromSettings{Jitter: jitter} }
	pegasos := PegasosSettings{Batch: 30, Features: 30, Step: constant(1.2)}
	type solver struct {
		a         algos.Algorithm
		n         int // 0 for algostest.SmallSquare
		nu        float64
		steps     int
		tolerance float64
		basis     int    // landmarks, or random features of methods r-; 0 for the kernel
		selection string // of landmarks
	}
	all := []solver{
		// A condition number of at most (n + nν)/(nν) = 9 and rounding of 130 terms; without ν it is 10³.
		{&KRR{}, 1, 0.125, 1, 1e-12, 0, ""}, {&KRR{}, 2, 0.125, 1, 1e-12, 0, ""}, {&KRR{}, 130, 0.125, 1, 1e-12, 0, ""}, {&KRR{}, 0, 0, 1, 1e-10, 0, ""},
		// Errors contract by max |1 - γ(ν + λ)|, λ ∈ [0, 1): 0.85¹²⁰ = 3e-9. Directions dropped have eigenvalues below 1e-10·30 and change f
		// by the square root of that at most, in practice far less.
		{&NORMA{Batch: 30, Step: constant(1.2)}, 30, 0.125, 120, 1e-6, 0, ""},
		{&NPegasos{pegasos, nystrom(1e-10)}, 30, 0.125, 120, 1e-6, 0, ""}, {&NPegasos{pegasos, nystrom(1e-12)}, 30, 0.125, 120, 1e-6, 0, ""},
		{&NSDCA{SDCASettings{Batch: 5}, 30, nystrom(1e-12)}, 30, 0.125, 60 * 6, 1e-5, 0, ""},
		// 60 passes, each of which takes off more than half of the error at νn = 7.5.
		{&KSDCA{SDCASettings{Batch: 16}}, 60, 0.125, 60 * 4, 1e-10, 0, ""},
		{&RSDCA{SDCASettings{Batch: 16}, 20}, 60, 0.125, 60 * 4, 1e-10, 20, ""},
		{&NSDCA{SDCASettings{Batch: 16}, 20, nystrom(1e-10)}, 60, 0.125, 60 * 4, 1e-6, 20, parts.Uniform},
		{&Falkon{Landmarks: 60}, 60, 1e-3, 30, 1e-9, 0, ""}, // a condition number of 10⁵
		{&Falkon{Landmarks: 15}, 60, 1e-3, 30, 1e-9, 15, parts.Uniform},
		{&Falkon{Landmarks: 40}, 40, 1e-4, 1, 1e-8, 0, ""}, // with all rows the preconditioned matrix is I, up to the jitter
		{&Falkon{Landmarks: 12, Jitter: 1e-14, Selection: parts.RPCholesky}, chunkRows + 76, 1e-3, 40, 1e-7, 12, parts.RPCholesky},
		{configured(t, "pcg", nil), 60, 0.125, 1, 1e-9, 0, ""}, // with all rows as pivots P is K + μI, though 500 are asked for
		// With one block of all rows Skotch is Newton's method but for the damping: with λ_n the smallest eigenvalue, an error shrinks at
		// least by 1 - (λn + λ_n)/(1.1(λn + 2λ_n)) in every step.
		{&ASkotch{Block: 1, Rank: 60}, 60, 1e-2, 41, 1e-9, 0, ""},
	}
	for _, selection := range []string{parts.Uniform, parts.RPCholesky} {
		s := parts.NystromSettings{Jitter: 1e-14, Selection: selection}
		all = append(all, solver{&NystromRidge{30, s}, 30, 0.125, 1, 1e-6, 0, ""}, // as for n-pegasos
			solver{&NystromRidge{12, s}, chunkRows + 76, 1e-3, 1, 1e-7, 12, selection}) // rows in several parts
	}
	for _, m := range []int{1, 3, 5, 7} { // All rows at once have a step of 0.95·2/λ', which needs a better λ' than that of six rows.
		all = append(all, solver{&EigenPro2{Batch: m, Device: 1, Subsample: max(6, m), Exponent: 0.95}, 0, 0, 40_000 / m, 1e-8, 0, ""})
	}
	for _, c := range all {
		name, p := fmt.Sprintf("%T %+v, n = %d", c.a, c.a, c.n), algostest.SmallSquare()
		if c.n > 0 {
			p = squares(c.n, c.nu)
		}
		in, _ := p.Train.Dims()
		z := algostest.Queries(in)
		var want []float64
		switch _, random := c.a.(*RSDCA); {
		case c.basis == 0:
			want = exactly(t, p, z)
		case random:
			want = onRandomFeatures(t, p, z, c.basis)
		default:
			want = onLandmarks(t, p, z, c.basis, c.selection)
		}
		f := algostest.Start(t, c.a, p)
		assert.Equal(t, make([]float64, len(want)), at(f, z), name)
		algostest.Steps(t, f, c.steps)
		assert.InDeltaSlice(t, want, at(f, z), c.tolerance, name)
	}
}

// filtered returns Σ_j φ(λ_j) v_j⟨v_j, y⟩ over the eigenvectors of K, the fitted values of a spectral method on algostest.SmallSquare.
func filtered(t *testing.T, phi func(j int, lambda float64) float64) []float64 {
	t.Helper()
	g := algostest.NewExactGram(t, algostest.SmallSquare())
	var coordinates, fitted mat.VecDense
	coordinates.MulVec(g.Vectors.T(), mat.NewVecDense(7, append([]float64(nil), algostest.Targets...)))
	for j, l := range g.Values {
		coordinates.SetVec(j, phi(j, l)*coordinates.AtVec(j))
	}
	fitted.MulVec(g.Vectors, &coordinates)
	return fitted.RawVector().Data
}

// Gradient descent from 0 multiplies what is left of each eigendirection by 1 - ηλ/n, or with ν converges by 1 - η(λ/n + ν) to kernel ridge
// regression [ma2017 eq. (8)], EigenPro 2.0 with all rows in the subsample and in every batch by 1 - ηλc/n.
func TestSpectralFilters(t *testing.T) {
	const q, few, many = 4, 9, 50
	p := algostest.SmallSquare()
	x, _ := p.Dense()
	g := algostest.NewExactGram(t, p)
	for _, nu := range []float64{0, 0.03} {
		eta := 0.75 / (g.Values[0]/7 + nu)
		want := filtered(t, func(_ int, l float64) float64 { return l / 7 / (l/7 + nu) * (1 - math.Pow(1-eta*(l/7+nu), many)) })
		p.Nu = nu
		assert.InDeltaSlice(t, want, at(after(t, &GD{Subsample: 7}, p, many), x), 1e-12, "ν = %g", nu)
		if nu == 0 {
			assert.InDeltaSlice(t, want, at(after(t, &GDSpectral{}, p, many), x), 1e-12)
		}
	}
	p.Nu = 0
	want := filtered(t, func(_ int, l float64) float64 { return 1 - math.Pow(1-1.5*l/7, many) })
	assert.InDeltaSlice(t, want, at(after(t, &GDSpectral{Eta: 1.5}, p, many), x), 1e-12)

	factor := func(j int) float64 { return math.Pow(g.Values[q-1]/g.Values[min(j, q-1)], 0.95) } // c_j
	beta := 0.0
	for i := range 7 {
		k := 1.0
		for j := range q - 1 {
			k -= (1 - factor(j)) * g.Values[j] * g.Vectors.At(i, j) * g.Vectors.At(i, j)
		}
		beta = max(beta, k)
	}
	lowered := math.Pow(g.Values[0]/7, 0.05) * math.Pow(g.Values[q-1]/7, 0.95) // λ'
	eta := 0.95 * 2 / lowered
	if 7 < beta/lowered+1 {
		eta = 7 / beta
	}
	want = filtered(t, func(j int, l float64) float64 {
		c := 1.0
		if j < q {
			c = factor(j)
		}
		return 1 - math.Pow(1-eta*l/7*c, few)
	})
	f := after(t, &EigenPro2{Batch: 7, Device: 1, Subsample: 7, Directions: q, Exponent: 0.95}, p, few)
	assert.InDeltaSlice(t, want, f.(algos.Fitter).Fitted().Data, 1e-11)

	// With all eigenvectors but the last and full flattening, PK/n is λ_n/n times the identity, so that a single iteration on all rows with
	// η = n/λ_n interpolates: ma2017 Sec. 3.3, exact in the span of the top k + 1.
	a := &EigenPro{EigenProSettings{Batch: 7, Directions: 6, Subsample: 7, Tau: 1, Flatten: "full", Step: constant(7 / g.Values[6])}}
	assert.InDeltaSlice(t, algostest.Targets, at(after(t, a, p, 1), x), 1e-10) // condition number 1e3
}

// Where ν is 0 and a kernel matrix singular, or nearly so, KRR says so: a condition number of 10¹⁶ and more is refused.
func TestKRROfSingularMatrices(t *testing.T) {
	_, err := algostest.Start(t, &KRR{}, algostest.Single([][]float64{{1, 2}, {1, 2}, {0, 0}}, []float64{1, 2, 3}, losses.Square{}, 0)).Step()
	assert.EqualError(t, err, "krr: K + nνI is not positive definite in float64 (n = 3, nν = 0); raise nu")
	for smallest, says := range map[float64]string{1e-15: "", 1e-17: "krr: K + nνI is too ill-conditioned to solve"} {
		p := algostest.Single([][]float64{{1, 0}, {0, math.Sqrt(smallest)}}, []float64{1, 2}, losses.Square{}, 0)
		p.Kernel = kernels.Linear{Sigma: 1}
		_, err := algostest.Start(t, &KRR{}, p).Step()
		if says == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, says)
		}
	}
}

// Ridge regression on kernel targets with ν = σ²/n gives dai2014 eq. (9), k(x*, x*) - k*ᵀ(K + σ²I)⁻¹k*, and its norm is that of α: for two
// points K + nνI = [[d, c], [c, d]] is inverted by hand.
func TestTwoPointsByHand(t *testing.T) {
	const sigma2 = 0.3
	points := algostest.Inputs[:2]
	p, z := algostest.Single(points, []float64{5, -7}, losses.Square{}, sigma2/2), algostest.Queries(2)
	c, d := algostest.Gaussian(points[0], points[1]), 1+sigma2
	det := d*d - c*c
	a, b := (d*5+c*7)/det, (-c*5-d*7)/det
	assert.InEpsilon(t, a*a+2*c*a*b+b*b, after(t, &KRR{}, p, 1).(algos.Normed).SquaredNorms()[0], 1e-12)
	u := after(t, &KRR{}, algostest.KernelTargets(p, z), 1).Model().Predict(z)
	for i := range z.Rows {
		a, b := algostest.Gaussian(z.Row(i), points[0]), algostest.Gaussian(z.Row(i), points[1])
		want := 1 - (d*a*a-2*c*a*b+d*b*b)/det
		assert.InDelta(t, want, 1-u.At(i, i), handTolerance)
		assert.InDelta(t, sigma2, want, 1, "a variance between the noise's and the prior's")
	}
}
