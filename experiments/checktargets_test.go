package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variance is a valid spec of a posterior variance; tests change it line by line.
const variance = `schema = 1
paper = "dai2014"
title = "Variance"
[data]
name = "dai2014-synthetic"
[problem]
loss = "square"
nu_n = 0.1
targets = "test-kernels"
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
epochs = 1
[evaluate]
metrics = ["variance-error", "exact-error"]
reference = "krr"
[[method]]
id = "operator"
algorithm = "gp-operator"
`

func TestTargets(t *testing.T) {
	s := loads(t, variance)
	assert.Equal(t, TestKernels, s.Problem.Targets)

	for name, c := range map[string]struct{ old, new, want string }{
		"unknown targets": {`"test-kernels"`, `"kernels"`, `user.toml:9: problem.targets: unknown value "kernels"; choose one of test-kernels, mean-variance`},
		"metric of the data's targets": {`"exact-error"`, `"l2-error"`,
			`user.toml:14: evaluate.metrics: "l2-error" is of the data's targets, which problem.targets on line 9 replaces; remove one of them`},
		"metric of kernel targets": {"targets = \"test-kernels\"\n", "",
			`user.toml:13: evaluate.metrics: "variance-error" needs problem.targets = "test-kernels" or "mean-variance"`},
		"metric of both targets": {`"exact-error"`, `"nlpd"`,
			`user.toml:14: evaluate.metrics: "nlpd" needs problem.targets = "mean-variance"`},
		"both targets": {"targets = \"test-kernels\"", "targets = \"mean-variance\"", ""},
		"no reference": {"reference = \"krr\"\n", "", `user.toml:14: evaluate.metrics: "variance-error" needs an exact solver to compare with; name one as evaluate.reference
user.toml:14: evaluate.metrics: "exact-error" needs an exact solver to compare with; name one as evaluate.reference`},
		"another loss": {`"square"`, `"huber"`, `user.toml:9: problem.targets: kernel functions are fitted with the square loss, not "huber"; change one of them`},
		"a surface": {`reference = "krr"`, "reference = \"krr\"\nsurface = 5",
			`user.toml:9: problem.targets: contradicts evaluate.surface on line 16, which draws a single function; remove one of them`},
		"no surface": {`reference = "krr"`, "reference = \"krr\"\nsurface = 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, variance, c.old)
			_, err := loadText(strings.Replace(variance, c.old, c.new, 1), LoadOptions{})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			assert.EqualError(t, err, c.want)
		})
	}
}
