package smoothing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
)

var _ = algos.Register[*descent]("noisy-descent", "gradient descent on ‖x‖²/2 with noisy gradients", func() algos.Algorithm { return &NoisyDescent{} })

// NoisyDescent goes x_{t+1} = x_t − t^-p (x_t + ξ_t) from 0 with standard normal ξ_t in 100 dimensions: with p = 1, E‖x_t‖²/2 = 50/t.
type NoisyDescent struct {
	Power float64 `toml:"power" want:">= 0" doc:"p of the step sizes t^-p"`
}

type descentState struct { // all that a step changes
	T int
	X [100]float64
}

type descent struct {
	descentState
	*NoisyDescent
	seed uint64
}

func (*NoisyDescent) Own() {}

func (a *NoisyDescent) Start(p *algos.Problem) (algos.Fit, error) {
	return &descent{NoisyDescent: a, seed: p.Seed}, nil
}

func (f *descent) Step() (algos.Progress, error) {
	f.T++
	noise := rand.New(rand.NewPCG(f.seed, uint64(f.T))) // the same after a checkpoint
	for i := range f.X {
		f.X[i] -= math.Pow(float64(f.T), -f.Power) * (f.X[i] + noise.NormFloat64())
	}
	return algos.Progress{}, nil
}

func (f *descent) Report() map[string]float64 {
	return map[string]float64{"gap": floats.Dot(f.X[:], f.X[:]) / 2}
}

func (f *descent) State() any       { return &f.descentState }
func (*descent) Model() algos.Model { return nil } // it predicts nothing
