package algos

// A Cost predicts what a fit of a problem's size takes. `repro plan` prints it before anything runs.
// KernelEvals and FeatureEvals equal what the engine will count.
type Cost struct {
	FeatureEvals float64 // feature values φ_ω(x) computed in training
	KernelEvals  float64 // kernel values k(x, z) computed in training
	Together     int     // number of rows for which they are computed at a time; 0 for many
	Reads        float64 // entries of a stored matrix, of the kernel or a factor, that products read
	Flops        float64 // other floating-point operations, such as those of a factorisation
	Eigen        float64 // Σ p³ over the dense eigendecompositions of p×p matrices
	Bytes        float64 // largest memory during the fit and its evaluations, without the training data and the test predictions

	EvalCost  float64 // feature or kernel evaluations per test point, over the whole curve
	EvalFixed float64 // the same, independent of the number of test points
	EvalFlops float64 // other floating-point operations of the whole curve, independent of the number of test points
}

// A Size is what a Cost depends on.
type Size struct {
	N, In, Out int // training rows, inputs, outputs
	Test       int // test rows, at which methods that store the kernel matrix store it too if it fits
	Steps      int
	Evals      int // evaluations of the curve
	Stored     int // largest number of entries of a kernel matrix that is kept in memory; 0 for no limit
	Number     int // bytes per entry; 0 for 8

	// Support is the fraction of examples whose gradient is not zero, where it is known beforehand; 0 for all. It
	// changes only costs that depend on it.
	Support float64
}

// A Coster predicts its cost. The laws require it of every algorithm.
type Coster interface{ Cost(Size) Cost }

// Stores says whether a kernel matrix with the given number of entries is kept in memory.
func (s Size) Stores(entries float64) bool { return s.Stored == 0 || entries <= float64(s.Stored) }

// StoredBytes returns the memory of a kernel matrix with the given number of entries, 0 if it is not kept.
func (s Size) StoredBytes(entries float64) float64 {
	switch {
	case !s.Stores(entries):
		return 0
	case s.Number > 0:
		return float64(s.Number) * entries
	}
	return 8 * entries
}

// Evaluated returns how many entries of a kernel or feature matrix are computed for the given number of products with
// it: each entry once if the matrix is kept in memory, else once per product.
func (s Size) Evaluated(entries, products float64) float64 {
	if s.Stores(entries) {
		return entries
	}
	return entries * products
}
