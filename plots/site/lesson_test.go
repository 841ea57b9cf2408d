package site

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/browsertest"
	"repro/results/records"
	"repro/runner"
)

// readAll returns the lessons, which have not run.
func readAll(t *testing.T) []*lessons.Lesson {
	t.Helper()
	all, err := lessons.Read()
	require.NoError(t, err)
	return all
}

// ran runs a lesson. Where REPRO_LESSONS names a folder, it uses the records that are there (see TestWalks of docs/lessons).
func ran(t *testing.T, l *lessons.Lesson) *Lesson {
	t.Helper()
	dir := t.TempDir()
	if shared := os.Getenv("REPRO_LESSONS"); shared != "" {
		dir = filepath.Join(shared, l.Name)
	}
	if kept := os.Getenv("REPRO_SITE"); kept != "" {
		dir = filepath.Join(kept, "work")
	}
	runs, err := l.Execute(t.Context(), func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
		if _, err := runner.Run(ctx, s.Expand(), runner.Options{Out: out, Library: datasets.NewLibrary()}); err != nil {
			return nil, err
		}
		return records.Open(out)
	}, dir)
	require.NoError(t, err)
	return &Lesson{Lesson: l, Runs: runs, Dir: dir}
}

// save writes a page into a folder and returns its path.
func save(t *testing.T, name string, page []byte) string {
	t.Helper()
	dir := t.TempDir()
	if kept := os.Getenv("REPRO_SITE"); kept != "" {
		dir = kept
	}
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, page, 0o666))
	return file
}

// TestLessonInABrowser predicts, skips and comes back in the first lesson.
func TestLessonInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	l := ran(t, readAll(t)[0])
	page, err := Alone(repository(t), l)
	require.NoError(t, err)
	b := browsertest.New(t, save(t, "lesson.html", page))
	b.Open("")
	assert.Equal(t, 0, browsertest.Eval[int](b, `[...document.querySelectorAll(".told")].filter((e) => !e.hidden).length`), "nothing is told before the questions are answered")
	assert.Equal(t, []string{"matrix", "fall", "factor", "dear", "narrow"}, browsertest.Eval[[]string](b, `[...document.querySelectorAll(".ask")].map((e) => JSON.parse(e.dataset.ask).id)`))

	b.Press("#ask-matrix", "This is my prediction")
	assert.Equal(t, "Choose one of the answers.", browsertest.Eval[string](b, `document.querySelector("#ask-matrix .wanting").textContent`))
	do(b, `document.querySelector("#ask-matrix input[value='3']").click(); document.querySelector("#ask-matrix textarea").value = "because of the solve"`)
	b.Press("#ask-matrix", "This is my prediction")

	b.Press("#ask-fall", "This is my prediction")
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector("#ask-fall .wanting").textContent`), "Give all 5 heights")
	drawACurve(t, b)
	b.Press("#ask-fall", "This is my prediction")

	do(b, `const i = document.querySelector("#ask-factor input[type=text]"); i.value = "4"`)
	b.Press("#ask-factor", "This is my prediction")
	b.Press("#ask-dear .ordering", "↓")
	b.Press("#ask-dear", "This is my prediction")
	b.Poll(`[...document.querySelectorAll(".told")].filter((e) => !e.hidden).length === 1`)
	text := b.Text()
	for _, want := range []string{"You predicted: 8 times", "because of the solve", "Read your reason again", "You drew 1/D. A mean of D random numbers improves more slowly", "You forgot the square root", "Not as you predicted."} {
		assert.Contains(t, text, want)
	}
	b.Poll(`[...document.querySelectorAll("#run-base .legend button")].some((x) => x.textContent === "your prediction")`)
	assert.NotEmpty(t, browsertest.Eval[string](b, `document.querySelector("#ask-fall path.measured").getAttribute("d")`))

	b.Press("#ask-narrow", "show me without")
	b.Poll(`[...document.querySelectorAll(".told")].every((e) => !e.hidden)`)
	comeBack(b) // the answers are kept
	assert.Equal(t, "true", browsertest.Eval[string](b, `String(document.querySelector("#ask-matrix input[value='3']").checked)`))
	assert.True(t, browsertest.Eval[bool](b, `[...document.querySelectorAll(".told")].every((e) => !e.hidden)`))
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		comeBack(b)
		b.Poll(`!!document.querySelector("#run-base svg.live .line")`)
		do(b, `document.querySelectorAll("details").forEach((d) => (d.open = true))`)
		assert.Empty(t, b.Violations(), scheme)
		look(b, "lesson-"+scheme)
	}
	judgeAsInTheTerminal(t, b, l)
	readAFile(t, b)
	b.Viewport(390, 844)
	b.Open("")
	assert.LessOrEqual(t, b.Width(), 390)
	look(b, "lesson-phone")
	b.Scripts(false)
	b.Open("")
	for _, want := range []string{"8 times", "All n² pairs are compared: twice the points, four times the pairs.", "You forgot the square root", "repro lesson check 1"} {
		assert.Contains(t, b.Text(), want, "without JavaScript")
	}
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// look keeps a picture of the page where the environment asks for it.
func look(b *browsertest.Browser, name string) {
	if kept := os.Getenv("REPRO_SITE"); kept != "" {
		b.Picture(filepath.Join(kept, name+".png"))
	}
}

// do runs statements on the page.
func do(b *browsertest.Browser, js string) {
	b.T.Helper()
	browsertest.Eval[bool](b, `(() => { `+js+`; return true; })()`)
}

// comeBack opens the page again. The browser writes what a page keeps a little later, on a busy machine after the next page has
// read it.
func comeBack(b *browsertest.Browser) {
	const kept = `JSON.stringify(JSON.parse(localStorage.getItem("repro-answers")), (k, v) => (["right", "part"].includes(k) ? undefined : v))`
	want := browsertest.Eval[string](b, kept)
	for range 50 {
		b.Open("")
		if browsertest.Eval[string](b, kept+` ?? ""`) == want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	assert.Fail(b.T, "the page did not keep the answers")
}

// drawACurve draws the curve 1/D: four heights with the pointer, which passes over all places, and the last one with the keyboard.
func drawACurve(t *testing.T, b *browsertest.Browser) {
	do(b, `document.querySelector("#ask-fall svg.draw").scrollIntoView({ block: "center" })`)
	at := browsertest.Eval[[][2]float64](b, `[...document.querySelectorAll("#ask-fall [role=slider]")].map((c) => c.getBoundingClientRect()).map((r) => [r.x + r.width / 2, r.y + r.height / 2])`)
	for i, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased} {
		p := at[map[int]int{0: 0, 1: 3, 2: 3}[i]]
		_, err := chromedp.Call(b.Ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: p[0], Y: p[1] - 60 + 50*float64(i), Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1})
		require.NoError(t, err)
	}
	values := browsertest.Eval[[]string](b, `[...document.querySelectorAll("#ask-fall input[type=number]")].map((i) => i.value)`)
	assert.Empty(t, values[4])
	for i, v := range []string{"1", "0.5", "0.25", "0.125"} {
		assert.NotEmpty(t, values[i], "the pointer passed over it")
		do(b, `const i = document.querySelectorAll("#ask-fall input[type=number]")[`+string(rune('0'+i))+`]; i.value = "`+v+`"; i.dispatchEvent(new Event("change"))`)
	}
	do(b, `const m = document.querySelectorAll("#ask-fall [role=slider]")[4]; m.focus();
		const key = (k) => m.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true })); key("ArrowUp"); for (let i = 0; i < 8; i++) key("ArrowDown")`)
	assert.InDelta(t, 0.06, browsertest.Eval[float64](b, `Number(document.querySelectorAll("#ask-fall [role=slider]")[4].getAttribute("aria-valuenow"))`), 0.02)
}

// judgeAsInTheTerminal compares the page's judgement with that of the terminal, for right answers and for every wrong answer that
// the lesson lists.
func judgeAsInTheTerminal(t *testing.T, b *browsertest.Browser, l *Lesson) {
	for round := range 4 {
		kept, want := map[string]lessons.Given{}, map[string]lessons.Score{}
		for _, p := range l.Predictions() {
			key, err := p.Key(l.Runs)
			require.NoError(t, err)
			a := lessons.Answer{Choice: key.Choice, Order: key.Order, Draw: key.Draw}
			if p.Kind == lessons.Number {
				a.Number = &key.Number
			}
			if n := round - 1; n >= 0 && p.Kind == lessons.Choice {
				a.Choice = n%len(p.Choices) + 1
			} else if n >= 0 {
				w := p.Wrong[n%len(p.Wrong)]
				a.Number, a.Order = w.Near, w.Order
				if w.Slope != nil {
					a.Draw = nil
					for _, x := range p.At {
						a.Draw = append(a.Draw, math.Pow(x/p.At[0], *w.Slope))
					}
				}
			}
			kept[p.ID], want[p.ID] = lessons.Given{Answer: a}, p.Score(key, a)
		}
		text, err := json.Marshal(lessons.State{Schema: 3, Lessons: map[string]*lessons.Progress{l.Name: {Answers: kept}}})
		require.NoError(t, err)
		do(b, `localStorage.setItem("repro-answers", `+strconv.Quote(string(text))+`)`)
		comeBack(b)
		got := browsertest.Eval[map[string]bool](b, `Object.fromEntries([...document.querySelectorAll(".outcome")].map((e) => [e.dataset.of, e.classList.contains("right")]))`)
		for id, score := range want {
			assert.Equal(t, score.Right, got[id], "%s, round %d: %s", id, round, score.Says)
		}
	}
}

// readAFile forgets the answers and reads them from a file.
func readAFile(t *testing.T, b *browsertest.Browser) {
	text := browsertest.Eval[string](b, `localStorage.getItem("repro-answers")`)
	do(b, `localStorage.removeItem("repro-answers")`)
	b.Open("")
	assert.False(t, browsertest.Eval[bool](b, `!!document.querySelector(".ask.settled")`))
	do(b, `const d = new DataTransfer(); d.items.add(new File([`+strconv.Quote(text)+`], "state.json"));
		const i = document.querySelector(".progress input[type=file]"); i.files = d.files; i.dispatchEvent(new Event("change"))`)
	assert.Eventually(t, func() bool { // the page loads itself again
		settled, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](`!!document.querySelector(".ask.settled")`))
		return err == nil && settled
	}, time.Minute, 100*time.Millisecond)
}
