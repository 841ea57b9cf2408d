package records_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// link makes a symbolic link, or skips the test where the system does not allow it.
func link(t *testing.T, target, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

func TestNothingIsWrittenThroughASymbolicLink(t *testing.T) {
	r := recordstest.Record("a", 1, 4)
	write := map[string]func(dir, path string) error{
		"Create": func(_, path string) error { _, err := records.Create(path, r.Header); return err },
		"Resume": func(dir, path string) error {
			whole := recordstest.Write(t, t.TempDir(), recordstest.Ended(recordstest.Record("a", 1, 4), records.Partial))
			data := read(t, whole)
			if err := os.WriteFile(path, []byte(data), 0o644); err != nil { // lands outside
				return err
			}
			_, err := records.Resume(path, int64(len(data)))
			return err
		},
		"WriteFile": func(dir, path string) error { return files.Write(dir, path, []byte("new")) },
	}
	for name, write := range write {
		t.Run(name+" to a link", func(t *testing.T) {
			dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
			require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o644))
			path := records.Path(dir, r.Header.Experiment, r.Header.Cell)
			link(t, outside, path)
			err := write(dir, path)
			require.ErrorIs(t, err, files.ErrNotRegular)
			assert.ErrorContains(t, err, path+" is a symbolic link, not a regular file: remove it")
			if name != "Resume" {
				assert.Equal(t, "mine", read(t, outside))
			}
		})
		for _, folder := range []string{"records", filepath.Join("records", "paper1999"), filepath.Join("records", "paper1999", "demo")} {
			t.Run(name+" below a linked "+filepath.ToSlash(folder), func(t *testing.T) {
				dir, outside := t.TempDir(), t.TempDir()
				path := records.Path(dir, r.Header.Experiment, r.Header.Cell)
				link(t, outside, filepath.Join(dir, folder))
				if name == "Resume" {
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				}
				err := write(dir, path)
				require.ErrorContains(t, err, "a symbolic link on the way leads out of the output folder")
				require.ErrorContains(t, err, "cannot write "+path)
				if name == "Resume" {
					return
				}
				entries, err := os.ReadDir(outside)
				require.NoError(t, err)
				assert.Empty(t, entries)
			})
		}
	}
}

func TestAnOutputFolderMayBeALink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	link(t, t.TempDir(), dir)
	recordstest.Write(t, dir, recordstest.Record("a", 1, 4))
	s, err := records.Open(dir)
	require.NoError(t, err)
	assert.Len(t, s.Records, 1)
}

func TestAFolderIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	path := records.Path(dir, "paper1999/demo", "a-1")
	require.NoError(t, os.MkdirAll(path, 0o777))
	_, err := records.Read(path)
	require.ErrorIs(t, err, files.ErrNotRegular)
	assert.ErrorContains(t, err, path+" is a folder, not a regular file: remove it, or name another folder with --out")
	_, err = records.Create(path, recordstest.Record("a", 1).Header)
	require.ErrorIs(t, err, files.ErrNotRegular)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "records")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "records"), nil, 0o644))
	_, err = records.Open(dir)
	assert.ErrorContains(t, err, "not a folder")
}
