//go:build unix

package records_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// Opening a pipe waits for its other end, and reading a device such as /dev/zero never ends.
func TestPipesDevicesAndSocketsAreRefusedAtOnce(t *testing.T) {
	header := recordstest.Record("a", 1).Header
	for name, place := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "r") // the path of a socket must be short
			require.NoError(t, err)
			t.Cleanup(func() { os.RemoveAll(dir) })
			path := records.Path(dir, header.Experiment, header.Cell)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, place(path))
			done := func(f func()) {
				t.Helper()
				end := time.AfterFunc(20*time.Second, func() { panic("still waiting for " + name) })
				defer end.Stop()
				f()
			}
			done(func() { _, err = records.Read(path) })
			require.ErrorIs(t, err, files.ErrNotRegular)
			assert.ErrorContains(t, err, path+" is "+name+", not a regular file")
			done(func() { _, err = records.Create(path, header) })
			require.ErrorIs(t, err, files.ErrNotRegular)
			done(func() { _, err = records.Resume(path, 10) })
			require.ErrorIs(t, err, files.ErrNotRegular)
			done(func() { err = files.Write(dir, path, nil) })
			require.ErrorIs(t, err, files.ErrNotRegular)
			done(func() {
				s, err := records.Open(dir)
				require.NoError(t, err)
				require.Len(t, s.Warnings, 1)
				assert.ErrorIs(t, s.Warnings[0], files.ErrNotRegular)
			})
		})
	}
}
