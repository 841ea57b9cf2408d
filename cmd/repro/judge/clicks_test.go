package judge

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/cmd/repro/local"
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
