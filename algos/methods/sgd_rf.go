package methods

import (
	"repro/algos"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register("sgd-rf", "stochastic gradient descent on random features with a constant step [ma2017 Sec. 6]", func() algos.Algorithm {
	return &SGDRF{Batch: 256, Features: 4096, Subsample: 4800}
})

// SGDRF is stochastic gradient descent on r random features with a constant step, the SGD-RF of ma2017
// Sec. 6: EigenProRF with P = I, and the step of GD unless the spec gives one.
type SGDRF struct {
	Batch     int                `toml:"batch" want:"> 0" doc:"examples m per iteration"`
	Features  int                `toml:"features" want:"> 0" doc:"number of random features r"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η; 0.75/λ_1 if left out"`
	Subsample int                `toml:"subsample" want:"> 0" doc:"rows M from which λ_1 is estimated"`
}

// Fits implements Declarer.
func (*SGDRF) Fits() algos.Fit { return (*eigenProRF)(nil) }

// Start implements Algorithm. It needs a kernel with random features.
func (a *SGDRF) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := newEigenProRF("sgd-rf", p, a.Features, a.Batch)
	if err != nil {
		return nil, err
	}
	if a.Step != nil {
		f.gamma = a.Step.Gamma
		return f, nil
	}
	f.gamma, err = parts.OwnStep("sgd-rf", p, func() (float64, error) {
		s, err := f.z.Eigensystem(0, parts.SketchOfOne, a.Subsample)
		return s.First(), err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// BatchSize implements Batcher.
func (a *SGDRF) BatchSize() int { return a.Batch }

// Cost implements Coster: r features at every example, and those of the subsample for λ_1.
func (a *SGDRF) Cost(s algos.Size) algos.Cost {
	c := featuresCost(s, a.Features, a.Batch)
	if r, m := float64(a.Features), float64(min(a.Subsample, s.N)); a.Step == nil {
		c.FeatureEvals += s.Evaluated(m*r, 2)
		c.Bytes += s.StoredBytes(m * r)
		parts.AddSketch(&c, 0, parts.SketchOfOne, m, r)
	}
	return c
}
