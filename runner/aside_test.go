package runner

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
	"repro/results/records"
)

// What a run would replace and cannot judge is moved aside, with a warning.
func TestWhatCannotBeJudgedIsMovedAside(t *testing.T) {
	s := spec(t, hazardous)
	whole := ran(t, s, Options{})
	want := canonical(t, whole, s)
	good, err := os.ReadFile(records.Path(whole, s.ID, "a-seed1"))
	require.NoError(t, err)
	newer := bytes.Replace(good, []byte(`"schema":2`), []byte(`"schema":99`), 1)
	require.NotEqual(t, good, newer)
	damaged := bytes.Replace(good, []byte(`"seen":1,`), []byte(`"seen":2,`), 1)
	require.NotEqual(t, good, damaged)
	for name, c := range map[string]struct {
		data  []byte
		fresh bool
		aside bool
	}{
		"damaged":                  {damaged, false, true},
		"damaged, with fresh":      {damaged, true, false},
		"newer":                    {newer, false, true},
		"newer, with fresh":        {newer, true, true},
		"no record":                {[]byte("my notes\nmore of them\n"), false, true},
		"killed in its header":     {good[:20], false, false},
		"killed in its first line": {good[:bytes.IndexByte(good, '\n')+20], false, false},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			path := records.Path(out, s.ID, "a-seed1")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, os.WriteFile(path, c.data, 0o600))
			require.NoError(t, os.WriteFile(path+".aside-1", []byte("earlier"), 0o600))
			_, w, err := watch(t, context.Background(), s, Options{Out: out, Fresh: c.fresh})
			require.NoError(t, err)
			assert.Equal(t, want, canonical(t, out, s))
			if !c.aside {
				assert.Empty(t, w.reasons(Warned))
				assert.NoFileExists(t, path+".aside-2")
				return
			}
			warnings := strings.Join(w.reasons(Warned), "\n")
			assert.Contains(t, warnings, "a-seed1: "+path)
			assert.Contains(t, warnings, "; it is now "+path+".aside-2")
			kept, err := os.ReadFile(path + ".aside-2")
			require.NoError(t, err)
			assert.Equal(t, c.data, kept)
		})
	}
}

// A link in place of a record is not followed.
func TestALinkInPlaceOfARecordIsMovedAside(t *testing.T) {
	s := spec(t, hazardous)
	for _, fresh := range []bool{false, true} {
		out, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
		require.NoError(t, os.WriteFile(precious, []byte("text"), 0o600))
		path := records.Path(out, s.ID, "a-seed1")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		if os.Symlink(precious, path) != nil {
			t.Skip("no symbolic links here")
		}
		_, w, err := watch(t, context.Background(), s, Options{Out: out, Fresh: fresh})
		require.NoError(t, err)
		assert.Equal(t, []string{"a-seed1: " + path + " is not a regular file; it is now " + path + ".aside-1"}, w.reasons(Warned))
		text, err := os.ReadFile(precious)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
		assert.Equal(t, records.Budget, record(t, out, s, "a-seed1").Status())
	}
}

// A record that goes while its cell runs fails the cell, and one that goes later fails it at the end of the run.
func TestARecordThatIsRemovedFailsItsCell(t *testing.T) {
	s := spec(t, hazardous)
	for name, c := range map[string]struct {
		during string // the method in whose fifth step the records go
		failed []string
	}{"while its cell runs": {"a", []string{"a"}}, "after its cell ended": {"b", []string{"a", "b"}}} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			during(t, func(name, part string, step int) {
				if name == c.during && part == "step" && step == 5 {
					assert.NoError(t, os.RemoveAll(out))
				}
			})
			sum, w, err := watch(t, context.Background(), s, Options{Out: out, Threads: 1})
			require.NoError(t, err)
			during(t, nil)
			assert.True(t, failed(sum))
			assert.Equal(t, len(c.failed), sum.Status[records.Failed])
			assert.Equal(t, 2-len(c.failed), sum.Status[records.Budget])
			told := strings.Join(append(w.reasons(Ended), w.reasons(Lost)...), "\n")
			for _, name := range c.failed {
				assert.Contains(t, told, name+"-seed1: another program removed")
			}
			sum, _, err = watch(t, context.Background(), s, Options{Out: out, Threads: 1})
			require.NoError(t, err)
			assert.Equal(t, 2, sum.Status[records.Budget], "the same command repairs it")
		})
	}
}

// A record that another program replaces while the cell runs is not taken for the cell's.
func TestARecordThatIsReplacedFailsItsCell(t *testing.T) {
	s := spec(t, hazardous)
	out := t.TempDir()
	path := records.Path(out, s.ID, "a-seed1")
	during(t, func(name, part string, step int) {
		if name == "a" && part == "step" && step == 5 {
			assert.NoError(t, files.Write(out, path, []byte("something else\n")))
		}
	})
	sum, _, err := watch(t, context.Background(), s, Options{Out: out, Threads: 1})
	require.NoError(t, err)
	assert.Equal(t, map[records.Status]int{records.Failed: 1, records.Budget: 1}, sum.Status)
}
