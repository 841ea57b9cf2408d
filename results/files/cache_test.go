package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file is read once, and again after a change; one that has changed just now is read every time.
func TestCache(t *testing.T) {
	path, n := filepath.Join(t.TempDir(), "a"), 0
	var c Cache[string]
	read := func() string {
		text, err := c.Of(path, func(path string) (string, error) {
			n++
			text, err := os.ReadFile(path)
			return string(text), err
		})
		require.NoError(t, err)
		return text
	}
	write := func(text string, age time.Duration) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	_, err := c.Of(path, Sum)
	require.ErrorIs(t, err, os.ErrNotExist)
	write("one", time.Hour)
	assert.Equal(t, "one", read())
	assert.Equal(t, "one", read())
	assert.Equal(t, 1, n)
	write("two", time.Minute)
	assert.Equal(t, "two", read())
	assert.Equal(t, "two", read())
	assert.Equal(t, 2, n)
	write("six", 0)
	assert.Equal(t, "six", read())
	assert.Equal(t, "six", read())
	assert.Equal(t, 4, n)
}
