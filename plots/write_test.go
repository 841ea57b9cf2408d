package plots

import (
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		"1 experiment, 11 runs at profile quick · 2026-01-02 · Example CPU, linux/amd64.", "These runs have another size than the paper&#39;s: data.train 4096, not 65536.", "2026-01-02", "repro 0.1 (commit 0123abc, with changes), go1.26",
		"go1.26", "Example CPU", "float64", strings.Repeat("ab", 32), // provenance
		"f<sub>t</sub> converges to f at the rate 1/t", "Thm 4", "15.3 %", // claims
		"smaller run</b>", "· <b class", "reproduced</b>", "failed</b>", // verdicts as words
		"norma seed 3 diverged: l2-error is 3×10<sup>200</sup>",                                                                                    // a reason
		"Runs at the published size, shipped with repro", `aria-label="beats: failed; at the published size: deviates"`, "−0.980 [−1.010, −0.950]", // shipped verdicts
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
