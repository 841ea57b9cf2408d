// Package browsertest opens pages in Chromium, for tests.
package browsertest

import (
	"context"
	_ "embed"
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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:embed axe.min.js
var axe string

// A Browser is a page of Chromium with what it has complained about.
type Browser struct {
	T        testing.TB
	Ctx      context.Context
	Problems []string // errors of the console, exceptions, requests for anything but pages and what they hold

	url  string // of the page that Open loads
	host string // address of the only server that pages may ask; empty for none
}

// New opens Chromium for an HTML file. Where there is no Chromium the test is skipped, but not in CI, which installs it.
func New(t testing.TB, file string) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath(path))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx}
	b.Load(file)
	b.Viewport(1400, 1000)
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if x := e.ExceptionDetails.Exception; x != nil {
				text += ": " + x.Description
			}
			b.Problems = append(b.Problems, text)
		case *runtime.EventConsoleAPICalled:
			b.Problems = append(b.Problems, fmt.Sprintf("console.%s", e.Type))
		case *cdplog.EventEntryAdded:
			b.Problems = append(b.Problems, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			page := e.Type == network.ResourceTypeDocument && strings.HasPrefix(e.Request.URL, "file://") || b.host != "" && strings.HasPrefix(e.Request.URL, b.host)
			if u := e.Request.URL; !page && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				b.Problems = append(b.Problems, "request for "+u)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	b.Scheme("light")
	return b
}

// Load makes an HTML file the page that Open loads.
func (b *Browser) Load(file string) { b.url = "file://" + filepath.ToSlash(file) }

// Serve makes a page of a server the one that Open loads. Pages may then ask this server.
func (b *Browser) Serve(host, page string) { b.host, b.url = host, host+page }

// Host is the address of that server.
func (b *Browser) Host() string { return b.host }

// Open loads the page at a place.
func (b *Browser) Open(hash string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+hash), chromedp.WaitReady("#spoken"))
}

// Do runs steps.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	require.NoError(b.T, chromedp.Do(b.Ctx, steps...))
}

// Viewport sets the size of the window in pixels.
func (b *Browser) Viewport(width, height int64) {
	b.T.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Scheme makes the screen light or dark, for a reader who wants no motion.
func (b *Browser) Scheme(name string) {
	b.T.Helper()
	_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	require.NoError(b.T, err)
}

// Print lays pages out as for paper, until Scheme.
func (b *Browser) Print() {
	b.T.Helper()
	_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.NoError(b.T, err)
}

// Scripts switches JavaScript on or off for pages opened from now on. Eval works all the same.
func (b *Browser) Scripts(on bool) {
	b.T.Helper()
	_, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	require.NoError(b.T, err)
}

// Eval returns the value of an expression of the page.
func Eval[T any](b *Browser, js string) T {
	b.T.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](js))
	require.NoError(b.T, err, js)
	return v
}

// Poll waits until an expression is true: long, because other tests keep the processors busy, and by the clock, because a browser
// whose window nobody sees may draw no frames.
func (b *Browser) Poll(js string) {
	b.T.Helper()
	b.PollFor(time.Minute, js)
}

// PollFor is Poll for what takes so long.
func (b *Browser) PollFor(most time.Duration, js string) {
	b.T.Helper()
	_, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](js, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(most)))
	require.NoError(b.T, err, js)
}

// Press clicks the button with a text, in the element that a selector names.
func (b *Browser) Press(within, text string) {
	b.T.Helper()
	assert.True(b.T, Eval[bool](b, fmt.Sprintf(`(() => { const x = [...document.querySelector(%q).querySelectorAll("button")].find((b) => b.textContent.trim().startsWith(%q)); x?.click(); return !!x; })()`, within, text)), text)
}

// Violations returns what axe-core finds on the page.
func (b *Browser) Violations() []string {
	b.T.Helper()
	Eval[bool](b, axe+"; true")
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](`axe.run({resultTypes: ["violations"]}).then((r) => r.violations
		.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 150) + " " + (n.any[0]?.message ?? "")).join(" | ")))`,
		chromedp.EvalAwaitPromise))
	require.NoError(b.T, err)
	return found
}

// Width returns how wide the page is in pixels; it is larger than the window's width if the page scrolls sideways.
func (b *Browser) Width() int {
	b.T.Helper()
	return Eval[int](b, `document.documentElement.scrollWidth`)
}

// Text returns the text of the main part of the page.
func (b *Browser) Text() string {
	b.T.Helper()
	text, err := chromedp.Run(b.Ctx, chromedp.TextContent("main"))
	require.NoError(b.T, err)
	return text
}

// Keep keeps a picture of the page in the folder that the environment names, if it does.
func (b *Browser) Keep(name string) {
	if kept := os.Getenv("REPRO_SITE"); kept != "" {
		b.Picture(filepath.Join(kept, name+".png"))
	}
}

// Picture writes a picture of the whole page as PNG.
func (b *Browser) Picture(file string) {
	b.T.Helper()
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	require.NoError(b.T, err)
	require.NoError(b.T, os.WriteFile(file, png, 0o666))
}
