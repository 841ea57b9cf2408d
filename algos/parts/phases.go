package parts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
)

const (
	phaseFeatures = 64       // features whose phases are looked at
	mostPhase     = 1. / 100 // error of a phase, in turns, beyond which features in float32 are refused
)

// phasesFit returns an error if cosines cos(2π(ω·x + b)) in float32 are not features of the kernel: numbers of float32 have 24 bits, so that
// a phase of 2²⁴ turns has nothing behind the point. It looks at the median of some features at the largest of the sampled inputs.
func phasesFit(method string, p *algos.Problem, k kernels.Featured) error {
	if p.Engine == nil || p.Engine.Precision() != compute.Float32 || p.Stream != nil {
		return nil
	}
	in, _ := p.Train.Dims()
	f := k.Features(p.Seed, in, phaseFeatures)
	cosines, ok := f.(compute.ProjectionMap)
	if !ok || cosines.Activation().Function != compute.Cosine {
		return nil
	}
	x := p.Sampled()
	if m, ok := f.(compute.Mapped); ok {
		x = m.Map(x)
	}
	largest, norm := x.Row(0), 0.0
	for i := range x.Rows {
		if v := floats.Norm(x.Row(i), 2); v > norm {
			largest, norm = x.Row(i), v
		}
	}
	omega, turns := compute.NewMatrix(x.Cols, phaseFeatures), make([]float64, phaseFeatures)
	cosines.Draw(0, omega, make([]float64, phaseFeatures))
	for l, v := range largest {
		floats.AddScaled(turns, v, omega.Row(l))
	}
	for j, v := range turns {
		turns[j] = math.Abs(v)
	}
	slices.Sort(turns)
	if phase := turns[phaseFeatures/2]; !(phase*0x1p-24 <= mostPhase) {
		return fmt.Errorf("%s: random features in float32 have phases of %.1g turns, which are lost in rounding errors: max‖x‖/σ is about %.2g, and at most %.2g can be; set precision = \"float64\", or choose a larger bandwidth",
			method, phase, 2*math.Pi*phase, 2*math.Pi*mostPhase*0x1p24)
	}
	return nil
}
