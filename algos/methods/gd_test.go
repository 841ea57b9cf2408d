package methods

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos"
	"repro/algos/algostest"
)

// Gradient descent from 0 multiplies what is left of each eigendirection by 1 - ηλ/n, or with ν converges
// by 1 - η(λ/n + ν) to kernel ridge regression: ma2017 eq. (8).
func TestGDClosedForm(t *testing.T) {
	for _, nu := range []float64{0, 0.03} {
		p := algostest.SmallSquare()
		p.Nu = nu
		g := algostest.NewExactGram(t, p)
		want := make([]float64, 7) // fitted values after 50 steps
		for e, l := range g.Values {
			s := 0.0
			for j, y := range algostest.Targets {
				s += g.Vectors.At(j, e) * y
			}
			s *= l / 7 / (l/7 + nu) * (1 - math.Pow(1-0.75/(g.Values[0]/7+nu)*(l/7+nu), 50))
			for j := range want {
				want[j] += s * g.Vectors.At(j, e)
			}
		}
		f := algostest.Start(t, &GD{Subsample: 7}, p)
		algostest.Steps(t, f, 50)
		assert.InDeltaSlice(t, want, f.(algos.Fitter).Fitted().Data, 1e-12, "ν = %g", nu)
	}
}
