package look

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
)

func TestSettingsReadAsTOML(t *testing.T) {
	settings := map[string]any{
		"step": map[string]any{"t0": 10.0, "schedule": "inverse", "gamma0": 1e-7}, "batch": 64,
		"none": nil, "empty": []any{}, "rows": []any{1, 2}, "average": false,
	}
	assert.Equal(t, `average = false, batch = 64, rows = [1, 2], step = { schedule = "inverse", gamma0 = 1e-7, t0 = 10.0 }`, pairs(settings))
}

// A debt takes the seconds of all its seeds, of each of its methods; of several claims of a method, the largest number counts once.
func TestDebts(t *testing.T) {
	exp := claims.Experiment{ID: "p/e", Claims: []claims.Claim{{ID: "x", Method: "a", Against: []string{"b"}}, {ID: "y", Method: "a"}, {ID: "z", Method: "c"}}}
	owes := func(claim string, needed int) claims.Verdict {
		return claims.Verdict{Experiment: exp.ID, Claim: claim, Verdict: claims.Inconclusive, Seeds: 4, Needed: &needed}
	}
	var s settlement
	s.add(exp, []claims.Verdict{owes("x", 10), owes("y", 7), owes("z", 0)}, map[string]float64{"a": 2, "b": 3, "c": 5})
	require.Len(t, s.debts, 3)
	assert.Equal(t, []float64{50, 14}, []float64{*s.debts[0].Seconds, *s.debts[1].Seconds})
	assert.Equal(t, []int{10, 7}, []int{*s.debts[0].Needed, *s.debts[1].Needed})
	assert.Nil(t, s.debts[2].Needed, "no number of seeds settles it")
	assert.Equal(t, []string{"p/e: 3 claims inconclusive; more seeds would decide 2, all of them in 50 s"}, s.sums)
}
