package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A claim that repeats another names one that is there and has the same number.
func TestRepeatedClaims(t *testing.T) {
	src, err := find("ma2017/bandwidth")
	require.NoError(t, err)
	const cells = `same_as = "ma2017/mnist-kernels#gaussian-eigenpro-train-error", cells = ["0.92", "0.10"`
	require.Contains(t, src.Text, cells)
	for edited, want := range map[string]string{
		strings.Replace(cells, "0.92", "0.93", 1):          `claim "s25-eigenpro-train-error".same_as: "gaussian-eigenpro-train-error" of ma2017/mnist-kernels has the number 0.92 of train-error at epoch 1, not 0.93 of train-error at epoch 1`,
		strings.Replace(cells, "gaussian", "gauss", 1):     `ma2017/mnist-kernels has no claim "gauss-eigenpro-train-error@1"`,
		strings.Replace(cells, "ma2017/mnist", "mnist", 1): `file does not exist`,
		strings.Replace(cells, "#", "/", 1):                `write PAPER/EXPERIMENT#CLAIM`,
	} {
		other := src
		other.Text = strings.Replace(src.Text, cells, edited, 1)
		_, err := Load(other, LoadOptions{})
		assert.ErrorContains(t, err, want)
	}
}
