//go:build faults

package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/runner/goldentest"
)

// optimiserFaults are mistakes in docs/examples/python/optimisers.py, one at a time.
var optimiserFaults = []struct{ method, what, old, new string }{
	{"sgd", "step size times 1.5", "- gradient / self.t\n", "- 1.5 * gradient / self.t\n"},
	{"sgd", "step size of iteration t + 1", "- gradient / self.t\n", "- gradient / (self.t + 1)\n"},
	{"sgd", "gradient of the iterate before", "self.x = self.x - gradient / self.t\n", "self.x, self.old = self.x - getattr(self, 'old', gradient) / self.t, gradient\n"},
	{"sgd", "the same seed in every run", "class SGD:", "class SGD:\n    seed = 0\n"},
	{"sgd", "the same noise in every step", "self.x + self.random.standard_normal(10)", "self.x + np.random.default_rng(1).standard_normal(10)"},
	{"momentum", "sign of the momentum", "(9 / 11) ** 2 * self.v -", "-(9 / 11) ** 2 * self.v -"},
	{"momentum", "gradient ahead of the momentum (Nesterov's)", "self.a * (self.x - 1)\n", "self.a * (self.x + (9 / 11) ** 2 * self.v - 1)\n"},
	{"momentum", "x summed in float32", "self.x + self.v\n", "np.float32(self.x) + np.float32(self.v)\n"},
	{"epochs", "drawn with replacement", "self.random.permutation(16)", "self.random.integers(16, size=16)"},
	{"epochs", "the same order in every epoch", "        self.order = self.random", "        self.order = self.order if self.order is not None else self.random"},
	{"epochs", "the last example of an epoch left out", "in self.order:", "in self.order[:-1]:"},
	{"adam", "bias correction forgotten", "self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)", "self.m, self.v"},
	{"adam", "bias correction of the step before", "0.9**self.t), self.v / (1 - 0.999**self.t)", "0.9**(self.t - 1)), self.v / (1 - 0.999**(self.t - 1))"},
	{"adam", "decay of m for v", "0.999 * self.v + 0.001 *", "0.9 * self.v + 0.1 *"},
}

// TestGateOfOptimisers makes each mistake in a Python script: repro check must notice each with the spec beside it. It writes to docs/guarding-other-languages.md what repro check says of it.
func TestGateOfOptimisers(t *testing.T) {
	start, err := filepath.Abs(".")
	require.NoError(t, err)
	withPython(t, filepath.Join("..", "..", "..", "docs", "examples", "python"))
	check := func(args ...string) outcome {
		return repro(t, append([]string{"check", "optimisers.toml", "--allow-external", "--baseline", "accepted", "--json"}, args...)...)
	}
	check("--seeds", "40")
	t.Setenv("CI", "")
	ok(t, "baseline", "accept", "optimisers.toml", "--claim", "*", "--claim", "sgd-rate", "--claim", "sgd-end", "--claim", "sgd-first", "--claim", "epochs-rate", "--reason", "first", "--baseline", "accepted", "--log", "log.md")
	require.Zero(t, check().status, "identical")
	healthy := read(t, "optimisers.py")

	table := "| Mistake | Method | `repro check` |\n|---|---|---|\n"
	for _, f := range optimiserFaults {
		text := strings.Replace(healthy, f.old, f.new, 1)
		if f.what == "the same seed in every run" {
			text = strings.Replace(healthy, `start["seed"]`, "0", 1)
		}
		require.NotEqual(t, healthy, text, f.what)
		write(t, "optimisers.py", text)
		o := check("--method", f.method)
		var said struct {
			Changes []struct{ Claim, State, Reason string }
		}
		require.NoError(t, json.Unmarshal([]byte(o.out), &said), o.errors)
		var words []string
		for _, c := range said.Changes {
			if strings.HasPrefix(c.Claim, f.method) {
				words = append(words, fmt.Sprintf("`%s` %s", c.Claim, c.State))
			}
		}
		require.NotEmpty(t, words)
		assert.Contains(t, []int{1, int(exits.Failed)}, o.status, "%s is not noticed: %s", f.what, words)
		table += fmt.Sprintf("| %s | %s | %s |\n", f.what, f.method, strings.Join(words, ", "))
	}
	page := filepath.Join(start, "..", "..", "..", "docs", "guarding-other-languages.md")
	before, rest, found := strings.Cut(read(t, page), "| Mistake | Method |")
	require.True(t, found)
	_, after, _ := strings.Cut(rest, "\n\n")
	goldentest.Equal(t, page, before+table+"\n"+after)
}
