package claims_test

import (
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/runner/goldentest"
)

// TestShippedVerdicts holds the verdicts that come with repro to what the present claims and the present rule make of their numbers,
// to the byte; every one has the number of each seed. It logs every verdict that changes. With -update it writes them; those of new
// runs come from repro baseline ship.
func TestShippedVerdicts(t *testing.T) {
	stored, err := baseline.Verdicts()
	require.NoError(t, err)
	byPaper := map[string][]claims.Verdict{}
	for _, v := range rejudged(t, stored) {
		paper := path.Dir(v.Experiment)
		if v.Verdict != claims.NotRun {
			require.Positive(t, v.Seeds, "%s#%s", v.Experiment, v.Claim)
			require.Equal(t, v.Seeds, max(len(v.Values), len(v.Ranges)), "seeds whose numbers %s#%s has", v.Experiment, v.Claim)
		}
		byPaper[paper] = append(byPaper[paper], v)
	}
	for paper, verdicts := range byPaper {
		text, err := claims.EncodeVerdicts(claims.WithSeedsNeeded(ran(verdicts)))
		require.NoError(t, err)
		if len(ran(verdicts)) > 0 {
			goldentest.Equal(t, filepath.Join("..", "baseline", "paper", paper+".json"), string(text))
		}
	}
}

// No shipped interval, nor that of further runs, leaves the range of its metric: what is never negative is not below 0, a share of rows
// not above 1, a difference of two shares not beyond 1, and a ratio, a factor or a place not below 0.
func TestShippedIntervalsStayWithinTheirMetric(t *testing.T) {
	stored, err := baseline.Verdicts()
	require.NoError(t, err)
	shares, exps := 0, map[string]claims.Experiment{}
	for _, v := range stored {
		if _, ok := exps[v.Experiment]; !ok {
			spec, err := catalog.Load(catalog.Ref{ID: v.Experiment}, experiments.LoadOptions{})
			require.NoError(t, err)
			exps[v.Experiment] = spec.Experiment()
		}
		metric, low, high, top := exps[v.Experiment].Metric(v.Metric), math.Inf(-1), math.Inf(1), 1.0
		if v.Unit == claims.Percent {
			top = 100
		}
		switch q := v.Quantity(); {
		case q == claims.OfMetric && !metric.Signed:
			if low = 0; metric.ShareOf != "" {
				high = top
				shares++
			}
		case q == claims.Difference && metric.ShareOf != "":
			low, high = -top, top
		case q == claims.Ratio || q == claims.Factor || q == claims.PlaceReached || q == claims.PlaceLevel:
			low = 0
		}
		ends := []*float64{v.Low, v.High, v.Measured}
		if v.Next != nil {
			ends = append(ends, &v.Next[0], &v.Next[1])
		}
		for _, end := range ends {
			assert.True(t, end == nil || low <= *end && *end <= high, "%s#%s", v.Experiment, v.Claim)
		}
	}
	assert.Greater(t, shares, 100)
}

// rejudged judges stored verdicts again, by the claims that the specs make now.
func rejudged(t *testing.T, stored []claims.Verdict) []claims.Verdict {
	t.Helper()
	before := map[[2]string]claims.Word{}
	for _, v := range stored {
		before[[2]string{v.Experiment, v.Claim}] = v.Verdict
	}
	entries, err := catalog.Entries()
	require.NoError(t, err)
	var all []claims.Verdict
	for _, e := range entries {
		if e.Auxiliary || len(e.Claims) == 0 {
			continue
		}
		spec, err := catalog.Load(catalog.Ref{ID: e.ID}, experiments.LoadOptions{})
		require.NoError(t, err)
		for _, v := range claims.Rejudge(spec.Experiment(), stored) {
			was, ok := before[[2]string{v.Experiment, v.Claim}]
			if ok && was != v.Verdict || !ok && v.Verdict != claims.NotRun {
				t.Logf("%s#%s was %s and is %s: %s", v.Experiment, v.Claim, was, v.Verdict, v.Reason)
			}
			all = append(all, v)
		}
	}
	return all
}

// ran leaves out the verdicts on experiments that have not run.
func ran(verdicts []claims.Verdict) []claims.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool {
		return !slices.ContainsFunc(verdicts, func(w claims.Verdict) bool { return w.Experiment == v.Experiment && w.Verdict != claims.NotRun })
	})
}

// TestRepeatedClaimsHaveTheSameNumbers holds the shipped number of a claim that repeats another to that of the other.
func TestRepeatedClaimsHaveTheSameNumbers(t *testing.T) {
	stored, err := baseline.Verdicts()
	require.NoError(t, err)
	numbers := map[string][]float64{}
	for _, v := range stored {
		numbers[v.Experiment+"#"+v.Claim] = v.Values
	}
	compared := 0
	for _, v := range stored {
		of, repeats := strings.CutPrefix(v.Uncounted, "the number of ")
		if !repeats || v.Kind == "column" || len(v.Values) == 0 || len(v.Values) != len(numbers[of]) {
			continue // the column of a table may have fewer rows
		}
		require.InDeltaSlice(t, numbers[of], v.Values, 1e-6, "%s#%s", v.Experiment, v.Claim)
		compared++
	}
	require.NotZero(t, compared)
}
