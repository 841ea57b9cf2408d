//go:build unix

package files

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe that nobody writes to is refused at once.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := OpenRegular(path)
	require.ErrorIs(t, err, ErrNotRegular)
	assert.EqualError(t, err, path+" is a pipe, not a regular file")
}
