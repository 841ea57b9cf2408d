package losses

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
