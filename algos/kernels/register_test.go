package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegister(t *testing.T) {
	assert.PanicsWithValue(t, "kernels: gaussian registered twice", func() { Register("gaussian", Family{}) })
	assert.PanicsWithValue(t, "kernels: nothing: a family needs a name, a Doc line and Make", func() { Register("nothing", Family{}) })
	for _, name := range Names() {
		assert.NotEmpty(t, Doc(name), name)
	}
	assert.Empty(t, Doc("no such kernel"))
}

func TestParams(t *testing.T) {
	assert.Equal(t, []string{"name", "bandwidth", "params"}, Keys("rational-quadratic"), "registered by the example")
	check := func(c Config, given ...string) string {
		if err := c.Check(given); err != nil {
			return err.Error()
		}
		return ""
	}
	gaussian := Config{Name: "gaussian", Params: map[string]float64{"alpha": 1}}
	assert.Equal(t, "params.alpha: is not a parameter of gaussian; remove it", check(gaussian, "name", "bandwidth"))
	assert.Equal(t, "params: is a key of rational-quadratic, not of gaussian; remove it", check(gaussian, "name", "bandwidth", "params"))
	rational := Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": -1}}
	assert.Equal(t, "params.alpha: must be > 0 and finite, got -1", check(rational, "name", "bandwidth", "params"))
	assert.Equal(t, "params.beta: is not a parameter of rational-quadratic; remove it",
		check(Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": 1, "beta": 1}}, "name", "bandwidth", "params"))
	assert.Equal(t, "", check(Config{Name: "rational-quadratic", Params: map[string]float64{"alpha": 1}}, "name", "bandwidth", "params"))
}

// A kernel that is registered with a positive bandwidth takes a number, or what a rule gives.
func TestPositiveBandwidth(t *testing.T) {
	const name = "positive-bandwidth-of-a-test"
	Register(name, Family{Doc: "a test", Keys: []Key{Positive("bandwidth")}, Make: func(_ Config, sigma float64) Kernel { return Gaussian{sigma} }})
	defer delete(registry.Families, name)
	for _, c := range []Config{{Name: name, Bandwidth: Bandwidth{Value: 2}}, {Name: name, Bandwidth: Bandwidth{Rule: "median", Scale: 1}}} {
		assert.NoError(t, c.Check([]string{"bandwidth"}))
		k, err := New(c, 2)
		assert.NoError(t, err)
		assert.Equal(t, Gaussian{2}, k)
	}
	assert.ErrorContains(t, Config{Name: name}.Check([]string{"bandwidth"}), "bandwidth: must be > 0 and finite, got 0")
}
