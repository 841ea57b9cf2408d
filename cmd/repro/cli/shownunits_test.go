package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// TestNumbersBesideEachOtherHaveOneUnit renders every table and figure of the catalog, at profile smoke from the records of
// the baseline and at profile paper without records. Measured numbers, the numbers they are compared with, headers,
// legends and captions must have the same unit.
func TestNumbersBesideEachOtherHaveOneUnit(t *testing.T) {
	store, err := records.Open("../../../results/baseline")
	require.NoError(t, err)
	entries, err := catalog.Entries()
	require.NoError(t, err)
	compared := 0
	for _, e := range entries {
		for _, profile := range []string{"smoke", "paper"} {
			spec, err := catalog.Load(catalog.Ref{ID: e.ID}, experiments.LoadOptions{Profile: profile})
			require.NoError(t, err)
			exp := spec.Experiment()
			j := claims.Judge(exp, store.Records)
			for _, v := range j.Verdicts {
				checkVerdictUnit(t, exp, v)
			}
			for _, table := range exp.Tables {
				d, err := plots.BuildTable(j, table)
				require.NoError(t, err)
				compared += checkTableUnits(t, spec, j, d)
			}
			for _, figure := range exp.Figures {
				if f, err := figures.Build(t.TempDir(), j, figure); err == nil && f.Curves != nil {
					checkFigureUnits(t, exp, figure, f, j.Verdicts)
				}
			}
		}
	}
	assert.Greater(t, compared, 300, "numbers of claims in tables")
}

// checkVerdictUnit compares the unit of a verdict with that in which its metric is shown.
func checkVerdictUnit(t *testing.T, exp claims.Experiment, v claims.Verdict) {
	if v.Measured == nil && v.Number() == "" {
		return
	}
	q := v.Quantity()
	if q != claims.OfMetric && q != claims.Difference {
		assert.Empty(t, v.UnitSign(), "%s: %s", exp.ID, v.Claim)
		return
	}
	percent := exp.Unit(v.Metric).Sign == "%"
	assert.Equal(t, percent, v.UnitSign() == " %", "%s: %s", exp.ID, v.Claim)
	assert.Equal(t, percent && v.Number() != "", strings.Contains(v.PublishedText(), "%"), "%s: %s", exp.ID, v.Claim)
}

// checkTableUnits compares the cells of a table with the numbers of the spec and of the records, and returns how many
// cells have a number of a claim.
func checkTableUnits(t *testing.T, spec *experiments.Spec, j claims.Case, d *plots.Table) int {
	var b bytes.Buffer
	require.NoError(t, d.Markdown(&b))
	exp := j.Experiment
	raw := map[string]claims.Claim{} // as the spec has them
	for _, c := range spec.Claims {
		raw[c.ID] = c
	}
	scale := map[string]float64{"%": 100, "MiB": 1.0 / (1 << 20), "s": 1, "": 1}
	n := 0
	for i, col := range d.Columns {
		where := exp.ID + ", table " + d.ID + ", " + col.Metric
		require.Contains(t, scale, col.Unit.Sign, where)
		assert.Contains(t, b.String(), col.Unit.Label(col.Metric), where)
		for _, row := range d.Rows {
			cell := row.Cells[i]
			if cell.Seeds == 1 && d.X == "" {
				one := records.Select(j.Records, row.Method)[0]
				v, _ := one.MeasureAt(col.Metric, atOf(exp, d.ID))
				assert.InEpsilon(t, 1+v*scale[col.Unit.Sign], 1+cell.Median, 1e-12, where)
			}
			if cell.Claim == "" {
				continue
			}
			n++
			c := raw[cell.Claim]
			want, _, _, err := printed.Parse(c.Number())
			require.NoError(t, err)
			if c.Unit == claims.Percent {
				want /= 100
			}
			got, _, _, err := printed.Parse(cell.Published)
			require.NoError(t, err)
			assert.InDelta(t, want*scale[col.Unit.Sign], got, 1e-9*got, "%s, claim %s", where, cell.Claim)
			assert.Equal(t, c.Origin(), cell.Origin, where)
			assert.Contains(t, col.Origin, cell.Origin, where)
		}
	}
	return n
}

// atOf returns where a table reads the curves.
func atOf(exp claims.Experiment, table string) records.At {
	for _, t := range exp.Tables {
		if t.ID == table {
			return t.At
		}
	}
	return records.At{}
}

// checkFigureUnits compares the axis, the legend and the caption of a figure.
func checkFigureUnits(t *testing.T, exp claims.Experiment, figure claims.Figure, f figures.Figure, verdicts []claims.Verdict) {
	where := exp.ID + ", figure " + figure.ID
	percent := strings.HasSuffix(f.Curves.Y.Label, " (%)")
	assert.Equal(t, exp.Unit(figure.Y).Sign == "%", percent, where)
	for _, m := range f.Curves.Marks {
		if _, number, ok := strings.Cut(m.Label, m.Origin+" "); ok {
			assert.Equal(t, percent, strings.HasSuffix(number, " %"), "%s: %s", where, m.Label)
		}
	}
	for _, id := range figure.Claims {
		for _, v := range verdicts {
			if v.Claim == id && v.Column == "" && v.Number() != "" {
				assert.Contains(t, f.Caption.String(), v.Origin()+" "+strings.ReplaceAll(v.PublishedText(), "-", "−"), where)
			}
		}
	}
}
