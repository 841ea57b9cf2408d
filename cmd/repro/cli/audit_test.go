package cli

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/audits"
	"repro/results/records"
	"repro/results/stats"
)

// audited runs an audit and returns its line of the log.
func audited(t *testing.T, status int, args ...string) audits.Audit {
	t.Helper()
	o := repro(t, append([]string{"audit", "--json"}, args...)...)
	require.Equal(t, status, o.status, "%s%s", o.out, o.errors)
	var a audits.Audit
	require.NoError(t, json.Unmarshal([]byte(o.out), &a))
	return a
}

func TestAudit(t *testing.T) {
	packed(t)
	require.NoError(t, os.RemoveAll("out"))
	require.NoError(t, os.Remove("tiny.toml"))
	o := ok(t, "audit", "b.zip", "--sample", "3", "--seed", "5", "-v")
	for _, want := range []string{"b.zip: 3 of 4 cells run again: 3 with the same bits", "same: identical values", "10 %      1   75 %            75 %"} {
		assert.Contains(t, o.out, want)
	}
	assert.Contains(t, o.errors, "drawn with --seed 5")
	a := audited(t, 0, "b.zip", "--sample", "3", "--seed", "5", "--budget", "0")
	assert.Equal(t, []int{4, 3, 3}, []int{a.Cells, a.Sample, a.Same})
	assert.Len(t, strings.Split(strings.TrimSpace(read(t, "b.audit.jsonl")), "\n"), 2, "a line for each audit")
	assert.NoDirExists(t, "out", "nothing is left")
	other := audited(t, 0, "b.zip", "--sample", "1", "--log", "other.jsonl")
	assert.NotZero(t, other.Seed, "a random one")
	assert.FileExists(t, "other.jsonl")

	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"b.zip", "--budget", "1ns"}, int(exits.Incomplete), ""},
		{[]string{"b.zip", "--sample", "0"}, int(exits.Error), "--sample must be 1 or more"},
		{[]string{"b.zip", "--budget", "ten"}, int(exits.Error), "--budget"},
		{[]string{"none.zip"}, int(exits.Error), "none.zip: no such file"},
		{[]string{"b.zip", "--log", "."}, int(exits.Error), "name another with --log"},
	} {
		o := repro(t, append([]string{"audit"}, test.args...)...)
		assert.Equal(t, test.status, o.status, "%v", test.args)
		assert.Contains(t, o.errors, test.want)
	}
	assert.Contains(t, repro(t, "audit", "b.zip", "--budget", "1ns").out, "not among them: 4 cells: they take longer than the budget; --budget 0 allows them")
}

// Every fault of a bundle fails its audit, even if all cells of the sample are the same.
// A bundle of another module's program says which that is: as a warning, and where its spec names what only that has.
func TestAuditByTheWrongProgram(t *testing.T) {
	packed(t)
	entries := unzip(t, "b.zip")
	manifest, found := strings.CutPrefix(entries["manifest.json"], "{\n  \"format\": 1,\n  \"program\": {\n")
	require.True(t, found)
	entries["manifest.json"] = `{"format": 1, "program": {"module": "example.org/mine", "package": "example.org/mine/cmd/mine", ` + manifest
	zipUp(t, "b.zip", entries)
	const want = "it was made by mine of module example.org/mine, and this is repro of module repro: use mine"
	assert.Contains(t, ok(t, "audit", "b.zip", "--sample", "1").errors, "warning: b.zip: "+want)
	assert.Contains(t, ok(t, "verify", "b.zip").out, "made by mine ")
	spec := "specs/own/tiny.toml"
	entries[spec] = strings.Replace(entries[spec], `algorithm = "dsg"`, `algorithm = "only-mine"`, 1)
	zipUp(t, "b.zip", entries)
	o := repro(t, "audit", "b.zip")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, `"only-mine"`)
	assert.Contains(t, o.errors, want)
}

// Without arguments check is about the module whose checkout it stands in.
func TestCheckWhereNothingIsYours(t *testing.T) {
	workplace(t)
	o := repro(t, "check", "--profile", "smoke")
	assert.Equal(t, int(exits.Incomplete), o.status)
	assert.Equal(t, "there is nothing of your own to check: this folder is in no checkout of repro; give the paths of your specs, as in repro check my.toml --profile smoke, "+
		"or the ids of experiments, as in repro check 'dai2014/*'\n", o.errors)
}

func TestAuditOfFaultyBundle(t *testing.T) {
	packed(t)
	whole := unzip(t, "b.zip")
	for name, damage := range map[string]func(all map[string]string){
		"a damaged record": func(all map[string]string) {
			const r = "records/own/tiny/dsg-seed1.jsonl"
			all[r] = strings.Replace(all[r], `"step":2,`, `"step":3,`, 1)
		},
		"an entry that is not listed": func(all map[string]string) { all["extra.txt"] = "x" },
		"an entry that is gone":       func(all map[string]string) { delete(all, "report.html") },
	} {
		t.Run(name, func(t *testing.T) {
			all := maps.Clone(whole)
			damage(all)
			zipUp(t, "bad.zip", all)
			a := audited(t, 1, "bad.zip", "--sample", "1")
			assert.Positive(t, a.Faults)
			assert.Equal(t, 1, a.Same)
			o := repro(t, "audit", "bad.zip", "--sample", "1")
			assert.Contains(t, o.out, "of the bundle")
			assert.Contains(t, o.errors, "bad.zip:")
		})
	}
}

// What cannot be repeated is counted, and its word is not taken from the record.
func TestAuditLeavesOut(t *testing.T) {
	workplace(t)
	edit(t, "tiny.toml", "\"r-pegasos\"\nbatch = 16", "\"r-pegasos\"\nbudget = { seconds = 0.05 }\nbatch = 16")
	ok(t, "run", "tiny.toml")
	ok(t, "bundle", "b.zip", "tiny.toml")
	a := audited(t, 0, "b.zip")
	assert.Equal(t, 2, a.Same)
	assert.Equal(t, []audits.LeftOut{{Reason: "their budget is in seconds, so that two runs differ", Cells: 2}}, a.LeftOut)

	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	r.Header.Provenance.Exempt = "a budget of 1 seconds ends it"
	rewrite(t, path, r)
	ok(t, "bundle", "b.zip", "tiny.toml")
	a = audited(t, 1, "b.zip")
	assert.Equal(t, 1, a.Differs, "the spec says that it has no such budget")

	write(t, "own.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
	edit(t, "tiny.toml", "name = \"dai2014-synthetic\"\ntrain = 256\ntest = 64", "file = \"own.csv\"\nholdout = 0.5")
	edit(t, "tiny.toml", "l2-error", "test-loss")
	edit(t, "tiny.toml", "data = { train = 64 }", "repeat = { seeds = 1 }")
	ok(t, "run", "tiny.toml", "--fresh", "--method", "dsg")
	ok(t, "bundle", "own.zip", "tiny.toml", "--method", "dsg")
	assert.Equal(t, 2, audited(t, 0, "own.zip").Same)
	require.NoError(t, os.Mkdir("elsewhere", 0o777))
	require.NoError(t, os.Rename("own.csv", "elsewhere/own.csv"))
	a = audited(t, int(exits.Incomplete), "own.zip")
	assert.Contains(t, a.LeftOut[0].Reason, "their data is not here: ")
	assert.Equal(t, 2, audited(t, 0, "own.zip", "--dir", "elsewhere").Same)
	write(t, "elsewhere/own.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,7\n")
	a = audited(t, 1, "own.zip", "--dir", "elsewhere")
	assert.Contains(t, a.Outcomes[0].Reason, "content.own.csv is ")
}

// One record of twenty is forged: its values, checksums, verdicts and manifest fit together, and verify finds nothing. An audit
// names it whenever it is drawn, and it is drawn as often as stated.
func TestAuditFindsOneForgedRecordOfTwenty(t *testing.T) {
	workplace(t)
	edit(t, "tiny.toml", "seeds = 2", "seeds = 10")
	ok(t, "run", "tiny.toml", "--profile", "smoke")
	path := records.Path("out", "own/tiny", "r-pegasos-seed7")
	r, err := records.Read(path)
	require.NoError(t, err)
	last := r.Points[len(r.Points)-1].Values
	last["l2-error"] = records.Value(*last["l2-error"] * 0.9)
	rewrite(t, path, r)
	ok(t, "bundle", "forged.zip", "tiny.toml")
	ok(t, "verify", "forged.zip")

	all := audited(t, 1, "forged.zip", "--sample", "20")
	assert.Equal(t, []int{19, 1}, []int{all.Same, all.Differs})
	i := slices.IndexFunc(all.Outcomes, func(o audits.Outcome) bool { return o.State == audits.Differs })
	assert.Equal(t, "r-pegasos-seed7", all.Outcomes[i].Cell)
	assert.Contains(t, all.Outcomes[i].Reason, "l2-error at step ")

	const size, trials = 5, 200
	for seed := range uint64(8) { // the whole command: it finds the record if and only if it is drawn
		o := repro(t, "audit", "forged.zip", "--sample", "5", "--seed", string('0'+rune(seed)), "--json", "--log", filepath.Join(t.TempDir(), "log"))
		var a audits.Audit
		require.NoError(t, json.Unmarshal([]byte(o.out), &a))
		drawn := slices.ContainsFunc(a.Outcomes, func(o audits.Outcome) bool { return o.Cell == "r-pegasos-seed7" })
		assert.Equal(t, drawn, o.status == 1)
		assert.Equal(t, !drawn, o.status == 0)
		assert.InDelta(t, 0.25, a.Chances[0].Random, 1e-9)
	}
	design, err := audits.New(make([]float64, 20), 0, size)
	require.NoError(t, err)
	stated, _ := design.Detection(1)
	found := 0
	for seed := range uint64(trials) {
		if slices.Contains(design.Draw(rand.New(rand.NewPCG(seed, 0))), i) {
			found++
		}
	}
	// The exact interval of Clopper and Pearson; at 99.9 % it misses the probability in one of 1,000 choices of seeds.
	low, high := stats.Share(found, trials, 0.999)
	assert.True(t, low <= stated && stated <= high, "stated %v, found %v of %d", stated, found, trials)
}

// An edited log of audits is named by whatever reads it.
func TestEditedLogOfAudits(t *testing.T) {
	packed(t)
	for range 3 {
		ok(t, "audit", "b.zip", "--sample", "1")
	}
	assert.Contains(t, ok(t, "verify", "b.zip").out, "audits    3 audits logged, each line with the SHA-256 of the line before")
	lines := strings.SplitAfter(read(t, "b.audit.jsonl"), "\n")
	write(t, "b.audit.jsonl", lines[0]+lines[2])
	write(t, "out/x.audit.jsonl", lines[0]+lines[2])
	const want = "audit.jsonl:2: the line before it is not the one that it was written after, which was changed or removed"
	for _, args := range [][]string{{"verify", "b.zip"}, {"audit", "b.zip", "--sample", "1"}, {"doctor", "--check", "out", "tiny.toml"}} {
		o := repro(t, args...)
		assert.Equal(t, 1, o.status, "%v", args)
		assert.Contains(t, o.out+o.errors, want, "%v", args)
	}
}
