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
			{Claim: "rate", Kind: "rate", What: "slope < 0", Word: claims.Reproduced, Margin: 0.05, Mean: &mean, Seeds: []uint64{1, 2}, Values: []float64{mean, -1}, Curve: map[string]any{"x": []any{1.0, 2.0}, "y": []any{3.0, 4.0}}},
			{Claim: "none", Kind: "value", Word: claims.NotRun, Why: "no records"},
		},
		Series: []changes.Series{{Method: "a", Metric: "error", Seeds: []uint64{1, 2}, Steps: []int{8}, Values: changes.Packed{0.5, 0.25, math.Inf(1), 0.75}}},
		Claims: map[string]claims.Definition{
			"rate": {"kind": "rate", "window": []any{4.0, 64.0}, "tolerance": 0.1, "at": map[string]any{"x": "step", "value": 3.0}},
			"none": {"kind": "value"},
		},
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
	same.Cells = got.Cells
	assert.Equal(t, snapshot(), same, "without the strict reader, which reads the cells")
	ids, err := a.Experiments()
	require.NoError(t, err)
	assert.Equal(t, []string{"p/x"}, ids)
	none, err := a.Read("p/y")
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestAcceptedFaultsNameTheLine(t *testing.T) {
	text, _, err := format(snapshot())
	require.NoError(t, err)
	for _, test := range []struct{ name, old, replacement, want string }{
		{"syntax", `"profile": "ci",`, `"profile": ci,`, "x.json:4: "},
		{"unknown key", `"commit"`, `"comit"`, `x.json:5: unknown key "comit"`},
		{"unknown key of cells", `"exempt":true`, `"exampt":true`, "x.json:20: "},
		{"digest", "fedcba9876543210", "fedc", `x.json:20: values of cell "a-seed2" is "fedc"; want 16 hexadecimal digits`},
		{"twice", `"seeds":[2]`, `"seeds":[1]`, `x.json:20: cell "a-seed1" is there twice`},
		{"too few values", `"seeds":[2]`, `"seeds":[2,3]`, `x.json:20: method "a" has 1 values and 0 names for 2 seeds`},
		{"seeds", `"seeds":[1,2],"values":[0.3`, `"seeds":[1],"values":[0.3`, `x.json:24: claim "rate" has 2 values for 1 seeds`},
		{"margin", `"margin":0.05`, `"margin":-0.05`, `x.json:24: margin of claim "rate" is -0.05`},
		{"no logarithm", `"seeds":[1,2],"values":[0.3,-1]`, `"log":true,"seeds":[1,2],"values":[0.3,0]`, `x.json:24: claim "rate" has values that are not positive`},
		{"verdict", "not run", "ran not", `x.json:25: verdict of claim "none" is "ran not"`},
		{"a curve without a seed", `"seeds":[1,2],"steps"`, `"seeds":[1],"steps"`, `x.json:28: the curve of "a", metric "error", has 4 values; want one for each of 1 seeds at 2 places`},
		{"cut", `"numbers"`, "", "x.json:"},
		{"schema", `"schema": 2`, `"schema": 3`, "x.json: has schema 3"},
		{"an older schema", `"schema": 2`, `"schema": 1`, "x.json:2: schema 1 has no claims and no seal"},
		{"text after the end", "\"\n}", "\"\n}}", "x.json:31: "},
		{"a looser claim", `"tolerance": 0.1`, `"tolerance": 2`, "x.json:30: the seal is not that of the text above it"},
		{"another value", `"values":[0.3,-1]`, `"values":[0.3,-2]`, "x.json:30: the seal"},
		{"another seal", `"seal": "`, `"seal": "0`, "x.json:30: the seal"},
		{"no seal", `"seal"`, `"comment"`, `x.json:30: unknown key "comment"`},
		{"a number without its claim", "  \"none\": {\n", "  \"nine\": {\n", `x.json:25: claim "none" has a number, and claims do not say what it is`},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, string(text), test.old)
			_, err := parse("x.json", []byte(strings.Replace(string(text), test.old, test.replacement, 1)))
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// The seal of every shipped file is in the latest entry of the results log for its experiment: a file that was edited and sealed again
// has no reason.
func TestSealsAreInTheLog(t *testing.T) {
	log, err := os.ReadFile("../../docs/data/results-log.tsv")
	require.NoError(t, err)
	a, err := OpenAccepted("ci")
	require.NoError(t, err)
	ids, err := a.Experiments()
	require.NoError(t, err)
	require.NotEmpty(t, ids)
	for _, id := range ids {
		s, err := a.Read(id)
		require.NoError(t, err)
		assert.Empty(t, s.Bare(changes.Snapshot{}), "%s: methods whose curves are not compared", id)
		seal, err := Seal(s)
		require.NoError(t, err)
		latest := ""
		for line := range strings.Lines(string(log)) {
			if row := strings.Split(line, "\t"); row[1] == id {
				latest = row[3]
			}
		}
		assert.Equal(t, seal, latest, "%s: accept it with repro baseline accept, which writes the log", id)
	}
}
