package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

// An auditOf is what a test reads of `audit --json`.
type auditOf struct {
	Seed                                uint64
	Cells, Faults, Same, Close, Differs int
	LeftOut                             map[string]int `json:"left_out"`
	Outcomes                            []records.Drift
}

// audited runs an audit and returns its outcome.
func audited(t *testing.T, status int, args ...string) auditOf {
	t.Helper()
	o := repro(t, append([]string{"audit", "--json"}, args...)...)
	require.Equal(t, status, o.status, "%s%s", o.out, o.errors)
	var a auditOf
	require.NoError(t, json.Unmarshal([]byte(o.out), &a))
	return a
}

func TestAudit(t *testing.T) {
	packed(t)
	require.NoError(t, os.RemoveAll("out"))
	require.NoError(t, os.Remove("tiny.toml"))
	o := ok(t, "audit", "b.zip", "--sample", "3", "--seed", "5")
	assert.Equal(t, "b.zip: 3 of 4 cells run again: 3 with the same bits\n", o.out)
	assert.Contains(t, o.errors, "drawn with --seed 5")
	a := audited(t, 0, "b.zip", "--sample", "3", "--seed", "5")
	assert.Equal(t, []int{4, 3, 3}, []int{a.Cells, len(a.Outcomes), a.Same})
	again := audited(t, 0, "b.zip", "--sample", "3", "--seed", "5")
	assert.Equal(t, a.Outcomes, again.Outcomes, "the same sample")
	assert.NoDirExists(t, "out", "nothing is left")
	assert.NotZero(t, audited(t, 0, "b.zip", "--sample", "1").Seed, "a random one")

	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"b.zip", "--sample", "0"}, "--sample must be 1 or more"},
		{[]string{"b.zip", "--budget", "10m"}, "unknown flag --budget"},
		{[]string{"none.zip"}, "none.zip: no such file"},
	} {
		o := repro(t, append([]string{"audit"}, test.args...)...)
		assert.Equal(t, int(exits.Mistake), o.status, "%v", test.args)
		assert.Contains(t, o.errors, test.want)
	}
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
	assert.Equal(t, int(exits.Mistake), o.status)
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
	assert.Equal(t, map[string]int{"their budget is in seconds, so that two runs differ": 2}, a.LeftOut)

	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	r.Header.Provenance.Exempt = "a budget of 1 seconds ends it"
	rewrite(t, path, r)
	ok(t, "bundle", "b.zip", "tiny.toml")
	a = audited(t, int(exits.Failed), "b.zip")
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
	assert.Contains(t, fmt.Sprint(a.LeftOut), "their data is not here: ")
	assert.Equal(t, 2, audited(t, 0, "own.zip", "--dir", "elsewhere").Same)
	write(t, "elsewhere/own.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,7\n")
	a = audited(t, int(exits.Failed), "own.zip", "--dir", "elsewhere")
	assert.Contains(t, a.Outcomes[0].Reason, `its data is [{"name":"own.csv",`)
}

// One record of twenty is forged: its values, checksums, verdicts and manifest fit together, and verify finds nothing. An audit
// names it if and only if it is drawn.
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
	forged := func(d records.Drift) bool { return d.Cell == "r-pegasos-seed7" }

	all := audited(t, int(exits.Failed), "forged.zip", "--sample", "20")
	assert.Equal(t, []int{19, 1}, []int{all.Same, all.Differs})
	i := slices.IndexFunc(all.Outcomes, forged)
	assert.Equal(t, records.Drifted, all.Outcomes[i].State)
	assert.Contains(t, all.Outcomes[i].Reason, "l2-error at step ")

	found := 0
	for seed := range 12 {
		o := repro(t, "audit", "forged.zip", "--sample", "5", "--seed", fmt.Sprint(seed), "--json")
		var a auditOf
		require.NoError(t, json.Unmarshal([]byte(o.out), &a))
		require.Len(t, a.Outcomes, 5)
		if slices.ContainsFunc(a.Outcomes, forged) {
			found++
			assert.Equal(t, int(exits.Failed), o.status)
		} else {
			assert.Zero(t, o.status)
		}
	}
	assert.True(t, 0 < found && found < 12, "a sample of 5 has it with probability 1/4: found %d times", found)
}
