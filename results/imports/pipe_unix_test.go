//go:build unix

package imports

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipe: a pipe that nobody writes to is refused at once, whoever names it.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := Propose([]string{path})
	require.ErrorContains(t, err, "is a pipe")
	for _, name := range []string{"pipe.csv", "{method}.csv"} {
		o := Options{File: name, Step: "t"}
		_, err = o.Read(filepath.Dir(path), wanted("y"), nil)
		require.ErrorContains(t, err, "is a pipe")
	}
}
