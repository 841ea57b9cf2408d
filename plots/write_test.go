package plots

import (
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/drawings"
	"repro/plots/live"
	"repro/results/claims"
	"repro/results/records"
)

// written writes everything of the sample experiment into a folder and returns the report.
func written(t *testing.T, dir string, exp claims.Experiment, recs []*records.Record) (paths []string, report string) {
	t.Helper()
	writeSurfaces(t, dir, exp, 9)
	paths, err := Write(dir, []claims.Case{judgedBeside(exp, recs)}, nil, Output{})
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	return paths, unfolded(t, string(b))
}

// unfolded returns a report with what it has packed in its places.
func unfolded(t *testing.T, report string) string {
	t.Helper()
	page, packed, ok := strings.Cut(report, foldsHere)
	require.True(t, ok)
	packed, rest, _ := strings.Cut(packed, "<")
	var folds []string
	require.NoError(t, json.NewDecoder(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))).Decode(&folds))
	page += foldsHere + "<" + rest
	for _, text := range folds {
		require.NotContains(t, text, "<template>")
		page = strings.Replace(page, "<template></template>", text, 1)
	}
	assert.NotContains(t, page, "<template>")
	return page
}

// shippedVerdicts are verdicts on two of the experiment's claims at the published size.
func shippedVerdicts(exp claims.Experiment) []claims.Verdict {
	measured, low, high := -0.98, -1.01, -0.95
	return []claims.Verdict{
		{Experiment: exp.ID, Claim: "rate", Kind: "rate", Verdict: claims.Reproduced, Measured: &measured, Low: &low, High: &high},
		{Experiment: exp.ID, Claim: "beats", Kind: "order", Verdict: claims.Deviates},
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	paths, report := written(t, dir, experiment(), demoRecords())
	var want []string
	for _, f := range []string{"figures/%/convergence", "figures/%/error", "figures/%/surface"} {
		want = append(want, f+".svg", f+".csv")
	}
	want = append(want, "tables/%/final.md", "tables/%/final.csv", "tables/%/final.tex", "records.csv", "report.html")
	for i, w := range want {
		want[i] = filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(w, "%", "dai2014/krr-synthetic")))
	}
	assert.Equal(t, want, paths)
	for _, p := range paths {
		info, err := os.Stat(p)
		require.NoError(t, err)
		assert.Positive(t, info.Size(), p)
	}
	for _, text := range []string{
		"1 experiment, 11 runs at a reduced size (profile quick) · 2026-01-02 · ", " of training · Example CPU, linux/amd64.", "These runs have another size than the paper&#39;s: data.train 4096, not 65536.", "2026-01-02", "repro 0.1 (commit 0123abc, with changes), go1.26",
		"go1.26", "Example CPU", "float64", strings.Repeat("ab", 32), // provenance
		"f<sub>t</sub> converges to f at the rate 1/t", "Thm 4", "15.3 %", // claims
		"too small to judge</b>", "· <b class", "reproduced</b>", "failed</b>", // verdicts as words
		"norma seed 3 diverged: l2-error is 3×10<sup>200</sup>",                                  // a reason
		`aria-label="beats: failed; at the published size: deviates"`, "−0.980 [−1.010, −0.950]", // shipped verdicts
		"At this run’s own size, ", "repro run dai2014/krr-synthetic --profile paper",
		"Rates in other windows",
		"NORMA, γ<sub>0</sub> = 20", "σ is the median distance", "2σ<sup>2</sup> is; half of it", "the appendix says so",
		"exact solution: no surface was written",
		"<strong>diverged: l2-error is 3e&#43;200</strong>", "0–2, 4", // runs
		`href="figures/dai2014/krr-synthetic/error.svg"`, `href="tables/dai2014/krr-synthetic/final.csv"`,
	} {
		holds(t, report, text)
	}
}

// holds asserts that a report holds a text, without printing the report.
func holds(t *testing.T, report, text string) {
	t.Helper()
	assert.True(t, strings.Contains(report, text), "the report lacks %q", text)
}

func TestWriteTwiceGivesTheSameBytes(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	paths, _ := written(t, a, experiment(), demoRecords())
	written(t, b, experiment(), demoRecords())
	for _, p := range paths {
		rel, err := filepath.Rel(a, p)
		require.NoError(t, err)
		one, err := os.ReadFile(p)
		require.NoError(t, err)
		two, err := os.ReadFile(filepath.Join(b, rel))
		require.NoError(t, err)
		assert.True(t, string(one) == string(two), rel)
	}
}

// The report opens from disk without a network: it loads nothing, and what it links to lies beside it.
func TestReportLoadsNothing(t *testing.T) {
	dir := t.TempDir()
	_, report := written(t, dir, experiment(), demoRecords())
	holds(t, report, `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; img-src data: blob:; style-src &#39;sha256-`)
	for _, bad := range []string{" style=", "<link", "<iframe", "@import", "@font-face", "url(http", "url(/", " src=", "http-equiv=\"refresh"} {
		assert.False(t, strings.Contains(report, bad), bad)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(report, -1) {
		switch href := m[1]; {
		case href == "https://example.org/paper": // a link to follow, not loaded
		case strings.HasPrefix(href, "data:image/png;base64,"):
		case strings.HasPrefix(href, "#verdict="): // a filter
		case strings.HasPrefix(href, "#"):
			holds(t, report, `id="`+href[1:]+`"`)
		default:
			assert.FileExists(t, filepath.Join(dir, filepath.FromSlash(href)))
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(report, -1) {
		assert.False(t, ids[m[1]], "id %s occurs twice", m[1])
		ids[m[1]] = true
	}
}

func TestReportEscapes(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	exp, recs := experiment(), demoRecords()
	exp.Title, exp.Source, exp.Paper.Title, exp.Paper.URL = evil, evil, evil, "javascript:alert(1)"
	exp.Methods[0].Label = evil
	exp.Claims[0].Statement, exp.Claims[0].Source = "f^{"+evil+"}", evil
	exp.Figures[0].Title, exp.Figures[0].Caption = evil, evil
	exp.Tables[0].Title = evil
	exp.Ambiguities[0].Why = evil
	recs[0].Header.Label, recs[0].End.Reason, recs[0].Header.Timing.CPU = evil, evil, evil
	_, report := written(t, t.TempDir(), exp, recs)
	assert.Equal(t, 3, strings.Count(report, "<script"), "markup of a spec")
	assert.False(t, strings.Contains(report, "javascript:"), "a link that runs code")
	holds(t, report, `&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;`)
}

// A figure that cannot be drawn is an error, but the others and the report are written.
func TestWriteGoesOnAfterAFailure(t *testing.T) {
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	exp.Figures[0].Title = "誤"
	exp.Tables[0].Methods = []string{"nobody"}
	paths, err := Write(dir, []claims.Case{caseOf(exp, recs, nil)}, nil, Output{})
	require.ErrorContains(t, err, "dai2014/krr-synthetic: figure convergence: the figure font DejaVu Sans has no glyph")
	require.ErrorContains(t, err, `unknown method "nobody"`)
	assert.Contains(t, paths, filepath.Join(dir, "report.html"))
	assert.Contains(t, paths, filepath.Join(dir, "figures", "dai2014", "krr-synthetic", "error.svg"))
	report, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	holds(t, unfolded(t, string(report)), "Figure convergence (誤 (Fig. 4(2))) was not drawn:")
	holds(t, string(report), "Table final was not made:")
}

// Before anything has run there is a report that says so.
func TestWriteWithoutRecords(t *testing.T) {
	dir, exp := t.TempDir(), experiment()
	exp.Expected = []claims.Planned{{Cell: "dsg-seed0", Method: "dsg"}}
	_, err := Write(dir, []claims.Case{claims.Judge(exp, nil)}, nil, Output{})
	require.NoError(t, err)
	report, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	holds(t, string(report), "no records")
	holds(t, unfolded(t, string(report)), "no method has a curve yet; run the experiment")
	holds(t, unfolded(t, string(report)), "<td>1</td><td></td><td><strong>no record</strong>")
	holds(t, string(report), "not run</b>")
}

func TestWriteToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := Write(file, nil, nil, Output{})
	require.ErrorContains(t, err, "cannot write "+filepath.Join(file, "report.html"))
}

// Every verdict has a word, a colour and a sign of its own.
func TestBadges(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range claims.Words {
		assert.False(t, class(w) == "" || seen[class(w)] || seen[w.Sign()], w)
		seen[class(w)], seen[w.Sign()] = true, true
		assert.Contains(t, string(badge(w, string(w))), string(w))
	}
}

// notFinite matches a number in SVG that is none.
var notFinite = regexp.MustCompile(`[ ,:"\[(](NaN|[+-]?Inf)[ ,"\])}]`)

// FuzzWrite draws and reports records of arbitrary floats on axes of every scale. Nothing panics, every file is written, and
// no figure has a number that is not finite. Data of the page cannot: its encoder refuses such numbers.
func FuzzWrite(f *testing.F) {
	of := func(values ...float64) (data []byte) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	f.Add(of(1, 0.5, 0.25))
	f.Add(of(1e306, 1e305, 1e307, 1.7e308))
	f.Add(of(most, -most, most, 1))
	f.Add(of(most))
	f.Add(of(least, 3*least, 0, most))
	f.Add(of(least))
	f.Add(of(0))
	f.Add(of(-1, -2, 0, math.NaN()))
	f.Fuzz(func(t *testing.T, data []byte) {
		exp, recs := experiment(), demoRecords()
		exp.Figures = nil
		for _, scale := range []string{"", "loglog", "semilogx", "semilogy", "linear"} {
			exp.Figures = append(exp.Figures, claims.Figure{ID: "f" + scale, Title: "A figure", X: "step", Y: "l2-error", Scale: scale, Guides: []claims.Guide{{Slope: -1}}, Claims: []string{"rate"}})
		}
		n := 0
		for _, r := range recs {
			for _, p := range r.Points {
				for _, name := range []string{"l2-error", "test-error"} {
					if len(data) >= 8 {
						p.Values[name] = records.Value(math.Float64frombits(binary.LittleEndian.Uint64(data[8*(n%(len(data)/8)):])))
						n++
					}
				}
			}
		}
		dir := t.TempDir()
		paths, err := Write(dir, []claims.Case{claims.Judge(exp, recs)}, nil, Output{})
		require.NoError(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, ".svg") {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				if at := notFinite.FindStringIndex(string(text)); at != nil {
					t.Errorf("%s: …%s…", path, text[max(0, at[0]-200):min(len(text), at[1]+100)])
				}
			}
		}
	})
}

// otherRun returns the runs of the sample experiment in another folder: those of dsg are twice as far off, the others are equal.
func otherRun(dir string) *Run {
	exp, recs := experiment(), demoRecords()
	for _, r := range recs {
		if r.Header.Method != "dsg" {
			continue
		}
		for _, p := range r.Points {
			*p.Values["l2-error"] *= 2
			*p.Values["test-error"] += 0.0001
		}
	}
	return &Run{Dir: dir, Cases: []claims.Case{claims.Judge(exp, recs)}}
}

func TestCurvesBeside(t *testing.T) {
	exp, recs, other := experiment(), demoRecords(), otherRun("yesterday")
	ours := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	theirs := built(t, "", other.Cases[0], exp.Figures[0])
	ours.Beside(theirs, "yesterday")
	require.Len(t, ours.Curves.Lines, 4, "the equal curves are not drawn twice")
	added := ours.Curves.Lines[3]
	assert.Equal(t, "doubly stochastic gradients (yesterday)", added.Label)
	assert.True(t, added.Beside)
	assert.Equal(t, ours.Curves.Lines[0].Style, added.Style)
	assert.InDelta(t, 2*ours.Curves.Lines[0].Y[3], added.Y[3], 1e-12)
	assert.False(t, added.Banded())
	assert.True(t, strings.HasPrefix(ours.Caption.String(), "Fainter and dotted: the runs in yesterday. 2 of 3 curves in yesterday are equal to ours and not drawn twice."), ours.Caption)
	light, own := live.LineLookOf(added), live.LineLookOf(ours.Curves.Lines[0])
	assert.NotEqual(t, own.Colour, light.Colour)
	assert.NotEqual(t, own.Dashes, light.Dashes)
	_, err := drawings.Render(ours)
	require.NoError(t, err)
}

func TestMapsBeside(t *testing.T) {
	ours, theirs := twoMaps(), twoMaps()
	theirs.Heat.Panels[1].Z = [][]float64{{-0.5, 0, 7}, {0.25, math.NaN(), -1}}
	ours.Beside(theirs, "there")
	require.Len(t, ours.Heat.Panels, 3)
	assert.Equal(t, "learnt (there)", ours.Heat.Panels[2].Title)
	assert.Contains(t, ours.Caption.String(), "1 of 2 maps in there is equal to ours and not drawn twice.")
}

func TestReportOfTwoRuns(t *testing.T) {
	dir, there := t.TempDir(), t.TempDir()
	exp, recs, other := experiment(), demoRecords(), otherRun(there)
	writeSurfaces(t, dir, exp, 9)
	writeSurfaces(t, there, exp, 9)
	paths, err := Write(dir, []claims.Case{judgedBeside(exp, recs)}, nil, Output{Beside: other})
	require.NoError(t, err)
	b, err := os.ReadFile(paths[len(paths)-1])
	require.NoError(t, err)
	report := string(b)
	holds(t, report, "doubly stochastic gradients ("+filepath.Base(there)+")")
}

func TestNameOfAFolder(t *testing.T) {
	for dir, want := range map[string]string{
		"out": "out", "./yesterday/": "yesterday", "../main/results/of/monday": "monday", "結果": "the other run",
		strings.Repeat("long", 20): "the other run",
	} {
		assert.Equal(t, want, nameOf(dir), dir)
	}
}

func TestConclusion(t *testing.T) {
	exp := experiment()
	value := func(v float64) *float64 { return &v }
	rate := claims.Verdict{Claim: "rate", Kind: "rate", Method: "dsg", Metric: "l2-error", Published: "-1", Measured: value(-0.98), Accept: [2]*float64{value(-1.15), value(-0.85)}}
	order := claims.Verdict{Claim: "beats", Kind: "order", Method: "dsg", Against: []string{"norma"}, Metric: "l2-error", Measured: value(0.5), Accept: [2]*float64{nil, value(1)}}
	number := claims.Verdict{Claim: "error", Kind: "value", Method: "norma", Metric: "test-error", Unit: claims.Percent, Published: "15.3", Measured: value(17.1)}
	as := func(v claims.Verdict, w, atSize claims.Word) claims.Verdict {
		v.Verdict, v.AtSize = w, atSize
		return v
	}
	for _, test := range []struct {
		want     string
		verdicts []claims.Verdict
	}{
		{"", nil},
		{"The claim holds: squared L_{2} distance to f of doubly stochastic gradients has the slope −0.98 (published: −1).",
			[]claims.Verdict{as(rate, claims.Reproduced, "")}},
		{"2 of 3 claims hold: squared L_{2} distance to f of doubly stochastic gradients has the slope −0.98 (published: −1); doubly stochastic gradients is better than NORMA (squared L_{2} distance to f, ratio 0.5)." +
			" Test error of NORMA is 17.1 % (published: 15.3 %), which deviates.",
			[]claims.Verdict{as(order, claims.Reproduced, ""), as(rate, claims.Reproduced, ""), as(number, claims.Deviates, "")}},
		{"At this run’s own size, the claim does not hold. Doubly stochastic gradients is not better than NORMA (squared L_{2} distance to f, ratio 0.5).",
			[]claims.Verdict{as(order, claims.NotComparable, claims.Deviates)}},
		{"Nothing is decided: of 1 claim 1 is inconclusive.", []claims.Verdict{as(number, claims.Inconclusive, "")}},
	} {
		assert.Equal(t, test.want, conclusion(caseOf(exp, nil, test.verdicts)))
	}
}

// The page has the values of a heat map, in steps of its colour scale.
func TestLiveMaps(t *testing.T) {
	f := twoMaps()
	f.Heat.Panels[1].Z[0][0] = -0.51234
	var d live.Data
	d.AddMaps(&f, make([][4]int, 2))
	assert.Equal(t, live.Digits{-1, 0, 1, 1, 0, -1}, d.Figures[0].Maps[0].Z)
	assert.Equal(t, live.Digits{-0.51, 0, 7, 0.5}, d.Figures[0].Maps[1].Z[:4])
	assert.True(t, math.IsNaN(d.Figures[0].Maps[1].Z[4]))
	f.Heat.Panels[0].Z[0][0] = 1e9
	f.Heat.Panels[1].Seeds, f.Heat.Panels[1].Runs = []uint64{1, 2}, [][][]float64{{{1, 2, 3}, {4, 5, 6}}, {{2, 2, 2}, {math.NaN(), 5, 6}}}
	d = live.Data{}
	d.AddMaps(&f, make([][4]int, 2))
	assert.Equal(t, 1e9, d.Figures[0].Maps[0].Z[0])
	assert.Equal(t, live.Digits{1, 2, 2, 4, 5, 6}, d.Figures[0].Maps[1].Low)
	assert.Equal(t, live.Digits{2, 2, 3, 4, 5, 6}, d.Figures[0].Maps[1].High)
	assert.Equal(t, "range of 2 seeds", d.Figures[0].Band)
}

// A figure's lines have the costs of their records at every point, the values of every seed, and the looks of the drawing.
func TestLiveFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	d := live.New("demo")
	d.AddCurves(caseOf(exp, recs, nil), exp.Figures[0], &f, nil)
	require.Len(t, d.Figures, 1)
	shown := d.Figures[0]
	assert.Equal(t, "step", shown.Abscissa)
	require.Len(t, shown.Lines, 3)
	for i, l := range shown.Lines {
		assert.Equal(t, f.Curves.Lines[i].Label, l.Label)
		assert.Equal(t, live.LineLookOf(f.Curves.Lines[i]), l.Style)
		assert.Len(t, l.Costs["step"], len(l.Y))
		assert.Len(t, l.Costs["seconds"], len(l.Y))
	}
	assert.Equal(t, shown.Lines[0].Costs["step"], shown.Lines[0].X)
	assert.InDelta(t, 0.01*shown.Lines[0].X[5], shown.Lines[0].Costs["seconds"][5], 1e-12, "rounding")
	assert.Len(t, shown.Lines[0].Runs, 5)
	assert.Nil(t, shown.Lines[2].Runs, "one seed is the line")
	text, err := shown.Lines[0].Y.MarshalJSON()
	require.NoError(t, err)
	assert.Regexp(t, `^\[[0-9.e,-]+\]$`, string(text))
}

// The axes of a live figure are laid out here: those of the drawing, linear and logarithmic, and one for each cost that a reader can
// choose.
func TestAxesOfALiveFigure(t *testing.T) {
	exp, recs := experiment(), demoRecords()
	f := built(t, "", caseOf(exp, recs, verdicts(exp, recs)), exp.Figures[0])
	d := live.New("demo")
	d.AddCurves(caseOf(exp, recs, nil), exp.Figures[0], &f, nil)
	shown := d.Figures[0]
	require.Len(t, shown.Guides, 1)
	assert.InDelta(t, -1, (shown.Guides[0].Ends[1][1]-shown.Guides[0].Ends[0][1])/(shown.Guides[0].Ends[1][0]-shown.Guides[0].Ends[0][0]), 1e-5, "the slope of the guide")
	require.NotNil(t, shown.X.Views["seconds"][1])
	assert.Less(t, shown.X.Views["seconds"][1].Range[0], math.Log10(shown.Lines[0].Costs["seconds"][0]))
}

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
		"Verdicts on numbers published (Tab. 7): printed: 1 reproduced, 1 deviates, 1 inconclusive.",
		"Verdicts on numbers published: printed: 1 reproduced, 1 deviates, 1 inconclusive.",
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
