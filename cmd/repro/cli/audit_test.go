package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

// An auditOf is what a test reads of `audit --json`.
type auditOf struct {
	Same, Differs int
	Outcomes      []records.Drift
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

// Whether a cell can be repeated the spec says, and not the record.
func TestAuditTakesNoRecordsWord(t *testing.T) {
	packed(t)
	path := records.Path("out", "own/tiny", "dsg-seed1")
	r, err := records.Read(path)
	require.NoError(t, err)
	r.Header.Provenance.Exempt = "a budget of 1 seconds ends it"
	rewrite(t, path, r)
	ok(t, "bundle", "b.zip", "tiny.toml")
	assert.Equal(t, 1, audited(t, int(exits.Failed), "b.zip").Differs)
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
	assert.Equal(t, records.Worse, all.Outcomes[i].State)
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
