package cli

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
)

func TestDoctor(t *testing.T) {
	workplace(t)
	o := ok(t, "doctor")
	assert.Regexp(t, `ok +processor +\d+ processor`, o.out)
	assert.Regexp(t, `ok +data to fetch +.*a9a, .*\n +→ repro fetch NAME `, o.out)
	assert.Regexp(t, `ok +data to bring +.*imagenet, .*\n +→ nobody offers them`, o.out)
	assert.Regexp(t, `ok +output folder +out`, o.out)
	assert.NoDirExists(t, "out", "checking leaves nothing behind")

	o = repro(t, "doctor", "--out", "tiny.toml")
	assert.Equal(t, int(exits.Unhealthy), o.status)
	assert.Regexp(t, `fail +output folder +tiny.toml: .*is a file`, o.out)

	write(t, "data/a9a/a9a", "+1 1:1\n")
	t.Setenv("REPRO_DATA", "data"+string(os.PathListSeparator)+"nowhere")
	o = repro(t, "doctor")
	assert.Equal(t, int(exits.Unhealthy), o.status)
	assert.Regexp(t, `fail +data a9a`, o.out)
	assert.Regexp(t, `warn +REPRO_DATA +nowhere: there is no such folder`, o.out)
}

// What killed commands left is named, and removed if asked for; files of living commands and of the user stay.
func TestDoctorCleans(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	left := []string{"out/records/own/tiny/.repro-dsg-seed1.jsonl-3735928559", "out/.repro-report.html-7"}
	stays := []string{"out/tables/.repro-young.csv-12", "out/.notes-draft", "out/.notes-1", "out/own/.cache-1", "out/records/.profile", "out/records/a-1"}
	for _, f := range append(left, stays...) {
		write(t, f, "half")
		if f != stays[0] {
			old := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(f, old, old))
		}
	}
	o := ok(t, "doctor")
	assert.Regexp(t, `warn +left behind +2 temporary files of killed commands: out/.repro-report.html-7,\s+out/records/own/tiny/.repro-dsg-seed1.jsonl-3735928559\n +→ repro doctor --clean`, o.out)
	assert.Regexp(t, `ok +left behind +2 temporary files removed`, ok(t, "doctor", "--clean").out)
	for _, f := range left {
		assert.NoFileExists(t, f)
	}
	for _, f := range stays {
		assert.FileExists(t, f)
	}
	assert.Regexp(t, `ok +left behind +nothing`, ok(t, "doctor").out)
}

// What is here in part is named with advice that works.
func TestDoctorOfPartialData(t *testing.T) {
	workplace(t)
	t.Setenv("REPRO_DATA", "data")
	write(t, "data/imagenet/train.npy", "")
	write(t, "data/a9a/a9a", "wrong")
	o := repro(t, "doctor")
	assert.Equal(t, int(exits.Unhealthy), o.status)
	assert.Regexp(t, `warn +data imagenet +.* not found\n +→ .*: put train.npy `, o.out)
	assert.Regexp(t, `fail +data a9a +.*\n +→ remove the file, then run repro fetch a9a`, o.out)
}

func TestFetchList(t *testing.T) {
	workplace(t)
	o := ok(t, "fetch", "--list")
	assert.Regexp(t, `a9a +a9a +32561 +2.3 MB +not here +-`, o.out)
	assert.Regexp(t, `dai2014-synthetic +- +- +- +generated`, o.out)
	assert.Contains(t, ok(t, "fetch", "dai2014/ridge").errors, "nothing to fetch")
}

// Without arguments fetch lists what is missing, and downloads nothing where nobody can be asked.
func TestFetchAsks(t *testing.T) {
	workplace(t)
	o := repro(t, "fetch")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Regexp(t, `a9a +3\.5 MB +Adult`, o.out)
	assert.NotContains(t, o.out, "imagenet", "it cannot be downloaded")
	assert.Contains(t, o.errors, "downloaded nothing; repro fetch NAME downloads one of them, repro fetch --all downloads all")
	assert.Contains(t, repro(t, "fetch", "--all", "a9a").errors, "leave out a9a")
}

// An output folder as a whole: what does not agree with the records is told, and what no run owns is listed before it is removed.
func TestDoctorChecksAFolder(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml")
	check := func(args ...string) outcome {
		return repro(t, append([]string{"doctor", "--check", "out", "tiny.toml"}, args...)...)
	}
	o := check()
	assert.Zero(t, o.status, o.out)
	assert.Regexp(t, `ok +verdicts +2 verdicts, as the records give them`, o.out)
	assert.Regexp(t, `ok +report +\d+ files, as the records give them`, o.out)
	assert.Regexp(t, `ok +owned by no run +nothing`, o.out)
	assert.Regexp(t, `warn +verdicts +not judged`, ok(t, "doctor", "--check", "out").out, "without the spec")

	stray := []string{"out/checkpoints/own/tiny/dsg-seed1.gob", "out/failures/own/tiny/dsg-seed9.txt", "out/predictions/own/gone/x-seed1.csv"}
	for _, path := range append(stray, "out/notes.txt", "out/predictions/own/tiny/mine.csv") {
		write(t, path, "x")
		old := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(path, old, old))
	}
	o = check()
	assert.Zero(t, o.status, "a warning")
	assert.Regexp(t, `warn +owned by no run +3 files: `, o.out)
	assert.Contains(t, o.out, "repro doctor --check out --clean")
	for _, path := range stray {
		assert.Contains(t, o.errors, path+": ")
	}
	o = check("--clean")
	for _, path := range stray {
		assert.Contains(t, o.errors, path+": ", "listed")
		assert.NoFileExists(t, path)
	}
	assert.FileExists(t, "out/notes.txt")
	assert.FileExists(t, "out/predictions/own/tiny/mine.csv")
	assert.Regexp(t, `ok +owned by no run +nothing`, check().out)

	edit(t, "out/report.html", "tiny", "tony")
	assert.Regexp(t, `warn +report +1 of \d+ files are not those that the records give.*report.html`, check().out)
	edit(t, "out/verdicts.json", `"inconclusive"`, `"reproduced"`)
	o = check()
	assert.Equal(t, int(exits.Unhealthy), o.status)
	assert.Regexp(t, `fail +verdicts +\d+ statements? not as the records give them: own/tiny#`, o.out)
	require.NoError(t, os.Rename("out/records/own/tiny/dsg-seed2.jsonl", "out/records/own/tiny/moved.jsonl"))
	edit(t, "out/records/own/tiny/dsg-seed1.jsonl", `"step":2,`, `"step":3,`)
	o = check()
	assert.Equal(t, int(exits.Unhealthy), o.status)
	assert.Regexp(t, `fail +records +out/records/own/tiny/dsg-seed1.jsonl:\d+: `, o.out)
	assert.Regexp(t, `warn +files of cells +out/records/own/tiny/dsg-seed2.jsonl: the record of own/tiny dsg-seed2 is in another file`, o.out)

	assert.Contains(t, repro(t, "doctor", "tiny.toml").errors, "specs belong to --check DIR")
	assert.Contains(t, repro(t, "doctor", "--check", "none").errors, "there are no records in none")
}
