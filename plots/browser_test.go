package plots

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/plots/browsertest"
	"repro/plots/figures"
	"repro/results/claims"
)

// reported writes the report of the sample experiment, with a printed table, and returns its path and the verdicts as
// verdicts.json has them.
func reported(t *testing.T) (string, []claims.Verdict) {
	t.Helper()
	dir := t.TempDir()
	exp, recs := inPaper()
	second := experiment()
	second.ID, second.Title = "li2016/other", "Another experiment"
	other := demoRecords()
	for _, r := range other {
		r.Header.Experiment = second.ID
	}
	all := append(recs, other...)
	cases := []claims.Case{judgedBeside(exp, all), claims.Judge(second, all)}
	writeSurfaces(t, dir, exp, 9)
	_, err := Write(dir, cases, nil, Output{})
	require.NoError(t, err)
	path := filepath.Join(dir, "verdicts.json")
	require.NoError(t, claims.WriteVerdicts(path, claims.Verdicts(cases)))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	read, err := claims.ReadVerdicts(f)
	require.NoError(t, err)
	return filepath.Join(dir, "report.html"), read
}

// TestReportInABrowser opens the report in Chromium and uses it.
func TestReportInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	file, want := reported(t)
	b := browsertest.New(t, file)
	open(b, "")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *browsertest.Browser, []claims.Verdict)
	}{
		{"numbers", numbersOfTheTable}, {"first screen", countTheSentence}, {"folding", unfold}, {"filter", filterAndSort}, {"matrix", walkTheMatrix}, {"figure", useAFigure}, {"map", useAMap},
		{"links", followLinks}, {"accessibility", auditAccessibility}, {"phone", fitAPhone}, {"paper", fitPaper}, {"without script", readWithoutScript},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.T = t
			test.run(t, b, want)
		})
	}
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// numbersOfTheTable compares every number of the table with verdicts.json.
func numbersOfTheTable(t *testing.T, b *browsertest.Browser, want []claims.Verdict) {
	rows := browsertest.Eval[map[string][]string](b, `Object.fromEntries([...document.querySelectorAll("tr[data-claim]")].map((r) =>
		[r.dataset.claim, [...r.cells].map((c) => c.textContent.trim()).concat(r.dataset.measured ?? "")]))`)
	assert.Len(t, rows, len(want))
	for _, v := range want {
		row, id := rows[v.Experiment+":"+v.Claim], v.Experiment+":"+v.Claim
		if !assert.Len(t, row, 5, id) {
			continue
		}
		word := string(v.Verdict)
		if v.AtSize != "" {
			word = v.Called() + " · " + string(v.AtSize)
		}
		assert.Equal(t, word, strings.Join(strings.Fields(row[0]), " "), id)
		shown := figures.PlainText(figures.Measured(v))
		if shown == "" {
			shown = "none"
		}
		if published := figures.PlainText(marked(v)); published != "" {
			shown = published + " → " + shown
		}
		if shown != "none" {
			shown = quantity(v) + " " + shown
		}
		assert.Equal(t, strings.ReplaceAll(shown, "^", ""), row[2], id)
		if v.Measured == nil {
			assert.Empty(t, row[4], id)
			continue
		}
		var number float64
		require.NoError(t, json.Unmarshal([]byte(row[4]), &number), id)
		assert.Equal(t, *v.Measured, number, id)
	}
}

// countTheSentence compares the counts of the first screen with the verdicts, and the gallery with the experiments.
func countTheSentence(t *testing.T, b *browsertest.Browser, want []claims.Verdict) {
	counts := map[string]int{}
	for _, v := range want {
		if !v.ByCells() {
			counts[v.Called()]++
		}
	}
	links := browsertest.Eval[[][2]string](b, `[...document.querySelectorAll(".sentence a")].map((a) => [decodeURIComponent(a.hash.slice("#verdict=".length)), a.textContent])`)
	assert.Len(t, links, len(counts))
	for _, l := range links {
		assert.True(t, strings.HasPrefix(l[1], fmt.Sprintf("%d ", counts[l[0]])), "%v, not %d", l, counts[l[0]])
	}
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".sentence").textContent`), fmt.Sprintf("Of %d claims, ", len(want)))
	cards := browsertest.Eval[[]string](b, `[...document.querySelectorAll(".card h4 a")].map((a) => a.hash)`)
	assert.Equal(t, []string{"#exp-dai2014-krr-synthetic", "#exp-li2016-other"}, cards)
	assert.True(t, browsertest.Eval[bool](b, `[...document.querySelectorAll(".card use")].every((u) => document.querySelector(u.getAttribute("href")) && u.getBoundingClientRect().width > 50)`), "every card shows a drawing")
	assert.True(t, browsertest.Eval[bool](b, `[...document.querySelectorAll(".card .source")].every((a) => document.querySelector(a.hash))`), "sources lead to figures")
	open(b, "#verdict=reproduced")
	for _, id := range browsertest.Eval[[]string](b, shownRows) {
		i := slices.IndexFunc(want, func(v claims.Verdict) bool { return v.Experiment+":"+v.Claim == id })
		assert.Equal(t, claims.Reproduced, want[i].Verdict, id)
	}
	open(b, "")
}

// unfold opens what a section folds by a link to a figure.
func unfold(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	const folded = `[...document.querySelectorAll(".experiment .folds figure[data-live]")]`
	assert.NotEmpty(t, browsertest.Eval[[]string](b, folded+`.map((f) => f.id)`), "figures beyond the first are folded")
	assert.False(t, browsertest.Eval[bool](b, folded+`[0].checkVisibility({ contentVisibilityAuto: false })`))
	open(b, "#fig="+browsertest.Eval[string](b, folded+`[0].dataset.figure`))
	b.Poll(folded + `[0].closest("details").open`)
	open(b, "")
}

// unfoldTo opens what folds an element and scrolls to it.
func unfoldTo(b *browsertest.Browser, element string) {
	browsertest.Eval[bool](b, `((e) => { for (let d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; e.scrollIntoView({ block: "center" }); return true; })(`+element+`)`)
}

// open loads the report and waits until what it has packed is in its places.
func open(b *browsertest.Browser, hash string) {
	b.T.Helper()
	b.Open(hash)
	b.Poll(`document.documentElement.matches(".whole")`)
}

const shownRows = `[...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden).map((r) => r.dataset.claim)`

// choose sets a control of the page to a value.
func choose(b *browsertest.Browser, label, value string) {
	b.T.Helper()
	browsertest.Eval[bool](b, fmt.Sprintf(`(() => { const s = [...document.querySelectorAll("#claims label")].find((l) => l.textContent.startsWith(%q)).querySelector("select");
		s.value = %q; s.dispatchEvent(new Event("change")); return s.value === %[2]q; })()`, label, value))
}

func filterAndSort(t *testing.T, b *browsertest.Browser, want []claims.Verdict) {
	all := browsertest.Eval[[]string](b, shownRows)
	numbers := 0
	for _, v := range want {
		if v.Column != "" {
			numbers++
		}
	}
	assert.Len(t, all, len(want)-numbers, "numbers of printed tables are folded")
	b.Press("#claims", "numbers of printed tables")
	assert.Len(t, browsertest.Eval[[]string](b, shownRows), len(want))
	choose(b, "paper", "li2016")
	for _, id := range browsertest.Eval[[]string](b, shownRows) {
		assert.Contains(t, id, "li2016/")
	}
	b.Press("#claims", "reset")
	choose(b, "verdict", string(claims.Failed))
	for _, id := range browsertest.Eval[[]string](b, shownRows) {
		assert.Contains(t, id, ":beats")
	}
	b.Press("#claims", "reset")
	browsertest.Eval[bool](b, `(() => { const s = document.querySelector("#claims input"); s.value = "test error of"; s.dispatchEvent(new Event("input")); return true; })()`)
	assert.Equal(t, []string{"dai2014/krr-synthetic:error", "li2016/other:error"}, browsertest.Eval[[]string](b, shownRows)[:2])
	assert.Less(t, len(browsertest.Eval[[]string](b, shownRows)), len(all))
	b.Press("#claims", "reset")
	b.Press("#claims thead", "published")
	sorted := browsertest.Eval[[]float64](b, `[...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden && r.dataset.measured).map((r) => Number(r.dataset.measured))`)
	assert.IsIncreasing(t, dedupe(sorted))
	assert.Equal(t, "ascending", browsertest.Eval[string](b, `document.querySelector("th[aria-sort]").ariaSort`))
	b.Press("#claims", "reset")
}

// dedupe drops values equal to the one before.
func dedupe(values []float64) []float64 {
	var out []float64
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			out = append(out, v)
		}
	}
	return out
}

// walkTheMatrix reaches every claim with the arrow keys, and opens one.
func walkTheMatrix(t *testing.T, b *browsertest.Browser, want []claims.Verdict) {
	assert.Equal(t, 1, browsertest.Eval[int](b, `document.querySelectorAll("#matrix a[tabindex='0']").length`), "one stop of the Tab key")
	browsertest.Eval[bool](b, `(() => { document.querySelector("#matrix a[tabindex='0']").focus(); return true; })()`)
	seen := map[string]bool{}
	for range want {
		seen[browsertest.Eval[string](b, `document.activeElement.getAttribute("href")`)] = true
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	for _, v := range want {
		assert.True(t, seen["#claim-"+anchor(v.Experiment)+"-"+anchor(v.Claim)], "%s %s", v.Experiment, v.Claim)
	}
	b.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown))
	assert.Contains(t, browsertest.Eval[string](b, `document.activeElement.getAttribute("href")`), "li2016-other")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Poll(`document.querySelector("tr.target")?.dataset.claim === "li2016/other:rate"`)
	assert.Equal(t, "#claim=li2016/other:rate", browsertest.Eval[string](b, `location.hash`))
}

const chart = `document.querySelector('[data-figure="dai2014/krr-synthetic:convergence"]')`

func useAFigure(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	unfoldTo(b, chart)
	b.Poll(`!!` + chart + `.querySelector("svg.live .line")`)
	lines := `[...` + chart + `.querySelectorAll(".live .line")].map((g) => g.dataset.method)`
	assert.Equal(t, []string{"dsg", "norma", "exact"}, browsertest.Eval[[]string](b, lines))
	const figure = `[data-figure="dai2014/krr-synthetic:convergence"]`
	b.Press(figure+" .legend", "NORMA")
	assert.Equal(t, []string{"dsg", "exact"}, browsertest.Eval[[]string](b, lines))
	assert.Equal(t, "false", browsertest.Eval[string](b, chart+`.querySelectorAll(".legend button")[1].ariaPressed`))
	b.Press(figure+" .legend", "NORMA")
	assert.Equal(t, 2, browsertest.Eval[int](b, chart+`.querySelectorAll("path.band").length`))
	b.Press(figure+" .tools", "seeds")
	assert.Equal(t, 10, browsertest.Eval[int](b, chart+`.querySelectorAll(".curve.seed").length`))
	b.Press(figure+" .tools", "seeds")
	b.Press(figure+" .tools", "log y")
	assert.Equal(t, "false", browsertest.Eval[string](b, chart+`.querySelectorAll(".tools button")[1].ariaPressed`))
	b.Press(figure+" .tools", "log y")

	downloads(t, b, figure)

	browsertest.Eval[bool](b, `(() => { `+chart+`.querySelector("svg.live").focus(); return true; })()`)
	b.Do(chromedp.KeyEvent(kb.End))
	b.Poll(`document.getElementById("spoken").textContent.startsWith("doubly stochastic gradients, iterations t 10000, ")`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Home))
	b.Poll(`document.getElementById("spoken").textContent.startsWith("NORMA, γ0 = 20 (1 of 5 seeds diverged), iterations t 1, ")`)
	assert.Contains(t, browsertest.Eval[string](b, chart+`.querySelector(".tip").textContent`), "0: ", "values of the seeds")
	assert.True(t, browsertest.Eval[bool](b, chart+`.querySelector(".line.on").dataset.method === "norma"`))
	b.Do(chromedp.KeyEvent(kb.Escape))
	browsertest.Eval[bool](b, `(() => { `+chart+`.querySelector(".chip").focus(); return true; })()`)
	assert.Equal(t, []string{"dsg"}, browsertest.Eval[[]string](b, `[...`+chart+`.querySelectorAll(".line.on")].map((g) => g.dataset.method)`), "a claim brings out its curve")
}

// useAMap points at cells of a heat map, with the pointer and with the keys.
func useAMap(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	const figure = `document.querySelector('[data-figure="dai2014/krr-synthetic:surface"]')`
	unfoldTo(b, figure)
	b.Poll(`!!` + figure + `.querySelector("svg.heat")`)
	tip := figure + `.querySelector(".tip")`
	assert.True(t, browsertest.Eval[bool](b, tip+`.hidden`))
	browsertest.Eval[bool](b, `(() => { const svg = `+figure+`.querySelector("svg.heat"), box = svg.querySelectorAll("image")[1].getBoundingClientRect();
		svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 0.99 * box.width, clientY: box.top + 0.01 * box.height })); return true; })()`)
	assert.Equal(t, "doubly stochastic gradients, 10000 iterations", browsertest.Eval[string](b, tip+`.querySelector("strong").textContent`))
	assert.Equal(t, []string{"1", "1", "−0.07", "0"}, browsertest.Eval[[]string](b, `[...`+tip+`.querySelectorAll("dd")].map((d) => d.textContent)`), "the upper right corner: 1.2 sin 3 cos 2 in steps of 0.01, and the seed")
	browsertest.Eval[bool](b, `(() => { const svg = `+figure+`.querySelector("svg.heat"); svg.dispatchEvent(new PointerEvent("pointerleave")); svg.focus(); return `+tip+`.hidden; })()`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	b.Poll(`document.getElementById("spoken").textContent.startsWith("generating function, x1 −0.75, x2 −0.75, f(x) ")`)
	b.Do(chromedp.KeyEvent(kb.PageDown))
	b.Poll(`document.getElementById("spoken").textContent.startsWith("doubly stochastic gradients, 10000 iterations, x1 −0.75, x2 −0.75, ")`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	assert.True(t, browsertest.Eval[bool](b, tip+`.hidden`))
}

// downloads takes the view of a figure as files, as the page would give them to its reader.
func downloads(t *testing.T, b *browsertest.Browser, figure string) {
	browsertest.Eval[bool](b, `(() => { window.files = []; HTMLAnchorElement.prototype.click = function () {};
		URL.createObjectURL = (blob) => { blob.arrayBuffer().then((a) => window.files.push([blob.type, a.byteLength, new TextDecoder().decode(a.slice(0, 4000))])); return "blob:none"; }; return true; })()`)
	for i, want := range [][2]string{
		{"CSV", "kind,label,seed,step,squared L_{2} distance to f,low,high\nmedian,doubly stochastic gradients,,1,"},
		{"SVG", `xmlns="http://www.w3.org/2000/svg"`}, {"PNG", ""},
	} {
		b.Press(figure+" .tools", want[0])
		b.Poll(fmt.Sprintf(`window.files.length === %d`, i+1))
		file := browsertest.Eval[[]any](b, fmt.Sprintf(`window.files[%d]`, i))
		assert.Greater(t, file[1].(float64), 1000.0, want[0])
		assert.Contains(t, file[2], want[1])
	}
}

// followLinks opens the page at links that hold a view.
func followLinks(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	open(b, "#claim=dai2014/krr-synthetic:column@1000")
	b.Poll(`document.querySelector("tr.target")?.dataset.claim === "dai2014/krr-synthetic:column@1000"`)
	assert.False(t, browsertest.Eval[bool](b, `document.querySelector("tr.target").hidden`))
	open(b, "#fig=dai2014/krr-synthetic:convergence&x=seconds&log=y&off=1&claim=dai2014/krr-synthetic:rate")
	b.Poll(`!!` + chart + `.querySelector("svg.live .line")`)
	assert.Equal(t, []any{"seconds", "false", "true", "false", "dsg"}, browsertest.Eval[[]any](b, `[`+chart+`.querySelector("select").value, ...[...`+chart+`.querySelectorAll(".tools button")].slice(0, 2).map((b) => b.ariaPressed),
		`+chart+`.querySelectorAll(".legend button")[1].ariaPressed, `+chart+`.querySelector(".line.on").dataset.method]`))
	open(b, "#verdict=failed&sort=claim")
	for _, id := range browsertest.Eval[[]string](b, shownRows) {
		assert.Contains(t, id, ":beats")
	}
	open(b, "#%E0%A4%A") // no text
	open(b, "#claim-li2016-other-rate")
	b.Poll(`document.querySelector("tr.target")?.dataset.claim === "li2016/other:rate"`)
}

// auditAccessibility lets axe-core look for violations, on a light and on a dark screen.
func auditAccessibility(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		open(b, "")
		browsertest.Eval[bool](b, `(() => { document.querySelectorAll("details").forEach((d) => (d.open = true)); `+chart+`.scrollIntoView(); return true; })()`)
		b.Poll(`!!` + chart + `.querySelector("svg.live .line")`)
		assert.Empty(t, b.Violations(), scheme)
	}
}

// fitAPhone checks that only boxes scroll sideways at 390 pixels.
func fitAPhone(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	b.Viewport(390, 844)
	defer b.Viewport(1400, 1000)
	open(b, "")
	unfoldTo(b, chart)
	b.Poll(`!!` + chart + `.querySelector("svg.live .line")`)
	assert.LessOrEqual(t, b.Width(), 390)
	long := browsertest.Eval[int](b, `[...document.querySelectorAll(".command code")].map((c) => (c.textContent += " --out /home/a/"+"long".repeat(40))).length`)
	assert.Positive(t, long)
	for _, width := range []int64{390, 800, 1400} { // commands name any folder
		b.Viewport(width, 844)
		assert.LessOrEqual(t, int64(b.Width()), width)
	}
	b.Viewport(390, 844)
	assert.Less(t, browsertest.Eval[float64](b, chart+`.querySelector(".tools").getBoundingClientRect().height`), 40.0, "the buttons of a figure stand in one line")
	assert.LessOrEqual(t, browsertest.Eval[float64](b, chart+`.querySelector(".saves").getBoundingClientRect().right`), 390.0)
	for _, address := range browsertest.Eval[[]string](b, `(({ dataset, id }) => ["#fig=" + dataset.figure, "#" + id])([...document.querySelectorAll("figure[data-live]")].at(-1))`) {
		open(b, address)
		b.Poll(`performance.now() > 2500 && (({ top, bottom }) => top < innerHeight && bottom > 0)([...document.querySelectorAll("figure[data-live]")].at(-1).getBoundingClientRect())`)
	}
	open(b, "")
}

// fitPaper checks that nothing is cut off at the right edge of a sheet of A4, which has 718 pixels between Chromium's margins.
func fitPaper(t *testing.T, b *browsertest.Browser, _ []claims.Verdict) {
	b.Print()
	b.Viewport(700, 1000)
	defer b.Scheme("light")
	defer b.Viewport(1400, 1000)
	open(b, "")
	assert.Equal(t, 700, b.Width())
	assert.Empty(t, browsertest.Eval[[]string](b, `[...document.querySelectorAll(".folds, .live-figure, .asides > details, .claims details")].filter((e) => e.checkVisibility()).map((e) => e.className)`), "paper does not unfold")
	assert.Empty(t, browsertest.Eval[[]string](b, `[...document.querySelectorAll(".claims .badge")].filter((e) => e.getBoundingClientRect().right > e.closest("td").getBoundingClientRect().right).map((e) => e.textContent)`),
		"verdicts that reach into the next column")
}

// readWithoutScript reads the page with JavaScript off: the text of every claim, number and conclusion is there.
func readWithoutScript(t *testing.T, b *browsertest.Browser, want []claims.Verdict) {
	b.Scripts(false)
	b.Open("")
	text := b.Text()
	for _, v := range want {
		assert.Contains(t, text, v.Experiment+" "+v.Claim)
		if m := figures.Measured(v); m != "" {
			assert.Contains(t, text, strings.ReplaceAll(figures.PlainText(m), "^", ""))
		}
		assert.Contains(t, text, strings.NewReplacer("_{t}", "t").Replace(v.Statement))
	}
	assert.Contains(t, text, "Another experiment")
	for _, s := range []string{
		`[...document.querySelectorAll(".experiment")].every((e) => e.querySelector("figure .sheet svg").checkVisibility())`, // a figure of each
		`document.querySelectorAll(".experiment .paper-table").length > 0`,
		`[...document.querySelectorAll(".experiment")].every((e) => e.querySelector('.folds .plain a[href$=".svg"]'))`, // files of the others
		`document.querySelector("header noscript .note").checkVisibility()`,
	} {
		assert.True(t, browsertest.Eval[bool](b, s), s)
	}
}
