package changes

import (
	"math"
	"slices"

	"repro/results/stats"
)

// Slower is the ratio of training times beyond which a method got slower.
const Slower = 1.2

// TimeLooks are the looks at a comparison of times, declared before the first round. Their Seeds are rounds.
var TimeLooks = []Look{{5, 0.01}, {10, 0.015}, {20, 0.025}}

// A Timed is a method of an experiment whose times are compared.
type Timed struct {
	Experiment string `json:"experiment"`
	Method     string `json:"method"`
}

// A Timing compares the training times of a method by two programs, which ran in rounds.
type Timing struct {
	Timed
	Rounds int     `json:"rounds"`
	Old    float64 `json:"old"` // seconds of a round, geometric means
	New    float64 `json:"new"`
	Ratio  float64 `json:"ratio"` // of new to old, a geometric mean with its 95 % interval
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"` // of a ratio of at most Slower and at least 1/Slower, adjusted for the number of methods as Holm does
	State  State   `json:"state"`
}

// Timings compares the seconds of each round, of the old and the new program: those of one round are a pair, and the logarithm of
// their ratio has Student's t interval. A method regressed if its ratio lies beyond Slower at the level alpha, adjusted for the number
// of methods, and is equivalent if the interval lies below Slower. Seconds are positive, and of two rounds or more.
func Timings(rounds map[Timed][2][]float64, order []Timed, alpha float64) []Timing {
	var all []Timing
	var p []float64
	for _, key := range order {
		of := rounds[key]
		logs := make([]float64, len(of[0]))
		for i, old := range of[0] {
			logs[i] = math.Log(of[1][i] / old)
		}
		e := stats.MeanInterval(logs)
		p = append(p, stats.Beyond(e, math.Log(Slower)))
		all = append(all, Timing{
			Timed: key, Rounds: len(logs), Old: stats.GeometricInterval(of[0]).Mean, New: stats.GeometricInterval(of[1]).Mean,
			Ratio: math.Exp(e.Mean), Low: math.Exp(e.Low), High: math.Exp(e.High),
		})
	}
	for i, adjusted := range stats.Holm(p) {
		t := &all[i]
		t.P = adjusted
		switch beyond := adjusted <= alpha; {
		case beyond && t.Ratio > 1:
			t.State = Regressed
		case beyond:
			t.State = Improved
		case t.High < Slower:
			t.State = Equivalent
		default:
			t.State = Inconclusive
		}
	}
	return all
}

// TimeStatus returns the exit status of timings: 4 if there are none.
func TimeStatus(all []Timing) int {
	has := func(s State) bool { return slices.ContainsFunc(all, func(t Timing) bool { return t.State == s }) }
	switch {
	case len(all) == 0:
		return 4
	case has(Regressed):
		return 1
	case has(Inconclusive):
		return 3
	}
	return 0
}
