package metrics

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

var (
	_ = Register(Metric{
		Name: "variance-error", Words: "relative RMS error of the posterior variance", Symbol: "‖v - v*‖/‖v*‖", Better: Smaller,
		Targets: KernelTargets, Reference: true,
		Doc:   "root mean squared distance on the test inputs of the posterior variance to that of the reference solver, relative to the latter's root mean square",
		Value: against(varianceError),
	})
	_ = Register(Metric{
		Name: "nlpd", Words: "mean negative log predictive density", Better: Smaller, Signed: true, Targets: BothTargets,
		Doc:   "mean negative log predictive density of the test targets, normal with the posterior mean and, with the noise σ² = νn, the posterior variance v + σ² of a Gaussian process; without a number if some v + σ² is not positive",
		Value: negativeLogDensity,
	})
)

// Variances returns the posterior variance k(x*_i, x*_i) - f_i(x*_i) at the test inputs x*_i [dai2014 eq. (9)], given
// predictions f of their kernel functions there and the values y of these functions.
func Variances(f, y compute.Matrix) []float64 {
	v := make([]float64, f.Rows)
	for i := range v {
		v[i] = y.At(i, i) - f.At(i, i)
	}
	return v
}

// varianceError is √(Σ_i (v_i - v*_i)² / Σ_i v*_i²), v the posterior variances and v* the reference's.
func varianceError(e *Evaluation, ref compute.Matrix) float64 {
	v, exact := Variances(e.F, e.Y), Variances(ref, e.Y)
	return math.Sqrt(squaredDistance(v, exact) / squaredDistance(exact, make([]float64, len(exact))))
}

// negativeLogDensity is -(1/m) Σ_i log N(y_i; u_i, v_i + σ²), u the posterior mean and v the posterior variance:
//
//	(1/m) Σ_i ½ log(2π(v_i + σ²)) + (y_i - u_i)²/(2(v_i + σ²))
//
// with the sum over the data's outputs. It is not a number if v_i + σ² < 0 for some i.
func negativeLogDensity(e *Evaluation) (float64, error) {
	data, all := e.dataOutputs(), e.F.Cols
	v := Variances(e.F.ColRange(data, all), e.Y.ColRange(data, all))
	noise := e.Problem.Nu * float64(e.Problem.Train.Len())
	mean, y := e.F.ColRange(0, data), e.Y.ColRange(0, data)
	return meanRows(mean, func(i int, u []float64) float64 {
		w := v[i] + noise
		return float64(data)/2*exact.Log(2*math.Pi*w) + squaredDistance(u, y.Row(i))/(2*w)
	}), nil
}
