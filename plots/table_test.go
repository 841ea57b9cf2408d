package plots

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// tabled returns one with methods a, b and c and the given claims.
func tabled(of ...claims.Claim) claims.Experiment {
	return claims.Experiment{
		ID: "paper1999/demo", Profile: "paper", Claims: of,
		Methods:  []claims.Method{{ID: "a", Label: "Method A"}, {ID: "b", Label: "Method B"}, {ID: "c", Label: "Method C"}},
		Original: claims.Original{Settings: map[string]map[string]any{"a": nil, "b": nil, "c": nil}, Claims: of},
	}
}

// tableOf returns a table over three methods: one with five seeds, one with a single seed that was
// interrupted beside it, and one that was not run.
func tableOf(t *testing.T) *Table {
	exp := tabled(claims.Claim{ID: "a-error", Kind: "value", Method: "a", Metric: "error", Published: "15.3", Unit: "percent"})
	exp.Methods[1].Label = "50% of B_1 & |C|"
	recs := recordstest.Join(recordstest.Flat("a", 0.151, 0.152, 0.1534, 0.154, 0.155), []*records.Record{recordstest.Record("b", 1, 9, 2e-7), recordstest.Ended(recordstest.Record("b", 2, 9), records.Partial)})
	d, err := BuildTable(claims.Judge(exp, recs), claims.Table{
		ID: "errors", Title: "Test error", Source: "Tab. 1", Metrics: []string{"error", "step-seconds", "memory"},
	})
	require.NoError(t, err)
	return d
}

func TestBuildTable(t *testing.T) {
	d := tableOf(t)
	a := d.Rows[0].Cells[0]
	assert.InDelta(t, 15.34, a.Median, 1e-12)
	assert.InDelta(t, 15.2, a.Low, 1e-12)
	assert.InDelta(t, 15.4, a.High, 1e-12)
	assert.Equal(t, 5, a.Seeds)
	assert.Equal(t, "15.3", a.Published)
	assert.Equal(t, claims.Inconclusive, a.word())
	assert.Equal(t, 1.0, d.Rows[0].Cells[2].Median, "MiB")
	assert.Equal(t, 1, d.Rows[1].Cells[0].Seeds, "an interrupted run does not count")
	assert.Equal(t, "not run", d.Rows[2].Cells[0].Missing)
	assert.True(t, math.IsNaN(d.Rows[2].Cells[0].Median))
	assert.Contains(t, d.Notes, "Left out: b seed 2 partial.")
}

func TestBuildTableOfMethodsAndPlaces(t *testing.T) {
	recs := recordstest.Join(recordstest.Flat("a", 1, 2), []*records.Record{recordstest.Ended(recordstest.Record("b", 1, 9, 3), records.Diverged), recordstest.Ended(recordstest.Record("b", 2, 9, math.NaN()), records.Diverged)})
	table := claims.Table{ID: "t", Metrics: []string{"error", "loss"}, Methods: []string{"b", "a"}}
	d, err := BuildTable(claims.Judge(tabled(), recs), table)
	require.NoError(t, err)
	require.Len(t, d.Rows, 2)
	assert.Equal(t, "b", d.Rows[0].Method)
	assert.Equal(t, "diverged", d.Rows[0].Cells[0].text(plain))
	assert.Equal(t, "not measured", d.Rows[0].Cells[1].text(plain))
	assert.Equal(t, "1.50 [1.00, 2.00]", d.Rows[1].Cells[0].text(plain))

	table.At = records.At{X: "step", Value: 1}
	d, err = BuildTable(claims.Judge(tabled(), recs), table)
	require.NoError(t, err)
	assert.Equal(t, 9.0, d.Rows[0].Cells[0].Median, "before it diverged")

	table.Methods = []string{"z"}
	_, err = BuildTable(claims.Judge(tabled(), recs), table)
	assert.ErrorContains(t, err, `unknown method "z"`)
	table.Metrics = nil
	_, err = BuildTable(claims.Judge(tabled(), recs), table)
	assert.ErrorContains(t, err, "no metrics")
}

// A fraction is shown in per cent, and so is the number that a claim prints as a fraction.
func TestFractionsInPerCent(t *testing.T) {
	exp := tabled(claims.Claim{ID: "c", Kind: "value", Method: "a", Metric: "error", Published: "0.10"})
	exp.Metrics = []claims.Metric{{Name: "error", Words: "share of errors", Unit: "fraction", Better: "neither"}}
	exp.Claims = exp.Converted(exp.Claims)
	d, err := BuildTable(claims.Judge(exp, recordstest.Flat("a", 0.1, 0.12)), claims.Table{ID: "t", Metrics: []string{"error"}, Methods: []string{"a"}})
	require.NoError(t, err)
	assert.Equal(t, "%", d.Columns[0].Unit.Sign)
	assert.Equal(t, "share of errors", d.Columns[0].Words)
	assert.Equal(t, 11.0, d.Rows[0].Cells[0].Median)
	assert.Equal(t, "10", d.Rows[0].Cells[0].Published)
}

func TestDerivedNumbersAreNotCalledPublished(t *testing.T) {
	exp := tabled(
		claims.Claim{ID: "a", Kind: "value", Method: "a", Metric: "error", Derived: "0.10"},
		claims.Claim{ID: "b", Kind: "value", Method: "b", Metric: "loss", Published: "1"},
		claims.Claim{ID: "c", Kind: "value", Method: "a", Metric: "loss", Derived: "2"},
	)
	d, err := BuildTable(claims.Judge(exp, nil), claims.Table{ID: "t", Metrics: []string{"error", "loss"}})
	require.NoError(t, err)
	assert.Equal(t, "derived", d.Columns[0].Origin)
	assert.Equal(t, "published or derived", d.Columns[1].Origin)
	assert.Equal(t, "0.10", d.Rows[0].Cells[0].Published)
	var b bytes.Buffer
	require.NoError(t, d.Markdown(&b))
	assert.Contains(t, b.String(), "| method | error | derived | loss | published or derived |")
}
