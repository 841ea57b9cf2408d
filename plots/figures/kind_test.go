package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKindsThatCannotBeRegistered(t *testing.T) {
	build := func(*Builder, *Figure) error { return nil }
	for want, k := range map[string]Kind{
		`figures: a kind needs Name, Doc and Build, got "pie"`:            {Name: "pie", Doc: "shares"},
		`figures: kind "map" is registered twice`:                         {Name: "map", Doc: "colours", Build: build},
		`figures: kind "pie" lists the key "shares", which no figure has`: {Name: "pie", Doc: "shares", May: []string{"shares"}, Build: build},
	} {
		assert.PanicsWithValue(t, want, func() { Register(k) })
	}
	assert.Equal(t, []string{"curves", "functions", "heatmap", "map"}, Kinds())
	assert.Equal(t, "curves", KindOf("").Name)
	assert.False(t, KindOf("pie").Takes("series"))
}
