package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/terminal"
)

// A served report follows the records: the page of an empty folder says so, a run makes a report, and every page is told.
func TestServeFollowsARun(t *testing.T) {
	workplace(t)
	var notes bytes.Buffer
	a := &app{Terminal: &terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: &notes}}, out: "out"}
	f := newFollower(a, t.TempDir(), []string{"tiny.toml"})
	f.every = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		f.follow(ctx)
	}()
	s := httptest.NewServer(f.handler())
	defer s.Close()
	get := func(path string) string {
		r, err := http.Get(s.URL + path)
		require.NoError(t, err)
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, r.StatusCode, path)
		assert.Equal(t, "no-store", r.Header.Get("Cache-Control"))
		return string(body)
	}
	assert.Contains(t, get("/"), `<script src="/follow.js">`)
	assert.Contains(t, get("/follow.js"), "EventSource")
	assert.Contains(t, get("/report.html"), "There are no records in this folder yet")

	r, err := http.Get(s.URL + "/events")
	require.NoError(t, err)
	defer r.Body.Close()
	events := bufio.NewScanner(r.Body)
	next := func() string {
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return data
			}
		}
		return "the stream ended"
	}
	assert.Equal(t, "0", next())
	ok(t, "run", "tiny.toml", "--out", "elsewhere", "--profile", "smoke")
	require.NoError(t, os.Rename("elsewhere", "out"))
	assert.Equal(t, "1", next())
	assert.Contains(t, get("/report.html"), "own/tiny")
	assert.NotContains(t, read(t, "out/report.html"), "follow.js", "the file is as the run wrote it")
	cancel()
	<-over
	assert.Equal(t, 1, strings.Count(notes.String(), "no records in out"), notes.String())
}

// A page of another host that lets its name point to this machine cannot read the report.
func TestServeRefusesOtherHosts(t *testing.T) {
	h := newFollower(&app{Terminal: &terminal.Terminal{Stderr: &terminal.Output{To: io.Discard}}}, t.TempDir(), nil).handler()
	for host, want := range map[string]int{
		"localhost:8000": 200, "127.0.0.1:8000": 200, "[::1]:8000": 200, "localhost": 200,
		"evil.example:8000": 403, "192.168.0.7:8000": 403, "localhost.evil.example": 403, "": 403,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/report.html", nil)
		r.Host = host
		h.ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, "%q", host)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/", nil)
	r.Host = "localhost"
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	for _, path := range []string{"/verdicts.json", "/../report.html", "/records/"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		h.ServeHTTP(w, r)
		assert.NotEqual(t, http.StatusOK, w.Code, path)
	}
}

// The command prints its address and ends without an error when it is interrupted.
func TestServe(t *testing.T) {
	workplace(t)
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr watched
	status := make(chan int)
	go func() { status <- Run(ctx, &stdout, &stderr, []string{"serve"}) }()
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "http://127.0.0.1:") }, 10*time.Second, 5*time.Millisecond)
	cancel()
	assert.Zero(t, <-status, stderr.String())
	assert.NoDirExists(t, "out")
	assert.Contains(t, repro(t, "serve", "tiny.toml").errors, "serve: tiny.toml is a file; give the output folder of a run")
}
