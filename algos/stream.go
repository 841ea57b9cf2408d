package algos

import "math"

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
