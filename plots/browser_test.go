package plots

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// A browser is a page of Chromium with what it has complained about.
type browser struct {
	t        *testing.T
	ctx      context.Context
	url      string
	problems []string // errors of the console, exceptions, requests beside the page itself
}

// newBrowser opens Chromium. Where there is none the test is skipped, but not in CI, which installs it.
func newBrowser(t *testing.T, file string) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium on the path: CI installs it")
		}
		t.Skip("no Chromium on the path; apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath(path))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: "file://" + filepath.ToSlash(file)}
	b.do(chromedp.EmulateViewport(1400, 1000))
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
		case *cdplog.EventEntryAdded:
			b.problems = append(b.problems, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, b.url) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				b.problems = append(b.problems, "request for "+u)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	require.NoError(t, err)
	return b
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// open loads the page at a place.
func (b *browser) open(hash string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+hash), chromedp.WaitReady("#spoken"))
}

// eval returns the value of an expression of the page.
func eval[T any](b *browser, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js))
	require.NoError(b.t, err, js)
	return v
}

// poll waits until an expression is true.
func (b *browser) poll(js string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](js))
	require.NoError(b.t, err, js)
}

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
	exps, all := []claims.Experiment{exp, second}, append(recs, other...)
	judged := append(verdicts(exp, all), verdicts(second, all)...)
	writeSurfaces(t, dir, exp, 9)
	_, err := Write(dir, Run{exps, &records.Store{Dir: dir, Records: all}, judged}, shippedVerdicts(exp), Output{})
	require.NoError(t, err)
	path := filepath.Join(dir, "verdicts.json")
	require.NoError(t, claims.WriteVerdicts(path, judged))
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
	b := newBrowser(t, file)
	b.open("")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *browser, []claims.Verdict)
	}{
		{"numbers", numbersOfTheTable}, {"filter", filterAndSort}, {"matrix", walkTheMatrix}, {"figure", useAFigure}, {"map", useAMap},
		{"links", followLinks}, {"accessibility", auditAccessibility}, {"phone", fitAPhone}, {"without script", readWithoutScript},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			test.run(t, b, want)
		})
	}
	assert.Empty(t, b.problems, "errors of the console, and requests")
}

// numbersOfTheTable compares every number of the table with verdicts.json.
func numbersOfTheTable(t *testing.T, b *browser, want []claims.Verdict) {
	rows := eval[map[string][]string](b, `Object.fromEntries([...document.querySelectorAll("tr[data-claim]")].map((r) =>
		[r.dataset.claim, [...r.cells].map((c) => c.textContent.trim()).concat(r.dataset.measured ?? "")]))`)
	assert.Len(t, rows, len(want))
	for _, v := range want {
		row, id := rows[v.Experiment+":"+v.Claim], v.Experiment+":"+v.Claim
		if !assert.Len(t, row, 6, id) {
			continue
		}
		word := string(v.Verdict)
		if v.AtSize != "" {
			word += " at this size: " + string(v.AtSize)
		}
		assert.Equal(t, word, strings.Join(strings.Fields(row[0]), " "), id)
		published, shown := plainText(marked(v)), plainText(measured(v))
		if published == "" {
			published = "no number"
		}
		if shown == "" {
			shown = "none"
		}
		assert.Equal(t, published, row[2], id)
		assert.Equal(t, strings.ReplaceAll(shown, "^", ""), row[3], id)
		if v.Measured == nil {
			assert.Empty(t, row[5], id)
			continue
		}
		var number float64
		require.NoError(t, json.Unmarshal([]byte(row[5]), &number), id)
		assert.Equal(t, *v.Measured, number, id)
	}
}

const shownRows = `[...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden).map((r) => r.dataset.claim)`

// choose sets a control of the page to a value.
func (b *browser) choose(label, value string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const s = [...document.querySelectorAll("#claims label")].find((l) => l.textContent.startsWith(%q)).querySelector("select");
		s.value = %q; s.dispatchEvent(new Event("change")); return s.value === %[2]q; })()`, label, value))
}

// press clicks the button with a text, in the element that a selector names.
func (b *browser) press(within, text string) {
	b.t.Helper()
	assert.True(b.t, eval[bool](b, fmt.Sprintf(`(() => { const x = [...document.querySelector(%q).querySelectorAll("button")].find((b) => b.textContent.trim().startsWith(%q)); x?.click(); return !!x; })()`, within, text)), text)
}

func filterAndSort(t *testing.T, b *browser, want []claims.Verdict) {
	all := eval[[]string](b, shownRows)
	numbers := 0
	for _, v := range want {
		if v.Column != "" {
			numbers++
		}
	}
	assert.Len(t, all, len(want)-numbers, "numbers of printed tables are folded")
	b.press("#claims", "numbers of printed tables")
	assert.Len(t, eval[[]string](b, shownRows), len(want))
	b.choose("paper", "li2016")
	for _, id := range eval[[]string](b, shownRows) {
		assert.Contains(t, id, "li2016/")
	}
	b.press("#claims", "reset")
	b.choose("verdict", string(claims.Failed))
	for _, id := range eval[[]string](b, shownRows) {
		assert.Contains(t, id, ":beats")
	}
	b.press("#claims", "reset")
	eval[bool](b, `(() => { const s = document.querySelector("#claims input"); s.value = "test error of"; s.dispatchEvent(new Event("input")); return true; })()`)
	assert.Equal(t, []string{"dai2014/krr-synthetic:error", "li2016/other:error"}, eval[[]string](b, shownRows)[:2])
	assert.Less(t, len(eval[[]string](b, shownRows)), len(all))
	b.press("#claims", "reset")
	b.press("#claims thead", "measured")
	sorted := eval[[]float64](b, `[...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden && r.dataset.measured).map((r) => Number(r.dataset.measured))`)
	assert.IsIncreasing(t, dedupe(sorted))
	assert.Equal(t, "ascending", eval[string](b, `document.querySelector("th[aria-sort]").ariaSort`))
	b.press("#claims", "reset")
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
func walkTheMatrix(t *testing.T, b *browser, want []claims.Verdict) {
	assert.Equal(t, 1, eval[int](b, `document.querySelectorAll("#matrix a[tabindex='0']").length`), "one stop of the Tab key")
	eval[bool](b, `(() => { document.querySelector("#matrix a[tabindex='0']").focus(); return true; })()`)
	seen := map[string]bool{}
	for range want {
		seen[eval[string](b, `document.activeElement.getAttribute("href")`)] = true
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	for _, v := range want {
		assert.True(t, seen["#claim-"+anchor(v.Experiment)+"-"+anchor(v.Claim)], "%s %s", v.Experiment, v.Claim)
	}
	b.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown))
	assert.Contains(t, eval[string](b, `document.activeElement.getAttribute("href")`), "li2016-other")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.poll(`document.querySelector("tr.target")?.dataset.claim === "li2016/other:rate"`)
	assert.Equal(t, "#claim=li2016/other:rate", eval[string](b, `location.hash`))
}

const chart = `document.querySelector('[data-figure="dai2014/krr-synthetic:convergence"]')`

func useAFigure(t *testing.T, b *browser, _ []claims.Verdict) {
	eval[bool](b, `(() => { `+chart+`.scrollIntoView(); return true; })()`)
	b.poll(`!!` + chart + `.querySelector("svg.live .line")`)
	lines := `[...` + chart + `.querySelectorAll(".live .line")].map((g) => g.dataset.method)`
	assert.Equal(t, []string{"dsg", "norma", "exact"}, eval[[]string](b, lines))
	const figure = `[data-figure="dai2014/krr-synthetic:convergence"]`
	b.press(figure+" .legend", "NORMA")
	assert.Equal(t, []string{"dsg", "exact"}, eval[[]string](b, lines))
	assert.Equal(t, "false", eval[string](b, chart+`.querySelectorAll(".legend button")[1].ariaPressed`))
	b.press(figure+" .legend", "NORMA")
	assert.Equal(t, 2, eval[int](b, chart+`.querySelectorAll("path.band").length`))
	b.press(figure+" .tools", "all seeds")
	assert.Equal(t, 10, eval[int](b, chart+`.querySelectorAll(".curve.seed").length`))
	b.press(figure+" .tools", "all seeds")
	b.press(figure+" .tools", "log y")
	assert.Equal(t, "false", eval[string](b, chart+`.querySelectorAll(".tools button")[1].ariaPressed`))
	b.press(figure+" .tools", "log y")

	downloads(t, b, figure)

	eval[bool](b, `(() => { `+chart+`.querySelector("svg.live").focus(); return true; })()`)
	b.do(chromedp.KeyEvent(kb.End))
	b.poll(`document.getElementById("spoken").textContent.startsWith("doubly stochastic gradients, iterations t 10000, ")`)
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Home))
	b.poll(`document.getElementById("spoken").textContent.startsWith("NORMA, γ0 = 20 (1 of 5 seeds diverged), iterations t 1, ")`)
	assert.Contains(t, eval[string](b, chart+`.querySelector(".tip").textContent`), "0: ", "values of the seeds")
	assert.True(t, eval[bool](b, chart+`.querySelector(".line.on").dataset.method === "norma"`))
	b.do(chromedp.KeyEvent(kb.Escape))
	eval[bool](b, `(() => { `+chart+`.querySelector(".chip").focus(); return true; })()`)
	assert.Equal(t, []string{"dsg"}, eval[[]string](b, `[...`+chart+`.querySelectorAll(".line.on")].map((g) => g.dataset.method)`), "a claim brings out its curve")
}

// useAMap points at cells of a heat map, with the pointer and with the keys.
func useAMap(t *testing.T, b *browser, _ []claims.Verdict) {
	const figure = `document.querySelector('[data-figure="dai2014/krr-synthetic:surface"]')`
	eval[bool](b, `(() => { `+figure+`.scrollIntoView({ block: "center" }); return true; })()`)
	b.poll(`!!` + figure + `.querySelector("svg.heat")`)
	tip := figure + `.querySelector(".tip")`
	assert.True(t, eval[bool](b, tip+`.hidden`))
	eval[bool](b, `(() => { const svg = `+figure+`.querySelector("svg.heat"), box = svg.querySelectorAll("image")[1].getBoundingClientRect();
		svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 0.99 * box.width, clientY: box.top + 0.01 * box.height })); return true; })()`)
	assert.Equal(t, "doubly stochastic gradients, 10000 iterations", eval[string](b, tip+`.querySelector("strong").textContent`))
	assert.Equal(t, []string{"1", "1", "−0.07", "0"}, eval[[]string](b, `[...`+tip+`.querySelectorAll("dd")].map((d) => d.textContent)`), "the upper right corner: 1.2 sin 3 cos 2 in steps of 0.01, and the seed")
	eval[bool](b, `(() => { const svg = `+figure+`.querySelector("svg.heat"); svg.dispatchEvent(new PointerEvent("pointerleave")); svg.focus(); return `+tip+`.hidden; })()`)
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	b.poll(`document.getElementById("spoken").textContent.startsWith("generating function, x1 −0.75, x2 −0.75, f(x) ")`)
	b.do(chromedp.KeyEvent(kb.PageDown))
	b.poll(`document.getElementById("spoken").textContent.startsWith("doubly stochastic gradients, 10000 iterations, x1 −0.75, x2 −0.75, ")`)
	b.do(chromedp.KeyEvent(kb.Escape))
	assert.True(t, eval[bool](b, tip+`.hidden`))
}

// TestReportOfTwoRunsInABrowser draws the curves of both runs.
func TestReportOfTwoRunsInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir, exp, recs := t.TempDir(), experiment(), demoRecords()
	_, err := Write(dir, Run{[]claims.Experiment{exp}, &records.Store{Dir: dir, Records: recs}, verdicts(exp, recs)}, nil, Output{Beside: otherRun("yesterday")})
	require.NoError(t, err)
	b := newBrowser(t, filepath.Join(dir, "report.html"))
	b.open("#beside")
	eval[bool](b, `(() => { `+chart+`.scrollIntoView(); return true; })()`)
	b.poll(`!!` + chart + `.querySelector("svg.live .line")`)
	assert.Equal(t, []string{"dsg", "dsg", "norma", "exact"}, eval[[]string](b, `[...`+chart+`.querySelectorAll(".live .line")].map((g) => g.dataset.method)`))
	assert.Equal(t, "doubly stochastic gradients (yesterday)", eval[string](b, chart+`.querySelectorAll(".legend button")[3].textContent`))
	auditAccessibility(t, b, nil)
	fitAPhone(t, b, nil)
	assert.Empty(t, b.problems, "errors of the console, and requests")
}

// downloads takes the view of a figure as files, as the page would give them to its reader.
func downloads(t *testing.T, b *browser, figure string) {
	eval[bool](b, `(() => { window.files = []; HTMLAnchorElement.prototype.click = function () {};
		URL.createObjectURL = (blob) => { blob.arrayBuffer().then((a) => window.files.push([blob.type, a.byteLength, new TextDecoder().decode(a.slice(0, 4000))])); return "blob:none"; }; return true; })()`)
	for i, want := range [][2]string{
		{"CSV", "kind,label,seed,step,squared L_{2} distance to f,low,high\nmedian,doubly stochastic gradients,,1,"},
		{"SVG", `xmlns="http://www.w3.org/2000/svg"`}, {"PNG", ""},
	} {
		b.press(figure+" .tools", want[0])
		b.poll(fmt.Sprintf(`window.files.length === %d`, i+1))
		file := eval[[]any](b, fmt.Sprintf(`window.files[%d]`, i))
		assert.Greater(t, file[1].(float64), 1000.0, want[0])
		assert.Contains(t, file[2], want[1])
	}
}

// followLinks opens the page at links that hold a view.
func followLinks(t *testing.T, b *browser, _ []claims.Verdict) {
	b.open("#claim=dai2014/krr-synthetic:column@1000")
	b.poll(`document.querySelector("tr.target")?.dataset.claim === "dai2014/krr-synthetic:column@1000"`)
	assert.False(t, eval[bool](b, `document.querySelector("tr.target").hidden`))
	b.open("#fig=dai2014/krr-synthetic:convergence&x=seconds&log=y&off=1&claim=dai2014/krr-synthetic:rate")
	b.poll(`!!` + chart + `.querySelector("svg.live .line")`)
	assert.Equal(t, []any{"seconds", "false", "true", "false", "dsg"}, eval[[]any](b, `[`+chart+`.querySelector("select").value, ...[...`+chart+`.querySelectorAll(".tools button")].slice(0, 2).map((b) => b.ariaPressed),
		`+chart+`.querySelectorAll(".legend button")[1].ariaPressed, `+chart+`.querySelector(".line.on").dataset.method]`))
	b.open("#verdict=failed&sort=claim")
	for _, id := range eval[[]string](b, shownRows) {
		assert.Contains(t, id, ":beats")
	}
	b.open("#claim-li2016-other-rate")
	b.poll(`document.querySelector("tr.target")?.dataset.claim === "li2016/other:rate"`)
}

// auditAccessibility lets axe-core look for violations, on a light and on a dark screen.
func auditAccessibility(t *testing.T, b *browser, _ []claims.Verdict) {
	axe, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	require.NoError(t, err)
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		require.NoError(t, err)
		b.open("")
		eval[bool](b, `(() => { document.querySelectorAll("details").forEach((d) => (d.open = true)); `+chart+`.scrollIntoView(); return true; })()`)
		b.poll(`!!` + chart + `.querySelector("svg.live .line")`)
		eval[bool](b, string(axe)+"; true")
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`axe.run({resultTypes: ["violations"]}).then((r) => r.violations
			.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 150) + " " + (n.any[0]?.message ?? "")).join(" | ")))`,
			chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		assert.Empty(t, found, scheme)
	}
}

// fitAPhone checks that only boxes scroll sideways at 390 pixels.
func fitAPhone(t *testing.T, b *browser, _ []claims.Verdict) {
	b.do(chromedp.EmulateViewport(390, 844))
	defer b.do(chromedp.EmulateViewport(1400, 1000))
	b.open("")
	assert.LessOrEqual(t, eval[int](b, `document.documentElement.scrollWidth`), 390)
}

// readWithoutScript reads the page with JavaScript off: the text of every claim, number and conclusion is there.
func readWithoutScript(t *testing.T, b *browser, want []claims.Verdict) {
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url), chromedp.WaitReady("#spoken"))
	text, err := chromedp.Run(b.ctx, chromedp.TextContent("main"))
	require.NoError(t, err)
	for _, v := range want {
		assert.Contains(t, text, v.Experiment+" "+v.Claim)
		if m := measured(v); m != "" {
			assert.Contains(t, text, strings.ReplaceAll(plainText(m), "^", ""))
		}
		assert.Contains(t, text, strings.NewReplacer("_{t}", "t").Replace(v.Statement))
	}
	assert.Contains(t, text, "Another experiment")
	drawn, err := chromedp.Run(b.ctx, chromedp.Nodes("figure .sheet svg"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(drawn), 5, "figures on paper")
}
