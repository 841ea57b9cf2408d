package baseline

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/changes"
)

// uncovered are the registered things that no accepted curve has, with the reason.
var uncovered = map[string]string{}

// Every registered method, kernel, loss and schedule takes part in a curve that the gate compares at profile ci.
func TestAcceptedCurvesCoverWhatIsRegistered(t *testing.T) {
	a, err := OpenAccepted("ci")
	require.NoError(t, err)
	ids, err := a.Experiments()
	require.NoError(t, err)
	covered := map[string]bool{}
	for _, id := range ids {
		s, err := a.Read(id)
		require.NoError(t, err)
		spec, err := catalog.Load(catalog.Ref{ID: id}, experiments.LoadOptions{Profile: experiments.CI})
		require.NoError(t, err)
		for _, c := range spec.Expand() {
			if !slices.ContainsFunc(s.Series, func(x changes.Series) bool { return x.Method == c.Method.ID }) {
				continue
			}
			covered["method "+c.Method.Algorithm] = true
			covered["kernel "+c.Kernel().Name] = true
			covered["loss "+c.Loss().Name] = true
			method, _ := c.Settings["method"].(map[string]any)
			if step, ok := method["step"].(map[string]any); ok {
				covered["schedule "+step["schedule"].(string)] = true
			}
		}
	}
	var registered []string
	for kind, names := range map[string][]string{"method ": algos.Names(), "kernel ": kernels.Names(), "loss ": losses.Names(), "schedule ": schedules.Names()} {
		for _, name := range names {
			registered = append(registered, kind+name)
		}
	}
	for _, name := range slices.Sorted(slices.Values(registered)) {
		why, listed := uncovered[name]
		assert.Equal(t, listed, !covered[name], "%s: no accepted curve of profile ci has it, or uncovered lists it in vain: add it to [profile.ci] of a spec, and accept that", name)
		assert.True(t, !listed || why != "", "%s has no reason", name)
	}
	for name := range maps.Keys(uncovered) {
		assert.Contains(t, registered, name)
	}
}
