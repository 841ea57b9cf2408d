package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/kernels"
)

// gaussianKernel is the kernel of the ridge spec.
const gaussianKernel = `{ name = "gaussian", bandwidth = { rule = "median", scale = 0.1 } }`

func TestLoadKernels(t *testing.T) {
	for name, c := range map[string]struct {
		kernel string
		want   kernels.Config
		record map[string]any
	}{
		"gaussian": {`{ name = "gaussian", bandwidth = 2 }`,
			kernels.Config{Name: "gaussian"}, map[string]any{"name": "gaussian", "bandwidth": 2.0}},
		"matern": {`{ name = "matern", order = 1.5, bandwidth = 2 }`,
			kernels.Config{Name: "matern", Order: 1.5}, map[string]any{"name": "matern", "bandwidth": 2.0, "order": 1.5}},
		"linear, offset left out": {`{ name = "linear", bandwidth = 2 }`,
			kernels.Config{Name: "linear"}, map[string]any{"name": "linear", "bandwidth": 2.0, "offset": 0.0}},
		"polynomial": {`{ name = "polynomial", degree = 3, offset = 1, bandwidth = 2 }`,
			kernels.Config{Name: "polynomial", Degree: 3, Offset: 1}, map[string]any{"name": "polynomial", "bandwidth": 2.0, "degree": 3, "offset": 1.0}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := loadText(change(t, gaussianKernel, c.kernel), LoadOptions{})
			require.NoError(t, err)
			c.want.Bandwidth.Value = 2
			assert.Equal(t, c.want, s.Problem.Kernel)
			_, err = kernels.New(s.Problem.Kernel, s.Problem.Kernel.Bandwidth.Value)
			require.NoError(t, err)
			problem := s.Expand()[0].Settings["problem"].(map[string]any)
			assert.Equal(t, c.record, problem["kernel"], "records hold the keys of the kernel and no others")
		})
	}
}

func TestLoadKernelErrors(t *testing.T) {
	for name, c := range map[string]struct{ kernel, want string }{
		"key of another kernel":    {`{ name = "gaussian", order = 1.5, bandwidth = 1 }`, `order: is a key of matern, not of gaussian; remove it`},
		"even if zero":             {`{ name = "laplace", offset = 0, bandwidth = 1 }`, `offset: is a key of linear and polynomial, not of laplace; remove it`},
		"key of a similar kernel":  {`{ name = "linear", degree = 2, bandwidth = 1 }`, `degree: is a key of polynomial, not of linear; remove it`},
		"missing order":            {`{ name = "matern", bandwidth = 1 }`, `order: missing; kernel matern needs a number 0.5, 1.5 or 2.5`},
		"order there is none for":  {`{ name = "matern", order = 2, bandwidth = 1 }`, `order: must be 0.5, 1.5 or 2.5, got 2`},
		"order zero":               {`{ name = "matern", order = 0, bandwidth = 1 }`, `order: must be 0.5, 1.5 or 2.5, got 0`},
		"missing degree":           {`{ name = "polynomial", offset = 1, bandwidth = 1 }`, `degree: missing; kernel polynomial needs a number > 0`},
		"degree zero":              {`{ name = "polynomial", degree = 0, bandwidth = 1 }`, `degree: must be > 0, got 0`},
		"degree that is no number": {`{ name = "polynomial", degree = 2.5, bandwidth = 1 }`, `degree: want an integer, got 2.5`},
		"negative offset":          {`{ name = "linear", offset = -1, bandwidth = 1 }`, `offset: must be >= 0, got -1`},
		"unknown key":              {`{ name = "matern", ordr = 1.5, bandwidth = 1 }`, `ordr: unknown key; did you mean "order"?`},
		"no bandwidth":             {`{ name = "linear" }`, `bandwidth: missing (bandwidth σ: a number, or a rule); add it`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadText(change(t, gaussianKernel, c.kernel), LoadOptions{})
			assert.EqualError(t, err, "user.toml:13: problem.kernel."+c.want)
		})
	}
}

// The change of a kernel in a profile or on the command line is told where it was made.
func TestKernelKeysAfterEdits(t *testing.T) {
	s, err := loadText(ridge, LoadOptions{Set: []string{"problem.kernel.name=laplacian"}})
	require.NoError(t, err)
	assert.Equal(t, "laplacian", s.Problem.Kernel.Name)
	_, err = loadText(ridge, LoadOptions{Set: []string{"problem.kernel.order=1.5"}})
	assert.EqualError(t, err, `--set problem.kernel.order=1.5: problem.kernel.order: is a key of matern, not of gaussian; remove it`)
}
