package compute

import (
	"slices"

	"repro/algos/compute/internal/simd"
)

// An Operator is an r×c matrix A that can be multiplied without being stored. Its methods only read v and the points
// that the operator was made from, which may share memory with each other. dst must not share memory with them. The
// methods panic if shapes do not fit.
type Operator interface {
	// Dims returns the numbers of rows and columns of A.
	Dims() (r, c int)
	// MulTo sets dst (r×k) to A·v, where v is c×k.
	MulTo(dst, v Matrix)
	// MulTransTo sets dst (c×k) to Aᵀ·v, where v is r×k.
	MulTransTo(dst, v Matrix)
	// Select returns the len(rows)×c operator whose row i is row rows[i] of A.
	Select(rows []int) Operator
}

// An Argument names the number s(x, z) that a kernel k(x, z) = κ(s) is a function of.
type Argument int

const (
	SquaredDistance Argument = iota // ‖x - z‖²
	Distance1                       // ‖x - z‖₁
	InnerProduct                    // x·z
	ProductDistance                 // Π_l (1 + (x_l - z_l)²)
	Pairwise                        // the kernel computes it itself
)

// A KernelFunc is a kernel k(x, z) = κ(s) of one number s = s(x, z).
type KernelFunc interface {
	// Formula says which number s is, and what κ is.
	Formula() Formula
}

// A Formula is a kernel as data. Operators compute s for a tile of pairs of points, and κ of the tile. Distances are never
// negative. For identical points they are exactly 0, and ProductDistance is exactly 1.
type Formula struct {
	Of    Argument
	Pairs Pairs   // computes s if Of is Pairwise
	Scale float64 // s is of c·x and c·z, c this number, instead of x and z; 0 for 1

	// Steps are κ, one after the other; none are κ(s) = s. If there is one, an Exponential, and s is a squared distance of
	// more than 16 inputs, the micro-kernel applies it to the sums in registers.
	Steps []Step

	// Weighted says that the kernel is w(x)·κ(s)·w(z). It is Mapped: the last column of ψ(x) is the weight w(x), and s is a
	// function of the other columns.
	Weighted bool
}

// OnHost reports whether a part of the formula is a Go function: Pairs or a Callback. A device whose memory such a function cannot
// read leaves the kernel to the host.
func (f Formula) OnHost() bool {
	return f.Of == Pairwise || slices.ContainsFunc(f.Steps, func(s Step) bool { return s.Function == Callback })
}

// Pairs computes s(x, z) in Go, for one point x at a time, in double and in single precision: it sets s[j] to s(a, b_j) for
// all j < len(s). Component l of the point a is a[l], component l of the point b_j is b[l·len(s) + j]. This is an order of
// magnitude slower than the other arguments. Several goroutines call it at a time.
type Pairs struct {
	Double func(s, a, b []float64)
	Single func(s, a, b []float32)
}

// Then returns the formula of the kernel that steps make of s.
func (s Argument) Then(steps ...Step) Formula { return Formula{Of: s, Steps: steps} }

// Then returns the formula of the kernel that steps make of s.
func (s Pairs) Then(steps ...Step) Formula { return Formula{Of: Pairwise, Pairs: s, Steps: steps} }

// A Mapped kernel or feature map is a function of ψ(x) instead of x. Engine.Kernel and Engine.Features compute ψ of all
// points once, in float64, and store the result in the operator.
type Mapped interface {
	// Map returns a new matrix whose row i is ψ(row i of x).
	Map(x Matrix) Matrix
}

// A FeatureMap is an endless sequence of random features φ_ω(x), divided into blocks of Width features. It must also be
// a ProjectionMap or an Evaluator.
type FeatureMap interface {
	// Width returns the number of features in a block.
	Width() int
}

// A ProjectionMap has features φ_ω(x) = g(ω·x + b) with a random frequency ω and phase b.
type ProjectionMap interface {
	FeatureMap
	// Draw sets omega (inputs × Width) and phase (Width) to the frequencies and phases of block i; column j of omega
	// and phase[j] belong to feature j. Draw always gives the same bits for the same i.
	Draw(i int, omega Matrix, phase []float64)
	// Activation is g. If it is a Cosine, the micro-kernel computes it in registers.
	Activation() Step
	// Stream identifies the random sequence and must be comparable: maps with equal streams draw the same blocks.
	Stream() any
}

// An Evaluator is a FeatureMap that computes its features itself, in float64.
type Evaluator interface {
	FeatureMap
	// Evaluate sets phi (x.Rows × Width) to the features of block i at the rows of x. Row r of phi must depend on no
	// row of x but r. Several goroutines call it at a time.
	Evaluate(i int, x, phi Matrix)
}

// A Range is the blocks i of a FeatureMap with Lo ≤ i < Hi.
type Range struct{ Lo, Hi int }

// Float is the element type of a tile.
type Float = simd.Float

// Pairs and Evaluators are made of the functions below, which work in place, as Apply does.

// CosTurns replaces every z by s·cos(2πz). Infinities and NaN give NaN.
func CosTurns[T Float](z []T, s T) { simd.Cos(z, s) }

// Log replaces every z by its natural logarithm: -Inf for 0, NaN for negative z.
func Log[T Float](z []T) { simd.Log(z) }

// Sqrt replaces every z by its correctly rounded square root, NaN for negative z.
func Sqrt[T Float](z []T) { simd.Sqrt(z) }

// Affine replaces every z by a·z + b.
func Affine[T Float](z []T, a, b T) { simd.Affine(z, a, b) }

// ComparePoints sets s[j] to k(a, b_j) for all j, in the layout of Pairs, which can call it with a function k
// of two points; it converts the points to float64 before it calls k.
func ComparePoints[T Float](s, a, b []T, k func(x, z []float64) float64) {
	d := len(a)
	points := make([]float64, 2*d)
	x, z := points[:d], points[d:]
	for l, v := range a {
		x[l] = float64(v)
	}
	for j := range s {
		for l := range z {
			z[l] = float64(b[l*len(s)+j])
		}
		s[j] = T(k(x, z))
	}
}
