package cli

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Within the checkout the site begins with its README, elsewhere with a page of its own.
func TestTopPages(t *testing.T) {
	files, err := topPages()
	require.NoError(t, err)
	assert.Contains(t, string(files["README.md"]), "go test ./...")
	assert.Contains(t, files, "CONTRIBUTING.md")
	t.Chdir(t.TempDir())
	files, err = topPages()
	require.NoError(t, err)
	assert.Equal(t, frontPage, string(files["README.md"]))
	assert.NotContains(t, files, "CONTRIBUTING.md")
}

// The site has every page, and the scoreboard of the shipped verdicts; writing it runs nothing.
func TestDocs(t *testing.T) {
	t.Chdir(t.TempDir())
	o := repro(t, "docs", "--out", "site")
	require.Zero(t, o.status, o.errors)
	assert.Contains(t, o.errors, "pages written; open "+filepath.Join("site", "index.html"))
	for _, name := range []string{"index", "search", "spec", "papers/dai2014", "lessons/01-why-random-features"} {
		assert.FileExists(t, filepath.Join("site", filepath.FromSlash(name)+".html"))
	}
	page, err := os.ReadFile(filepath.Join("site", "scoreboard.html"))
	require.NoError(t, err)
	board, err := shippedScoreboard(nil)
	require.NoError(t, err)
	assert.Contains(t, string(page), fmt.Sprint(board.Total))
	assert.Contains(t, string(page), `<a href="papers/dai2014.html">`)
	assert.NoDirExists(t, "lessons-work")
}

// A lesson's page has answers only if all its cells have run.
func TestRecordedLesson(t *testing.T) {
	all, err := readLessons()
	require.NoError(t, err)
	_, err = measuredLesson(t.Context(), all[0], recordedLesson, t.TempDir(), "")
	assert.ErrorIs(t, err, errNotMeasured)
}

// The server of the documentation answers only this machine.
func TestShowDocs(t *testing.T) {
	for host, want := range map[string]int{"127.0.0.1:80": http.StatusOK, "localhost": http.StatusOK, "example.org": http.StatusForbidden} {
		w := httptest.NewRecorder()
		guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })).ServeHTTP(w, &http.Request{Host: host})
		assert.Equal(t, want, w.Code, host)
	}
	l, err := listen("docs", 0)
	require.NoError(t, err)
	defer l.Close()
	_, err = listen("docs", l.Addr().(*net.TCPAddr).Port)
	assert.ErrorContains(t, err, "choose another port with --port")
}
