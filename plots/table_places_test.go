package plots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// placesOf returns a table over steps 1, 4 and 16 of three methods: one that goes to step 4 over three seeds,
// one of a single seed that diverges, and one that was not run.
func placesOf(t *testing.T) *Table {
	cell := func(id, method, published string, step float64) claims.Claim {
		return claims.Claim{
			ID: id, Kind: "value", Method: method, Metric: "test-error", Published: published, Unit: "percent",
			At: records.At{X: "step", Value: step}, Column: "column",
		}
	}
	exp := tabled(
		cell("a@1", "a", "90.0", 1), cell("a@4", "a", "15.3", 4), cell("a@16", "a", "12.0", 16),
		cell("b@1", "b", "0.0", 1), cell("c@4", "c", "1.1e1", 4),
	)
	exp.Methods[0].Label = "50% of A_1 & |C|"
	var recs []*records.Record
	for i, v := range []float64{0.15, 0.1534, 0.16} {
		recs = append(recs, recordstest.Record("a", uint64(i+1), 0.9+float64(i)/1e5, 0.5, v))
	}
	recs = append(recs, recordstest.Ended(recordstest.Record("b", 1, 0.0004, math.NaN()), records.Diverged))
	for _, r := range recs {
		for i := range r.Points {
			r.Points[i].Values["test-error"] = r.Points[i].Values["error"]
		}
	}
	d, err := BuildTable(claims.Judge(exp, recs), claims.Table{
		ID: "places", Title: "Test error", Source: "Tab. 7", Metrics: []string{"test-error"}, X: "step", Rows: []float64{1, 4, 16},
	})
	require.NoError(t, err)
	return d
}

func TestBuildTableOfPlaces(t *testing.T) {
	d := placesOf(t)
	require.Len(t, d.Columns, 3)
	assert.Equal(t, Column{Method: "a", Label: "50% of A_1 & |C|", Metric: "test-error", Unit: claims.Unit{Sign: "%", Factor: 100}, Origin: "published"}, d.Columns[0])
	require.Len(t, d.Rows, 3)
	assert.Equal(t, "4", d.Rows[1].Label)
	first := d.Rows[0].Cells[0]
	assert.Equal(t, claims.Reproduced, first.word())
	first.Verdict = nil
	assert.Equal(t, Cell{Median: 90.001, Low: 90, High: 90.002, Seeds: 3, Published: "90.0", Origin: "published", Claim: "a@1"}, first)
	assert.Equal(t, claims.Inconclusive, d.Rows[1].Cells[0].word())
	assert.Equal(t, "not reached", d.Rows[2].Cells[0].Missing, "the run ends before, and its end is not what it has there")
	assert.Equal(t, claims.Inconclusive, d.Rows[2].Cells[0].word())
	assert.Equal(t, claims.Failed, d.Rows[0].Cells[1].word())
	assert.True(t, math.IsInf(d.Rows[1].Cells[1].Median, 1), "diverged")
	assert.Equal(t, "not run", d.Rows[1].Cells[2].Missing)
	assert.Equal(t, []string{
		"Verdicts on published numbers: printed numbers: 1 reproduced, 2 inconclusive, 1 not run, 1 failed.", "Median over seeds.",
	}, d.Notes)
}
