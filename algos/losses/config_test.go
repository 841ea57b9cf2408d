package losses

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"absolute", "density-ratio", "epsilon-insensitive", "hinge", "huber", "log-cosh", "logistic", "novelty",
		"quantile", "softmax", "square", "squared-hinge"}, Names())
	for _, name := range Names() {
		c := Config{Name: name, Tau: map[string]float64{"quantile": 0.5}[name]}
		if name == "log-cosh" { // of the example
			c.Params = map[string]float64{"scale": 1}
		}
		l, err := New(c)
		require.NoError(t, err)
		assert.Equal(t, name, l.Name())
		assert.Equal(t, l.Task(), Task(name))
		assert.Contains(t, []string{Regression, Binary, Multiclass, None}, l.Task(), name)
		assert.Equal(t, "name", Keys(name)[0])
	}
	_, err := New(Config{Name: "hing"})
	assert.EqualError(t, err, `unknown loss "hing"`)
	assert.Empty(t, Task("hing"))
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want Loss
	}{
		{Config{Name: "huber"}, Huber{1}},
		{Config{Name: "huber", Delta: 0.25}, Huber{0.25}},
		{Config{Name: "epsilon-insensitive", Epsilon: 0.5}, EpsilonInsensitive{0.5}},
		{Config{Name: "epsilon-insensitive"}, EpsilonInsensitive{0}},
		{Config{Name: "quantile", Tau: 0.9}, Quantile{0.9}},
		{Config{Name: "absolute"}, Absolute{}},
	} {
		l, err := New(c.c)
		require.NoError(t, err)
		assert.Equal(t, c.want, l)
	}
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{Name: "square", Tau: 0.5}, "loss square: tau: is a key of quantile, not of square; remove it"},
		{Config{Name: "quantile", Tau: 0.5, Delta: 1}, "loss quantile: delta: is a key of huber, not of quantile; remove it"},
		{Config{Name: "quantile"}, "loss quantile: tau: missing; loss quantile needs a number between 0 and 1"},
		{Config{Name: "quantile", Tau: 1}, "loss quantile: tau: must be between 0 and 1, got 1"},
		{Config{Name: "huber", Delta: -1}, "loss huber: delta: must be > 0 and finite, got -1"},
		{Config{Name: "epsilon-insensitive", Epsilon: math.Inf(1)}, "loss epsilon-insensitive: epsilon: must be >= 0 and finite, got +Inf"},
	} {
		_, err := New(c.c)
		assert.EqualError(t, err, c.want)
	}
}

func TestResolved(t *testing.T) {
	assert.Equal(t, Config{Name: "huber", Delta: 1}, Config{Name: "huber"}.Resolved())
	assert.Equal(t, Config{Name: "huber", Delta: 2}, Config{Name: "huber", Delta: 2}.Resolved())
	assert.Equal(t, Config{Name: "square"}, Config{Name: "square"}.Resolved())
}

func TestRegisterRefuses(t *testing.T) {
	assert.PanicsWithValue(t, "losses: square registered twice", func() { Register("square", Family{}) })
	assert.PanicsWithValue(t, "losses: nothing: a family needs a name, a Doc line and Make", func() { Register("nothing", Family{}) })
	for _, name := range Names() {
		assert.NotEmpty(t, Doc(name), name)
	}
	assert.Empty(t, Doc("no such loss"))
	assert.Equal(t, []string{"name", "params"}, Keys("log-cosh"), "registered by the example")
	assert.EqualError(t, Config{Name: "square", Params: map[string]float64{"a": 1}}.Check([]string{"name"}), "params.a: is not a parameter of square; remove it")
	assert.EqualError(t, Config{Name: "square"}.Check([]string{"params"}), "params: is a key of log-cosh, not of square; remove it")
}
