package schedules

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGamma(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Schedule
		t    []int
		want []float64
	}{
		{"constant", &Constant{Gamma0: 5}, []int{1, 2, 1 << 20}, []float64{5, 5, 5}},
		{"inverse", &Inverse{Gamma0: 20, T0: 10}, []int{1, 10, 30, 990}, []float64{20 / 1.1, 10, 5, 0.2}},
		{"inverse-sqrt", &InverseSqrt{Gamma0: 3}, []int{1, 4, 9, 10000}, []float64{3, 1.5, 1, 0.03}},
		{"theta", &Theta{Theta: 6}, []int{1, 2, 3, 1000}, []float64{6, 3, 2, 0.006}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, step := range c.t {
				assert.InEpsilon(t, c.want[i], c.s.Gamma(step), 1e-15, "t = %d", step) // a few roundings
			}
		})
	}
	// Pegasos' 1/(νt), as exact as a division: 1 - γ_1·ν is 0 for ν = 2^-k.
	assert.Equal(t, 4.0, (&Theta{Theta: 1 / 0.25}).Gamma(1))
	// In the end γ₀/(1 + t/t₀) is θ/t with θ = γ₀t₀; the difference is t₀/t = 1e-8.
	assert.InEpsilon(t, (&Theta{Theta: 200}).Gamma(1e9), (&Inverse{Gamma0: 20, T0: 10}).Gamma(1e9), 1.1e-8)
}

func TestNew(t *testing.T) {
	assert.Equal(t, []string{"constant", "inverse", "inverse-sqrt", "power", "theta"}, Names())
	assert.True(t, slices.IsSorted(Names()))
	for _, name := range Names() {
		a, err := New(name)
		require.NoError(t, err)
		b, err := New(name)
		require.NoError(t, err)
		assert.NotSame(t, a, b, "every spec overwrites its own copy")
		assert.Equal(t, a, b)
	}
	_, err := New("invers")
	assert.EqualError(t, err, `unknown schedule "invers"`)
}

func TestRegisterRefuses(t *testing.T) {
	constant := func() Schedule { return &Constant{Gamma0: 1} }
	assert.PanicsWithValue(t, "schedules: theta registered twice", func() { Register("theta", "twice", constant) })
	assert.PanicsWithValue(t, "schedules: nothing: a schedule needs a name, a line for lists and its defaults", func() { Register("nothing", "", constant) })
	for _, name := range Names() {
		assert.NotEmpty(t, Doc(name), name)
	}
	assert.Empty(t, Doc("no such schedule"))
}
