package machine

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
)

// Fetch downloads what is missing only if somebody says yes.
func TestFetchTakesAnAnswer(t *testing.T) {
	t.Setenv("REPRO_DATA", "")
	t.Setenv("REPRO_CACHE", t.TempDir())
	for answer, want := range map[string][]string{"y\n": {"a9a"}, "yes": {"a9a"}, "\n": nil, "": nil, "no\n": nil} {
		var screen bytes.Buffer
		a := &terminal.Terminal{Stdout: &terminal.Output{To: &screen}, Stderr: &terminal.Output{To: &screen}, Screen: &screen, Stdin: strings.NewReader(answer)}
		got, err := agreed(a, fetchRequest{Library: flags.Library(a)}, []string{"a9a"})
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", answer)
		assert.Contains(t, screen.String(), "Download them? [y/N] ")
	}
}

// fetch --check names each address once and says what is wrong; the exit status is 1 if something is.
func TestFetchCheck(t *testing.T) {
	t.Setenv("REPRO_MIRROR", "")
	t.Setenv("REPRO_CACHE", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/here.csv" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", "8")
	}))
	defer server.Close()
	for _, name := range []string{"asked", "asked-too"} {
		datasets.Register(datasets.Source{
			Name: name, Title: "a test", Task: "regression", Dims: 1, Rows: 2, TestRows: 2, Format: "csv",
			Files: []datasets.RemoteFile{
				{Name: "here.csv", URLs: []string{server.URL + "/here.csv"}, Rows: 2, Bytes: 8},
				{Name: "gone.csv", URLs: []string{server.URL + "/" + name}, Rows: 2, Bytes: 8},
			},
		})
	}
	var screen bytes.Buffer
	a := &terminal.Terminal{Stdout: &terminal.Output{To: &screen}, Stderr: &terminal.Output{To: &screen}, Screen: &screen}
	cmd := newFetch(a)
	cmd.SetArgs([]string{"--check", "asked", "asked-too"})
	assert.Equal(t, exits.No, cmd.Execute())
	assert.Regexp(t, `asked +here.csv +8 B +has it, of this size +http://`, screen.String())
	assert.Regexp(t, `asked-too +gone.csv +8 B +the server answers 404 Not Found +http://`, screen.String())
	assert.Contains(t, screen.String(), "2 of 3 addresses cannot be used")
}
