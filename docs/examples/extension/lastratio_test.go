package smoothing

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/clitest"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// An error c/x halves with each doubling, whatever c is; one that falls as x^(-1/2) does not.
func TestLastRatio(t *testing.T) {
	claim := claims.Claim{ID: "halves", Kind: "last-ratio", Method: "a", Metric: "error", X: "step", Published: "0.5", PublishedIs: "theorem", Tolerance: 0.1}
	exp := claims.Experiment{ID: "paper1999/demo", Claims: []claims.Claim{claim}, Methods: []claims.Method{{ID: "a"}}, Profile: "paper"}
	exp.Original.Claims = exp.Claims
	judge := func(recs ...*records.Record) claims.Verdict {
		exp.Original.Settings = map[string]map[string]any{"a": recs[0].Header.Settings}
		return claims.Judge(exp, recs).Verdicts[0]
	}
	v := judge(recordstest.Power("a", 1, 3, -1), recordstest.Power("a", 2, 5, -1.1), recordstest.Power("a", 3, 1, -0.9))
	require.NotNil(t, v.Measured, v.Reason)
	assert.InDelta(t, 0.5, *v.Measured, 1e-12, "rounding of powers")
	assert.Equal(t, claims.Reproduced, v.Verdict, v.Reason)
	assert.Equal(t, claims.Ratio, v.Quantity())
	assert.Contains(t, v.Reason, "error of a at the end divided by that at half of its steps is 0.5, 95 % interval")
	v = judge(recordstest.Power("a", 1, 3, -0.5), recordstest.Power("a", 2, 5, -0.55), recordstest.Power("a", 3, 1, -0.45))
	assert.Equal(t, claims.Deviates, v.Verdict, v.Reason)
}

// The page about declarations quotes this module.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../extending.md")
	require.NoError(t, err)
	quotes := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, quotes, 2)
	for i, file := range []string{"worst.go", "lastratio.go"} {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(code), string(quotes[i][1]), file)
	}
}

// The program knows the kind: the loader its keys, the report its sentence, the gate its name.
func TestLastRatioByName(t *testing.T) {
	spec, err := os.ReadFile("specs/smoothing/last-doubling.toml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	clitest.Run(t, 0, "run", "smoothing/last-doubling")
	verdicts, err := os.ReadFile(filepath.Join("out", "verdicts.json"))
	require.NoError(t, err)
	assert.Contains(t, string(verdicts), `"verdict":"reproduced"`)
	page, err := os.ReadFile(filepath.Join("out", "report.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "the last doubling takes ")

	for old, test := range map[string]struct{ new, want string }{
		`x = "step"`:          {``, `claim "halves".x: missing; a claim of kind "last-ratio" needs it`},
		`metric = "l2-error"`: {"metric = \"l2-error\"\nwindow = [1, 2]", `claim "halves".window: has no effect on a claim of kind "last-ratio"; remove it`},
		`"last-ratio"`:        {`"last-rate"`, `unknown kind "last-rate"; did you mean "last-ratio"?`},
		`published = "0.5"`:   {``, `claim "halves".published_is: has no effect without published or cells or curve; give that too, or remove it`},
	} {
		require.NoError(t, os.WriteFile("mine.toml", bytes.ReplaceAll(spec, []byte(old), []byte(test.new)), 0o644))
		assert.Contains(t, clitest.Run(t, 2, "plan", "mine.toml"), test.want)
	}
	require.NoError(t, os.WriteFile("mine.toml", bytes.ReplaceAll(spec, []byte(`x = "step"`), []byte(`x = "seconds"`)), 0o644))
	assert.Contains(t, clitest.Run(t, 2, "plan", "mine.toml"), `claim "halves".x: half of a time is not half of the work`)
}
