package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

// ownData writes a spec that fits the user's own files: a method of Go, and a program beside the spec.
func ownData(t *testing.T) {
	t.Helper()
	workplace(t)
	for name, rows := range map[string]int{"train.csv": 60, "test.csv": 20} {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, "%g,%g,%d\n", float64(i)/10, float64(i%7), 2*(i%2)-1)
		}
		write(t, name, b.String())
	}
	require.NoError(t, os.MkdirAll("bin", 0o777))
	write(t, "bin/fit.sh", "#!/bin/sh\nn=$(wc -l <$1)\nyes 0.5 | head -n $n >$2\n")
	require.NoError(t, os.Chmod("bin/fit.sh", 0o755))
	write(t, "own.toml", `schema = 1
paper = "own"
title = "Own files"
source = "nowhere"

[data]
file = "train.csv"
test_file = "test.csv"

[problem]
loss = "square"
nu = 1e-3
kernel = { name = "gaussian", bandwidth = 1.0 }

[budget]
epochs = 1

[evaluate]
points = 3
metrics = ["test-mse"]

[repeat]
seeds = 1

[[method]]
id = "pegasos"
algorithm = "r-pegasos"
batch = 4
features = 8
step = { schedule = "inverse", gamma0 = 1.0, t0 = 10.0 }

[[method]]
id = "program"
algorithm = "external"
command.train = ["sh", "{dir}/bin/fit.sh", "{test}", "{predictions}", "{train}"]

[[claim]]
id = "better"
kind = "order"
statement = "One is better"
source = "nowhere"
method = "pegasos"
against = ["program"]
metric = "test-mse"
`)
}

// A cell is kept only as long as every file that decides its numbers is as it was; then one line says why it runs again, and
// numbers of two contents never meet.
func TestChangedFiles(t *testing.T) {
	for file, again := range map[string]int{"train.csv": 2, "test.csv": 2, "bin/fit.sh": 1} {
		t.Run(file, func(t *testing.T) {
			ownData(t)
			ok(t, "run", "own.toml", "--seeds", "2", "--allow-external")
			assert.Contains(t, ok(t, "run", "own.toml", "--seeds", "2", "--allow-external").errors, "4 of 4 were complete")

			info, err := os.Stat(file)
			require.NoError(t, err)
			write(t, file, strings.Replace(read(t, file), "5", "6", 1)) // of the same size
			require.NoError(t, os.Chtimes(file, info.ModTime().Add(1), info.ModTime().Add(1)))

			line := fmt.Sprintf("own/own: %s changed since %d cells ran on it; all that need it run again", filepath.ToSlash(file), 2*again)
			assert.Contains(t, ok(t, "plan", "own.toml", "--seeds", "3").errors, line)
			assert.Contains(t, repro(t, "verify", "own.toml", "--seeds", "2", "-v").out, "have other settings or files than the spec has now")
			assert.Equal(t, 2*again, strings.Count(ok(t, "plan", "own.toml", "--seeds", "2").out, string(records.OtherData)))

			o := ok(t, "run", "own.toml", "--seeds", "3", "--allow-external")
			assert.Contains(t, o.errors, line)
			assert.Equal(t, 4-2*again > 0, strings.Contains(o.errors, "2 of 6 were complete"), o.errors)
			for _, verdict := range array(t, ok(t, "verify", "own.toml", "--seeds", "3", "--json").out) {
				assert.NotContains(t, verdict["reason"], "contents")
			}
		})
	}
}

// Records of two contents in one folder, as a merge of two machines leaves them, are not comparable, here and in a bundle.
func TestMixedContents(t *testing.T) {
	ownData(t)
	ok(t, "run", "own.toml", "--seeds", "2", "--method", "pegasos", "--method", "program", "--allow-external")
	path := records.Path("out", "own/own", "pegasos-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	sums := maps.Clone(r.Header.Settings[records.ContentKey].(map[string]any))
	sums["train.csv"] = strings.Repeat("0", 64)
	r.Header.Settings = r.Header.WithContent(sums)
	r.Header.Digest = strings.Repeat("1", 64)
	rewrite(t, path, r)
	ok(t, "bundle", "b.zip", "own.toml", "--seeds", "2")
	require.NoError(t, os.Mkdir("elsewhere", 0o777))
	require.NoError(t, os.Rename("b.zip", "elsewhere/b.zip"))
	t.Chdir("elsewhere") // where the data is not
	o := repro(t, "verify", "b.zip", "-v")
	assert.Contains(t, o.out, "not comparable")
	assert.Contains(t, o.out, "ran on different contents of train.csv")
}

// Without the files, records are judged as they are: a bundle needs no data, and a cell whose file is gone is kept.
func TestFilesThatAreGone(t *testing.T) {
	ownData(t)
	ok(t, "run", "own.toml", "--allow-external")
	before := ok(t, "verify", "own.toml").out
	ok(t, "bundle", "b.zip", "own.toml")
	require.NoError(t, os.Remove("train.csv"))
	assert.Equal(t, before, ok(t, "verify", "own.toml").out)
	assert.NotContains(t, ok(t, "verify", "b.zip").out, "than the spec has now")
	assert.Contains(t, repro(t, "plan", "own.toml").out+repro(t, "plan", "own.toml").errors, "train.csv")
	a := audited(t, int(exits.Incomplete), "b.zip")
	require.Len(t, a.LeftOut, 2)
	assert.Contains(t, fmt.Sprint(a.LeftOut), "their data is not here")
}

// A script that is not here leaves its records as they are; another file that changed is noticed nevertheless.
func TestScriptThatIsGone(t *testing.T) {
	ownData(t)
	ok(t, "run", "own.toml", "--allow-external")
	before := ok(t, "verify", "own.toml").out
	ok(t, "bundle", "b.zip", "own.toml")
	require.NoError(t, os.Remove("bin/fit.sh"))
	assert.Equal(t, before, ok(t, "verify", "own.toml").out)
	assert.NotContains(t, ok(t, "verify", "b.zip", "-v").out, "than the spec has now")
	assert.Contains(t, ok(t, "run", "own.toml", "--allow-external").errors, "2 of 2 were complete")

	write(t, "train.csv", strings.Replace(read(t, "train.csv"), "5", "6", 1)+"1,2,1\n")
	assert.Equal(t, 2, strings.Count(ok(t, "plan", "own.toml").out, string(records.OtherData)))
	o := ok(t, "run", "own.toml", "--method", "pegasos")
	assert.Contains(t, o.errors, "own/own: train.csv changed since 1 cell ran on it")
	assert.NotContains(t, o.errors, "were complete")
}

// A run says once that it keeps cells of another build.
func TestCellsOfAnotherBuild(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	assert.NotContains(t, ok(t, "run", "tiny.toml").errors, "another build")
	for _, cell := range []string{"dsg-seed1", "dsg-seed2"} {
		path := records.Path("out", "own/tiny", cell)
		r, err := records.Read(path)
		require.NoError(t, err)
		r.Header.Provenance.Commit = strings.Repeat("0123456789", 4)
		rewrite(t, path, r)
	}
	o := ok(t, "run", "tiny.toml")
	assert.Contains(t, o.errors, "2 complete cells of another build (")
	assert.Contains(t, o.errors, " 012345678901) kept; --fresh runs them again with this one\n")
	assert.NotContains(t, ok(t, "run", "tiny.toml", "--fresh").errors, "another build")
}
