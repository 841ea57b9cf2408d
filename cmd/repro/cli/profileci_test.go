package cli

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/printed"
)

// Patterns leave out the specs without [profile.ci]; naming such a spec is an error.
func TestSpecsWithoutProfileCI(t *testing.T) {
	workplace(t)
	entries, err := catalog.Entries()
	require.NoError(t, err)
	with := 0
	for _, e := range entries {
		if slices.Contains(e.Profiles, experiments.CI) {
			with++
		}
	}
	assert.Len(t, array(t, ok(t, "list", "--profile", "ci", "--json").out), with)
	left := printed.Count(len(entries)-with, "experiment") + " without the profile ci left out"
	assert.Contains(t, ok(t, "list", "--profile", "ci").out, left+".")

	o := ok(t, "plan", "dai2014/gp-*", "--profile", "ci", "--json")
	assert.Contains(t, o.errors, "2 experiments without the profile ci left out")
	for _, c := range array(t, o.out) {
		assert.Contains(t, []string{"dai2014/gp-mean", "dai2014/gp-variance"}, c["experiment"])
		assert.Equal(t, "ci", c["profile"])
	}
	for _, c := range []struct{ arg, want string }{
		{"dai2014/gp-mean-steps", "dai2014/gp-mean-steps.toml: has no profile ci, as its key no_ci says: chooses step sizes and has no claims"},
		{"dai2014/svm-*", "none of the 10 experiments has the profile ci; repro list --profile ci lists those that have"},
		{"tiny.toml", "tiny.toml: has no profile ci; add a table [profile.ci]"},
	} {
		o := repro(t, "plan", c.arg, "--profile", "ci")
		assert.Equal(t, int(exits.Mistake), o.status)
		assert.Contains(t, o.errors, c.want)
	}
}
