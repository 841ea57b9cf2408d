package baseline

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/changes"
	"repro/results/claims"
	"repro/results/records"
)

func snapshot() changes.Snapshot {
	mean := 0.1 + 0.2 // needs 17 digits
	return changes.Snapshot{
		Schema: changes.Schema, Experiment: "p/x", Profile: "ci", Commit: "c2", ComparableSince: "c1",
		Cells: []changes.Cell{
			{Cell: "a-seed1", Method: "a", Seed: 1, Status: records.Budget, Settings: "0123456789abcdef", Values: "0123456789abcdef", Counts: "0123456789abcdef", Work: changes.Work{Flops: 12}},
			{Cell: "a-seed2", Method: "a", Seed: 2, Status: records.Budget, Settings: "0123456789abcdef", Values: "fedcba9876543210", Counts: "0123456789abcdef", Exempt: true},
			{Cell: "b-1", Method: "b", Seed: 1, Status: records.Budget, Settings: "0123456789abcdef", Values: "fedcba9876543210", Counts: "0123456789abcdef"},
			{Cell: "b-2", Method: "b", Seed: 2, Status: records.Budget, Settings: "0123456789abcdef", Values: "0123456789abcdef", Counts: "0123456789abcdef"},
		},
		Numbers: []changes.Number{
			{Claim: "rate", Kind: "rate", What: "slope < 0", Word: claims.Reproduced, Margin: 0.05, Mean: &mean, Seeds: []uint64{1, 2}, Values: []float64{mean, -1}, Curve: &changes.Curve{X: []float64{1, 2}, Y: []float64{3, 4}}},
			{Claim: "none", Kind: "value", Word: claims.NotRun, Why: "no records"},
		},
		Series: []changes.Series{{Method: "a", Metric: "error", Seeds: []uint64{1, 2}, Steps: []int{8}, Values: changes.Packed{0.5, 0.25, math.Inf(1), 0.75}}},
	}
}

func TestAcceptedRoundTrip(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenAccepted(dir)
	require.NoError(t, err)
	require.NoError(t, a.Write(snapshot()))
	got, err := a.Read("p/x")
	require.NoError(t, err)
	assert.Equal(t, snapshot(), got)
	text, err := os.ReadFile(filepath.Join(dir, "p", "x.json"))
	require.NoError(t, err)
	for key, n := range map[string]int{`{"method":`: 4, `{"claim":`: 2} {
		for line := range strings.Lines(string(text)) {
			assert.LessOrEqual(t, strings.Count(line, key), 1, "a line for each")
		}
		assert.Equal(t, n, strings.Count(string(text), key))
	}
	var same changes.Snapshot
	require.NoError(t, json.Unmarshal(text, &same))
	assert.Equal(t, snapshot(), same, "without the strict reader")
	ids, err := a.Experiments()
	require.NoError(t, err)
	assert.Equal(t, []string{"p/x"}, ids)
	none, err := a.Read("p/y")
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestAcceptedFaultsNameTheLine(t *testing.T) {
	text, err := format(snapshot())
	require.NoError(t, err)
	for _, test := range []struct{ name, old, replacement, want string }{
		{"syntax", `"profile": "ci",`, `"profile": ci,`, "x.json:4: "},
		{"unknown key", `"commit"`, `"comit"`, `x.json:5: unknown key "comit"`},
		{"unknown key of cells", `"exempt":true`, `"exampt":true`, "x.json:9: "},
		{"digest", "fedcba9876543210", "fedc", `x.json:9: values of cell "a-seed2" is "fedc"; want 16 hexadecimal digits`},
		{"twice", `"seeds":[2]`, `"seeds":[1]`, `x.json:9: cell "a-seed1" is there twice`},
		{"too few values", `"seeds":[2]`, `"seeds":[2,3]`, `x.json:9: method "a" has 1 values and 0 names for 2 seeds`},
		{"seeds", `"seeds":[1,2],"values":[0.3`, `"seeds":[1],"values":[0.3`, `x.json:13: claim "rate" has 2 values for 1 seeds`},
		{"verdict", "not run", "ran not", `x.json:14: verdict of claim "none" is "ran not"`},
		{"a curve without a seed", `"seeds":[1,2],"steps"`, `"seeds":[1],"steps"`, `x.json:17: the curve of "a", metric "error", has 4 values; want one for each of 1 seeds at 2 places`},
		{"cut", `"numbers"`, "", "x.json:"},
		{"schema", `"schema": 1`, `"schema": 2`, "x.json: has schema 2"},
		{"text after the end", " ]\n}", " ]\n}}", "x.json:19: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, string(text), test.old)
			_, err := parse("x.json", []byte(strings.Replace(string(text), test.old, test.replacement, 1)))
			assert.ErrorContains(t, err, test.want)
		})
	}
}
