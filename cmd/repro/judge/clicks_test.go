package judge

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/local"
	"repro/plots/browsertest"
)

// The page has the picture and its name, loads nothing else, and is not shown to other hosts.
func TestClicks(t *testing.T) {
	h := local.Guarded(clicksHandler("a b.png", []byte("\x89PNG picture")))
	get := func(host, path string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
		r.Host = host
		h.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{"/": `<script src="/clicks.js">`, "/clicks.js": "getImageData", "/figure": "\x89PNG picture", "/name": "a b.png"} {
		w := get("127.0.0.1:80", path)
		assert.Equal(t, 200, w.Code, path)
		assert.Contains(t, w.Body.String(), want, path)
		assert.Equal(t, clicksPolicy, w.Header().Get("Content-Security-Policy"), path)
		assert.Equal(t, 403, get("example.org", path).Code, path)
	}
	assert.Equal(t, 404, get("localhost", "/other").Code)
}

// Clicks on ticks and on a curve, with values typed, make the command; so does typing alone. The page can be used by everybody and on a
// phone.
func TestClicksInABrowser(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	for x := range 300 {
		for y := range 200 {
			img.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
		}
		img.SetNRGBA(x, 99, color.NRGBA{235, 147, 148, 255}) // its blurred edge
		img.SetNRGBA(x, 100, color.NRGBA{214, 39, 40, 255})
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	s := httptest.NewServer(local.Guarded(clicksHandler("it's a figure.png", b.Bytes())))
	defer s.Close()
	page := browsertest.New(t, "none")
	page.Do(chromedp.Navigate(s.URL))
	page.Poll(`document.querySelector("canvas").width === 300 && document.body.dataset.file !== undefined`)
	browsertest.Eval[bool](page, `(() => {
		const canvas = document.querySelector("canvas");
		const click = (x, y) => { const r = canvas.getBoundingClientRect(); canvas.dispatchEvent(new MouseEvent("click", { clientX: r.left + x + 0.5, clientY: r.top + y + 0.5, bubbles: true })); };
		const write = (text) => { const e = document.activeElement; e.value = text; e.dispatchEvent(new Event("input")); };
		for (const [x, y, value] of [[20, 180, "1"], [280, 181, "100"], [21, 170, "0"], [19, 30, "0.5"]]) { click(x, y); write(value); }
		document.querySelector("[data-axis=x] [type=checkbox]").click();
		click(150, 98);
		write("SGD (ours)");
		return true;
	})()`)
	command := browsertest.Eval[string](page, `document.querySelector("pre").textContent`)
	assert.Equal(t, `repro trace 'it'\''s a figure.png' --x log,20=1,280=100 --y 170=0,30=0.5 --curve 'SGD (ours)=#d62728' --write STEM`, command)
	assert.Empty(t, page.Violations())
	page.Viewport(375, 700)
	assert.LessOrEqual(t, page.Width(), 375)
	for _, p := range page.Problems {
		assert.True(t, strings.HasPrefix(p, "request for "+s.URL), p)
	}
}
