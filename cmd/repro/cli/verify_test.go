package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

func TestBaselineDrifts(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--profile", "smoke")
	require.NoError(t, os.CopyFS("base", os.DirFS("out")))

	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	for i := range r.Points {
		for k, v := range r.Points[i].Values {
			r.Points[i].Values[k] = records.Value(*v * 1.001)
		}
	}
	rewrite(t, path, r)
	o := repro(t, "verify", "tiny.toml", "--baseline", "base", "--gate")
	assert.Equal(t, int(exits.Failed), o.status)
	assert.Contains(t, o.out, "own/tiny dsg-seed1 at profile smoke: worse: ")
	assert.Contains(t, o.out, "1 worse, 3 same")
}

// rewrite replaces a record.
func rewrite(t *testing.T, path string, r *records.Record) {
	t.Helper()
	w, err := records.Create(path, r.Header)
	require.NoError(t, err)
	for _, p := range r.Points {
		require.NoError(t, w.Point(p))
	}
	require.NoError(t, w.End(*r.End))
	require.NoError(t, w.Close())
}

func TestRecordOfAnUnknownProfileIsNamed(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--seeds", "1")
	path := records.Path("out", "own/tiny", "dsg-seed9")
	r, err := records.Read(records.Path("out", "own/tiny", "dsg-seed1"))
	require.NoError(t, err)
	r.Header.Cell, r.Header.Profile, r.Header.Timing.Started = "dsg-seed9", "huge", "3"
	rewrite(t, path, r)
	r.Header.Experiment = "*/*" // a pattern, not an experiment
	rewrite(t, records.Path("out", "x", "a"), r)
	r.Header.Experiment = "tiny.toml" // a file that is here
	rewrite(t, records.Path("out", "x", "b"), r)
	o := ok(t, "verify", "tiny.toml")
	assert.Contains(t, o.errors, `warning: own/tiny: left out, because its spec has no such profile: the record of dsg-seed9 at "huge"; remove it, or add the profile to tiny.toml`)
	assert.Contains(t, o.out, "own/tiny at profile paper")
	o = repro(t, "verify")
	assert.Contains(t, o.errors, "*/*: left out, because its spec does not come with repro")
	assert.Contains(t, o.errors, "tiny.toml: left out, because its spec does not come with repro")
}

// A report of the same records touches no file, so the folder may be read-only; otherwise every file is named.
func TestReportIntoAReadOnlyFolder(t *testing.T) {
	workplace(t)
	withFigure(t)
	ok(t, "run", "tiny.toml")
	before := map[string]fs.FileInfo{}
	require.NoError(t, filepath.WalkDir("out", func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		before[path], err = d.Info()
		require.NoError(t, err)
		if d.IsDir() {
			t.Cleanup(func() { os.Chmod(path, 0o777) })
			return os.Chmod(path, 0o555)
		}
		return nil
	}))
	ok(t, "report", "tiny.toml")
	for path, was := range before {
		is, err := os.Stat(path)
		require.NoError(t, err)
		assert.True(t, os.SameFile(was, is), path)
	}
	for path, info := range before {
		if info.IsDir() {
			require.NoError(t, os.Chmod(path, 0o777))
		}
	}

	require.NoError(t, os.RemoveAll("out/figures"))
	write(t, "out/figures", "in the way")
	require.NoError(t, os.Remove("out/report.html"))
	o := repro(t, "report", "tiny.toml")
	assert.Equal(t, int(exits.Mistake), o.status)
	for _, ext := range []string{"svg", "csv"} {
		assert.Contains(t, o.errors, "repro: cannot write "+filepath.FromSlash("out/figures/own/tiny/convergence."+ext)+": ")
	}
	assert.FileExists(t, "out/report.html", "the rest is written")
}
