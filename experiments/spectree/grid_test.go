package spectree

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGridNamesThatClash(t *testing.T) {
	axes := []axis{{key: "a.x", paths: [][]string{{"a", "x"}}}, {key: "b.x", paths: [][]string{{"b", "x"}}}, {key: "y", paths: [][]string{{"y"}}}}
	assert.Equal(t, "a.x", axisName(axes, 0))
	assert.Equal(t, "b.x", axisName(axes, 1))
	assert.Equal(t, "y", axisName(axes, 2))
	assert.Equal(t, "a_b", valueName(&Node{Value: "a/b"}, 0), "fit for a file name")
}
