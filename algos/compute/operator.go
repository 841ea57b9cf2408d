package compute

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
	Pairwise                        // the kernel's own Compare computes it
)

// A Scaled kernel computes its argument from c·x and c·z instead of x and z.
type Scaled interface {
	KernelFunc
	// InputScale returns c.
	InputScale() float64
}

// A KernelFunc is a kernel k(x, z) = κ(s) of one number s = s(x, z). Apply and Apply32 are the epilogue of the fused
// kernel: the operators call them on a tile of values of s. Distances are never negative. For identical points they are
// exactly 0, and ProductDistance is exactly 1.
type KernelFunc interface {
	// Argument returns which function of x and z the number s is.
	Argument() Argument
	// Apply replaces each element of s by κ of it. Several goroutines call it at a time.
	Apply(s []float64)
	// Apply32 is Apply in single precision.
	Apply32(s []float32)
}

// An ExponentialKernel is k(x, z) = 2^(a·s). If s is a squared distance of more than 16 inputs, the micro-kernel
// applies it to the sums in registers.
type ExponentialKernel interface {
	KernelFunc
	// Rate returns a.
	Rate() float64
}

// A PairwiseKernel computes its argument s(x, z) itself, in Go, for one point x at a time. This is an order of magnitude
// slower than the other arguments.
type PairwiseKernel interface {
	KernelFunc
	// Compare sets s[j] to s(a, b_j) for all j < len(s). Component l of the point a is a[l], component l of the
	// point b_j is b[l·len(s) + j].
	Compare(s, a, b []float64)
	// Compare32 is Compare in single precision.
	Compare32(s, a, b []float32)
}

// A Mapped kernel or feature map is a function of ψ(x) instead of x. Engine.Kernel and Engine.Features compute ψ of all
// points once, in float64, and store the result in the operator.
type Mapped interface {
	// Map returns a new matrix whose row i is ψ(row i of x).
	Map(x Matrix) Matrix
}

// A Weighted kernel is k(x, z) = w(x)·κ(s)·w(z). The last column of ψ(x) is the weight w(x); s is a function of the
// other columns.
type Weighted interface {
	KernelFunc
	Mapped
	// Weighted marks the kernel; it does nothing.
	Weighted()
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
	// Activate is the epilogue of the fused kernel: it replaces each element z = ω·x + b by g(z). Several goroutines
	// call it at a time.
	Activate(z []float64)
	// Activate32 is Activate in single precision.
	Activate32(z []float32)
	// Stream identifies the random sequence and must be comparable: maps with equal streams draw the same blocks.
	Stream() any
}

// A CosineMap is a ProjectionMap with features a·cos(2π(ω·x + b)). The micro-kernel computes the cosines in registers.
type CosineMap interface {
	ProjectionMap
	// Amplitude returns a.
	Amplitude() float64
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
