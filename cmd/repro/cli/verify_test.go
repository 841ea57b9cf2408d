package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

func TestVerify(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	long := ok(t, "verify", "tiny.toml", "-v").out
	assert.Contains(t, long, "own/tiny at profile paper: A tiny experiment\n")
	assert.Regexp(t, `\n  error +3\.1 % +5\.475 % \[1\.168, 25\.67\] +inconclusive\n`, long)
	assert.Contains(t, long, "test-mse of dsg at the end is 5.475 %, interval 1.168 to 25.67 of the geometric mean over 2 seeds", "the reason")
	short := ok(t, "verify", "tiny.toml").out
	assert.Contains(t, short, "\n  printed number: 1 inconclusive; statement: 1 inconclusive\n")
	assert.NotContains(t, short, "REASON", "reasons only if asked for")
	all := array(t, ok(t, "verify", "--json", "tiny.toml").out)
	require.Len(t, all, 2)
	for _, key := range []string{"experiment", "claim", "kind", "method", "metric", "published", "measured",
		"low", "high", "tolerance", "verdict", "profile", "seeds", "reason"} {
		assert.Contains(t, all[0], key)
	}
	assert.Equal(t, array(t, read(t, "out/verdicts.json")), all, "the report's and these are one")
}

func TestGate(t *testing.T) {
	// Its claims are changed to ones that hold: fixed features take a sixteenth of the memory, and
	// with this tolerance the error cannot but be right.
	tests := []struct {
		name    string
		prepare func(t *testing.T)
		args    []string
		want    int
	}{
		{"all hold", func(t *testing.T) { ok(t, "run", "tiny.toml") }, nil, 0},
		{"some deviate", func(t *testing.T) {
			edit(t, "tiny.toml", `method = "r-pegasos"`+"\nagainst = [\"dsg\"]", `method = "dsg"`+"\nagainst = [\"r-pegasos\"]")
			ok(t, "run", "tiny.toml")
		}, nil, 1},
		{"inconclusive", func(t *testing.T) { ok(t, "run", "tiny.toml", "--seeds", "1") }, []string{"--seeds", "1"}, 3},
		{"a seed is missing", func(t *testing.T) { ok(t, "run", "tiny.toml", "--seeds", "1") }, nil, 4},
		{"reduced profile", func(t *testing.T) { ok(t, "run", "tiny.toml", "--profile", "smoke") }, nil, 4},
		{"no records", func(*testing.T) {}, nil, 4},
		{"a run diverged", func(t *testing.T) { ok(t, "run", "tiny.toml", "--set", "method.dsg.step.gamma0=1e100") }, nil, 5},
		{"the spec changed since", func(t *testing.T) {
			ok(t, "run", "tiny.toml")
			edit(t, "tiny.toml", "nu = 1e-6", "nu = 1e-5")
		}, nil, 4},
		{"a mistake", func(*testing.T) {}, []string{"--method", "dgs"}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workplace(t)
			edit(t, "tiny.toml", "tolerance = 0.1", "tolerance = 1000")
			edit(t, "tiny.toml", `method = "dsg"`+"\nagainst = [\"r-pegasos\"]\nmetric = \"l2-error\"",
				`method = "r-pegasos"`+"\nagainst = [\"dsg\"]\nmetric = \"memory\"")
			test.prepare(t)
			args := append([]string{"verify", "tiny.toml"}, test.args...)
			o := repro(t, append(args, "--gate")...)
			assert.Equal(t, test.want, o.status, "%s%s", o.out, o.errors)
			if test.want != int(exits.Error) && test.name != "no records" {
				ok(t, args...) // without --gate a finding is no error
			}
		})
	}
}

func TestRecordsOfAnotherSpecAreNotComparable(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	edit(t, "tiny.toml", "features = 32", "features = 16")
	for _, v := range array(t, ok(t, "verify", "tiny.toml", "--json").out) {
		if v["claim"] == "better" {
			assert.Equal(t, "not comparable", v["verdict"])
			assert.Contains(t, v["reason"], "the records of r-pegasos have other settings or files than the spec has now")
		} else {
			assert.NotEqual(t, "not comparable", v["verdict"], "what did not change still counts")
		}
	}
}

// A run of minutes is not replaced by mistake.
func TestRunKeepsDearRecordsOfOtherSettings(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--seeds", "1")
	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	r.Points[len(r.Points)-1].Timing.Train = 7200
	rewrite(t, path, r)
	before := read(t, path)

	args := []string{"run", "tiny.toml", "--seeds", "1", "--profile", "smoke"}
	o := repro(t, args...)
	assert.Equal(t, int(exits.Error), o.status)
	assert.Equal(t, "repro: out holds complete records of other settings, which this run would replace: "+
		"1 of own/tiny at profile paper (2.0 h of training); choose another folder with --out, or replace them with --fresh\n", o.errors)
	assert.Empty(t, o.out)
	assert.Equal(t, before, read(t, path))
	ok(t, "run", "tiny.toml", "--seeds", "1") // the same settings are kept

	ok(t, append(args, "--fresh")...)
	assert.NotEqual(t, before, read(t, path))
}

func TestBaseline(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--profile", "smoke")
	require.NoError(t, os.CopyFS("base", os.DirFS("out")))

	o := ok(t, "verify", "tiny.toml", "--baseline", "base")
	assert.Contains(t, o.out, "compared with baseline base: 4 same")
	assert.Equal(t, 4, repro(t, "verify", "tiny.toml", "--baseline", "base", "--gate").status, "its claims are not comparable")

	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	for i := range r.Points {
		for k, v := range r.Points[i].Values {
			r.Points[i].Values[k] = records.Value(*v * 1.001)
		}
	}
	rewrite(t, path, r)
	o = repro(t, "verify", "tiny.toml", "--baseline", "base", "--gate")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.out, "own/tiny dsg-seed1 at profile smoke: drifted: ")
	assert.Contains(t, o.out, "3 same, 1 drifted")
	o = ok(t, "verify", "tiny.toml", "--baseline", "base", "--baseline-tolerance", "0.01")
	assert.Contains(t, o.out, "3 same, 1 close")

	require.NoError(t, os.Remove(path))
	assert.Contains(t, ok(t, "verify", "tiny.toml", "--baseline", "base").out, "3 same, 1 missing")

	edit(t, "base/records/own/tiny/dsg-seed1.jsonl", `"step":2,`, `"step":3,`)
	assert.Contains(t, ok(t, "verify", "tiny.toml", "--baseline", "base").errors, "warning: --baseline: base/records/own/tiny/dsg-seed1.jsonl:")
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

func TestBrokenRecordIsAWarning(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	write(t, filepath.FromSlash("out/records/own/tiny/other.jsonl"), "{}\n{}\n")
	o := ok(t, "report", "tiny.toml")
	assert.Contains(t, o.errors, "warning: ")
	assert.Contains(t, o.errors, "other.jsonl:1")
	assert.Regexp(t, `warn +records +.*other.jsonl:1`, ok(t, "doctor").out)
}

// Whatever was done to a record, the other records are judged, and every verb names the file, the line and what to do.
func TestDamagedRecordIsNamed(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	path := records.Path("out", "own/tiny", "dsg-seed1")
	l := strings.SplitAfter(read(t, path), "\n")
	write(t, path, strings.Join(append([]string{l[0], l[2], l[1]}, l[3:]...), ""))
	want := path + ":2: the checksum does not match"
	const advice = "run the cell again, or restore the file from a copy"
	for _, args := range [][]string{{"verify", "tiny.toml"}, {"report", "tiny.toml", "-v"}} {
		o := ok(t, args...)
		assert.Contains(t, o.errors, want, "%q", args)
		assert.Contains(t, o.errors, advice, "%q", args)
		assert.Regexp(t, `error +3.1 +`, o.out, "the others are judged")
	}
	o := ok(t, "doctor")
	assert.Contains(t, o.out, want)
	assert.Contains(t, o.out, advice)
	assert.Contains(t, ok(t, "run", "tiny.toml").errors, want)
	assert.NotContains(t, ok(t, "verify", "tiny.toml").errors, "checksum")
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
	assert.Equal(t, int(exits.Error), o.status)
	for _, ext := range []string{"svg", "csv"} {
		assert.Contains(t, o.errors, "repro: cannot write "+filepath.FromSlash("out/figures/own/tiny/convergence."+ext)+": ")
	}
	assert.FileExists(t, "out/report.html", "the rest is written")
}
