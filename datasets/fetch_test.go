package datasets

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// body is long enough for a transfer to break off in the middle.
var body = strings.Repeat("1 1:1\n0 1:1\n", 10000)

// serve returns a source whose only file the handler serves, and an empty library.
func serve(t *testing.T, handler http.HandlerFunc) (*Library, *Source) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	l := &Library{CacheDir: t.TempDir(), client: server.Client(), pause: time.Millisecond}
	return l, &Source{Name: "src", Dims: 1, Rows: 20000, Format: "libsvm", Files: []RemoteFile{{
		Name: "f", URLs: []string{server.URL + "/f"}, Bytes: int64(len(body)), Rows: 20000, SHA256: sha(body)}}}
}

// file serves body with support for ranges.
func file(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "f", time.Time{}, strings.NewReader(body))
}

// part puts text where the library keeps an unfinished download of the file.
func part(t *testing.T, l *Library, text string) string {
	t.Helper()
	path := l.cachePath("src", "f")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path+".part", []byte(text), 0o644))
	return path
}

func requireFetched(t *testing.T, l *Library) {
	t.Helper()
	got, err := os.ReadFile(l.cachePath("src", "f"))
	require.NoError(t, err)
	require.Equal(t, body, string(got))
	require.NoFileExists(t, l.cachePath("src", "f")+".part")
}

func TestFetch(t *testing.T) {
	requests := 0
	l, s := serve(t, func(w http.ResponseWriter, r *http.Request) { requests++; file(w, r) })
	var done, total int64
	err := l.fetch(context.Background(), s, func(name string, d, n int64) {
		assert.Equal(t, "f", name)
		assert.Greater(t, d, done)
		done, total = d, n
	})
	require.NoError(t, err)
	requireFetched(t, l)
	assert.Equal(t, int64(len(body)), done)
	assert.Equal(t, done, total)
	require.NoError(t, l.fetch(context.Background(), s, nil))
	assert.Equal(t, 1, requests, "what is here is not fetched again")

	found := l.locate(context.Background(), s)
	assert.True(t, found[0].Verified && found[0].Cached)
	set, err := l.openSource(context.Background(), Options{Holdout: 0.5, Task: taskBinary}, s)
	require.NoError(t, err)
	assert.Equal(t, 10000, set.TestX.Rows)
}

func TestFetchResumes(t *testing.T) {
	for _, c := range []struct {
		name, part string
		ranges     bool // the server supports them
		want       []string
	}{
		{"206", body[:5000], true, []string{"bytes=5000-"}},
		{"200 in its place", body[:5000], false, []string{"bytes=5000-"}},
		{"complete already", body, true, []string{fmt.Sprintf("bytes=%d-", len(body))}},
		{"too long", body + "x", true, []string{fmt.Sprintf("bytes=%d-", len(body)+1), ""}},
		{"other content", strings.Repeat("?", 5000), true, []string{"bytes=5000-", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			l, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = append(got, r.Header.Get("Range"))
				if !c.ranges {
					r.Header.Del("Range")
				}
				file(w, r)
			})
			part(t, l, c.part)
			require.NoError(t, l.fetch(context.Background(), s, func(_ string, done, total int64) {
				assert.Equal(t, int64(len(body)), total)
				assert.LessOrEqual(t, done, total)
			}))
			requireFetched(t, l)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestFetchSurvivesBreaks(t *testing.T) {
	var ranges []string
	l, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		switch len(ranges) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2: // promises everything, sends a part, is gone
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write([]byte(body[:30000]))
			panic(http.ErrAbortHandler)
		default:
			file(w, r)
		}
	})
	require.NoError(t, l.fetch(context.Background(), s, nil))
	requireFetched(t, l)
	require.Len(t, ranges, 3)
	assert.Equal(t, []string{"", ""}, ranges[:2])
	assert.Equal(t, "bytes=30000-", ranges[2], "the third request asks for what is missing")
}

func TestFetchRefusals(t *testing.T) {
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		requests int32
		is       error
		want     string
	}{
		{"404", http.NotFound, 1, ErrMissing, "404 Not Found"},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, attempts, ErrMissing, "500 Internal Server Error"},
		{"wrong content", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>log in")) }, 1, ErrChecksum,
			"/f: f is an HTML page or nothing, not data"},
		{"other rows", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("1 1:2\n")) }, 1, ErrChecksum,
			"sha256 of its uncompressed content is " + sha("1 1:2\n") + ", want " + sha(body)},
		{"broken compression", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x1f\x8bgarbage")) }, 1, ErrChecksum,
			"it cannot be read to its end"},
		{"too much", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body + body)) }, 1, ErrChecksum, "more than the 120000 bytes of f"},
		{"wrong part", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 1-2/3")
			w.WriteHeader(http.StatusPartialContent)
		}, 1, ErrMissing, "206 Partial Content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int32
			l, s := serve(t, func(w http.ResponseWriter, r *http.Request) { requests.Add(1); c.handler(w, r) })
			err := l.fetch(context.Background(), s, nil)
			require.ErrorIs(t, err, c.is)
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), "or put "+s.Files[0].URLs[0]+" into "+l.cachePath("src", "f"))
			assert.Equal(t, c.requests, requests.Load())
			assert.NoFileExists(t, l.cachePath("src", "f"))
			if c.is == ErrChecksum {
				assert.NoFileExists(t, l.cachePath("src", "f")+".part", "a bad download is removed")
			}
		})
	}
}

func TestFetchWithoutNetwork(t *testing.T) {
	l, s := serve(t, file)
	s.Files[0].URLs[0] = "http://127.0.0.1:1/f" // nobody listens
	err := l.fetch(context.Background(), s, nil)
	require.ErrorIs(t, err, ErrMissing)
	assert.ErrorContains(t, err, "or put http://127.0.0.1:1/f into "+l.cachePath("src", "f")+", or set REPRO_DATA to a folder that holds src/f")

	l.Offline = true
	err = l.fetch(context.Background(), s, nil)
	require.ErrorIs(t, err, ErrMissing)
	assert.ErrorContains(t, err, "downloads are switched off")
	_, err = l.openSource(context.Background(), Options{}, s)
	require.ErrorIs(t, err, ErrMissing)
	assert.ErrorContains(t, err, "src: f is not on this machine: run repro fetch src; or put http://127.0.0.1:1/f into")
}

func TestFetchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	assert.ErrorIs(t, l.fetch(ctx, s, nil), context.Canceled)
}

func TestWrongFileInCacheIsReplaced(t *testing.T) {
	l, s := serve(t, file)
	path := strings.TrimSuffix(part(t, l, ""), ".part")
	require.NoError(t, os.WriteFile(path, []byte("1 1:0\n"), 0o644))
	_, err := l.openSource(context.Background(), Options{Holdout: 0.5}, s)
	require.ErrorIs(t, err, ErrChecksum)
	assert.ErrorContains(t, err, "remove the file and run repro fetch")
	l.Offline = true
	require.ErrorIs(t, l.fetch(context.Background(), s, nil), ErrChecksum)
	require.FileExists(t, path, "nothing could take its place")
	l.Offline = false
	require.NoError(t, l.fetch(context.Background(), s, nil))
	requireFetched(t, l)
}

func TestSearchPath(t *testing.T) {
	gz := packed(t)["gzip"]
	for _, c := range []struct{ name, file, path string }{
		{"own folder", "f", "src/f"},
		{"beside", "f", "f"},
		{"compressed", "f", "src/f.gz"},
		{"other compression", "f.bz2", "f.zst"},
		{"unpacked", "f.bz2", "src/f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, filepath.FromSlash(c.path))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(gz), 0o644))
			l := &Library{SearchPath: []string{t.TempDir(), root}}
			s := &Source{Name: "src", Dims: 3, Rows: 2, Format: "libsvm", Files: []RemoteFile{{Name: c.file, SHA256: sha(tiny), Rows: 2}}}
			found := l.locate(context.Background(), s)
			assert.Equal(t, path, found[0].Path)
			assert.True(t, found[0].Verified)
			assert.False(t, found[0].Cached)
			require.NoError(t, l.fetch(context.Background(), s, nil), "nothing to fetch")
			set, err := l.openSource(context.Background(), Options{TestRows: []int{2, 2}}, s)
			require.NoError(t, err)
			assert.Equal(t, []File{{Name: c.file, SHA256: sha(tiny), Rows: 2}}, set.Files)

			info, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, []byte(tiny+"1 2:3\n"), 0o644))
			if c.name == "beside" {
				require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
			}
			found = l.locate(context.Background(), s)
			assert.False(t, found[0].Verified, "a file that changed is verified again")
			require.ErrorIs(t, found[0].Err, ErrChecksum)
			require.ErrorIs(t, l.fetch(context.Background(), s, nil), ErrChecksum)
			assert.FileExists(t, path, "the user's file is not removed")
			_, err = l.openSource(context.Background(), Options{TestRows: []int{2, 2}}, s)
			require.ErrorIs(t, err, ErrChecksum, "not: more rows than expected")
		})
	}
}

func TestNewLibrary(t *testing.T) {
	t.Setenv("REPRO_CACHE", "")
	t.Setenv("REPRO_DATA", "a"+string(os.PathListSeparator)+string(os.PathListSeparator)+"b")
	l := NewLibrary()
	assert.Equal(t, []string{"a", "b"}, l.SearchPath)
	assert.Equal(t, filepath.Join("repro", "datasets"), filepath.Join(filepath.Base(filepath.Dir(l.CacheDir)), filepath.Base(l.CacheDir)))
	t.Setenv("REPRO_CACHE", "c")
	assert.Equal(t, "c", NewLibrary().CacheDir)
}

// A mirror is asked first, be it a server or a folder, and what it has must have the right checksum.
func TestMirror(t *testing.T) {
	assert.Equal(t, []string{"http://m/home/f"}, (&Library{Mirror: "http://m"}).addresses(&Source{Name: "src", Home: "home"}, &RemoteFile{Name: "f"}))
	var asked []string
	l, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		file(w, r)
	})
	address, folder := strings.TrimSuffix(s.Files[0].URLs[0], "/f"), t.TempDir()
	l.Mirror = address + "/mirror/"
	require.NoError(t, l.fetch(context.Background(), s, nil))
	requireFetched(t, l)
	assert.Equal(t, []string{"/mirror/src/f"}, asked)

	for _, c := range []struct {
		name, mirrored string
		asked          []string
	}{{"right", body, nil}, {"wrong", "1 1:1\n", []string{"/f"}}, {"absent", "", []string{"/f"}}} {
		t.Run(c.name, func(t *testing.T) {
			asked = nil
			mirror := filepath.Join(folder, c.name+" %")
			if c.mirrored != "" {
				require.NoError(t, os.MkdirAll(filepath.Join(mirror, "src"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(mirror, "src", "f"), []byte(c.mirrored), 0o644))
			}
			l := &Library{CacheDir: t.TempDir(), Mirror: mirror, pause: time.Millisecond}
			require.NoError(t, l.fetch(context.Background(), s, nil))
			requireFetched(t, l)
			assert.Equal(t, c.asked, asked)
		})
	}
}

func TestAvailable(t *testing.T) {
	l := &Library{CacheDir: t.TempDir()}
	ok, why := l.Available("dai2014-synthetic")
	assert.True(t, ok)
	assert.Equal(t, "generated", why)
	ok, why = l.Available("a9a")
	assert.False(t, ok)
	assert.Equal(t, "a9a, a9a.t not found: run repro fetch a9a", why)
	ok, why = l.Available("a8a")
	assert.False(t, ok)
	assert.Contains(t, why, `unknown data set "a8a"`)

	assert.Equal(t, ToFetch, l.Whereabouts("a9a"))
	path := l.cachePath("a9a", "a9a")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	assert.Equal(t, InPart, l.Whereabouts("a9a"))
	ok, why = l.Ready(Options{Name: "a9a", Holdout: 0.1}, "")
	assert.True(t, ok, "holdout needs no test file")
	assert.Equal(t, "in "+filepath.Dir(path), why)

	ok, why = l.Ready(Options{File: "a9a"}, filepath.Dir(path))
	assert.True(t, ok)
	assert.Equal(t, "your own file", why)
	ok, why = l.Ready(Options{File: "a9a", TestFile: "gone"}, filepath.Dir(path))
	assert.False(t, ok)
	assert.Equal(t, "data.test_file: there is no file "+filepath.Join(filepath.Dir(path), "gone"), why)
}
