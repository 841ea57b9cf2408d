package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/kernels"
	"repro/datasets"
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

// Rows, their sample and the problem of a cell have the cell's seed; the order of a file stays.
func TestInstanceHasTheSeedOfItsCell(t *testing.T) {
	s := spec(t, strings.Replace(head+compared, "scale = 0.2 }", "scale = 0.2, sample = 50 }", 1))
	cells := s.Expand()
	c := cells[len(cells)-1]
	require.Equal(t, uint64(2), c.Seed)
	library := datasets.NewLibrary()
	set, err := library.Open(t.Context(), c.Data(), "regression", c.Seed, "")
	require.NoError(t, err)
	i, err := newInstances(library).of(t.Context(), &c)
	require.NoError(t, err)
	assert.Equal(t, c.Seed, i.problem.Seed)
	assert.Equal(t, set.TestX, i.data.TestX)
	assert.Equal(t, kernels.Gaussian{Sigma: 0.2 * transforms.MedianDistance(set.Train, 50, c.Seed)}, i.problem.Kernel)
	assert.False(t, i.problem.FileOrder)
	s.Data.Order = "file"
	i, err = newInstances(library).of(t.Context(), &c)
	require.NoError(t, err)
	assert.True(t, i.problem.FileOrder)
}
