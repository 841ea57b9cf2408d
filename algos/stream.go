package algos

import (
	"math"

	"repro/algos/compute"
)

// A Stream gives an online fit its examples in turn and keeps the protocol of online learning: the fit sees the inputs of an
// example, predicts, and only then sees the targets. Whoever owns the stream counts the losses of these predictions.
type Stream interface {
	// Inputs returns the inputs of example t, counted from 0. They are valid until the next call.
	Inputs(t int64) []float64
	// Reveal takes the outputs that the fit predicts for example t, whose inputs it asked for last, and returns the targets.
	Reveal(t int64, u []float64) (y []float64)
}

// An Online algorithm makes online fits: Step is one round with the Stream of the problem, and Problem.Train tells it numbers
// of rows, inputs and outputs only.
type Online interface{ Online() }

// A Tally sums up the predictions that were made before their targets were known.
type Tally struct {
	Rounds  int64
	Squares float64 // Σ_t ‖u_t - y_t‖²
	Wrong   int64   // outputs without the sign of their target; those of 0 are counted by Ties
	Ties    int64
	Outputs int64 // of all rounds
}

// Add counts a prediction.
func (t *Tally) Add(u, y []float64) {
	t.Rounds++
	for c, v := range u {
		d := v - y[c]
		t.Squares += d * d
		switch s := v * y[c]; {
		case v == 0:
			t.Ties++
		case !(s > 0):
			t.Wrong++
		}
		t.Outputs++
	}
}

// MeanSquare returns the average square loss (1/t) Σ_s ‖u_s - y_s‖², NaN before the first round.
func (t Tally) MeanSquare() float64 {
	if t.Rounds == 0 {
		return math.NaN()
	}
	return t.Squares / float64(t.Rounds)
}

// A Hindsight is what kernel ridge regression on the examples of a stream so far says of them. With K the kernel matrix of
// their inputs and λ_k its eigenvalues, the regression is f = argmin Σ_s ‖y_s - f(x_s)‖² + λ‖f‖².
type Hindsight struct {
	X           compute.Matrix // the inputs so far
	Lambda      float64        // λ
	Penalised   float64        // min_f Σ_s ‖y_s - f(x_s)‖² + λ‖f‖²
	Squares     float64        // Σ_s ‖y_s - f(x_s)‖² of the regression
	SquaredNorm float64        // ‖f‖² of the regression
	LogDet      float64        // log det(I + K/λ) = Σ_k log(1 + λ_k/λ)
	Dimension   float64        // effective dimension Σ_k λ_k/(λ_k + λ)
	SquaredY    float64        // B², the largest ‖y_s‖²
	SquaredK    float64        // κ², the largest k(x_s, x_s)
}

// An Embedder is a fit of functions f = ⟨w, φ̃(x)⟩ of fixed features, which span a part of the RKHS.
type Embedder interface {
	// Beyond returns k(x, x) - ‖φ̃(x)‖², the squared distance of the kernel function of x from the span.
	Beyond(x []float64) float64
}
