package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/formats"
)

const signIn = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"

// rowsOfCSV returns n rows of a label and two inputs, compressed.
func rowsOfCSV(n int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for i := range n {
		fmt.Fprintf(w, "%d,%d.5,%d\n", i%2, i, n-i)
	}
	w.Close()
	return b.String()
}

// unchecked serves a source whose file has no published checksum, and returns an empty library.
func unchecked(t *testing.T, handler http.HandlerFunc) (*Library, *Source) {
	l, s := serve(t, handler)
	s.Dims, s.Rows, s.Format, s.Target = 2, 1000, "csv", "1"
	s.Files = []RemoteFile{{Name: "f.csv.gz", Rows: 1000, URLs: s.Files[0].URLs}}
	return l, s
}

func send(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// Every source refuses a page to sign in, which servers send in place of a file with status 200.
func TestSignInPage(t *testing.T) {
	tries := 0
	for _, name := range Names() {
		s := *registry[name]
		if s.Generated() || s.Bring != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			l, served := serve(t, send(signIn))
			for _, f := range s.Files {
				tries++
				f.URLs = served.Files[0].URLs
				s := s
				s.Files, s.Others, s.Training = []RemoteFile{f}, nil, 1
				err := l.fetch(t.Context(), &s, nil)
				require.ErrorIs(t, err, ErrChecksum)
				assert.Contains(t, err.Error(), f.Name+" is an HTML page or nothing, not data")
				path := l.cachePath(s.folder(), f.Name)
				assert.NoFileExists(t, path)
				assert.NoFileExists(t, path+".part")
				assert.NoFileExists(t, firstSightPath(path))
			}
		})
	}
	t.Logf("%d files", tries)
}

// A download without a checksum is taken only if it can be the file.
func TestImplausibleDownloads(t *testing.T) {
	good := rowsOfCSV(1000)
	zip := func(text string) string { return zipped(t, text) }
	for _, c := range []struct{ name, body, want string }{
		{"truncated", good[:len(good)-20], "it cannot be read to its end"},
		{"cut in the first rows", good[:200], "f.csv.gz does not hold what it should"},
		{"damaged", good[:300] + "xxxx" + good[304:], ""},
		{"too short", rowsOfCSV(1), "f.csv.gz has 3"},
		{"few rows", rowsOfCSV(20), "20 rows, 1000 expected"},
		{"fewer columns", zip(strings.Repeat("1,2\n", 1000)), "the row has 1 inputs, 2 expected"},
		{"other label", zip(strings.ReplaceAll(unzip(t, good), "\n0,", "\n7,")), "label 7 is unknown"},
		{"words", zip(strings.Replace(unzip(t, good), "3.5", "three", 1)), `"three" is not a decimal number`},
		{"HTML inside", zip(signIn + unzip(t, good)), "one field: a row needs a target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, s := unchecked(t, send(c.body))
			s.Label = func(v float64) (float64, bool) { return 2*v - 1, v == 0 || v == 1 }
			err := l.fetch(t.Context(), s, nil)
			require.ErrorIs(t, err, ErrChecksum)
			assert.Contains(t, err.Error(), c.want)
			assert.NoFileExists(t, l.cachePath("src", "f.csv.gz"))
			assert.NoFileExists(t, l.cachePath("src", "f.csv.gz")+".part")
		})
	}
}

// A download without a checksum may have few rows, and so many bytes as its rows take.
func TestSizesOfDownloads(t *testing.T) {
	l, s := unchecked(t, send(rowsOfCSV(20)))
	s.Rows, s.Files[0].Rows = 20, 20
	require.NoError(t, l.fetch(t.Context(), s, nil))
	for _, c := range []struct {
		f           RemoteFile
		least, most int64
	}{
		{RemoteFile{Name: "f", Bytes: 7, Rows: 100}, 7, 7},
		{RemoteFile{Name: "f.csv", Rows: 100}, 200, 100*3*32 + 1<<20},
		{RemoteFile{Name: "f.csv.gz", Rows: 640}, 30, 640*3*32 + 1<<20},
		{RemoteFile{Name: "f.csv"}, 0, mostUnknown},
	} {
		least, most := s.sizes(&c.f)
		assert.Equal(t, []int64{c.least, c.most}, []int64{least, most})
	}
	s.Copies, s.Load = new(Copies), func(context.Context, []*Input, Options) (train, test *Part, err error) {
		return &Part{Y: compute.NewMatrix(2, 1)}, &Part{Y: compute.NewMatrix(1, 1)}, nil
	}
	assert.EqualError(t, s.checkRows(t.Context(), "", &RemoteFile{Rows: 4}), "3 rows, 4 expected")
}

func unzip(t *testing.T, data string) string {
	r, err := gzip.NewReader(strings.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// An endless body ends at what the rows and columns of the source can take.
func TestEndlessBody(t *testing.T) {
	for _, stated := range []bool{false, true} {
		t.Run(fmt.Sprintf("length stated: %v", stated), func(t *testing.T) {
			var sent atomic.Int64
			l, s := unchecked(t, func(w http.ResponseWriter, _ *http.Request) {
				if stated {
					w.Header().Set("Content-Length", "999999999999")
				}
				_, _ = io.WriteString(w, "\x1f\x8b\x08")
				for {
					n, err := w.Write(make([]byte, 1<<16))
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			err := l.fetch(t.Context(), s, nil)
			require.ErrorIs(t, err, ErrChecksum)
			assert.ErrorContains(t, err, "there are more than the 1.14 MB that 1000 rows of 3 numbers can take in f.csv.gz")
			assert.Less(t, sent.Load(), int64(32<<20), "what is in the buffers of the connection")
			assert.NoFileExists(t, l.cachePath("src", "f.csv.gz")+".part")
		})
	}
}

// A download from https does not go on over http.
func TestRedirectDowngrade(t *testing.T) {
	l, s := serve(t, file)
	plain := s.Files[0].URLs[0]
	var requests atomic.Int32
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Redirect(w, r, plain, http.StatusFound)
	}))
	t.Cleanup(secure.Close)
	l.client = secure.Client()
	s.Files[0].URLs = []string{secure.URL}
	err := l.fetch(t.Context(), s, nil)
	require.ErrorIs(t, err, ErrMissing)
	assert.ErrorContains(t, err, "the redirect is not followed: it leads from "+secure.URL+" to "+plain)
	assert.EqualValues(t, 1, requests.Load(), "it is not tried again")

	s.Files[0].URLs = append(s.Files[0].URLs, plain)
	require.NoError(t, l.fetch(t.Context(), s, nil), "the next address is")
	around := httptest.NewServer(nil)
	around.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, around.URL, http.StatusFound) })
	t.Cleanup(around.Close)
	s.Files[0].URLs = []string{around.URL}
	require.NoError(t, os.Remove(l.cachePath("src", "f")))
	assert.ErrorContains(t, l.fetch(t.Context(), s, nil), "the redirect is not followed: it is the tenth")

	secret := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(secret, []byte(body), 0o600))
	inside := httptest.NewServer(http.RedirectHandler("file://"+filepath.ToSlash(secret), http.StatusFound))
	t.Cleanup(inside.Close)
	l.client = nil // the default one, which opens files for mirrors
	s.Files[0].URLs = []string{inside.URL}
	assert.ErrorContains(t, l.fetch(t.Context(), s, nil), "the redirect is not followed: it leads from "+inside.URL+" to a file of this machine")
}

// A file without a published checksum is compared with what it was when it came first.
func TestTrustOnFirstUse(t *testing.T) {
	first, other := rowsOfCSV(1000), rowsOfCSV(1001)
	content := first
	l, s := unchecked(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, content) })
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC).In(time.FixedZone("yesterday", -10*3600))
	l.now = func() time.Time { return now }
	path := l.cachePath("src", "f.csv.gz")
	later := func() *Library { // another process, a day later
		now = now.AddDate(0, 0, 1)
		return &Library{CacheDir: l.CacheDir, client: l.client, pause: l.pause, now: l.now}
	}
	trust := func(l *Library) string { return l.locate(t.Context(), s)[0].Trust() }
	assert.Equal(t, "not here", trust(l))
	require.NoError(t, l.fetch(t.Context(), s, nil))
	assert.Equal(t, "no published checksum: not verified", trust(l))
	record, err := os.ReadFile(firstSightPath(path))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("{\n  \"url\": %q,\n  \"date\": \"2026-11-22\",\n  \"size\": %d,\n  \"sha256\": %q\n}\n", s.Files[0].URLs[0], len(first), sha(first)), string(record))

	now = now.AddDate(0, 0, 1)
	require.NoError(t, l.fetch(t.Context(), s, nil))
	again, err := os.ReadFile(firstSightPath(path))
	require.NoError(t, err)
	assert.Equal(t, string(record), string(again), "what is here is seen first once")

	assert.Equal(t, "same as when first downloaded on 2026-11-22", trust(later()))
	o := Options{TestRows: []int{1, 1}}
	_, err = later().openSource(t.Context(), o, s)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(path, []byte(other), 0o644))
	want := fmt.Sprintf("%s is not the f.csv.gz first downloaded on 2026-11-22: sha256 of its file as downloaded is %s, want %s", path, sha(other), sha(first))
	_, err = later().openSource(t.Context(), o, s)
	require.ErrorIs(t, err, ErrChecksum)
	assert.ErrorContains(t, err, want)
	assert.Equal(t, "wrong", trust(later()))
	content = other
	err = later().fetch(t.Context(), s, nil)
	require.ErrorIs(t, err, ErrChecksum, "the server's has changed")
	assert.ErrorContains(t, err, "is not the f.csv.gz first downloaded on 2026-11-22")
	content = first
	require.NoError(t, later().fetch(t.Context(), s, nil))
	assert.Equal(t, "same as when first downloaded on 2026-11-22", trust(later()))

	for _, damage := range []string{"", "{}", "{\"sha256\": 1}", "{\"sha256\": \"1\", \"date\": \"2026-11-22\"}"} {
		require.NoError(t, os.WriteFile(firstSightPath(path), []byte(damage), 0o644))
		_, err = later().openSource(t.Context(), o, s)
		require.ErrorIs(t, err, formats.ErrFormat)
		assert.ErrorContains(t, err, firstSightPath(path)+", which says what f.csv.gz was when it was first downloaded, cannot be read")
		require.ErrorIs(t, later().fetch(t.Context(), s, nil), formats.ErrFormat)
		require.FileExists(t, path)
	}
	// A file that an earlier version downloaded is remembered from now on.
	require.NoError(t, os.Remove(firstSightPath(path)))
	before := later()
	assert.Equal(t, "no published checksum: not verified", trust(before))
	require.NoError(t, before.fetch(t.Context(), s, nil))
	assert.Equal(t, "no published checksum: not verified", trust(before))
	assert.Equal(t, "same as when first downloaded on "+now.UTC().Format(time.DateOnly), trust(later()))
}

// A download is cancelled where fewer bytes came in a window than the least rate lets come in so long.
func TestTheLeastRateIsThatOfAWindow(t *testing.T) {
	for _, window := range []time.Duration{100 * time.Millisecond, 10 * time.Second} {
		for _, share := range []float64{0.9, 1.1} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				b := &incoming{transfer: &transfer{lib: &Library{window: window}}, ctx: ctx}
				go b.watch(cancel)
				for range 3 {
					b.came.Add(int64(share * minRate * window.Seconds()))
					time.Sleep(window)
					synctest.Wait()
				}
				assert.Equal(t, share < 1, context.Cause(ctx) != nil, "%v of the least in %v: %v", share, window, context.Cause(ctx))
				time.Sleep(window)
				synctest.Wait()
				assert.Error(t, context.Cause(ctx), "nothing came in the last window")
			})
		}
	}
}
