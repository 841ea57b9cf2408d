package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

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
	for _, text := range []string{"long", "longer", "long", "long"} {
		require.NoError(t, WriteBy(dir, path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(data))
	}
}

// What is kept is on the disk with its name and the names of its new folders, which are synced once, and again if they are made anew.
func TestKeepSyncsFolders(t *testing.T) {
	if !syncsFolders {
		t.Skip("folders are not synced here")
	}
	dir := t.TempDir()
	var synced []string
	var offsets []int64
	defer Through(func(c Change, do func() error) error {
		if name, err := filepath.Rel(dir, c.Path); c.Op == OpSyncFolder && err == nil && filepath.IsLocal(name) {
			synced = append(synced, name)
		} else if c.Op == OpWrite {
			offsets = append(offsets, c.Offset)
		}
		return do()
	})()
	for _, c := range []struct{ files, want []string }{
		{[]string{"a/b/x"}, []string{"a/b", "a", "."}},
		{[]string{"a/b/y"}, []string{"a/b"}},
		{[]string{"a/b/z", "c/x"}, []string{"a/b", "c", "."}},
		{[]string{"c/y"}, []string{"c", "."}}, // c was removed
	} {
		synced = nil
		contents := map[string][]byte{}
		for _, name := range c.files {
			contents[filepath.Join(dir, name)] = []byte(name)
		}
		require.NoError(t, KeepAll(dir, contents))
		assert.Equal(t, c.want, synced)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "c")))
	}
	offsets = nil
	require.NoError(t, Replace(dir, filepath.Join(dir, "z"), func(f *File) error {
		_, err := f.Write([]byte("one"))
		_, err2 := f.Write([]byte("two"))
		return errors.Join(err, err2)
	}))
	assert.Equal(t, []int64{0, 3}, offsets)
}

// What killed commands left are the temporary files that are old, and those that the caller knows for its own.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".repro-new-1": 9 * time.Minute, ".repro-old-1": 11 * time.Minute, ".repro-mine-1": 0, "old": time.Hour} {
		path, at := filepath.Join(dir, name), time.Now().Add(-age)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	paths, err := Leftovers(dir, func(folder, name string) bool { return folder == dir && name == "mine-1" })
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, ".repro-mine-1"), filepath.Join(dir, ".repro-old-1")}, paths)
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
	assert.NotEqual(t, Path("out", "figures", "a", "b/c"), Path("out", "figures", "a", "b%2Fc"))
}

func TestMkdirTemp(t *testing.T) {
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	dir := t.TempDir()
	t.Setenv(variable, dir)
	made, err := MkdirTemp("some-*")
	require.NoError(t, err)
	assert.Equal(t, dir, filepath.Dir(made))

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, bad := range []string{filepath.Join(dir, "nowhere"), file} {
		t.Setenv(variable, bad)
		_, err := MkdirTemp("some-*")
		require.Error(t, err)
		assert.Regexp(t, "^no temporary folder can be made in "+regexp.QuoteMeta(bad)+": [^:]+; set "+variable+" to a folder that you can write to$", err.Error())
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, []byte("four"), 0o600))
	data, err := ReadRegular(path, 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(data))
	_, err = ReadRegular(path, 3)
	require.ErrorIs(t, err, ErrLarge)
	assert.EqualError(t, err, path+": too large: it has more than 3 bytes")

	_, err = ReadRegular(filepath.Dir(path), 4)
	require.ErrorIs(t, err, ErrNotRegular)
	assert.EqualError(t, err, filepath.Dir(path)+" is a folder, not a regular file")
	_, err = ReadRegular(path+"b", 4)
	assert.ErrorIs(t, err, os.ErrNotExist)
	if _, err := os.Stat(os.DevNull); err == nil {
		_, err = ReadRegular(os.DevNull, 4)
		assert.ErrorIs(t, err, ErrNotRegular)
	}
}
