package results

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableOf returns a table over three methods: one with five seeds, one with a single seed that was
// interrupted beside it, and one that was not run.
func tableOf(t *testing.T) *TableData {
	exp := experiment(Claim{ID: "a-error", Kind: KindValue, Method: "a", Metric: "error", Published: "15.3", Unit: "percent"})
	exp.Methods[1].Label = "50% of B_1 & |C|"
	recs := join(flat("a", 0.151, 0.152, 0.1534, 0.154, 0.155), []*Record{record("b", 1, 9, 2e-7), ended(record("b", 2, 9), Partial)})
	d, err := BuildTable(exp, Table{
		ID: "errors", Title: "Test error", Source: "Tab. 1", Metrics: []string{"error", "step-seconds", "memory"},
	}, recs, Judge(exp, recs))
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
	assert.Equal(t, Inconclusive, a.Verdict)
	assert.Equal(t, 1.0, d.Rows[0].Cells[2].Median, "MiB")
	assert.Equal(t, 1, d.Rows[1].Cells[0].Seeds, "an interrupted run does not count")
	assert.Equal(t, "not run", d.Rows[2].Cells[0].Missing)
	assert.True(t, math.IsNaN(d.Rows[2].Cells[0].Median))
	assert.Contains(t, d.Notes, "Left out: b seed 2 partial.")
}

func TestTableWriters(t *testing.T) {
	d := tableOf(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"errors.md":  func(b *bytes.Buffer) error { return d.Markdown(b) },
		"errors.csv": func(b *bytes.Buffer) error { return d.CSV(b) },
		"errors.tex": func(b *bytes.Buffer) error { return d.LaTeX(b) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		golden(t, name, b.Bytes())
	}
}

func TestWriteTable(t *testing.T) {
	dir := t.TempDir()
	paths, err := WriteTable(dir, "paper1999/demo", tableOf(t))
	require.NoError(t, err)
	stem := filepath.Join(dir, "tables", "paper1999", "demo", "errors")
	assert.Equal(t, []string{stem + ".md", stem + ".csv", stem + ".tex"}, paths)
	for _, p := range paths {
		assert.FileExists(t, p)
	}
}

func TestBuildTableOfMethodsAndPlaces(t *testing.T) {
	recs := join(flat("a", 1, 2), []*Record{ended(record("b", 1, 9, 3), Diverged), ended(record("b", 2, 9, math.NaN()), Diverged)})
	table := Table{ID: "t", Metrics: []string{"error", "loss"}, Methods: []string{"b", "a"}}
	d, err := BuildTable(experiment(), table, recs, nil)
	require.NoError(t, err)
	require.Len(t, d.Rows, 2)
	assert.Equal(t, "b", d.Rows[0].Method)
	assert.Equal(t, "diverged", d.Rows[0].Cells[0].text(plain))
	assert.Equal(t, "not measured", d.Rows[0].Cells[1].text(plain))
	assert.Equal(t, "1.50 [1.00, 2.00]", d.Rows[1].Cells[0].text(plain))

	table.At = At{"step", 1}
	d, err = BuildTable(experiment(), table, recs, nil)
	require.NoError(t, err)
	assert.Equal(t, 9.0, d.Rows[0].Cells[0].Median, "before it diverged")

	table.Methods = []string{"z"}
	_, err = BuildTable(experiment(), table, recs, nil)
	assert.ErrorContains(t, err, `unknown method "z"`)
	table.Metrics = nil
	_, err = BuildTable(experiment(), table, recs, nil)
	assert.ErrorContains(t, err, "no metrics")
}

// A fraction is shown in per cent, and so is the number that a claim prints as a fraction.
func TestFractionsInPerCent(t *testing.T) {
	exp := experiment(Claim{ID: "c", Kind: KindValue, Method: "a", Metric: "error", Published: "0.10"})
	exp.Metrics = []Metric{{Name: "error", Words: "share of errors", Unit: "fraction", Better: "neither"}}
	d, err := BuildTable(exp, Table{ID: "t", Metrics: []string{"error"}, Methods: []string{"a"}}, flat("a", 0.1, 0.12), nil)
	require.NoError(t, err)
	assert.Equal(t, "%", d.Columns[0].Unit)
	assert.Equal(t, "share of errors", d.Columns[0].Words)
	assert.Equal(t, 11.0, d.Rows[0].Cells[0].Median)
	assert.Equal(t, "10", d.Rows[0].Cells[0].Published)
	for printed, want := range map[string]string{"0.153": "15.3", "0.2": "20", "1": "100", "-0.005": "-0.5", ".25": "25", "1e-2": "1e-2", "few": "few"} {
		assert.Equal(t, want, inPercent(printed))
	}
}

func TestNumbersHaveTheDigitsTheirSpreadBears(t *testing.T) {
	tests := []struct {
		median, low, high float64
		seeds             int
		want, latex       string
	}{
		{0.03412, 0.0335, 0.0349, 5, "0.03412 [0.03350, 0.03490]", "$0.03412$ [$0.03350$, $0.03490$]"},
		{15.34, 14, 16, 5, "15.3 [14.0, 16.0]", "$15.3$ [$14.0$, $16.0$]"},
		{1234.5, 1000, 1500, 5, "1234 [1000, 1500]", ""},
		{3.412e-5, 3.3e-5, 3.5e-5, 5, "3.41e-05 [3.30e-05, 3.50e-05]", `$3.41\times 10^{-5}$ [$3.30\times 10^{-5}$, $3.50\times 10^{-5}$]`},
		{4194304, 4194304, 4194304, 5, "4.194e+06 [4.194e+06, 4.194e+06]", ""},
		{2, 1, math.Inf(1), 5, "2 [1, ∞]", `$2$ [$1$, $\infty$]`},
		{0.25, 0.25, 0.25, 1, "0.25", "$0.25$"},
		{0, 0, 0, 1, "0", ""},
		{0.5, 0.5, 0.5 + 1e-12, 4, "0.500000 [0.500000, 0.500000]", ""},
		{math.Inf(1), 2, math.Inf(1), 4, "diverged", "diverged"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			c := TableCell{Median: test.median, Low: test.low, High: test.high, Seeds: test.seeds}
			assert.Equal(t, test.want, c.text(plain))
			if test.latex != "" {
				assert.Equal(t, test.latex, c.text(mathematics))
			}
		})
	}
}

func TestFrameIsTidyAndLosesNoDigits(t *testing.T) {
	r := record("a", 7, 1.0/3, math.NaN())
	r.Points[0].Values["other"] = Value(1e-12)
	df := Frame([]*Record{r})
	require.NoError(t, df.Err)
	assert.Equal(t, 3, df.Nrow())
	assert.Equal(t, []string{"error", "other", "error"}, df.Col("metric").Records())
	assert.True(t, df.Col("value").IsNaN()[2])
	var b bytes.Buffer
	require.NoError(t, WriteFrame(&b, df))
	golden(t, "frame.csv", b.Bytes())
	assert.Contains(t, b.String(), "0.3333333333333333")
}

func TestFrameOfNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteFrame(&b, Frame(nil)))
	assert.Equal(t, "experiment,cell,method,seed,profile,status,step,seen,epoch,metric,value,"+
		"seconds,step_seconds,kernel_evals,feature_evals,flops,memory\n", b.String())
}

func TestGoldenRecordsAreReadAsAStore(t *testing.T) {
	s, err := Open("testdata")
	require.NoError(t, err)
	assert.Empty(t, s.Warnings)
	require.Len(t, s.Records, 1)
	_, err = os.Stat(Path("testdata", s.Records[0].Header.Experiment, s.Records[0].Header.Cell))
	assert.NoError(t, err)
}
