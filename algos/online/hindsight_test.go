package online

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// A player predicts by a function of x and keeps where it was asked first.
type player struct {
	algos.Fit
	f     func(x []float64) float64
	first []float64
}

func (p *player) Model() algos.Model { return algos.Predictor(p.predict) }

func (p *player) predict(x compute.Matrix) compute.Matrix {
	if p.first == nil {
		p.first = append(p.first, x.Row(0)...)
	}
	u := compute.NewMatrix(x.Rows, 1)
	for i := range x.Rows {
		u.Set(i, 0, p.f(x.Row(i)))
	}
	return u
}

func adversary(seed uint64, starts int, joint bool) *Adversary {
	p := algostest.Problem(8, losses.Square{})
	p.Seed = seed
	return NewAdversary(p, starts, joint)
}

// Starts are uniform in the box or, as in the released code, in its quarter of positive numbers, and others in every round. Tolerances are
// 4.5 standard deviations of means of n values; x⁴ has the mean 1/5.
func TestAdversaryStarts(t *testing.T) {
	flat := func([]float64) float64 { return 0 }
	for _, joint := range []bool{false, true} {
		const rounds = 500
		n, mean, square := 0.0, 0.0, 0.0
		for seed := range uint64(rounds) {
			p := &player{f: flat}
			adversary(seed, 1, joint).Choose(p, 0)
			for _, v := range p.first {
				if joint {
					assert.True(t, v >= 0 && v < 1)
					v = 2*v - 1
				}
				n, mean, square = n+1, mean+v, square+v*v
			}
		}
		assert.InDelta(t, 0, mean/n, 4.5*0.578/38.7)
		assert.InDelta(t, 1/3., square/n, 4.5*0.299/38.7)
		assert.Equal(t, 1500.0, n)
	}
	a, p, q := adversary(1, 1, false), &player{f: flat}, &player{f: flat}
	a.Choose(p, 0)
	a.Choose(q, 1)
	assert.NotEqual(t, p.first, q.first)
	b := &player{f: flat}
	adversary(1, 1, false).Choose(b, 0)
	assert.Equal(t, p.first, b.first, "a round is a function of the seed and its number")
}

// The first example is where the prediction is farthest from its target, of either sign: the regression on it alone has the same regret
// everywhere.
func TestAdversaryChooses(t *testing.T) {
	for _, joint := range []bool{false, true} {
		for _, bias := range []float64{-0.5, 0.5} {
			a := adversary(1, 20, joint)
			a.Choose(&player{f: func(x []float64) float64 { return x[0] + bias }}, 0)
			want := 1.0
			if bias < 0 {
				want = -1
			}
			require.Len(t, a.Y, 1)
			assert.Equal(t, want, a.X[0])
			assert.Equal(t, -want, a.Y[0])
			a.Choose(&player{f: func(x []float64) float64 { return -x[0] }}, 0)
			assert.Len(t, a.Y, 1, "it is chosen already")
			assert.EqualValues(t, 1, a.Past().Follow(1).Hindsight().SquaredY)
		}
	}
}
