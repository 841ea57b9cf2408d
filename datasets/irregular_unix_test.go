//go:build unix

package datasets

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Opening a named pipe for reading waits for whoever writes to it, so none is opened.
func TestNamedPipe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "f"), 0o644))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "a.csv"), 0o644))
	s := &Source{Name: "src", Dims: 1, Rows: 2, Format: "libsvm", Files: []RemoteFile{{Name: "f", Rows: 2, SHA256: sha(tiny)}}}
	own := Options{File: "a.csv", TestRows: []int{1, 1}}
	for _, c := range []struct {
		name string
		do   func(l *Library) error
	}{
		{"own file", func(l *Library) error { _, err := l.Open(t.Context(), own, "", 1, dir); return err }},
		{"own device", func(l *Library) error {
			_, err := l.Open(t.Context(), Options{File: "/dev/zero", Format: "csv", TestRows: []int{1, 1}}, "", 1, dir)
			return err
		}},
		{"measure", func(*Library) error { _, _, _, _, err := (&Library{}).Measure(t.Context(), own, dir); return err }},
		{"locate", func(l *Library) error { return l.locate(t.Context(), s)[0].Err }},
		{"open", func(l *Library) error { _, err := l.openSource(t.Context(), Options{}, s); return err }},
		{"fetch", func(l *Library) error { return l.fetch(t.Context(), s, nil) }},
		{"hash", func(*Library) error { return hashFile(t.Context(), filepath.Join(dir, "f"), &s.Files[0]) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &Library{SearchPath: []string{dir}, CacheDir: t.TempDir()}
			done := make(chan error, 1)
			go func() { done <- c.do(l) }()
			select {
			case err := <-done:
				require.Error(t, err)
				assert.Regexp(t, "is a (pipe|device), not a regular file", err.Error())
			case <-time.After(5 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
	// A pipe in place of the folder has no files.
	l := &Library{SearchPath: []string{filepath.Join(dir, "f")}}
	assert.Empty(t, l.locate(t.Context(), s)[0].Path)
}
