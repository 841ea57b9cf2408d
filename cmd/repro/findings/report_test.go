package findings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/plots"
	"repro/plots/browsertest"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"
)

// The report of the shipped runs is as short as a default run of 33 experiments must be: 1.2 MB, 40 sheets of paper and 25,000 pixels,
// of which each experiment has its share.
func TestLengthOfTheReport(t *testing.T) {
	if testing.Short() {
		t.Skip("draws the figures of all experiments and starts a browser")
	}
	store, err := records.Open("../../../results/baseline")
	require.NoError(t, err)
	var exps []claims.Experiment
	entries, err := catalog.Entries()
	require.NoError(t, err)
	for _, e := range entries {
		s, err := catalog.Load(catalog.Ref{ID: e.ID}, experiments.LoadOptions{Profile: "smoke"})
		if err != nil {
			continue // without this profile
		}
		if exp := s.Experiment(); len(exp.Own(store.Records)) > 0 {
			exps = append(exps, exp)
		}
	}
	require.Greater(t, len(exps), 20)
	out := t.TempDir()
	cases, err := baseline.Judge(exps, store.Records)
	require.NoError(t, err)
	_, err = Write(out, cases, nil, plots.Output{})
	require.NoError(t, err)
	file := filepath.Join(out, "report.html")
	info, err := os.Stat(file)
	require.NoError(t, err)
	share := func(most float64) float64 { return most / 33 * float64(len(exps)) }
	assert.Less(t, float64(info.Size()), share(1.2e6), "bytes of %d experiments", len(exps))
	b := browsertest.New(t, file)
	b.Open("")
	b.Poll(`document.documentElement.matches(".whole")`)
	assert.Less(t, float64(b.Pages()), share(40), "sheets")
	browsertest.Eval[bool](b, `(() => { for (const e of document.querySelectorAll(".experiment")) e.setAttribute("class", "whole"); return true; })()`) // lay all of it out
	assert.Less(t, float64(browsertest.Eval[int](b, `document.documentElement.scrollHeight`)), share(25000), "pixels")
	assert.Empty(t, b.Problems)
}
