package metrics

import "math"

var (
	_ = Register(Metric{
		Name: "exact-distance", Words: "squared distance to the exact solution", Symbol: "(1/m)‖u - u*‖²", Better: Smaller, Reference: true,
		Doc:   "mean squared distance on the test inputs to the predictions of the reference solver",
		Value: exactDistance,
	})
	_ = Register(Metric{
		Name: "exact-error", Words: "relative RMS distance to the exact solution", Symbol: "‖u - u*‖/‖u*‖", Better: Smaller, Reference: true,
		Doc:   "root mean squared distance on the test inputs to the predictions of the reference solver, relative to their root mean square: 1 for predicting zero",
		Value: exactError,
	})
)

// exactDistance is (1/m) Σ_i ‖u_i - u*_i‖², u the predictions and u* the reference's.
func exactDistance(e *Evaluation) (float64, error) {
	ref, err := e.Exact()
	if err != nil {
		return 0, err
	}
	return meanRows(e.F, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) }), nil
}

// exactError is √(Σ_i ‖u_i - u*_i‖² / Σ_i ‖u*_i‖²).
func exactError(e *Evaluation) (float64, error) {
	ref, err := e.Exact()
	if err != nil {
		return 0, err
	}
	zero := make([]float64, ref.Cols)
	apart := meanRows(e.F, func(i int, u []float64) float64 { return squaredDistance(u, ref.Row(i)) })
	size := meanRows(ref, func(_ int, u []float64) float64 { return squaredDistance(u, zero) })
	return math.Sqrt(apart / size), nil
}
