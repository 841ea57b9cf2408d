package smoothing

import (
	"math"

	"repro/algos/kernels"
)

// RationalQuadratic is k(x, z) = (1 + ‖x - z‖²/(2ασ²))^-α [Rasmussen & Williams 2006, Gaussian Processes for Machine Learning,
// eq. 4.19]. A spec asks for it with kernel = { name = "rational-quadratic", bandwidth = 0.1, params = { alpha = 0.5 } }.
type RationalQuadratic struct{ Sigma, Alpha float64 }

func init() {
	kernels.Register("rational-quadratic", kernels.Family{
		Doc:  "(1 + ‖x - z‖²/(2ασ²))^-α [Rasmussen & Williams 2006, eq. 4.19]",
		Keys: []kernels.Key{kernels.Positive("bandwidth"), kernels.Positive("alpha")},
		Make: func(c kernels.Config, sigma float64) kernels.Kernel {
			return kernels.Of(RationalQuadratic{sigma, c.Params["alpha"]})
		},
	})
}

// Name implements kernels.Pointwise.
func (RationalQuadratic) Name() string { return "rational-quadratic" }

// At implements kernels.Pointwise.
func (k RationalQuadratic) At(x, z []float64) float64 {
	sum := 0.0
	for l, v := range x {
		sum += (v - z[l]) * (v - z[l])
	}
	return math.Pow(1+sum/(2*k.Alpha*k.Sigma*k.Sigma), -k.Alpha)
}
