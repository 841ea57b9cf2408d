package methods

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/parts"
	"repro/algos/schedules"
)

var _ = algos.Register[*fogd]("fogd", "FOGD: Fourier online gradient descent, online [Lu, Hoi, Wang, Zhao & Liu, JMLR 2016]", func() algos.Algorithm {
	return &FOGD{Features: 100, Normalise: true, Step: &schedules.InverseSqrt{Gamma0: 0.5}}
})

// FOGD is Fourier online gradient descent [Lu, Hoi, Wang, Zhao and Liu, Large scale online kernel learning, JMLR 2016;
// jezequel2019 §5]. With D random frequencies ω_j of the kernel and
//
//	z(x) = (sin ω_1·x, …, sin ω_D·x, cos ω_1·x, …, cos ω_D·x)
//
// it predicts in round t, for Normalise as in the code of jezequel2019,
//
//	ŷ_t = ⟨w, z(x_t)⟩/D,  w ← w - 2η_t (ŷ_t - y_t) z(x_t),
//
// and otherwise, as in the code of Lu et al.,
//
//	ŷ_t = ⟨w, z(x_t)⟩,  w ← w + η_t (y_t - ŷ_t) z(x_t).
//
// Both are gradient descent on the normalised features z/√D, whose inner products estimate the kernel, with the steps 2η_t
// and Dη_t. The fit stores these weights. The frequencies are those of the kernel's features √2·cos(ω·x + b), drawn for D
// features; sin and cos are such features with the phases b = -1/4 turn and 0.
//
// Departures. Only the square loss. The code of Lu et al. makes no step where |y_t - ŷ_t| ≤ 0.1, this does. ν is not used.
// jezequel2019 prints D = 100 and a constant η = 10⁻³ from a grid search; the default step here is not from a search.
type FOGD struct {
	online
	Features  int                `toml:"features" want:"> 0" doc:"number D of random frequencies; each has a sine and a cosine"`
	Normalise bool               `toml:"normalise" doc:"predict ⟨w, z⟩/D and step by 2η, as the code of jezequel2019 does; else ⟨w, z⟩ and η"`
	Step      schedules.Schedule `toml:"step" doc:"step sizes η_t"`
}

type fogd struct {
	parts.Linear
	settings *FOGD
	stream   algos.Stream
	in       int
}

// Start implements Algorithm. It needs the square loss and a kernel whose random features are cosines.
func (a *FOGD) Start(p *algos.Problem) (algos.Fit, error) {
	if p.Loss != (losses.Square{}) {
		return nil, fmt.Errorf("%w: fogd needs the square loss, not %s", algos.ErrUnsupported, p.Loss.Name())
	}
	z, err := parts.DrawPairs("fogd", p, a.Features)
	if err != nil {
		return nil, err
	}
	in, _ := p.Train.Dims()
	return &fogd{Linear: parts.NewLinear(p, z, false), settings: a, stream: parts.StreamOf(p), in: in}, nil
}

func (f *fogd) Step() (algos.Progress, error) {
	z := f.Z.At(parts.View(f.stream.Inputs(f.Seen), f.in))
	w := f.Weights(f.W)
	u := f.Z.Apply(z, w)
	if !u.Finite() {
		return algos.Progress{}, parts.Diverged(f.T + 1)
	}
	r := u.Row(0)
	y := f.stream.Reveal(f.Seen, r)
	floats.Sub(r, y)
	floats.Scale(-f.step(), r)
	for j, v := range z.Row(0) {
		compute.AddScaled(w.Row(j), v, r)
	}
	return f.Stepped(1), nil
}

// step returns the step size on the normalised features.
func (f *fogd) step() float64 {
	eta := f.settings.Step.Gamma(f.T + 1)
	if f.settings.Normalise {
		return 2 * eta
	}
	return float64(f.settings.Features) * eta
}

// Cost implements Coster: 2D features at every example.
func (a *FOGD) Cost(s algos.Size) algos.Cost {
	r, t, out := 2*float64(a.Features), float64(s.Steps), float64(s.Out)
	c := parts.DrawnCost(s, r, t, 1)
	c.Flops = 4 * r * t * out
	c.Bytes += 8 * r * float64(s.In+1)
	return c
}
