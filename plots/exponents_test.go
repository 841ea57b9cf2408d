package plots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/claims"
)

// Points stand at the exponents of the claims, from left to right, and those without a measured slope are named.
func TestExponents(t *testing.T) {
	exp := experiment()
	exp.Claims = []claims.Claim{
		{ID: "slow", Kind: "rate", Published: "-0.5"}, {ID: "fast", Kind: "rate", Derived: "-0.83"}, {ID: "not run", Kind: "rate", Published: "-0.6"},
	}
	number := func(v float64) *float64 { return &v }
	verdicts := []claims.Verdict{
		{Experiment: exp.ID, Claim: "slow", Kind: "rate", Published: "-0.5", Measured: number(-0.49), Low: number(-0.52), High: number(-0.46), Verdict: claims.Reproduced},
		{Experiment: exp.ID, Claim: "fast", Kind: "rate", Derived: "-0.83", Measured: number(-0.8), Verdict: claims.Inconclusive},
		{Experiment: exp.ID, Claim: "not run", Kind: "rate", Verdict: claims.NotRun},
	}
	fig := claims.Figure{ID: "exponents", Kind: "exponents", Caption: "What to see", Claims: []string{"slow", "fast", "not run"}}
	f, err := figures.Build(t.TempDir(), caseOf(exp, nil, verdicts), fig)
	require.NoError(t, err)
	assert.Equal(t, []figures.Line{
		{Label: "measured", X: []float64{-0.83, -0.5}, Y: []float64{-0.8, -0.49}, Low: []float64{-0.8, -0.52}, High: []float64{-0.8, -0.46}, Points: true},
		{Label: "measured = predicted", X: []float64{-0.83, -0.5}, Y: []float64{-0.83, -0.5}, Style: figures.TruthStyle},
	}, f.Curves.Lines)
	assert.Equal(t, []string{"not run: no slope was measured"}, f.Warnings)
	assert.Contains(t, f.Caption.String(), "What to see. Horizontal: exponents of the claims")
	assert.Contains(t, f.Caption.String(), "Claim slow")
	_, err = drawings.Render(f)
	require.NoError(t, err)

	_, err = figures.Build(t.TempDir(), caseOf(exp, nil, nil), fig)
	assert.ErrorIs(t, err, figures.ErrNoData)
}
