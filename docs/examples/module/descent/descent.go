// Package descent has gradient descent with noisy gradients.
package descent

import (
	"math"
	"math/rand/v2"

	"repro/algos"
)

var _ = algos.Register[*fit]("noisy-descent", "gradient descent on ‖x‖²/2 with noisy gradients", func() algos.Algorithm { return &NoisyDescent{Power: 1} })

// NoisyDescent minimises ‖x‖²/2 in 100 dimensions from 0, with gradients that have standard normal noise ξ_t:
//
//	x_{t+1} = x_t − t^-p (x_t + ξ_t)
//
// With p = 1, −x_{t+1} is the mean of the noises ξ_1 … ξ_t, so E‖x_{t+1}‖²/2 = 50/t.
type NoisyDescent struct {
	Power float64 `toml:"power" want:">= 0" doc:"p of the step sizes t^-p"`
}

// state is all that a step changes.
type state struct {
	T int
	X [100]float64
}

type fit struct {
	state
	*NoisyDescent
	seed uint64
}

// Traits implements algos.Described: the problem is the algorithm's own, without rows, loss and kernel.
func (*NoisyDescent) Traits() algos.Traits { return algos.Traits{Own: true} }

// Start implements algos.Algorithm.
func (a *NoisyDescent) Start(p *algos.Problem) (algos.Fit, error) {
	return &fit{NoisyDescent: a, seed: p.Seed}, nil
}

// Step implements algos.Fit.
func (f *fit) Step() (algos.Progress, error) {
	f.T++
	noise := rand.New(rand.NewPCG(f.seed, uint64(f.T))) // the same after a checkpoint
	for i := range f.X {
		f.X[i] -= math.Pow(float64(f.T), -f.Power) * (f.X[i] + noise.NormFloat64())
	}
	return algos.Progress{}, nil
}

// Report implements algos.Reporter.
func (f *fit) Report() map[string]float64 {
	gap := 0.0
	for _, x := range f.X {
		gap += x * x / 2
	}
	return map[string]float64{"gap": gap}
}

// State implements algos.Fit.
func (f *fit) State() any { return &f.state }

// Model implements algos.Fit: it predicts nothing.
func (*fit) Model() algos.Model { return nil }
