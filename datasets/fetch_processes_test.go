package datasets

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fetcherCache and fetcherURL make this test program one that fetches body into the cache folder.
const fetcherCache, fetcherURL = "REPRO_TEST_FETCHER_CACHE", "REPRO_TEST_FETCHER_URL"

func bodySource(url string) *Source {
	return &Source{Name: "src", Dims: 1, Rows: 20000, Format: "libsvm", Files: []RemoteFile{{
		Name: "f", URLs: []string{url}, Bytes: int64(len(body)), Rows: 20000, SHA256: sha(body)}}}
}

// TestFetcher is the program of the tests below.
func TestFetcher(t *testing.T) {
	cache, url := os.Getenv(fetcherCache), os.Getenv(fetcherURL)
	if cache == "" {
		t.Skip("runs as a process of other tests")
	}
	l := &Library{CacheDir: cache, Log: t.Logf}
	require.NoError(t, l.fetch(context.Background(), bodySource(url), nil))
}

// A fetcher is a process with TestFetcher, and the lines that it prints.
type fetcher struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func startFetcher(t *testing.T, cache, url string) *fetcher {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFetcher$", "-test.v")
	cmd.Env = append(os.Environ(), fetcherCache+"="+cache, fetcherURL+"="+url)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return &fetcher{cmd, bufio.NewScanner(out)}
}

// says waits for a line with the text.
func (f *fetcher) says(t *testing.T, text string) {
	t.Helper()
	var lines []string
	for f.lines.Scan() {
		lines = append(lines, f.lines.Text())
		if strings.Contains(f.lines.Text(), text) {
			return
		}
	}
	t.Fatalf("no line with %q in\n%s", text, strings.Join(lines, "\n"))
}

func requireOnlyBody(t *testing.T, cache string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(cache, "src"))
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".lock") { // Windows keeps it
			names = append(names, f.Name())
		}
	}
	require.Equal(t, []string{"f"}, names)
	got, err := os.ReadFile(filepath.Join(cache, "src", "f"))
	require.NoError(t, err)
	require.Equal(t, body, string(got))
}

// A process is killed while it downloads and another waits: no file has the name of the data, and the other one continues
// the download.
func TestAKilledFetch(t *testing.T) {
	const half = 1 << 16
	ranges, stop := make(chan string, 10), make(chan bool)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ranges <- r.Header.Get("Range")
		if requests.Add(1) > 1 {
			file(w, r)
			return
		}
		w.Header().Set("Content-Length", "120000")
		_, _ = io.WriteString(w, body[:half])
		w.(http.Flusher).Flush()
		<-stop
	}))
	defer server.Close()
	defer close(stop)
	cache := t.TempDir()
	path := filepath.Join(cache, "src", "f")
	first := startFetcher(t, cache, server.URL)
	require.Eventually(t, func() bool { return partSize(path+".part") > 0 }, time.Minute, time.Millisecond)
	second := startFetcher(t, cache, server.URL)
	second.says(t, "f is being fetched by process ")
	require.NoError(t, first.Process.Kill())
	require.Error(t, first.Wait())
	second.says(t, "PASS")
	assert.Empty(t, <-ranges)
	assert.Regexp(t, `^bytes=[1-9]\d*-$`, <-ranges)
	assert.Empty(t, ranges)
	requireOnlyBody(t, cache)
}
