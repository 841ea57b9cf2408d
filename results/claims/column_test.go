package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// aColumn draws a column of seven cells that prints one run with three digits, and runs of ours. All cells of a run share its seed:
// their logarithms have the correlation rho. Ours are off by a factor.
func aColumn(r *rand.Rand, seeds int, spread, rho, off float64) (Claim, []*records.Record) {
	run := func(factor float64) (ys []float64) {
		own := r.NormFloat64()
		for k := range 7 {
			noise := math.Sqrt(rho)*own + math.Sqrt(1-rho)*r.NormFloat64()
			ys = append(ys, factor*math.Pow(2, -float64(k))*math.Exp(spread*noise))
		}
		return ys
	}
	c := Claim{ID: "column", Kind: columnKind, Method: "a", Metric: "error", PublishedIs: "run", X: "step"}
	for k, y := range run(1) {
		c.Rows = append(c.Rows, math.Pow(2, float64(k)))
		c.Cells = append(c.Cells, strconv.FormatFloat(y, 'e', 2, 64))
	}
	var recs []*records.Record
	for i := range seeds {
		recs = append(recs, recordstest.Record("a", uint64(i+1), run(off)...))
	}
	return c, recs
}

// A column whose runs are like the paper's deviates in at most 5 % of cases, however much its cells share; two standard errors
// are allowed. One that is off is seen where a cell does not show it.
func TestErrorRatesOfColumns(t *testing.T) {
	each := 300
	if updating() {
		each = 2000
	}
	table := "seeds\tcorrelation of the cells\tfaithful, yet deviates\toff by 2 %, deviates\toff by 5 %, deviates\tone of its cells, off by 5 %, deviates\n"
	r := rand.New(rand.NewPCG(3, 5))
	for _, seeds := range []int{3, 5, 10} {
		for _, rho := range []float64{0, 0.5, 0.9} {
			table += fmt.Sprintf("%d\t%.1f", seeds, rho)
			cell := 0
			for _, off := range []float64{1, 1.02, 1.05} {
				column := 0
				for range each {
					c, recs := aColumn(r, seeds, 0.01, rho, off)
					if Judge(experiment(c), recs).Verdicts[0].Verdict == Deviates {
						column++
					}
					one := c
					one.Kind, one.Published, one.At = "value", c.Cells[3], records.At{X: "step", Value: c.Rows[3]}
					one.X, one.Rows, one.Cells = "", nil, nil
					if off == 1.05 && Judge(experiment(one), recs).Verdicts[0].Verdict == Deviates {
						cell++
					}
				}
				if off == 1 {
					assert.LessOrEqual(t, float64(column)/float64(each), 0.05+2*math.Sqrt(0.05*0.95/float64(each)), "%d seeds, correlation %g", seeds, rho)
				}
				table += fmt.Sprintf("\t%.1f", 100*float64(column)/float64(each))
			}
			table += fmt.Sprintf("\t%.1f\n", 100*float64(cell)/float64(each))
		}
	}
	hold(t, "columns", table)
}

// Cells printed with one digit say little of a column, and a column needs two others. A tolerance or a bound is judged cell by cell.
func TestCellsOfAColumn(t *testing.T) {
	c := Claim{ID: "c", Kind: "values", X: "step", Rows: []float64{1, 2, 4, 8}, Cells: []string{"0.10", "1.0e-4", "0.03", "0.0"}}
	assert.Len(t, c.columnCells(), 2)
	assert.Len(t, Claim{Rows: []float64{1}, Cells: []string{"1.0"}}.columnCells(), 1)
	parts := splitColumn(c)
	require.Len(t, parts, 5)
	assert.Equal(t, columnKind, parts[4].Kind)
	assert.Equal(t, "c", parts[4].ID)
	c.Cells[1] = "0.1"
	assert.Len(t, splitColumn(c), 4)
	c.Cells[1], c.AtMost = "0.12", true
	assert.Len(t, splitColumn(c), 4)
	c.AtMost, c.SameAs = false, "p/e#c"
	assert.Equal(t, "p/e#c@2", splitColumn(c)[1].SameAs)
	assert.Equal(t, "p/e#c", splitColumn(c)[4].SameAs)
	c = Claim{Kind: columnKind, Method: "a", Metric: "error", X: "step", Rows: []float64{1, 2, 4}, Cells: []string{"2.0", "1.0", "0.50"}}
	m, err := measureColumn(c, []*records.Record{recordstest.Record("a", 1, 2, 1.5, 0.4), recordstest.Record("a", 2, 2, 1.5, 0.4)})
	require.NoError(t, err)
	assert.Contains(t, m.What, "in the mean of 3 cells, of which ours is above the printed one in 1")
}

// The rounding errors of printed cells are uniform in half a unit of the last digit to either side: of the mean of their logarithms, the
// region holds two standard errors to either side. It is 1.96 of them, of which 95 % of many such means lie inside.
func TestColumnRegionIsThatOfRounding(t *testing.T) {
	c := Claim{Kind: columnKind, X: "epoch", Rows: []float64{1, 2, 3, 4}, Cells: []string{"0.52", "1.3", "40", "0.10"}}
	a, err := c.Accepts(Ratio)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	inside := 0
	const draws = 20000
	for range draws {
		sum := 0.0
		for _, cell := range []struct{ printed, unit float64 }{{0.52, 0.01}, {1.3, 0.1}, {40, 1}, {0.10, 0.01}} {
			sum += math.Log1p((r.Float64() - 0.5) * cell.unit / cell.printed)
		}
		if ratio := math.Exp(sum / 4); a.contains(ratio, ratio) {
			inside++
		}
	}
	assert.InDelta(t, 0.95, float64(inside)/draws, 0.02)
}
