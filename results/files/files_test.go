package files

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFileLeavesAnEqualFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b.csv")
	require.NoError(t, Write(dir, path, []byte("x")))
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, Write(dir, path, []byte("x")))
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	require.NoError(t, Write(dir, path, []byte("y")))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "y", string(data))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file stays")
}

// A run that ends removes empty folders that another one is just making.
func TestAFolderThatAnotherProcessRemoves(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "locks", "own", "tiny", "cell.lock")
	stop := make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				for folder := filepath.Dir(path); folder != dir; folder = filepath.Dir(folder) {
					os.Remove(folder)
				}
			}
		}
	})
	defer other.Wait()
	defer close(stop)
	for range 2000 {
		require.NoError(t, MakeFolder(dir, path))
	}
}

func TestFullDiskSaysWhatToDo(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := CannotWrite("out/a", &os.PathError{Op: "write", Path: "x", Err: err})
		assert.ErrorContains(t, err, "cannot write out/a: ")
		assert.ErrorContains(t, err, "; free some space, or name another folder with --out")
	}
	assert.ErrorContains(t, CannotWrite("out/a", os.ErrPermission), "; make the folder writable, or name another with --out")
}

func TestFileNamesHaveNoControlCharacters(t *testing.T) {
	got := Path("out", "figures", "a\x1b[31m/b\u202e", "c\n\u009b\xff.svg")
	assert.Equal(t, filepath.Join("out", "figures", "a%1B[31m", "b%E2%80%AE", "c%0A%C2%9B%FF.svg"), got)
}
