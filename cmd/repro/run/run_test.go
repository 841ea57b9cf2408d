package run

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	_ "repro/experiments/papers"
	"repro/results/files"
	"repro/results/records"
)

func TestEndOfTime(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, test := range []struct {
		asked time.Duration
		slurm string
		want  int64
	}{{0, "", time.Time{}.Unix()}, {10 * time.Minute, "", 1600}, {10 * time.Minute, "1200", 1200}, {time.Minute, "1200", 1060}, {0, "1200", 1200}} {
		assert.Equal(t, test.want, endOfTime(test.asked, test.slurm, now).Unix(), "%+v", test)
	}
	assert.Equal(t, 150*time.Second, lead(time.Hour))
	assert.Equal(t, 7500*time.Millisecond, lead(time.Minute))
}

// A failed cell decides the exit status of a run, then a limit that ended one. An experiment none of whose cells is done is told.
func TestStatusOfARun(t *testing.T) {
	for status, want := range map[records.Status]exits.Status{records.Done: 0, records.Diverged: 0, records.Skipped: 0,
		records.Timeout: exits.Incomplete, records.Memory: exits.Incomplete, records.Failed: exits.Failed} {
		all := []training.Ran{{Status: records.Budget}, {Status: status}, {Status: records.Done}}
		assert.Equal(t, want, ending(all), status)
		var notes bytes.Buffer
		assert.Zero(t, hopeless(&terminal.Terminal{Stderr: &terminal.Output{To: &notes}}, all), status)
		bad := status == records.Diverged || status == records.Failed
		assert.Equal(t, bad, hopeless(&terminal.Terminal{Stderr: &terminal.Output{To: &notes}}, all[1:2]) == 1, status)
	}
	assert.Equal(t, exits.Failed, ending([]training.Ran{{Status: records.Failed}, {Status: records.Timeout}}))
}

// A served report follows the records: the page of an empty folder says so, and after a run there is another version.
func TestServeFollowsARun(t *testing.T) {
	tiny, err := os.ReadFile("../cli/testdata/tiny.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("tiny.toml", tiny, 0o666))
	var notes bytes.Buffer
	screen := &terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: &notes}}
	f := newFollower(screen, serveRequest{Out: "out", specs: []string{"tiny.toml"}}, t.TempDir())
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
	assert.Contains(t, get("/follow.js"), `ask("/version", shown)`)
	assert.Contains(t, get("/report.html"), "There are no records in this folder yet")

	assert.Equal(t, "0", get("/version"))
	assert.Empty(t, get("/progress"))
	progress := filepath.Join("out", training.ProgressFile)
	require.NoError(t, files.Write("out", progress, []byte("12 % done, <b>\n")))
	assert.Equal(t, "12 % done, <b>", get("/progress"))
	require.NoError(t, os.Chtimes(progress, time.Time{}, time.Now().Add(-2*silence)))
	assert.Empty(t, get("/progress"), "of a run that was killed")
	require.NoError(t, os.RemoveAll("out"))
	r := runRequest{Order: training.Order{Choice: flags.Choice{Args: []string{"tiny.toml"}, Profile: "smoke"}}}
	r.Out, r.Library = "elsewhere", flags.Library(screen)
	require.NoError(t, run(t.Context(), screen, r))
	assert.NoFileExists(t, filepath.Join("elsewhere", training.ProgressFile), "a run that ended says nothing")
	require.NoError(t, os.Rename("elsewhere", "out"))
	assert.Eventually(t, func() bool { return get("/version") == "1" }, 10*time.Second, time.Millisecond)
	assert.Contains(t, get("/report.html"), "own/tiny")
	written, err := os.ReadFile("out/report.html")
	require.NoError(t, err)
	assert.NotContains(t, string(written), "follow.js", "the file is as the run wrote it")
	assert.Equal(t, 1, strings.Count(notes.String(), "no records in out"), notes.String())
}

// A page of another host that lets its name point to this machine cannot read the report.
func TestServeRefusesOtherHosts(t *testing.T) {
	h := newFollower(&terminal.Terminal{Stderr: &terminal.Output{To: io.Discard}}, serveRequest{Out: t.TempDir()}, t.TempDir()).handler()
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
