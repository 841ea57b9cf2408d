package results

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// placesOf returns a table over steps 1, 4 and 16 of three methods: one that goes to step 4 over three seeds,
// one of a single seed that diverges, and one that was not run.
func placesOf(t *testing.T) *TableData {
	cell := func(id, method, published string, step float64) Claim {
		return Claim{
			ID: id, Kind: KindValue, Method: method, Metric: "test-error", Published: published, Unit: "percent",
			At: At{"step", step}, Column: "column",
		}
	}
	exp := experiment(
		cell("a@1", "a", "90.0", 1), cell("a@4", "a", "15.3", 4), cell("a@16", "a", "12.0", 16),
		cell("b@1", "b", "0.0", 1), cell("c@4", "c", "1.1e1", 4),
	)
	exp.Methods[0].Label = "50% of A_1 & |C|"
	var recs []*Record
	for i, v := range []float64{0.15, 0.1534, 0.16} {
		recs = append(recs, record("a", uint64(i+1), 0.9, 0.5, v))
	}
	recs = append(recs, ended(record("b", 1, 0.0004, math.NaN()), Diverged))
	for _, r := range recs {
		for i := range r.Points {
			r.Points[i].Values["test-error"] = r.Points[i].Values["error"]
		}
	}
	d, err := BuildTable(exp, Table{
		ID: "places", Title: "Test error", Source: "Tab. 7", Metrics: []string{"test-error"}, X: "step", Rows: []float64{1, 4, 16},
	}, recs, Judge(exp, recs))
	require.NoError(t, err)
	return d
}

func TestBuildTableOfPlaces(t *testing.T) {
	d := placesOf(t)
	require.Len(t, d.Columns, 3)
	assert.Equal(t, TableColumn{Method: "a", Label: "50% of A_1 & |C|", Metric: "test-error", Unit: "%", Published: true, factor: 100}, d.Columns[0])
	require.Len(t, d.Rows, 3)
	assert.Equal(t, "4", d.Rows[1].Label)
	assert.Equal(t, TableCell{Median: 90, Low: 90, High: 90, Seeds: 3, Published: "90.0", Verdict: Reproduced, Claim: "a@1"}, d.Rows[0].Cells[0])
	assert.Equal(t, Inconclusive, d.Rows[1].Cells[0].Verdict)
	assert.Equal(t, "not reached", d.Rows[2].Cells[0].Missing, "the run ends before, and its end is not what it has there")
	assert.Equal(t, Inconclusive, d.Rows[2].Cells[0].Verdict)
	assert.Equal(t, FailedVerdict, d.Rows[0].Cells[1].Verdict)
	assert.True(t, math.IsInf(d.Rows[1].Cells[1].Median, 1), "diverged")
	assert.Equal(t, "not run", d.Rows[1].Cells[2].Missing)
	assert.Equal(t, []string{
		"Verdicts on 5 printed numbers: reproduced 1, inconclusive 2, not run 1, failed 1.", "Median over seeds.",
	}, d.Notes)
}

func TestTableOfPlacesWriters(t *testing.T) {
	d := placesOf(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"places.md":  func(b *bytes.Buffer) error { return d.Markdown(b) },
		"places.csv": func(b *bytes.Buffer) error { return d.CSV(b) },
		"places.tex": func(b *bytes.Buffer) error { return d.LaTeX(b) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		golden(t, name, b.Bytes())
	}
}

// A value read at a place is that of the place: a run that ends before has none.
func TestValueBeyondTheEndIsInconclusive(t *testing.T) {
	recs := flat("a", 1, 1, 1) // to step 2
	claim := Claim{ID: "v", Kind: KindValue, Method: "a", Metric: "error", Published: "1.0", At: At{"step", 2}}
	exp := experiment(claim)
	assert.Equal(t, Reproduced, Judge(exp, recs)[0].Verdict)
	exp.Claims[0].At.Value = 3
	v := Judge(exp, recs)[0]
	assert.Equal(t, Inconclusive, v.Verdict)
	assert.Equal(t, "a seed 1 ends before step 3", v.Reason)
	exp.Claims[0].At = At{"step-seconds", 3}
	assert.Equal(t, Reproduced, Judge(exp, timedRecords(recs))[0].Verdict, "what it has at the end, it has from then on")
}

// timedRecords returns the records with a clock worth reading.
func timedRecords(recs []*Record) []*Record {
	for _, r := range recs {
		r.Header.Provenance.Timed = true
	}
	return recs
}

func TestAs(t *testing.T) {
	for _, c := range []struct {
		printed string
		v       float64
		want    string
	}{
		{"3.2e-2", 0.02413, "2.41e-2"}, {"1e-4", 2.5e-12, "2.5e-12"}, {"1.0E3", 1234, "1.23e3"}, {"0.0000", 3.4e-6, "0.00000"},
		{"2.03", 2.0651, "2.065"}, {"5", 4.26, "4.3"}, {"-1.5", -2, "-2.00"},
	} {
		assert.Equal(t, c.want, As(c.printed, c.v), c.printed)
	}
}
