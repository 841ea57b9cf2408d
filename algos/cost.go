package algos

// A Cost predicts what a fit of a problem's size takes; `repro plan` shows it before anything runs.
// KernelEvals and FeatureEvals are what the engine will count, to the last one.
type Cost struct {
	FeatureEvals float64 // φ_ω(x) computed in training
	KernelEvals  float64 // k(x, z) computed in training
	Together     int     // rows at which they are computed at a time in training; 0 for many
	Reads        float64 // numbers of a stored kernel matrix that products read
	Flops        float64 // other floating-point operations, such as those of a factorisation
	Eigen        float64 // Σ p³ over the dense eigendecompositions of p×p matrices
	Strided      float64 // numbers of matrices stored by rows that routines on one thread read column by column
	Bytes        float64 // memory at the end of the fit, without the training data

	EvalCost  float64 // feature or kernel evaluations per test point, over the whole curve
	EvalFixed float64 // those of the whole curve at any number of test points
	EvalFlops float64 // other floating-point operations of the whole curve at any number of test points
}

// A Size is what a Cost depends on.
type Size struct {
	N, In, Out int // training rows, inputs, outputs
	Test       int // test rows, at which methods that store the kernel matrix store it too if it fits
	Steps      int
	Evals      int // evaluations of the curve
	Stored     int // entries that a kernel matrix may have to be kept in memory, 0 for any number
	Number     int // bytes of such an entry, 0 for 8

	// Support is the fraction of examples whose gradient is not zero, where it is known beforehand; 0 for all. It
	// changes only costs that depend on it.
	Support float64
}

// A Coster predicts its cost. Every registered algorithm is one.
type Coster interface{ Cost(Size) Cost }

// Stores says whether a kernel matrix with so many entries is kept in memory.
func (s Size) Stores(entries float64) bool { return s.Stored == 0 || entries <= float64(s.Stored) }

// StoredBytes is the memory of so many entries of a kernel matrix, if they are kept.
func (s Size) StoredBytes(entries float64) float64 {
	switch {
	case !s.Stores(entries):
		return 0
	case s.Number > 0:
		return float64(s.Number) * entries
	}
	return 8 * entries
}

// Evaluated is how many entries of a kernel or feature matrix are computed for so many products with it: each entry
// once if the matrix is kept in memory, else once a product.
func (s Size) Evaluated(entries, products float64) float64 {
	if s.Stores(entries) {
		return entries
	}
	return entries * products
}
