package plots

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/plots/figures"
	"repro/results/builds"
	"repro/results/claims"
	"repro/results/records"
)

// experiment returns a small experiment with a figure of every kind, a table and claims.
func experiment() claims.Experiment {
	exp := claims.Experiment{
		ID: "dai2014/krr-synthetic",
		Paper: claims.Paper{
			Key: "dai2014", Authors: []string{"Bo Dai", "Bo Xie"}, Title: "Scalable Kernel Methods",
			Venue: "NIPS", Year: 2014, URL: "https://example.org/paper",
		},
		Title:  "Kernel ridge regression on the 2-D synthetic problem",
		Source: "Sec. 7.1, Fig. 4",
		Methods: []claims.Method{
			{ID: "dsg", Label: "doubly stochastic gradients"},
			{ID: "norma", Label: "NORMA, γ_{0} = 20"},
			{ID: "exact", Label: "exact solution"},
		},
		Claims: []claims.Claim{
			{ID: "rate", Kind: "rate", Statement: "f_{t} converges to f at the rate 1/t", Source: "Thm 4", Method: "dsg", Metric: "l2-error", X: "step", Published: "-1", Tolerance: 0.15},
			{ID: "error", Kind: "value", Statement: "test error of 15.3 %", Source: "Tab. 2", Method: "dsg", Metric: "test-error", Published: "15.3", Unit: "percent", Tolerance: 0.5},
			{ID: "beats", Kind: "order", Statement: "doubly stochastic gradients beat NORMA", Source: "Fig. 4", Method: "dsg", Against: []string{"norma"}, Metric: "l2-error"},
		},
		Figures: []claims.Figure{
			{ID: "convergence", Title: "Distance to the function that generated the data", Source: "Fig. 4(2)", Caption: "The slope of doubly stochastic gradients", X: "step", Y: "l2-error", Guides: []claims.Guide{{Slope: -1}}, Claims: []string{"rate"}},
			{ID: "error", Title: "Test error", X: "seconds", Y: "test-error", Scale: "semilogx", Claims: []string{"error"}},
			{ID: "surface", Kind: "heatmap", Title: "The function learnt", Series: []claims.Series{{Method: "truth"}, {Method: "dsg"}, {Method: "exact"}}},
		},
		Tables: []claims.Table{{ID: "final", Title: "At the end", Source: "Tab. 2", Metrics: []string{"l2-error", "test-error", "seconds"}}},
		Ambiguities: []claims.Ambiguity{
			{Item: "bandwidth", Chosen: "σ is the median distance", Alternatives: []string{"2σ^{2} is", "half of it"}, Why: "the appendix says so"},
		},
		Metrics: testMetrics,
		Profile: "quick",
	}
	exp.Original = claims.Original{Settings: map[string]map[string]any{}, Claims: exp.Claims}
	for _, m := range exp.Methods {
		exp.Original.Settings[m.ID] = map[string]any{"data": map[string]any{"train": 65536}}
	}
	return exp
}

// records returns runs of the experiment: dsg falls as 1/t, one seed of norma diverges, exact has one
// point and one seed.
func demoRecords() []*records.Record {
	var out []*records.Record
	for _, m := range []struct {
		method, label string
		seeds         int
		slope, start  float64
	}{{"dsg", "doubly stochastic gradients", 5, -1, 2}, {"norma", "NORMA, γ_{0} = 20", 5, -0.5, 1}} {
		for seed := range m.seeds {
			r := record(m.method, m.label, uint64(seed))
			for k := range 25 {
				t := math.Round(math.Pow(10, float64(k)/6))
				wobble := 1 + 0.3*math.Sin(float64(7*seed+3*k))
				l2 := m.start * math.Pow(t, m.slope) * wobble
				point := records.Point{Step: int(t), Values: map[string]*float64{
					"l2-error": records.Value(l2), "test-error": records.Value(0.15 + 0.2*l2/m.start),
				}}
				point.Timing.Train = 0.01 * t
				if m.method == "norma" && seed == 3 && k == 15 {
					point.Values["l2-error"] = nil
					r.Points = append(r.Points, point)
					r.End = &records.End{Status: records.Diverged, Reason: "l2-error is 3e+200", Steps: int(t)}
					break
				}
				r.Points = append(r.Points, point)
			}
			out = append(out, r)
		}
	}
	exact := record("exact", "exact solution", 0)
	exact.Points = []records.Point{{Step: 3000, Values: map[string]*float64{"l2-error": records.Value(1e-4), "test-error": records.Value(0.149)}}}
	exact.Points[0].Timing.Setup = 20
	return append(out, exact)
}

func record(method, label string, seed uint64) *records.Record {
	r := &records.Record{Header: records.Header{
		Experiment: "dai2014/krr-synthetic", Cell: fmt.Sprintf("%s-seed%d", method, seed),
		Method: method, Label: label, Seed: seed, Profile: "quick",
		Settings: map[string]any{"data": map[string]any{"train": 4096}},
	}}
	r.Header.Provenance = records.Provenance{
		Program: builds.Program{Version: "0.1", Commit: "0123abc", Dirty: true, Go: "go1.26"}, Precision: "float64",
		Data: []records.DataDigest{{Name: "dai2014-synthetic", SHA256: strings.Repeat("ab", 32), Rows: 4096}},
	}
	r.Header.Timing = records.HeaderTiming{Started: "2026-01-02T10:00:00Z", Host: "linux/amd64", CPU: "Example CPU", Threads: 2}
	r.End = &records.End{Status: records.Budget, Reason: "10000 steps", Steps: 10000, Timing: records.EndTiming{Finished: "2026-01-02T10:01:00Z"}}
	return r
}

// verdicts judges the experiment's claims.
func verdicts(exp claims.Experiment, recs []*records.Record) []claims.Verdict {
	return claims.Judge(exp, recs).Verdicts
}

// caseOf returns the case of an experiment with verdicts that are made up.
func caseOf(exp claims.Experiment, recs []*records.Record, verdicts []claims.Verdict) claims.Case {
	return claims.Case{Experiment: exp, Records: exp.Own(recs), Verdicts: verdicts}
}

// built returns the model of a figure of a case with the predictions below a folder.
func built(t *testing.T, dir string, j claims.Case, fig claims.Figure) figures.Figure {
	t.Helper()
	f, err := figures.Build(dir, j, fig)
	require.NoError(t, err)
	return f
}

// judgedBeside is the case of the sample experiment, with shipped verdicts beside its own.
func judgedBeside(exp claims.Experiment, recs []*records.Record) claims.Case {
	j := claims.Judge(exp, recs)
	for _, v := range shippedVerdicts(exp) {
		j.On(v.Claim).Shipped = &v
	}
	return j
}

// writeSurfaces writes surfaces for the generating function and dsg, none for exact.
func writeSurfaces(t *testing.T, dir string, exp claims.Experiment, side int) {
	t.Helper()
	for i, cell := range []string{"truth", "dsg-seed0"} {
		var b strings.Builder
		b.WriteString("x1,x2,f\n")
		for j := range side {
			for k := range side {
				x, y := 2*float64(j)/float64(side-1)-1, 2*float64(k)/float64(side-1)-1
				fmt.Fprintf(&b, "%g,%g,%g\n", x, y, math.Sin(3*x)*math.Cos(2*y)*(1+0.2*float64(i)))
			}
		}
		path := figures.SurfacePath(dir, exp.ID, cell)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
}

// testMetrics are those that the fixtures measure.
var testMetrics = []claims.Metric{
	{Name: "l2-error", Words: "squared L_{2} distance to f", Better: "smaller"},
	{Name: "test-error", Words: "test error", Unit: "fraction", Better: "smaller"},
	{Name: "train-error", Words: "training error", Unit: "fraction", Better: "smaller"},
	{Name: "test-mse", Words: "test mean squared error", Better: "smaller"},
	{Name: "train-mse", Words: "training mean squared error", Better: "smaller"},
}

// twoMaps returns a figure of two heat maps.
func twoMaps() figures.Figure {
	x, y := []float64{-1, 0, 1}, []float64{0, 1}
	return figures.Figure{ID: "heat", Title: "Two functions", Heat: &figures.Heat{
		X: figures.Axis{Label: "x_{1}"}, Y: figures.Axis{Label: "x_{2}"}, Label: "f(x)", Min: -1, Max: 1,
		Panels: []figures.Panel{
			{Title: "generating function", X: x, Y: y, Z: [][]float64{{-1, 0, 1}, {1, 0, -1}}},
			{Title: "learnt", X: x, Y: y, Z: [][]float64{{-0.5, 0, 7}, {0.5, math.NaN(), -1}}},
		},
	}}
}
