package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/kernels"
	"repro/datasets/transforms"
)

// nu_n is ν times the number of training rows.
func TestNuOfRows(t *testing.T) {
	i := instanceOf(t, spec(t, strings.Replace(head, "nu = 1e-4", "nu_n = 0.3", 1)+compared))
	assert.Equal(t, 0.3/600, i.problem.Nu)
	assert.Equal(t, 0.3/600, i.resolved["nu"])
	assert.Equal(t, 1e-4, instanceOf(t, spec(t, head+compared)).problem.Nu)
}

// The bandwidth of rule median is that of the training rows, whatever the test rows are.
func TestBandwidthIsOfTrainingRows(t *testing.T) {
	i := instanceOf(t, spec(t, head+compared))
	want := 0.2 * transforms.MedianDistance(i.problem.Train, 0, i.problem.Seed)
	assert.Equal(t, kernels.Gaussian{Sigma: want}, i.problem.Kernel)
	more := instanceOf(t, spec(t, strings.Replace(head, "test = 100", "test = 1000", 1)+compared))
	assert.Equal(t, i.problem.Kernel, more.problem.Kernel)
}
