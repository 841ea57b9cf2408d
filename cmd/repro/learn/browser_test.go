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
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
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

// served writes the site as repro docs does and serves it as any web server would, below a path.
func served(t *testing.T) (*browsertest.Browser, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program for browsers and starts one")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on the path, which builds the program of pages")
	}
	var r docsRequest
	r.Out = filepath.Join(t.TempDir(), "site")
	r.dir = t.TempDir()
	t.Chdir("../../..")
	require.NoError(t, showDocs(t.Context(), terminal.New(io.Discard, io.Discard), r))
	host := httptest.NewServer(http.StripPrefix(under, http.FileServer(http.Dir(r.Out))))
	t.Cleanup(host.Close)
	b := browsertest.New(t, "")
	b.Serve(host.URL, under+"index.html")
	downloads := t.TempDir()
	_, err := chromedp.Call(b.Ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: downloads})
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

// look keeps a picture of the page where the environment asks for it.
func look(b *browsertest.Browser, name string) {
	if kept := os.Getenv("REPRO_SITE"); kept != "" {
		b.Picture(filepath.Join(kept, name+".png"))
	}
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
	look(b, "playground")
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

	b.Viewport(390, 844)
	visit(b, "playground.html", "")
	assert.LessOrEqual(t, b.Width(), 390)
	look(b, "playground-phone")
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

// TestLessonInThePage takes lesson 3 from its questions to its exercise, and hands the answers in.
func TestLessonInThePage(t *testing.T) {
	b, downloads := served(t)
	first := firstQuestion(b, "lessons/03-one-over-t.html")
	t.Logf("the first question is there after %v", first)
	assert.Less(t, first, 8*time.Second)
	visit(b, "lessons/03-one-over-t.html", "#class=2026a&name=Ada")
	b.Poll(`document.querySelector(".lesson > .note")?.textContent.includes("class 2026a, as Ada")`)
	visit(b, "lessons/03-one-over-t.html", "")
	assert.True(t, browsertest.Eval[bool](b, `document.querySelector("#run-base button.run").disabled`), "first the predictions")
	for i, y := range []float64{1, 0.1, 0.01, 0.003, 0.0005} {
		browsertest.Eval[bool](b, js(`((i, y) => { const f = document.querySelectorAll("#ask-curve .tools-numbers input")[i]; f.value = y; f.dispatchEvent(new Event("change")); return true; })(%s, %s)`, i, y))
	}
	b.Press("#ask-curve", "This is my prediction")
	for id, choice := range map[string]int{"late": 2, "large": 1} {
		browsertest.Eval[bool](b, js(`document.querySelector("#ask-" + %s + " input[value='" + %s + "']").click(), true`, id, choice))
		b.Press("#ask-"+id, "This is my prediction")
	}
	b.Press("#ask-early", "This is my prediction")
	b.Poll(`!document.querySelector("#run-base button.run").disabled`)
	b.Press("#run-base", "Run")
	ran(b, "#run-base")
	b.Poll(`!document.querySelector(".told").hidden`)
	text := b.Text()
	for _, want := range []string{"You predicted: -1", "Not as you predicted.", "As you predicted.", "slope with θ/t from t = 100 on: -"} {
		assert.Contains(t, text, want)
	}
	assert.True(t, browsertest.Eval[bool](b, `[...document.querySelectorAll("#run-base .legend button")].some((x) => x.textContent === "your prediction")`))
	look(b, "lesson-live")

	b.Press("#ask-theta", "show me without")
	b.Press("#run-theta", "Run it with the change")
	ran(b, "#run-theta")
	b.Poll(`[...document.querySelectorAll(".told")].every((e) => !e.hidden)`)
	before := browsertest.Eval[string](b, `document.querySelector("#run-base .line[data-line='0'] path").getAttribute("d")`)
	browsertest.Eval[bool](b, `(document.querySelector("#run-base .own").open = true)`)
	b.Poll(`!!document.querySelector("#run-base .own .sliders input[aria-label='theta of right']")`)
	browsertest.Eval[bool](b, `(() => { const r = document.querySelector("#run-base .own .sliders input[aria-label='theta of right']"); r.value = 6; r.dispatchEvent(new Event("input")); return true; })()`)
	b.Poll(`!document.querySelector("#run-base .own button.run").disabled`)
	b.Press("#run-base .own", "Run")
	b.Poll(`!!document.querySelector("#run-base .own .figures .line path")`)
	ran(b, "#run-base .own")
	assert.NotEqual(t, before, browsertest.Eval[string](b, `document.querySelector("#run-base .own .line[data-line='0'] path").getAttribute("d")`), "a slider changes the curve")

	b.Press("#exercise", "Open the spec")
	b.Poll(`document.querySelector("#exercise textarea")?.value.includes("theta = 0.5")`)
	solve := func(theta string) {
		browsertest.Eval[bool](b, js(`((t) => { const a = document.querySelector("#exercise textarea"); a.value = a.value.replace(/theta = [\d.]+/, "theta = " + t); a.dispatchEvent(new Event("input")); return true; })(%s)`, theta))
		b.Press("#exercise", "Check my solution")
		b.PollFor(5*time.Minute, `!document.querySelector("#exercise .check").disabled`)
	}
	solve("0.25")
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".judged").textContent`), "Not yet. The slope is")
	solve("2.5")
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".judged").textContent`), "Solved.")
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		assert.Empty(t, b.Violations(), scheme)
	}

	b.Press(".progress", "save my answers")
	answers := saved(t, downloads, "state.json")
	state, err := lessons.ReadState(answers)
	require.NoError(t, err)
	assert.Equal(t, "2026a", state.Class)
	assert.Equal(t, "Ada", state.Name)
	session, err := lessons.Open(t.TempDir(), "", "", &lessonScreen{Output: terminal.New(io.Discard, io.Discard).Stdout, ctx: t.Context()}, trainer(terminal.New(io.Discard, io.Discard), runner.Options{Library: flags.Library(terminal.New(io.Discard, io.Discard))}))
	require.NoError(t, err)
	all, err := lessons.Read()
	require.NoError(t, err)
	results, err := session.GradeFile(context.WithoutCancel(t.Context()), all[2], answers)
	require.NoError(t, err)
	status := map[string]string{}
	for _, test := range results.Tests {
		status[test.Name] = test.Status
	}
	assert.Equal(t, "pass", status["late"])
	assert.Equal(t, "fail", status["large"])
	assert.Equal(t, "fail", status["theta"], "it was skipped")
	assert.Equal(t, "pass", status["exercise"])

	b.Viewport(390, 844)
	visit(b, "lessons/03-one-over-t.html", "")
	assert.LessOrEqual(t, b.Width(), 390)
	look(b, "lesson-live-phone")
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}
