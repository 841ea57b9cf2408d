package datasets

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every address is asked for the size of its file, by HEAD or by its first byte, and nothing is kept.
func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		bytes   int64
		err     string
	}{
		"file":       {file, int64(len(body)), ""},
		"no HEAD":    {func(w http.ResponseWriter, r *http.Request) { only(http.MethodGet, file, w, r) }, int64(len(body)), ""},
		"no ranges":  {func(w http.ResponseWriter, r *http.Request) { only(http.MethodGet, send(body), w, r) }, -1, ""},
		"no length":  {send(body), -1, ""},
		"other size": {send(signIn), int64(len(signIn)), "it has 92 bytes there, not 120000: another file, or a page"},
		"gone":       {http.NotFound, -1, "the server answers 404 Not Found"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, -1, "to a file of this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			l, s := serve(t, c.handler)
			answers, err := l.ask(context.Background(), s)
			require.NoError(t, err)
			require.Len(t, answers, 1)
			assert.Equal(t, c.bytes, answers[0].Bytes)
			if c.err == "" {
				assert.NoError(t, answers[0].Err)
			} else {
				assert.ErrorContains(t, answers[0].Err, c.err)
			}
			kept, err := os.ReadDir(l.CacheDir)
			require.NoError(t, err)
			assert.Empty(t, kept)
		})
	}
}

// only answers requests of one method.
func only(method string, next http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	if r.Method != method {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	next(w, r)
}

// Of a file without a published size, the rows bound it; a mirror is asked, too, also one that is a folder.
func TestAskWithoutSize(t *testing.T) {
	l, s := unchecked(t, send("1,2,3\n"))
	l.Mirror, l.client = t.TempDir(), nil
	answers, err := l.ask(context.Background(), s)
	require.NoError(t, err)
	require.Len(t, answers, 2)
	assert.ErrorContains(t, answers[0].Err, "404")
	assert.ErrorContains(t, answers[1].Err, "it has 6 bytes there, and its rows take 46 bytes to")

	require.NoError(t, os.MkdirAll(filepath.Join(l.Mirror, s.Name), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(l.Mirror, s.Name, "f.csv.gz"), []byte(rowsOfCSV(1000)), 0o644))
	answers, err = l.ask(context.Background(), s)
	require.NoError(t, err)
	assert.NoError(t, answers[0].Err)
	assert.EqualValues(t, len(rowsOfCSV(1000)), answers[0].Bytes)

	answers, err = l.Ask(context.Background(), "timit")
	assert.NoError(t, err)
	assert.Empty(t, answers, "nobody offers it")
	_, err = l.Ask(context.Background(), "mnits")
	assert.ErrorContains(t, err, `did you mean "mnist"?`)
}
