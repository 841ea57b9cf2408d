package algos

// A Cost predicts what a fit of a problem's size takes; `repro plan` shows it before anything runs.
type Cost struct {
	FeatureEvals float64 // φ_ω(x) computed in training
	KernelEvals  float64 // k(x, z) computed in training
	Reads        float64 // numbers of a stored kernel matrix that products read
	Flops        float64 // other floating-point operations, such as a factorisation
	Bytes        float64 // memory at the end of the fit, training data apart
	EvalCost     float64 // feature or kernel evaluations per test point, over the whole curve
}

// A Size is what a Cost depends on.
type Size struct {
	N, In, Out int // training rows, inputs, outputs
	Steps      int
	Evals      int // evaluations of the curve
	Stored     int // entries that a kernel matrix may have to be kept in memory, 0 for any number
}

// A Coster predicts its cost. Every registered method is one.
type Coster interface{ Cost(Size) Cost }

// Stores says whether a kernel matrix with so many entries is kept in memory.
func (s Size) Stores(entries float64) bool { return s.Stored == 0 || entries <= float64(s.Stored) }
