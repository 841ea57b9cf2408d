package parts

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
)

// Features are a fixed map z of points to R^r. At computes base features of some points once. The products with Z, the
// matrix whose rows are z(x) of these points, are computed from the base features. Predict takes as many rows at a time as have their base
// features in the cache.
type Features interface {
	Functions
	// At returns the base features of the rows of x.
	At(x compute.Matrix) compute.Matrix
	// Explicit returns Z.
	Explicit(base compute.Matrix) compute.Matrix
	// Apply returns Z·w.
	Apply(base, w compute.Matrix) compute.Matrix
	// Anticipate keeps the base features of the rows of x, if there is memory for them, for predictions at the same matrix, not a copy.
	Anticipate(x compute.Matrix)
	// Block returns rows lo ≤ j < hi of Zᵀ·r.
	Block(base, r compute.Matrix, lo, hi int) compute.Matrix
	// Width returns the number of features.
	Width() int
}

// A Drawing draws the features of methods that come on random features (r-) and on Nyström features (n-): RandomFeatures or NystromSettings.
type Drawing interface {
	// Draw returns r features, for the named method.
	Draw(method string, p *algos.Problem, r int) (Features, error)
	// FeaturesCost returns the cost of a method that evaluates r features at the given number of examples, in batches, and at the test points.
	FeaturesCost(s algos.Size, r, examples float64, batch int) algos.Cost
	// Mixed returns with how many numbers z(x) mixes each of r base features: r, or 0 if they are z(x).
	Mixed(r float64) float64
}

// RandomFeatures draws random features, which are the same for all methods of a comparison: DrawFeatures.
type RandomFeatures struct{}

func (RandomFeatures) Draw(method string, p *algos.Problem, r int) (Features, error) {
	return DrawFeatures(method, p, r)
}

func (RandomFeatures) Mixed(float64) float64 { return 0 }

// linear is what features z have in common: ‖⟨w, z(·)⟩‖ is ‖w‖.
type linear struct{}

func (linear) SquaredNorms(w compute.Matrix) []float64 { return ScaledSquares(1, w) }

// drawnFeatures are z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)). z(x) is its own base features.
type drawnFeatures struct {
	linear
	e     *compute.Engine
	f     compute.FeatureMap
	r     int
	ahead *ahead `held:"evaluation"`
}

// DrawFeatures returns r random features, for the named method. They depend on the problem's seed only, so that all
// methods of a comparison share them.
func DrawFeatures(method string, p *algos.Problem, r int) (Features, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	return drawnFeatures{linear{}, p.Engine, k.Features(p.Seed, in, r), r, new(ahead)}, nil
}

// DrawPairs returns z(x) = D^(-1/2) (sin ω_1·x, …, sin ω_D·x, cos ω_1·x, …, cos ω_D·x), for the named method. The
// frequencies ω are those of the kernel's random features √2·cos(ω·x + b); the phases b are not used. A kernel with other
// features gives an error that wraps algos.ErrUnsupported.
func DrawPairs(method string, p *algos.Problem, frequencies int) (Features, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	f := k.Features(p.Seed, in, frequencies)
	cosines, ok := f.(compute.ProjectionMap)
	if !ok || cosines.Activation().Function != compute.Cosine {
		return nil, fmt.Errorf("%w: %s needs a kernel whose random features are cosines, not %s", algos.ErrUnsupported, method, p.Kernel.Name())
	}
	var z compute.FeatureMap = pairs{cosines}
	if m, ok := f.(compute.Mapped); ok {
		z = mappedPairs{pairs{cosines}, m}
	}
	return drawnFeatures{linear{}, p.Engine, z, 2 * frequencies, new(ahead)}, nil
}

// pairs are √2·sin(ω·x) and √2·cos(ω·x) for the frequencies of a map: its cosines with the phases -1/4 turn and 0.
type pairs struct{ compute.ProjectionMap }

// mappedPairs are pairs of a map that is a function of ψ(x).
type mappedPairs struct {
	pairs
	compute.Mapped
}

func (f pairs) Width() int  { return 2 * f.ProjectionMap.Width() }
func (f pairs) Stream() any { return struct{ pairsOf any }{f.ProjectionMap.Stream()} }

func (f pairs) Draw(i int, omega compute.Matrix, phase []float64) {
	n := f.ProjectionMap.Width()
	f.ProjectionMap.Draw(i, omega.ColRange(0, n), phase[:n])
	for l := range omega.Rows {
		row := omega.Row(l)
		copy(row[n:], row[:n])
	}
	for j := range n {
		phase[j], phase[n+j] = -0.25, 0
	}
}

func (z drawnFeatures) Width() int { return z.r }

func (z drawnFeatures) Memory() int { return 0 }

func (z drawnFeatures) At(x compute.Matrix) compute.Matrix {
	phi := z.e.FeatureMatrix(z.f, x, compute.Range{Lo: 0, Hi: 1})
	phi.Scale(1 / math.Sqrt(float64(z.r)))
	return phi
}

func (z drawnFeatures) Explicit(base compute.Matrix) compute.Matrix { return base }

func (z drawnFeatures) Apply(base, w compute.Matrix) compute.Matrix { return z.e.Mul(base, w, false) }

func (z drawnFeatures) Predict(x, w compute.Matrix) compute.Matrix {
	return z.ahead.times(z.e, z.At, x, w)
}

func (z drawnFeatures) Anticipate(x compute.Matrix) { z.ahead.keep(z.e, z.At, x, z.r) }

// An ahead keeps the base features of rows at which predictions are asked for again and again.
type ahead struct {
	x    compute.Matrix
	base compute.Operator // nil if there are none
}

// keep keeps at(x), which has r columns, if there is memory for it.
func (a *ahead) keep(e *compute.Engine, at func(compute.Matrix) compute.Matrix, x compute.Matrix, r int) {
	op, entries, ok := e.Reserve(x.Rows, r)
	if !ok || x.Rows == 0 {
		return
	}
	inParts(e, at, x, r, func(base compute.Matrix, lo, hi int) { entries.RowRange(lo, hi).CopyFrom(base) })
	a.x, a.base = x, op
}

// times returns at(x)·v, the same bits whether at(x) is kept or not.
func (a *ahead) times(e *compute.Engine, at func(compute.Matrix) compute.Matrix, x, v compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, v.Cols)
	if a.base != nil && sameRows(x, a.x) {
		a.base.MulTo(u, v)
		return u
	}
	inParts(e, at, x, v.Rows, func(base compute.Matrix, lo, hi int) { e.Gemm(u.RowRange(lo, hi), 1, base, false, v, false, 0) })
	return u
}

// sameRows reports whether x is the matrix y, not a copy.
func sameRows(x, y compute.Matrix) bool {
	return len(x.Data) > 0 && x.Rows == y.Rows && &x.Data[0] == &y.Data[0]
}

// inParts calls use with at(x), which has r columns, a few rows lo ≤ i < hi at a time. Their number does not change the bits.
func inParts(e *compute.Engine, at func(compute.Matrix) compute.Matrix, x compute.Matrix, r int, use func(base compute.Matrix, lo, hi int)) {
	most := max(partNumbers/r/predictedRows, 1) * predictedRows
	for lo := 0; lo < x.Rows; lo += most {
		hi := min(lo+most, x.Rows)
		base := at(x.RowRange(lo, hi))
		use(base, lo, hi)
		e.Reuse(base)
	}
}

// predictedRows is the least number of rows for which inParts computes features: a panel of the core.
const predictedRows = 48

// partNumbers is how many base features inParts computes at a time: in double precision they fill a usual L2 cache.
const partNumbers = 1 << 17

func (z drawnFeatures) Block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	return z.e.Mul(base.ColRange(lo, hi), r, true)
}

// nystromFeatures are z(x) = Λ^(-1/2) Uᵀ k(S, x). Their base features are k(x, S).
type nystromFeatures struct {
	linear
	p    *algos.Problem
	s    compute.Matrix // landmarks
	root compute.Matrix // U Λ^(-1/2), landmarks × kept directions

	ahead *ahead `held:"evaluation"`
}

// DrawLandmarks returns the Nyström features of r landmarks S, for the named method, selected as SelectLandmarks does. Eigenvectors of
// k(S, S) whose eigenvalue is at most jitter times the largest are dropped.
func DrawLandmarks(method string, p *algos.Problem, r int, jitter float64, selection string) (Features, error) {
	rows, err := SelectLandmarks(method, p, r, selection)
	if err != nil {
		return nil, err
	}
	z, err := landmarkFeatures(p, Inputs(p, rows), jitter)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return z, nil
}

// landmarkFeatures returns the Nyström features of given landmarks.
func landmarkFeatures(p *algos.Problem, s compute.Matrix, jitter float64) (Features, error) {
	k := p.Engine.KernelMatrix(p.Kernel, s, s)
	values, u, err := Symmetric(p.Engine, k, s.Rows)
	if err != nil {
		return nil, fmt.Errorf("k(S, S): %w", err)
	}
	defer func() {
		p.Engine.Reuse(k)
		p.Engine.Reuse(u)
	}()
	kept := 0
	for kept < len(values) && values[kept] > jitter*values[0] {
		kept++
	}
	if kept == 0 {
		return nil, errors.New("k(S, S) has no positive eigenvalue")
	}
	root := compute.NewMatrix(s.Rows, kept)
	for j := range kept { // the smallest first
		i := kept - 1 - j
		for l := range s.Rows {
			root.Set(l, j, u.At(l, i)/math.Sqrt(values[i]))
		}
	}
	return nystromFeatures{linear{}, p, s, root, new(ahead)}, nil
}

func (z nystromFeatures) Width() int { return z.root.Cols }

func (z nystromFeatures) Memory() int { return len(z.s.Data) + len(z.root.Data) }

func (z nystromFeatures) At(x compute.Matrix) compute.Matrix {
	return z.p.Engine.KernelMatrix(z.p.Kernel, x, z.s)
}

func (z nystromFeatures) Explicit(base compute.Matrix) compute.Matrix {
	return z.p.Engine.Mul(base, z.root, false)
}

func (z nystromFeatures) Apply(base, w compute.Matrix) compute.Matrix {
	e := z.p.Engine
	return e.Mul(base, e.Mul(z.root, w, false), false)
}

func (z nystromFeatures) Predict(x, w compute.Matrix) compute.Matrix {
	e := z.p.Engine
	return z.ahead.times(e, z.At, x, e.Mul(z.root, w, false))
}

func (z nystromFeatures) Anticipate(x compute.Matrix) { z.ahead.keep(z.p.Engine, z.At, x, z.s.Rows) }

func (z nystromFeatures) Block(base, r compute.Matrix, lo, hi int) compute.Matrix {
	e := z.p.Engine
	return e.Mul(z.root.ColRange(lo, hi), e.Mul(base, r, true), true)
}

// Cut returns block j of 0 ≤ i < width, cut into b blocks whose sizes differ by at most 1: lo ≤ i < hi.
func Cut(width, b, j int) (lo, hi int) { return width * j / b, width * (j + 1) / b }

// CheckBlocks returns an error, for the named method, if there are more blocks than features.
func CheckBlocks(name string, blocks, features int) error {
	if blocks > features {
		return fmt.Errorf("%s: blocks = %d of features = %d leave some empty; lower blocks", name, blocks, features)
	}
	return nil
}

// A FeatureOperator gives √r Z as an operator, and the spectrum of the covariance of Z at the training rows. The rows of
// Z are r random features z(x) = r^(-1/2) (φ_{ω_1}(x), …, φ_{ω_r}(x)), the same as those of DrawFeatures. The operator
// need not be stored; DrawFeatures always stores the features of a batch.
type FeatureOperator struct {
	linear
	p *algos.Problem
	f compute.FeatureMap
	r int
	S float64 // of z(x) = S (φ_{ω_1}(x), …, φ_{ω_r}(x)) in predictions, r^(-1/2)
}

// NewFeatureOperator returns r random features of the problem's kernel, for the named method.
func NewFeatureOperator(method string, p *algos.Problem, r int) (*FeatureOperator, error) {
	k, err := Featured(method, p)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	return &FeatureOperator{p: p, f: k.Features(p.Seed, in, r), r: r, S: 1 / math.Sqrt(float64(r))}, nil
}

// Predict returns ⟨w, z(x)⟩ for the rows of x.
func (z *FeatureOperator) Predict(x, w compute.Matrix) compute.Matrix {
	u := compute.NewMatrix(x.Rows, w.Cols)
	z.Unstored(x).MulTo(u, w)
	u.Scale(z.S)
	return u
}

// Memory returns 0: features are drawn again.
func (*FeatureOperator) Memory() int { return 0 }

// Unstored returns √r Z at the rows of x, evaluated in every product.
func (z *FeatureOperator) Unstored(x compute.Matrix) compute.Operator {
	return z.p.Engine.Features(z.f, x, compute.Range{Lo: 0, Hi: 1})
}

// At returns √r Z at the rows of x, stored if there is memory for it.
func (z *FeatureOperator) At(x compute.Matrix) compute.Operator {
	return z.p.Engine.Store(z.Unstored(x))
}

// subsample returns the inputs of m training rows.
func (z *FeatureOperator) subsample(m int) compute.Matrix { return Inputs(z.p, Subsample(z.p, m)) }

// matrix returns √r Z at the rows of x in memory.
func (z *FeatureOperator) matrix(x compute.Matrix) compute.Matrix {
	return z.p.Engine.FeatureMatrix(z.f, x, compute.Range{Lo: 0, Hi: 1})
}

// Decompose approximates the leading eigensystem of the covariance Z_MᵀZ_M/M by the named decomposition. M is m training
// rows, or all if there are fewer. NSVD decomposes Z_M Z_Mᵀ/M, which has the same eigenvalues.
func (z *FeatureOperator) Decompose(decomposition string, k, m int) (Eigensystem, error) {
	if decomposition != "nystrom" {
		return z.Eigensystem(k, SketchOf(k), m)
	}
	m = min(m, z.p.Train.Len())
	x := z.subsample(m)
	gram := compute.NewMatrix(m, m)
	z.p.Engine.Syrk(gram, 1, z.matrix(x), false, 0)
	s, err := NSVD(z.p.Engine, gram, z.At(x), k, 1e-14) // of squares
	return z.ofCovariance(s, m), err
}

// Eigensystem approximates the leading eigensystem of the covariance Z_MᵀZ_M/M from a sketch of p columns. M is m
// training rows, or all if there are fewer.
func (z *FeatureOperator) Eigensystem(k, p, m int) (Eigensystem, error) {
	m = min(m, z.p.Train.Len())
	a := z.At(z.subsample(m))
	defer z.p.Engine.Release(a)
	s, err := RSVD(z.p.Engine, a, k, p, compute.NewStream(z.p.Seed, "sketch", 0))
	return z.ofCovariance(s, m), err
}

// ofCovariance turns the eigenvalues of r Z_MᵀZ_M into those of Z_MᵀZ_M/M.
func (z *FeatureOperator) ofCovariance(s Eigensystem, m int) Eigensystem {
	for i := range s.Values {
		s.Values[i] /= float64(m) * float64(z.r)
	}
	return s
}

// Kappa returns max_i ‖z(x_i)‖² over at most the given number of training rows.
func (z *FeatureOperator) Kappa(rows int) float64 {
	phi, largest := z.matrix(z.subsample(rows)), 0.0
	for i := range phi.Rows {
		norm := 0.0
		for _, v := range phi.Row(i) {
			norm += v * v
		}
		largest = max(largest, norm/float64(z.r))
	}
	return largest
}

const (
	phaseFeatures = 64       // features whose phases are looked at
	mostPhase     = 1. / 100 // error of a phase, in turns, beyond which features in float32 are refused
)

// phasesFit returns an error if cosines cos(2π(ω·x + b)) in float32 are not features of the kernel: numbers of float32 have 24 bits, so that
// a phase of 2²⁴ turns has nothing behind the point. It looks at the median of some features at the largest of the sampled inputs.
func phasesFit(method string, p *algos.Problem, k kernels.Featured) error {
	if p.Engine == nil || p.Engine.Precision() != compute.Float32 || p.Stream != nil {
		return nil
	}
	in, _ := p.Train.Dims()
	f := k.Features(p.Seed, in, phaseFeatures)
	cosines, ok := f.(compute.ProjectionMap)
	if !ok || cosines.Activation().Function != compute.Cosine {
		return nil
	}
	x := p.Sampled()
	if m, ok := f.(compute.Mapped); ok {
		x = m.Map(x)
	}
	largest, norm := x.Row(0), 0.0
	for i := range x.Rows {
		if v := floats.Norm(x.Row(i), 2); v > norm {
			largest, norm = x.Row(i), v
		}
	}
	omega, turns := compute.NewMatrix(x.Cols, phaseFeatures), make([]float64, phaseFeatures)
	cosines.Draw(0, omega, make([]float64, phaseFeatures))
	for l, v := range largest {
		floats.AddScaled(turns, v, omega.Row(l))
	}
	for j, v := range turns {
		turns[j] = math.Abs(v)
	}
	slices.Sort(turns)
	if phase := turns[phaseFeatures/2]; !(phase*0x1p-24 <= mostPhase) {
		return fmt.Errorf("%s: random features in float32 have phases of %.1g turns, which are lost in rounding errors: max‖x‖/σ is about %.2g, and at most %.2g can be; set precision = \"float64\", or choose a larger bandwidth",
			method, phase, 2*math.Pi*phase, 2*math.Pi*mostPhase*0x1p24)
	}
	return nil
}
