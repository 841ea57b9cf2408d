package plots

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/browsertest"
	"repro/plots/figures"
	"repro/plots/live"
	"repro/results/claims"
	"repro/results/records"
	"repro/runner/goldentest"
)

// meshStudy returns a study of linear and quadratic elements on meshes of width 1/2 to 1/128. Errors in L² are of order p + 1 and those in
// H¹ of order p, which a claim says of each.
func meshStudy() claims.Case {
	exp := claims.Experiment{
		ID: "own/poisson", Title: "Poisson's equation on the unit square",
		Methods:   []claims.Method{{ID: "P1", Deterministic: true}, {ID: "P2", Deterministic: true}},
		Metrics:   []claims.Metric{{Name: "L2", Words: "error in L^{2}", Better: "smaller"}, {Name: "H1", Words: "error in H^{1}", Better: "smaller"}},
		Abscissae: []records.Abscissa{{Name: "h", Words: "mesh width", Finer: records.FinerSmaller, Source: records.Values}},
		Figures:   []claims.Figure{{ID: "L2", X: "h", Y: "L2"}, {ID: "H1", X: "h", Y: "H1"}},
		Original:  claims.Original{Settings: map[string]map[string]any{"P1": nil, "P2": nil}},
	}
	var recs []*records.Record
	for i, m := range exp.Methods {
		p := float64(i + 1)
		claim := claims.Claim{ID: m.ID, Kind: "rate", Method: m.ID, X: "h", Tolerance: 0.1}
		for metric, order := range map[string]float64{"L2": p + 1, "H1": p} {
			claim.ID, claim.Metric, claim.Derived = m.ID+"-"+metric, metric, figures.Number(order)
			exp.Claims = append(exp.Claims, claim)
		}
		r := &records.Record{Header: records.Header{Experiment: exp.ID, Cell: m.ID + "-seed1", Method: m.ID, Seed: 1}, End: &records.End{Status: records.Done}}
		for k := range 7 {
			h := math.Pow(2, -float64(k+1))
			r.Points = append(r.Points, records.Point{Step: k + 1, Values: map[string]*float64{
				"h": &h, "L2": records.Value(0.2 * math.Pow(h, p+1) * (1 - 0.6*h)), "H1": records.Value(1.5 * math.Pow(h, p) * (1 + 0.8*h)),
			}})
		}
		recs = append(recs, r)
	}
	exp.Original.Claims = exp.Claims
	return claims.Judge(exp, recs)
}

// The axis rises to the right although finer meshes are smaller; claims are triangles at their lines, and the orders between successive
// meshes stand below.
func TestFigureOfAMeshStudy(t *testing.T) {
	j := meshStudy()
	f := built(t, "", j, j.Figures[0])
	c := f.Curves
	assert.Equal(t, "mesh width h", c.X.Label)
	assert.True(t, c.X.Log && c.Y.Log)
	require.Len(t, c.Lines, 2)
	assert.Equal(t, []float64{1. / 128, 1. / 64, 1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2}, c.Lines[0].X)
	assert.Less(t, c.Lines[0].Y[0], c.Lines[0].Y[6], "the finest mesh has the smallest error")
	assert.Equal(t, []figures.Guide{
		{Slope: 2, Name: "slope 2", Label: "2", Triangle: true, Line: 0}, {Slope: 3, Name: "slope 3", Label: "3", Triangle: true, Line: 1},
	}, c.Guides)
	require.NotNil(t, c.Orders)
	for i, l := range c.Orders.Lines {
		require.Len(t, l.X, 6)
		for k, x := range l.X {
			fine, coarse := c.Lines[i].X[k], c.Lines[i].X[k+1]
			assert.InDelta(t, math.Sqrt(fine*coarse), x, 1e-15)
			// e = c·h^q (1 - 0.6 h), so that the order is q and what the bracket adds
			want := float64(i+2) + math.Log((1-0.6*coarse)/(1-0.6*fine))/math.Log(2)
			assert.InDelta(t, want, l.Y[k], 1e-12, "rounding")
		}
		m := c.Orders.Marks[i]
		assert.True(t, math.IsNaN(m.X), "across the panel")
		assert.Equal(t, [2]float64{float64(i + 2), float64(i)}, [2]float64{m.Y, float64(m.Style)})
		assert.InDelta(t, m.Y-0.1, m.Low, 1e-12, "the tolerance")
		assert.InDelta(t, m.Y+0.1, m.High, 1e-12, "the tolerance")
	}
	assert.Contains(t, f.Caption.String(), "Triangles have slope 2 and slope 3, as the theory says")
	assert.Empty(t, f.Warnings)
	csv, err := f.PointsCSV()
	require.NoError(t, err)
	assert.Regexp(t, `\norder,P1,0\.0110\d*,1\.99`, string(csv))

	fig := j.Figures[0]
	fig.Claims = []string{"P2-L2"}
	assert.Len(t, built(t, "", j, fig).Curves.Guides, 1, "the claims that a figure names, if it names any")
	fig.Claims, fig.Guides = nil, []claims.Guide{{Slope: 2}, {Slope: 2.5, Label: "h^{5/2}"}}
	var labels []string
	for _, g := range built(t, "", j, fig).Curves.Guides {
		assert.True(t, g.Triangle)
		labels = append(labels, g.Label)
	}
	assert.Equal(t, []string{"2", "h^{5/2}", "3"}, labels, "each slope once")
	fig.Scale = "semilogy"
	assert.Nil(t, built(t, "", j, fig).Curves.Orders, "an order is a slope on logarithmic axes")
}

// Against a number of cells orders are negative. What a bound accepts has no end, and rounding decides no order.
func TestOrdersAgainstANumberOfCells(t *testing.T) {
	exp := meshStudy().Experiment
	exp.Methods, exp.Figures, exp.Abscissae = exp.Methods[:1], []claims.Figure{{ID: "e", X: "N", Y: "L2"}}, nil
	exp.Claims = []claims.Claim{{ID: "c", Kind: "rate", Method: "P1", Metric: "L2", X: "N", Derived: "-4", AtMost: true}}
	r := &records.Record{Header: records.Header{Experiment: exp.ID, Method: "P1"}, End: &records.End{Status: records.Done}}
	for k := range 20 {
		n := math.Pow(2, float64(k))
		r.Points = append(r.Points, records.Point{Step: k + 1, Values: map[string]*float64{"N": &n, "L2": records.Value(max(math.Pow(n, -4), 1e-14))}})
	}
	f := built(t, "", claims.Judge(exp, []*records.Record{r}), exp.Figures[0])
	o := f.Curves.Orders
	assert.Equal(t, "N", f.Curves.X.Label)
	for _, p := range o.Lines[0].Y {
		assert.InDelta(t, -4, p, 1e-9)
	}
	floor := 2048. // 2^-44 is below 2^-40 of the first error
	assert.Less(t, o.Lines[0].X[len(o.Lines[0].X)-1], floor)
	assert.Equal(t, []string{"P1: from N 1024 on rounding errors may decide, and no order is shown"}, f.Warnings)
	assert.Less(t, o.Marks[0].Low, o.Y.Min, "to the frame")
	assert.Equal(t, -4.0, o.Marks[0].High)
	assert.Equal(t, 10, len(f.Curves.Lines[0].X)-10, "the errors are drawn all the same")
}

// Where h falls, rounding decides on the left.
func TestOrdersThatRoundingDecides(t *testing.T) {
	j := meshStudy()
	r := j.Records[0]
	r.Points[5].Values["L2"], r.Points[6].Values["L2"] = records.Value(1e-15), records.Value(1e-15)
	f := built(t, "", j, j.Figures[0])
	assert.Len(t, f.Curves.Orders.Lines[0].X, 4, "of seven meshes two are left out")
	assert.Greater(t, f.Curves.Orders.Lines[0].X[0], 1./32)
	assert.Contains(t, f.Warnings, "P1: from h 0.01562 on rounding errors may decide, and no order is shown")
	r.Points[5].Values["L2"] = records.Value(0)
	f = built(t, "", j, j.Figures[0])
	assert.Contains(t, f.Warnings[len(f.Warnings)-1], "P1: L2 is exactly 0 at h 0.01562")
	require.NotNil(t, f.Curves.Orders, "the other orders are shown")
}

// A method in which nothing is random has the look of a mesh study where a claim gives its rate in whatever x is.
func TestFigureOfADeterministicMethod(t *testing.T) {
	j := meshStudy()
	fig := j.Figures[0]
	fig.X = "step"
	assert.Nil(t, built(t, "", j, fig).Curves.Orders)
	for i := range j.Experiment.Claims {
		j.Experiment.Claims[i].X = "step"
	}
	assert.NotNil(t, built(t, "", j, fig).Curves.Orders)
	j.Experiment.Methods[0].Deterministic = false
	assert.Nil(t, built(t, "", j, fig).Curves.Orders)
}

func TestMeshStudiesOfTwoRuns(t *testing.T) {
	ours, theirs := meshStudy(), meshStudy()
	for i := range theirs.Records[1].Points {
		*theirs.Records[1].Points[i].Values["L2"] *= 2
	}
	f := built(t, "", ours, ours.Figures[0])
	f.Beside(built(t, "", theirs, theirs.Figures[0]), "before")
	require.Len(t, f.Curves.Orders.Lines, len(f.Curves.Lines))
	last := f.Curves.Orders.Lines[2]
	assert.True(t, last.Beside)
	assert.Equal(t, f.Curves.Lines[2].Label, last.Label)
	assert.InDeltaSlice(t, f.Curves.Orders.Lines[1].Y, last.Y, 1e-12, "a factor changes no order")
}

func TestTableOfAMeshStudy(t *testing.T) {
	j := meshStudy()
	require.Len(t, ordersTables(j), 1)
	d, err := BuildTable(j, ordersTables(j)[0])
	require.NoError(t, err)
	require.Len(t, d.Columns, 8)
	assert.Equal(t, "–", d.Rows[0].Cells[1].Missing, "the coarsest mesh has no order")
	assert.InDelta(t, 2, d.Rows[6].Cells[1].Median, 0.01, "the order has settled")
	dir := t.TempDir()
	paths, err := writeTable(dir, j.ID, d)
	require.NoError(t, err)
	for _, p := range paths {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		if filepath.Ext(p) == ".csv" { // its last digits depend on the processor
			assert.Contains(t, string(text), "h,P1 L2,P1 L2 low,P1 L2 high,P1 L2 seeds,P1 L2 order,P1 H1,")
			assert.Regexp(t, `\n0\.0078125,1\.21\d*e-05,.*,1,1\.993\d*,0\.0117`, string(text))
			continue
		}
		goldentest.Equal(t, filepath.Join("testdata", filepath.Base(p)), string(text))
	}
	v := newTableView(d)
	assert.Equal(t, []string{"mesh width h", "error in L^{2}", "order"}, v.Header[:3])
	assert.Equal(t, []tableGroup{{"P1", 4}, {"P2", 4}}, v.Groups)
	assert.Equal(t, "1.06×10^{−2}", v.Rows[1].Cells[0].Text)

	some, err := BuildTable(j, claims.Table{ID: "some", X: "h", Metrics: []string{"H1"}, Methods: []string{"P1"}, Rows: []float64{0.5, 0.125}})
	require.NoError(t, err)
	require.Len(t, some.Rows, 2)
	assert.InDelta(t, (1 + math.Log(1.4/1.1)/math.Log(4)), some.Rows[1].Cells[1].Median, 1e-12, "between the two rows")
	assert.Empty(t, some.Columns[0].Label, "there is one method")
	_, err = BuildTable(claims.Judge(j.Experiment, nil), ordersTables(j)[0])
	assert.ErrorIs(t, err, figures.ErrNoData)
}

// An experiment has the table of each of its discretisation parameters, unless its spec has one.
func TestOrdersTables(t *testing.T) {
	j := meshStudy()
	j.Experiment.Figures, j.Experiment.Claims = append(j.Figures, claims.Figure{X: "step", Y: "L2"}), append(j.Claims, claims.Claim{X: "N", Metric: "work"})
	j.Experiment.Tables = []claims.Table{{ID: "orders-N"}}
	all := ordersTables(j)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"L2", "H1"}, all[0].Metrics)
	assert.Equal(t, "N", all[1].X)
	assert.NotEqual(t, "orders-N", all[1].ID)
	j.Experiment.Tables = append(j.Tables, claims.Table{ID: "mine", X: "h"})
	assert.Len(t, ordersTables(j), 1)
}

func TestMeshesInPrint(t *testing.T) {
	for want, xs := range map[string][]float64{
		"0.1 0.05 0.025": {0.1, 0.05, 0.025}, "1/16 1/32": {1. / 16, 1. / 32}, "0.707 0.354": {math.Sqrt2 / 2, math.Sqrt2 / 4}, "8 16384": {8, 16384}, "0.001 1e-06": {1e-3, 1e-6},
	} {
		write, got := meshFormat(xs), ""
		for _, x := range xs {
			got += " " + write(x)
		}
		assert.Equal(t, want, got[1:])
	}
}

// The page draws the same lines, triangles and orders.
func TestMeshStudyInABrowser(t *testing.T) {
	j := meshStudy()
	f := built(t, "", j, j.Figures[0])
	data := live.New(j.ID)
	data.AddCurves(j, j.Figures[0], &f, nil)
	fig := data.Figures[0]
	require.Len(t, fig.Orders.Lines, 2)
	require.Len(t, fig.Guides, 2)
	assert.Len(t, fig.Guides[0].Ends, 3, "the corners of a triangle")
	_, err := json.Marshal(fig)
	require.NoError(t, err)

	dir := t.TempDir()
	_, err = Write(dir, []claims.Case{j}, nil, Output{})
	require.NoError(t, err)
	b := browsertest.New(t, filepath.Join(dir, "report.html"))
	open(b, "#fig=own/poisson:L2")
	const figure = `document.querySelector('figure[data-figure="own/poisson:L2"] svg.live')`
	b.Poll(`!!` + figure)
	count := func(selector string) int {
		return browsertest.Eval[int](b, figure+`.querySelectorAll(`+"`"+selector+"`"+`).length`)
	}
	assert.Equal(t, 2, count(`.orders .line`))
	assert.Equal(t, 12, count(`.orders .symbol`))
	assert.Equal(t, 2, count(`.orders .level`), "the orders that claims give")
	assert.Equal(t, 2, count(`.guide`))
	b.Keep("mesh-study")
	b.Press(`figure[data-figure="own/poisson:L2"] .legend`, "P1")
	assert.Equal(t, 6, count(`.orders .symbol`))
	assert.Equal(t, 1, count(`.orders .level`))
	assert.Empty(t, b.Violations())
	assert.Empty(t, b.Problems)
}
