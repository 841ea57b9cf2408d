package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/plots/browsertest"
	"repro/results/bundles"
	"repro/runner"
)

// under is where the site of the test lies on its server.
const under = "/teaching/kernels/"

var siteFolder string // that TestMain removes

// written is the folder with the site as repro docs writes it, once for all tests.
var written = sync.OnceValues(func() (string, error) {
	var r docsRequest
	var err error
	if r.Out, err = os.MkdirTemp("", "repro-learn-test-"); err != nil {
		return "", err
	}
	siteFolder = r.Out
	return r.Out, showDocs(context.Background(), terminal.New(io.Discard, io.Discard), r)
})

// served serves the site as any web server would, below a path.
func served(t *testing.T) (*browsertest.Browser, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program for browsers and starts one")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on the path, which builds the program of pages")
	}
	t.Chdir("../../..")
	folder, err := written()
	require.NoError(t, err)
	host := httptest.NewServer(http.StripPrefix(under, http.FileServer(http.Dir(folder))))
	t.Cleanup(host.Close)
	b := browsertest.New(t, "")
	b.Serve(host.URL, under+"index.html")
	downloads := t.TempDir()
	_, err = chromedp.Call(b.Ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: downloads})
	require.NoError(t, err)
	return b, downloads
}

// visit opens a page of the site.
func visit(b *browsertest.Browser, page, hash string) {
	b.T.Helper()
	b.Serve(b.Host(), under+page)
	b.Open(hash)
}

// saved waits for a file that the page saves.
func saved(t *testing.T, dir, name string) []byte {
	t.Helper()
	for range 200 {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(text) > 0 {
			return text
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Fail(t, "the page saved no "+name)
	return nil
}

func js(format string, args ...any) string {
	var quoted []any
	for _, a := range args {
		text, _ := json.Marshal(a) // strings and numbers
		quoted = append(quoted, string(text))
	}
	return fmt.Sprintf(format, quoted...)
}

// ran waits until the run in an element has ended, as it should.
func ran(b *browsertest.Browser, within string) {
	b.T.Helper()
	b.PollFor(5*time.Minute, js(`((box) => /\d runs in/.test(box.querySelector("[role=status]:not(.note)").textContent) || !box.querySelector(".note").hidden)(document.querySelector(%s))`, within))
	state := browsertest.Eval[string](b, js(`document.querySelector(%s + " [role=status]:not(.note)").textContent`, within))
	assert.Contains(b.T, state, " runs in ", browsertest.Eval[string](b, js(`document.querySelector(%s + " .note").textContent`, within)))
}

// TestPlayground edits a spec, runs it, moves a slider, takes a link and a bundle along, and drops data.
func TestPlayground(t *testing.T) {
	b, downloads := served(t)
	visit(b, "playground.html", "")
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	small := func(s string) string {
		return strings.NewReplacer("train = 4096, test = 1024", "train = 200, test = 50", "points = 20", "points = 5").Replace(s)
	}
	text := small(browsertest.Eval[string](b, `document.querySelector(".play .text").value`))
	write := func(text string) {
		browsertest.Eval[bool](b, js(`((t) => { const a = document.querySelector(".play .text"); a.value = t; a.dispatchEvent(new Event("input")); return true; })(%s)`, text))
	}
	write(strings.Replace(text, "gamma0", "gama0", 1))
	b.Poll(`!!document.querySelector(".mistakes li")`)
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".mistakes").textContent`), "gamma0")
	assert.NotEmpty(t, browsertest.Eval[string](b, `document.querySelector(".lines .wrong").textContent`))
	assert.True(t, browsertest.Eval[bool](b, `document.querySelector(".play button.run").disabled`))

	write(text)
	b.Poll(`!document.querySelector(".play button.run").disabled && !document.querySelector(".mistakes li")`)
	run := func() string {
		b.Press(".play", "Run")
		ran(b, ".play")
		return browsertest.Eval[string](b, `document.querySelector(".play .figures .line[data-line='0'] path").getAttribute("d")`)
	}
	before := run()
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".verdicts").textContent`), "The exact solution has the smaller test error")
	browsertest.Eval[bool](b, `(() => { const r = [...document.querySelectorAll(".sliders input")].find((i) => i.getAttribute("aria-label") === "gamma0 of dsg"); r.value = -8; r.dispatchEvent(new Event("input")); return true; })()`)
	moved := browsertest.Eval[string](b, `document.querySelector(".play .text").value`)
	assert.Contains(t, moved, "gamma0 = 5.0,")
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	assert.NotEqual(t, before, run(), "another step size, another curve")

	b.Press(".play", "Save what was measured")
	require.NotEmpty(t, saved(t, downloads, "my.zip"))
	bundle, err := bundles.Read(filepath.Join(downloads, "my.zip"))
	require.NoError(t, err)
	assert.Empty(t, bundle.Faults)
	assert.Len(t, bundle.Records, 6)

	b.Press(".play", "Copy a link")
	b.Poll(`location.hash.includes("spec=")`)
	hash := browsertest.Eval[string](b, `location.hash`)
	b.Keep("playground")
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		assert.Empty(t, b.Violations(), scheme)
	}
	visit(b, "playground.html", hash)
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	assert.Equal(t, moved, browsertest.Eval[string](b, `document.querySelector(".play .text").value`), "the link has the spec")
	assert.Equal(t, 0, browsertest.Eval[int](b, `document.querySelectorAll(".figures figure").length`), "a link runs nothing")

	drop := func(name, text string) {
		browsertest.Eval[bool](b, js(`((name, text) => { const d = new DataTransfer(); d.items.add(new File([text], name)); document.querySelector(".play").dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); return true; })(%s, %s)`, name, text))
	}
	rows := "a,b,y\n"
	for i := range 60 {
		rows += fmt.Sprintf("%g,%g,%g\n", float64(i)/60, float64(i*7%60)/60, math.Sin(float64(i)/9))
	}
	drop("mine.csv", rows)
	b.Poll(`document.querySelector(".play .note").textContent.includes("mine.csv is in this page")`)
	write(strings.Replace(text, `data = { name = "dai2014-synthetic", train = 200, test = 50 }`, `data = { file = "mine.csv", header = true, holdout = 0.25 }`, 1))
	b.Poll(`!document.querySelector(".play button.run").disabled && !document.querySelector(".mistakes li")`)
	run()

	curves, err := os.ReadFile("docs/examples/curves/curves.csv")
	require.NoError(t, err)
	drop("curves.csv", string(curves))
	b.Poll(`!!document.querySelector(".play .note button")`)
	b.Press(".play .note", "judge them")
	b.Poll(`document.querySelector(".play .text").value.includes("[curves]") && document.querySelector(".play .note").textContent.includes("judges the curves")`)
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	run()
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".verdicts").textContent`), "reproduced")
	assert.Equal(t, 2, browsertest.Eval[int](b, `document.querySelector(".play .figures figure").querySelectorAll(".line[data-line]").length`))

	b.Viewport(390, 844)
	visit(b, "playground.html", "")
	assert.LessOrEqual(t, b.Width(), 390)
	b.Keep("playground-phone")
	visit(b, "playground.html", "#spec=AAAA&file=%3Cimg%20onerror%3D1%3E")
	b.Poll(`document.querySelector(".play .note").textContent.includes("damaged")`)
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// firstQuestion returns how long a phone waits for the first question of a lesson: with a processor four times as slow, and 9 Mbit/s
// with 85 ms to and fro.
func firstQuestion(b *browsertest.Browser, page string) time.Duration {
	b.T.Helper()
	throttle := func(rate float64, conditions ...*network.Conditions) {
		_, err := chromedp.Call(b.Ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
		require.NoError(b.T, err)
		_, err = chromedp.Call(b.Ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: append([]*network.Conditions{}, conditions...)})
		require.NoError(b.T, err)
	}
	throttle(4, &network.Conditions{Latency: 85, DownloadThroughput: 9e6 / 8, UploadThroughput: 3e6 / 8})
	defer throttle(1)
	began := time.Now()
	visit(b, page, "")
	b.Poll(`!!document.querySelector(".ask button[type=submit]")`)
	return time.Since(began)
}

// drawWithThePointer draws a curve over four of its five places at once.
func drawWithThePointer(b *browsertest.Browser) {
	b.T.Helper()
	browsertest.Eval[bool](b, `(document.querySelector("#ask-curve svg.draw").scrollIntoView({ block: "center" }), true)`)
	at := browsertest.Eval[[][2]float64](b, `[...document.querySelectorAll("#ask-curve [role=slider]")].map((c) => c.getBoundingClientRect()).map((r) => [r.x + r.width / 2, r.y + r.height / 2])`)
	for i, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased} {
		p := at[min(3*i, 3)]
		_, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: p[0], Y: p[1] - 60 + 50*float64(i), Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1})
		require.NoError(b.T, err)
	}
	values := browsertest.Eval[[]string](b, `[...document.querySelectorAll("#ask-curve input[type=number]")].map((i) => i.value)`)
	require.Len(b.T, values, 5)
	assert.NotContains(b.T, values[:4], "", "the pointer passed over them")
	assert.Empty(b.T, values[4])
}

// TestLessonInThePage takes lesson 9 from its questions to its exercise, and hands the answers in.
func TestLessonInThePage(t *testing.T) {
	b, downloads := served(t)
	first := firstQuestion(b, "lessons/09-features.html")
	t.Logf("the first question is there after %v", first)
	assert.Less(t, first, 8*time.Second)
	visit(b, "lessons/09-features.html", "")
	assert.True(t, browsertest.Eval[bool](b, `document.querySelector("#run-base button.run").disabled`), "first the predictions")
	drawWithThePointer(b)
	for i, y := range []float64{1, 0.1, 0.05, 0.02, 0.01} {
		browsertest.Eval[bool](b, js(`((i, y) => { const f = document.querySelectorAll("#ask-curve .tools-numbers input")[i]; f.value = y; f.dispatchEvent(new Event("change")); return true; })(%s, %s)`, i, y))
	}
	b.Press("#ask-curve", "This is my prediction")
	browsertest.Eval[bool](b, `document.querySelector("#ask-gain input[value='3']").click(), true`)
	b.Press("#ask-gain", "This is my prediction")
	b.Press("#ask-rows", "This is my prediction")
	b.Poll(`!document.querySelector("#run-base button.run").disabled`)
	b.Press("#run-base", "Run")
	ran(b, "#run-base")
	b.Poll(`!document.querySelector(".told").hidden`)
	text := b.Text()
	for _, want := range []string{"You predicted: hardly anything", "Not as you predicted.", "As you predicted.", "slope against n, with √n log √n features: -"} {
		assert.Contains(t, text, want)
	}
	assert.True(t, browsertest.Eval[bool](b, `[...document.querySelectorAll("#run-base .legend button")].some((x) => x.textContent === "your prediction")`))
	b.Keep("lesson-live")

	b.Press("#ask-source", "show me without")
	b.Press("#run-source", "Run it with the change")
	ran(b, "#run-source")
	b.Poll(`[...document.querySelectorAll(".told")].every((e) => !e.hidden)`)
	before := browsertest.Eval[string](b, `document.querySelector("#run-base .line[data-line='0'] path").getAttribute("d")`)
	browsertest.Eval[bool](b, `(document.querySelector("#run-base .own").open = true)`)
	b.Poll(`!!document.querySelector("#run-base .own .sliders input[aria-label='gamma0 of sgd']")`)
	browsertest.Eval[bool](b, `(() => { const r = document.querySelector("#run-base .own .sliders input[aria-label='gamma0 of sgd']"); r.value = -8; r.dispatchEvent(new Event("input")); return true; })()`)
	b.Poll(`!document.querySelector("#run-base .own button.run").disabled`)
	b.Press("#run-base .own", "Run")
	b.Poll(`!!document.querySelector("#run-base .own .figures .line path")`)
	ran(b, "#run-base .own")
	assert.NotEqual(t, before, browsertest.Eval[string](b, `document.querySelector("#run-base .own .line[data-line='0'] path").getAttribute("d")`), "a slider changes the curve")

	b.Press("#exercise", "Open the spec")
	b.Poll(`document.querySelector("#exercise textarea")?.value.includes("features = 16")`)
	solve := func(features string) {
		browsertest.Eval[bool](b, js(`((t) => { const a = document.querySelector("#exercise textarea"); a.value = a.value.replace(/features = (16|32)\b/, "features = " + t); a.dispatchEvent(new Event("input")); return true; })(%s)`, features))
		b.Press("#exercise", "Check my solution")
		b.PollFor(5*time.Minute, `!document.querySelector("#exercise .check").disabled`)
	}
	solve("32")
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".judged").textContent`), "Not yet. The risk is")
	solve("266")
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".judged").textContent`), "Solved.")
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		assert.Empty(t, b.Violations(), scheme)
	}

	b.Press(".progress", "save my answers")
	answers := saved(t, downloads, "state.json")
	const settled = `document.querySelectorAll(".ask.settled").length`
	asked := browsertest.Eval[int](b, settled)
	time.Sleep(time.Second) // the browser writes what a page keeps a little later
	visit(b, "lessons/09-features.html", "")
	assert.Equal(t, asked, browsertest.Eval[int](b, settled), "the answers are kept")
	browsertest.Eval[bool](b, `(localStorage.removeItem("repro-answers"), true)`)
	visit(b, "lessons/09-features.html", "")
	assert.Zero(t, browsertest.Eval[int](b, settled))
	browsertest.Eval[bool](b, js(`((text) => { const d = new DataTransfer(); d.items.add(new File([text], "state.json")); const i = document.querySelector(".progress input[type=file]"); i.files = d.files; i.dispatchEvent(new Event("change")); return true; })(%s)`, string(answers)))
	require.Eventually(t, func() bool { // the page loads itself again
		n, err := chromedp.Run(b.Ctx, chromedp.Evaluate[int](settled))
		return err == nil && n == asked-1 // one was skipped, and has no answer in the file
	}, time.Minute, 100*time.Millisecond)
	state, err := lessons.ReadState(answers)
	require.NoError(t, err)
	session, err := lessons.Open(t.TempDir(), &lessonScreen{Output: terminal.New(io.Discard, io.Discard).Stdout, ctx: t.Context()}, trainer(terminal.New(io.Discard, io.Discard), runner.Options{Library: flags.Library(terminal.New(io.Discard, io.Discard))}))
	require.NoError(t, err)
	all, err := lessons.Read()
	require.NoError(t, err)
	results, err := session.GradeState(context.WithoutCancel(t.Context()), all[8], state)
	require.NoError(t, err)
	status := map[string]string{}
	for _, test := range results.Tests {
		status[test.Name] = test.Status
	}
	assert.Equal(t, "pass", status["gain"])
	assert.Equal(t, "fail", status["rows"])
	assert.Equal(t, "fail", status["source"], "it was skipped")
	assert.Equal(t, "pass", status["exercise"])

	b.Viewport(390, 844)
	visit(b, "lessons/09-features.html", "")
	assert.LessOrEqual(t, b.Width(), 390)
	b.Keep("lesson-live-phone")
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// keys presses keys as a reader without a mouse does.
func keys(b *browsertest.Browser, all string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(all))
}

// tab goes to the next element that a selector names, by the Tab key alone.
func tab(b *browsertest.Browser, selector string) {
	b.T.Helper()
	for range 400 {
		keys(b, kb.Tab)
		if browsertest.Eval[bool](b, js(`document.activeElement.matches(%s)`, selector)) {
			shown := browsertest.Eval[bool](b, `document.activeElement.matches(":focus-visible") && document.activeElement.getBoundingClientRect().width > 0`)
			assert.True(b.T, shown, "the reader sees where %s is", selector)
			return
		}
	}
	require.Fail(b.T, "no key leads to "+selector)
}

// TestKeyboard takes lesson 6 from its questions to its exercise, and runs a spec in the playground, with keys alone.
func TestKeyboard(t *testing.T) {
	b, _ := served(t)
	visit(b, "lessons/06-heaviside.html", "")
	b.Poll(`!!document.querySelector(".ask button[type=submit]")`)
	for i := range browsertest.Eval[int](b, `document.querySelectorAll("#ask-curve [role=slider]").length`) {
		tab(b, "#ask-curve [role=slider]")
		keys(b, kb.End+strings.Repeat(kb.PageDown, i+1))
	}
	tab(b, "#ask-curve button[type=submit]")
	keys(b, kb.Enter)
	tab(b, "#ask-patience input")
	keys(b, "3"+kb.Enter)
	tab(b, "#ask-series input")
	keys(b, kb.ArrowDown)
	tab(b, "#ask-series button[type=submit]")
	keys(b, kb.Enter)
	assert.Equal(t, 3, browsertest.Eval[int](b, `document.querySelectorAll(".ask.settled").length`), "all questions have answers")
	tab(b, "#run-base button.run")
	keys(b, kb.Enter)
	ran(b, "#run-base")
	b.Poll(`document.querySelector("main").textContent.includes("You predicted: 3")`)
	tab(b, "#exercise button")
	keys(b, kb.Enter)
	b.Poll(`document.querySelector("#exercise textarea")?.value.includes("time = ") && !document.querySelector("#exercise .bench button.run").disabled`)
	tab(b, "#exercise textarea")
	line := browsertest.Eval[int](b, `(() => { document.activeElement.setSelectionRange(0, 0); return document.activeElement.value.split("\n").findIndex((l) => /\btime = /.test(l)); })()`)
	after := browsertest.Eval[int](b, js(`document.activeElement.value.split("\n")[%s].match(/.*\btime = [\d.]+/)[0].length`, line))
	keys(b, strings.Repeat(kb.ArrowDown, line)+strings.Repeat(kb.ArrowRight, after)+strings.Repeat(kb.Backspace, 3)+"0.005")
	assert.Contains(t, browsertest.Eval[string](b, `document.activeElement.value`), "time = 0.005")
	tab(b, "#exercise .check")
	keys(b, kb.Enter)
	b.PollFor(5*time.Minute, `/Solved|Not yet|mistake|stopped/.test(document.querySelector(".judged").textContent)`)
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".judged").textContent`), "Solved.")

	visit(b, "playground.html", "")
	b.Poll(`!!document.querySelector(".play .text")?.value`)
	browsertest.Eval[bool](b, `(() => { const a = document.querySelector(".play .text"); a.value = a.value.replace("train = 4096", "train = 256").replace('y = "test-mse" }]', 'y = "test-mse" }, { id = "function", kind = "heatmap" }]').replace("points = 20", "points = 5, surface = 31"); a.dispatchEvent(new Event("input")); return true; })()`)
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	assert.Equal(t, "a small spec of your own", browsertest.Eval[string](b, `document.querySelector(".play select").selectedOptions[0].textContent`))
	tab(b, ".play select")
	tab(b, ".sliders input")
	before := browsertest.Eval[string](b, `document.querySelector(".play .text").value`)
	keys(b, kb.ArrowLeft)
	assert.NotEqual(t, before, browsertest.Eval[string](b, `document.querySelector(".play .text").value`), "an arrow moves a number of the spec")
	keys(b, kb.ArrowRight)
	b.Poll(`!document.querySelector(".play button.run").disabled`)
	browsertest.Eval[bool](b, `(() => { document.querySelector(".play select").focus(); return true; })()`)
	tab(b, ".play button.run")
	keys(b, kb.Enter)
	ran(b, ".play")
	assert.GreaterOrEqual(t, browsertest.Eval[int](b, `document.querySelectorAll(".play .scale-bar text").length`), 4, "maps have a scale, with its name and numbers")
	b.Keep("playground-maps")
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		assert.Empty(t, b.Violations(), scheme)
	}
	tab(b, ".play .figures [role=application]")
	keys(b, kb.ArrowRight)
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// before lets every page that is opened from now on run a script first, until the function that it returns is called.
func before(b *browsertest.Browser, script string) (over func()) {
	b.T.Helper()
	added, err := chromedp.Call(b.Ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	require.NoError(b.T, err)
	return func() {
		_, err := chromedp.Call(b.Ctx, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams(added))
		require.NoError(b.T, err)
	}
}

// inWorkers is a script that lets every worker run another one first.
func inWorkers(script string) string {
	return js(`const Plain = Blob; globalThis.Blob = function (parts, o) { return new Plain(o?.type === "text/javascript" ? [%s, ...parts] : parts, o); };`, script+"\n")
}

// TestTrouble takes from the playground what it needs: it says in a sentence what is missing, keeps what was measured, and goes on.
func TestTrouble(t *testing.T) {
	b, downloads := served(t)
	note := func() string { return browsertest.Eval[string](b, `document.querySelector(".play .note").textContent`) }
	open := func(hash string) {
		visit(b, "playground.html", hash)
		b.Poll(`!!document.querySelector(".play .text")?.value`)
	}
	for _, lacking := range []struct{ script, says string }{
		{`delete globalThis.WebAssembly`, "This browser cannot run programs in pages: it has no WebAssembly"},
		{`WebAssembly.compile = () => Promise.reject(new RangeError("WebAssembly.compile(): Out of memory"))`, "It had no memory left: close other tabs"},
		{inWorkers(`WebAssembly.instantiate = () => Promise.reject(new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance"));`), "It had no memory left: close other tabs"},
	} {
		over := before(b, lacking.script)
		open("")
		b.Poll(`!!document.querySelector(".play .note").textContent`)
		assert.Contains(t, note(), lacking.says)
		assert.Equal(t, 0, strings.Count(note(), "undefined"))
		over()
	}

	open("")
	write := func(old, new string) {
		browsertest.Eval[bool](b, js(`((o, n) => { const a = document.querySelector(".play .text"); a.value = a.value.replace(o, n); a.dispatchEvent(new Event("input")); return true; })(%s, %s)`, old, new))
	}
	ready := `!document.querySelector(".play button.run").disabled`
	b.Poll(ready)
	write("train = 4096", "train = 36000")
	b.Poll(`document.querySelector(".play .bench").textContent.includes("of memory, and a page has")`)
	assert.Regexp(t, `It would need 1\d GB of memory, and a page has 2\.1 GB`, browsertest.Eval[string](b, `document.querySelector(".play .bench").textContent`))
	assert.True(t, browsertest.Eval[bool](b, `document.querySelector(".play button.run").disabled`))

	write("train = 36000", "train = 4096")
	b.Poll(ready)
	line := `!!document.querySelector(".play .figures .line path")`
	state := `document.querySelector(".play [role=status]:not(.note)").textContent`
	b.Press(".play", "Run")
	b.Poll(line)
	b.Press(".play", "Stop")
	b.Poll(state + `.includes("what was measured stays") && !!document.querySelector(".verdicts table")`)
	assert.True(t, browsertest.Eval[bool](b, line), "the curve stays")
	b.Press(".play", "Save what was measured")
	require.NotEmpty(t, saved(t, downloads, "my.zip"))
	bundle, err := bundles.Read(filepath.Join(downloads, "my.zip"))
	require.NoError(t, err)
	assert.Empty(t, bundle.Faults)
	assert.NotEmpty(t, bundle.Records)

	// Workers that end in the middle: with words, as where the memory of the program ends, and silently, as browsers end them.
	after := func(last string) string {
		return inWorkers(`const post = postMessage; let tells = 0; globalThis.postMessage = (m, t) => { if (m.kind === "tell") ++tells; if (tells === 2) { tells = 3; ` + last + ` } if (tells < 2) post(m, t); };`)
	}
	over := before(b, after(`post({ kind: "dead", id: null, value: "out of memory" });`))
	open("")
	b.Poll(ready)
	b.Press(".play", "Run")
	b.Poll(state + `.includes("what was measured stays")`)
	assert.Contains(t, note(), "The program stopped: out of memory. It had no memory left: close other tabs")
	assert.True(t, browsertest.Eval[bool](b, ready), "it can run again")
	b.Keep("playground-dead")
	over()

	b.Viewport(390, 844)
	open("")
	assert.LessOrEqual(t, browsertest.Eval[float64](b, `Math.max(...[...document.querySelectorAll(".play *")].filter((e) => !e.closest(".editor, .scroll, svg")).map((e) => e.getBoundingClientRect().right))`), 390., "nothing is wider than a phone")
}
