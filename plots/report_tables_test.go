package plots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// printed returns the sample experiment with a printed column of a table of its own, at the paper's size.
func inPaper() (claims.Experiment, []*records.Record) {
	exp, recs := experiment(), demoRecords()
	exp.Profile = "paper"
	for _, r := range recs {
		r.Header.Profile, r.Header.Settings = "paper", exp.Original.Settings[r.Header.Method]
	}
	for _, c := range []struct {
		id, published string
		step          float64
	}{{"column@1", "99.0", 1}, {"column@1000", "15", 1000}, {"column@1e9", "1.5", 1e9}} {
		exp.Claims = append(exp.Claims, claims.Claim{
			ID: c.id, Kind: "value", Statement: "test error at a step", Source: "Tab. 7", Method: "dsg", Metric: "test-error",
			Published: c.published, Unit: "percent", At: records.At{X: "step", Value: c.step}, Column: "column",
		})
		exp.Figures[1].Claims = append(exp.Figures[1].Claims, c.id)
	}
	exp.Original.Claims = exp.Claims
	exp.Figures[1].X = "step"
	exp.Tables = append(exp.Tables, claims.Table{
		ID: "printed", Title: "Step by step", Source: "Tab. 7", X: "step", Rows: []float64{1, 1000, 1e9},
		Methods: []string{"dsg", "exact"}, Metrics: []string{"test-error", "l2-error"},
	})
	return exp, recs
}

func TestTableOfPlaces(t *testing.T) {
	exp, recs := inPaper()
	d, err := BuildTable(caseOf(exp, recs, verdicts(exp, recs)), exp.Tables[1])
	require.NoError(t, err)
	v := newTableView(d)
	assert.Equal(t, []tableGroup{{"doubly stochastic gradients", 2}, {"exact solution", 2}}, v.Groups)
	assert.Equal(t, []string{"iterations t", "test error (%)", "squared L_{2} distance to f", "test error (%)", "squared L_{2} distance to f"}, v.Header)
	require.Len(t, v.Rows, 3)
	assert.Equal(t, "1000", v.Rows[1].Label)
	cell := v.Rows[1].Cells[0]
	assert.Equal(t, "15.0", cell.Text, "a digit more than printed")
	assert.Equal(t, tableCellView{
		Text: "15.0", Verdict: half{Word: claims.Reproduced}, Published: "15", Claim: "column@1000",
		Distance: cell.Distance, Far: cell.Far, Hint: cell.Hint,
	}, cell)
	assert.Regexp(t, `^15\.0\d+ \[.*\] over 5 seeds, published 15: reproduced; .* SD (above|below)$`, cell.Hint)
	assert.Equal(t, claims.Deviates, v.Rows[0].Cells[0].Verdict.Word)
	assert.Equal(t, "not reached", v.Rows[2].Cells[0].Text)
	assert.Empty(t, v.Rows[1].Cells[1].Claim, "nothing was printed for it")
}

// The report shows a printed table with a link from each cell to its claim, and counts the claims once in
// captions and legends.
func TestReportOfPrintedTables(t *testing.T) {
	exp, recs := inPaper()
	_, report := written(t, t.TempDir(), exp, recs)
	for _, text := range []string{
		`<th scope="colgroup" colspan="2">doubly stochastic gradients</th>`,
		`<td class="place far2 good" title="15.0`,
		`<a href="#claim-dai2014-krr-synthetic-column-1000"><b class="badge good" role="img" aria-label="reproduced">`,
		`<tr id="claim-dai2014-krr-synthetic-column-1000"`,
		`<summary>Numbers of printed tables (3)</summary>`,
		"Verdicts on published numbers (Tab. 7): printed numbers: 1 reproduced, 1 deviates, 1 inconclusive.",
		"Verdicts on published numbers: printed numbers: 1 reproduced, 1 deviates, 1 inconclusive.",
		"<caption>Claims with the published",
	} {
		holds(t, report, text)
	}

	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[1])
	var labels []string
	for _, m := range f.Curves.Marks {
		labels = append(labels, m.Label)
	}
	assert.Equal(t, []string{"doubly stochastic gradients: published 15.3 %", "doubly stochastic gradients: published", "", ""}, labels)
}
