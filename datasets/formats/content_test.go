package formats

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Compressed content may have as many bytes as its bound, and no more.
func TestBoundOfContent(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "a.gz")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	for bound, want := range map[int64]error{1000: nil, 999: ErrLarge} {
		c, err := Open(t.Context(), path, bound)
		require.NoError(t, err)
		require.ErrorIs(t, c.Drain(), want)
		assert.Equal(t, []int64{bound, bound}, []int64{c.Most(), c.Passed()})
		require.NoError(t, c.Close())
	}
}
