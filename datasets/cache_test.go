package datasets

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
)

// What another process downloads is not removed under its hands.
func TestUncacheOfALockedFile(t *testing.T) {
	lib := &Library{CacheDir: t.TempDir()}
	dir := filepath.Join(lib.CacheDir, "a9a")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a9a.part"), []byte("half"), 0o644))
	lock, err := files.NewLocker().Take(filepath.Join(dir, "a9a.lock"))
	require.NoError(t, err)
	_, err = lib.Uncache("a9a")
	assert.ErrorContains(t, err, "locked by")
	assert.FileExists(t, filepath.Join(dir, "a9a.part"))
	lock.Release()
	c, err := lib.Uncache("a9a")
	require.NoError(t, err)
	assert.Equal(t, Cached{Name: "a9a", DataSets: c.DataSets, Files: 1, Bytes: 4}, c)
	assert.Contains(t, c.DataSets, "a9a")
}
