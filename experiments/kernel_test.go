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
		"arc-cosine of order zero": {`{ name = "arc-cosine", order = 0 }`,
			kernels.Config{Name: "arc-cosine"}, map[string]any{"name": "arc-cosine", "order": 0.0}},
		"no parameter": {`{ name = "hellinger" }`,
			kernels.Config{Name: "hellinger"}, map[string]any{"name": "hellinger"}},
		"semigroup": {`{ name = "reciprocal-semigroup", lambda = 3 }`,
			kernels.Config{Name: "reciprocal-semigroup", Lambda: 3}, map[string]any{"name": "reciprocal-semigroup", "lambda": 3.0}},
		"polynomial": {`{ name = "polynomial", degree = 3, offset = 1, bandwidth = 2 }`,
			kernels.Config{Name: "polynomial", Degree: 3, Offset: 1}, map[string]any{"name": "polynomial", "bandwidth": 2.0, "degree": 3, "offset": 1.0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := loads(t, change(t, gaussianKernel, c.kernel))
			if kernels.HasBandwidth(c.want.Name) {
				c.want.Bandwidth.Value = 2
			}
			assert.Equal(t, c.want, s.Problem.Kernel)
			_, err := kernels.New(s.Problem.Kernel, s.Problem.Kernel.Bandwidth.Value)
			require.NoError(t, err)
			problem := s.Expand()[0].Settings["problem"].(map[string]any)
			assert.Equal(t, c.record, problem["kernel"], "records hold the keys of the kernel and no others")
		})
	}
}

// A method may have a kernel of its own, which only its cells have.
func TestKernelOfMethod(t *testing.T) {
	own := func(kernel string) string {
		return change(t, `id = "dsg"`, "id = \"dsg\"\nkernel = "+kernel)
	}
	s := loads(t, own(`{ name = "matern", order = 1.5, bandwidth = { rule = "median" } }`))
	cells := s.Expand()
	want := kernels.Config{Name: "matern", Order: 1.5, Bandwidth: defaultBandwidth}
	want.Bandwidth.Rule = "median"
	assert.Equal(t, want, cells[0].Kernel())
	assert.Equal(t, map[string]any{"name": "matern", "order": 1.5, "bandwidth": map[string]any{
		"rule": "median", "scale": 1.0, "convention": "sigma=median", "sample": 4000,
	}}, cells[0].Settings["problem"].(map[string]any)["kernel"])
	assert.Equal(t, s.Problem.Kernel, cells[1].Kernel())
	plain := loads(t, ridge)
	assert.Equal(t, plain.Expand()[1].Digest, cells[1].Digest)
	assert.NotEqual(t, plain.Expand()[0].Digest, cells[0].Digest)

	s = loads(t, own(`{ name = "gaussian", bandwidth = 2 }`))
	assert.Equal(t, kernels.Config{Name: "gaussian", Bandwidth: kernels.Bandwidth{Value: 2}}, s.Expand()[0].Kernel())

	for kernel, want := range map[string]string{
		`{ name = "matern", bandwidth = 1 }`:                             `kernel.order: missing; kernel matern needs a number 0.5, 1.5 or 2.5`,
		`{ name = "gaussian" }`:                                          `kernel.bandwidth: missing (bandwidth σ: a number, or a rule); add it`,
		`{ name = "gausian", bandwidth = 1 }`:                            `kernel.name: unknown kernel "gausian"; did you mean "gaussian"?`,
		`{ name = "gaussian", bandwidth = { value = 1.0, scale = 2.0 }}`: `kernel.bandwidth.scale: has no effect beside value on line 23; remove it`,
	} {
		_, err := loadText(own(kernel), LoadOptions{})
		assert.EqualError(t, err, `user.toml:23: method "dsg".`+want)
	}
}
