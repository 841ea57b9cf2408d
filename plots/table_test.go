package plots

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner/goldentest"
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
	assert.Equal(t, "1.50, 1.00 to 2.00", d.Rows[1].Cells[0].text(plain))

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
	assert.Equal(t, claims.ByUs, d.Columns[0].Origin)
	assert.Equal(t, "published or computed by us", d.Columns[1].Origin)
	assert.Equal(t, "0.10", d.Rows[0].Cells[0].Published)
	var b bytes.Buffer
	require.NoError(t, d.Markdown(&b))
	assert.Contains(t, b.String(), "| method | error | computed by us | loss | published or computed by us |")
}

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
		"Verdicts on numbers published: printed: 1 reproduced, 2 inconclusive, 1 not run, 1 failed.", "Median over seeds.",
	}, d.Notes)
}

func TestRecordsAreTidyAndLosesNoDigits(t *testing.T) {
	r := recordstest.Record("a", 7, 1.0/3, math.NaN())
	r.Points[0].Values["other"] = records.Value(1e-12)
	var b bytes.Buffer
	require.NoError(t, writeRecords(&b, []*records.Record{r}))
	goldentest.Equal(t, filepath.Join("testdata", "frame.csv"), b.String())
	assert.Contains(t, b.String(), "0.3333333333333333")
	b.Reset()
	require.NoError(t, writeRecords(&b, nil))
	assert.Equal(t, "experiment,cell,method,seed,profile,status,step,seen,epoch,metric,value,"+
		"seconds,step_seconds,kernel_evals,feature_evals,flops,bytes,memory\n", b.String())
}

func TestWriteTable(t *testing.T) {
	for name, d := range map[string]*Table{"errors": tableOf(t), "places": placesOf(t)} {
		dir := t.TempDir()
		paths, err := writeTable(dir, "paper1999/demo", d)
		require.NoError(t, err)
		require.Len(t, paths, 3)
		for i, ext := range []string{".md", ".csv", ".tex"} {
			assert.Equal(t, filepath.Join(dir, "tables", "paper1999", "demo", name+ext), paths[i])
			text, err := os.ReadFile(paths[i])
			require.NoError(t, err)
			goldentest.Equal(t, filepath.Join("testdata", name+ext), string(text))
		}
	}
}

func TestNumbersHaveTheDigitsTheirSpreadBears(t *testing.T) {
	tests := []struct {
		median, low, high float64
		seeds             int
		want, latex       string
	}{
		{0.03412, 0.0335, 0.0349, 5, "0.03412, 0.03350 to 0.03490", "$0.03412$, $0.03350$ to $0.03490$"},
		{15.34, 14, 16, 5, "15.3, 14.0 to 16.0", "$15.3$, $14.0$ to $16.0$"},
		{1234.5, 1000, 1500, 5, "1234, 1000 to 1500", ""},
		{3.412e-5, 3.3e-5, 3.5e-5, 5, "3.41e-05, 3.30e-05 to 3.50e-05", `$3.41\times 10^{-5}$, $3.30\times 10^{-5}$ to $3.50\times 10^{-5}$`},
		{4194304, 4194304, 4194304, 5, "4.194e+06, 4.194e+06 to 4.194e+06", ""},
		{2, 1, math.Inf(1), 5, "2, 1 to ∞", `$2$, $1$ to $\infty$`},
		{0.25, 0.25, 0.25, 1, "0.25", "$0.25$"},
		{0, 0, 0, 1, "0", ""},
		{0.5, 0.5, 0.5 + 1e-12, 4, "0.500000, 0.500000 to 0.500000", ""},
		{math.Inf(1), 2, math.Inf(1), 4, "diverged", "diverged"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			c := Cell{Median: test.median, Low: test.low, High: test.high, Seeds: test.seeds}
			assert.Equal(t, test.want, c.text(plain))
			if test.latex != "" {
				assert.Equal(t, test.latex, c.text(mathematics))
			}
		})
	}
}
