package compute

import "repro/algos/compute/internal/simd"

// A Step replaces every element z of a tile by a function of it: the epilogue of a fused kernel consists of steps. It is data,
// the name of a function and its parameters, so that devices can know it.
type Step struct {
	Function Function
	A, B, C  float64 // parameters; those that the function does not have are 0

	// Of a Callback: the function in double and in single precision. Several goroutines call them at a time.
	Double func(z []float64)
	Single func(z []float32)
}

// A Function is what a Step does to an element z.
type Function int

const (
	Callback         Function = iota // a Go function, which only the host can call
	Identity                         // z
	Exponential                      // 2^(Az)
	Cosine                           // A·cos(2πz): z is in turns, so that its reduction modulo 1 is exact
	SquareRoot                       // √z, correctly rounded
	Reciprocal                       // 1/z, correctly rounded
	LinearFunction                   // Az + B
	Power                            // z^A by repeated squaring; A is a whole number and not negative
	DampedPolynomial                 // (1 + Az + Bz²)·2^(Cz), 0 where the power of two is
	RectifiedPower                   // A·z^B if z > 0, else 0; B is 0, 1 or 2
)

// SqrtStep is √z.
func SqrtStep() Step { return Step{Function: SquareRoot} }

// ReciprocalStep is 1/z.
func ReciprocalStep() Step { return Step{Function: Reciprocal} }

// Exp2Step is 2^(az).
func Exp2Step(a float64) Step { return Step{Function: Exponential, A: a} }

// CosStep is a·cos(2πz).
func CosStep(a float64) Step { return Step{Function: Cosine, A: a} }

// AffineStep is az + b.
func AffineStep(a, b float64) Step { return Step{Function: LinearFunction, A: a, B: b} }

// PowerStep is z^n.
func PowerStep(n int) Step { return Step{Function: Power, A: float64(n)} }

// EachStep replaces every element by f of it, which is computed in float64 and on the host.
func EachStep(f func(z float64) float64) Step {
	return Step{Double: func(z []float64) { replace(z, f) }, Single: func(z []float32) { replace(z, f) }}
}

func replace[T Float](z []T, f func(float64) float64) {
	for i, v := range z {
		z[i] = T(f(float64(v)))
	}
}

// Apply replaces every element of z by what the steps make of it, one after the other. AVX2, AVX-512 and NEON code gives the same bits,
// and a result does not depend on the length of z or the position in it. Package simd states and tests the errors. Apply panics if the
// exponent of a Power is negative.
func Apply[T Float](z []T, steps ...Step) {
	for i := range steps {
		switch s := &steps[i]; s.Function {
		case Callback:
			either[func([]T)](s.Single, s.Double)(z)
		case Exponential:
			simd.Exp2(z, T(s.A))
		case Cosine:
			simd.Cos(z, T(s.A))
		case SquareRoot:
			simd.Sqrt(z)
		case Reciprocal:
			simd.Reciprocal(z)
		case LinearFunction:
			simd.Affine(z, T(s.A), T(s.B))
		case Power:
			simd.Power(z, int(s.A))
		case DampedPolynomial:
			damp(z, T(s.A), T(s.B), T(s.C))
		case RectifiedPower:
			rectify(z, int(s.B))
			simd.Scale(z, T(s.A))
		}
	}
}

// damp replaces every z by (1 + az + bz²)·2^(cz), and by 0 where 2^(cz) is, though the polynomial may overflow.
func damp[T Float](z []T, a, b, c T) {
	var space [512]T
	for len(z) > 0 {
		n := min(len(space), len(z))
		e, r := z[:n], space[:n]
		copy(r, e)
		simd.Exp2(e, c)
		simd.MulPoly(e, r, 1, a, b)
		z = z[n:]
	}
}

// rectify replaces every z by zⁿ if it is positive, else by 0.
func rectify[T Float](z []T, n int) {
	for i, v := range z {
		switch {
		case v <= 0:
			z[i] = 0
		case n == 0:
			z[i] = 1
		case n == 2:
			z[i] = v * v
		}
	}
}

// either returns the one of two functions that has the type F: that of single or that of double precision.
func either[F any](single, double any) F {
	if f, ok := single.(F); ok {
		return f
	}
	return double.(F)
}
