package files

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
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

	at := time.Now().Add(-time.Hour)
	put := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	put(path, "ten")
	assert.Equal(t, "ten", read())
	put(path, "eleven")
	assert.Equal(t, "eleven", read(), "another size at the same time")
	put(path+"2", "twelve")
	require.NoError(t, os.Rename(path+"2", path))
	assert.Equal(t, "twelve", read(), "another file of that size and time")
	put(path, "a dozen")
	_, err = c.Of(path, func(string) (string, error) { put(path, "thirteen"); return "half", nil })
	require.NoError(t, err)
	assert.Equal(t, "thirteen", read(), "what changes while it is read is not kept")
}

// A time of change is in steps of up to 2 s, unless files are replaced only.
func TestCacheOfNewFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	synctest.Test(t, func(t *testing.T) {
		for age, reads := range map[time.Duration]int{1900 * time.Millisecond: 2, 2100 * time.Millisecond: 1} {
			at := time.Now().Add(-age)
			require.NoError(t, os.Chtimes(path, at, at))
			for _, c := range []*Cache[int]{{}, {Replaced: true}} {
				n := 0
				for range 2 {
					_, err := c.Of(path, func(string) (int, error) { n++; return n, nil })
					require.NoError(t, err)
				}
				assert.Equal(t, map[bool]int{false: reads, true: 1}[c.Replaced], n, age)
			}
		}
	})
}
