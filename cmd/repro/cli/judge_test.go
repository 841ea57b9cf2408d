package cli

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/records"
)

// curvesOf writes a file with the curves of two methods on ten seeds: c·t^rate of the first, c/t of the second.
func curvesOf(t *testing.T, rate float64) {
	t.Helper()
	var b strings.Builder
	b.WriteString("optimizer,seed,step,loss\n")
	for seed := range 10 {
		for _, m := range []struct {
			name string
			rate float64
		}{{"SGD (0.1)", rate}, {"adam", -1}} {
			for step := 1; step < 2000; step *= 2 {
				fmt.Fprintf(&b, "%s,%d,%d,%v\n", m.name, seed, step, (1+0.02*math.Sin(float64(7*seed+step)-3*m.rate))*math.Pow(float64(step), m.rate))
			}
		}
	}
	write(t, "curves.csv", b.String())
}

const rateClaim = `
[[claim]]
id = "rate"
kind = "rate"
statement = "loss falls as t^-1/2"
source = "theory"
method = "SGD-0.1"
metric = "loss"
x = "step"
published = "-0.5"
published_is = "theorem"
published_says = "Theorem 1"
tolerance = 0.05
why = "rounding"

[profile.ci]
title = "at its size"
`

// TestJudge goes the way of a user: a file, a proposed spec, a claim, verdicts, and all that follows from records.
func TestJudge(t *testing.T) {
	workplace(t)
	curvesOf(t, -0.5)
	o := ok(t, "judge", "curves.csv")
	assert.Contains(t, o.out, "220 rows in 1 file: 20 curves of 2 methods")
	assert.Regexp(t, `SGD \(0\.1\) +loss +10 +11 +1\S* +0\.03\S* +-0\.5\S* \[-0\.5\S*, -0\.4\S*\]`, o.out)
	assert.Contains(t, o.out, "[curves]\nfile = \"curves.csv\"\nmethod = \"optimizer\"\nseed = \"seed\"\nstep = \"step\"\n")
	ok(t, "judge", "curves.csv", "--write", "my.toml")
	assert.Contains(t, repro(t, "judge", "curves.csv", "--write", "my.toml").errors, "my.toml exists already")
	o = ok(t, "judge", "my.toml", "curves.csv", "--gate")
	assert.Regexp(t, `best .* reproduced`, o.out)

	write(t, "my.toml", read(t, "my.toml")+rateClaim)
	o = ok(t, "judge", "my.toml", "-v")
	assert.Regexp(t, `rate +-0\.5 +slope -0\.5\S* .* reproduced`, o.out)
	assert.Contains(t, o.errors, "20 of 20 were complete")
	r, err := records.Read(records.Path("out", "own/my", "SGD-0.1-seed3"))
	require.NoError(t, err)
	assert.Equal(t, records.Imported, r.Header.Provenance.Source)
	assert.Equal(t, "curves.csv", r.Header.Provenance.Data[0].Name)
	assert.Equal(t, r.Header.Provenance.Data[0].SHA256, r.Header.Settings[records.ContentKey].(map[string]any)["curves.csv"])
	assert.Empty(t, r.Header.Timing.CPU)
	assert.Len(t, r.Points, 11)

	ok(t, "verify", "my.toml", "--gate")
	ok(t, "report", "my.toml")
	ok(t, "bundle", "b.zip", "my.toml")
	check := []string{"check", "my.toml", "--baseline", "accepted"}
	require.Equal(t, int(exits.Incomplete), repro(t, check...).status, "nothing is accepted yet")
	t.Setenv("CI", "")
	ok(t, "baseline", "accept", "my.toml", "--baseline", "accepted", "--claim", "*", "--reason", "the first", "--log", "log.md")
	ok(t, check...)
	require.NoError(t, os.CopyFS("before", os.DirFS("out")))

	curvesOf(t, -0.3)
	o = repro(t, "verify", "my.toml", "--gate")
	assert.NotEqual(t, 0, o.status, "the records are those of another file")
	o = repro(t, "judge", "my.toml", "--gate")
	assert.Equal(t, 1, o.status)
	assert.Regexp(t, `rate .* deviates`, o.out)
	assert.Contains(t, o.errors, "20 cells done\n")
	assert.Equal(t, 1, repro(t, "compare", "before", "out", "my.toml").status)
	assert.Equal(t, 1, repro(t, check...).status)

	require.NoError(t, os.Remove("curves.csv"))
	ok(t, "verify", "b.zip", "--gate")
	o = repro(t, "audit", "b.zip")
	assert.Equal(t, int(exits.Incomplete), o.status)
	assert.Contains(t, o.out, "20 cells: they were imported: the runs behind them are not known here")
	o = repro(t, "judge", "my.toml")
	assert.Equal(t, int(exits.Error), o.status)
	assert.Contains(t, o.errors, "curves.csv: no such file or directory")
}

// TestJudgeMistakes holds what wrong arguments are told.
func TestJudgeMistakes(t *testing.T) {
	workplace(t)
	curvesOf(t, -0.5)
	write(t, "other.csv", "step,loss\n1,2\n")
	ok(t, "judge", "curves.csv", "--write", "my.toml")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"repro judge needs an argument", nil},
		{`my.toml: reads "curves.csv", and not "other.csv"; correct curves.file, or leave out that argument`, []string{"other.csv", "my.toml"}},
		{"tiny.toml: has no [curves], so there is nothing to take in; repro judge curves.csv shows one for your file", []string{"curves.csv", "tiny.toml"}},
		{"are 2 specs; judge them one at a time", []string{"my.toml", "tiny.toml"}},
		{"--gate and --json are for verdicts", []string{"curves.csv", "--gate"}},
		{"no such file or directory", []string{"absent.csv"}},
		{"is a folder", []string{"."}},
		{"end it with .toml", []string{"curves.csv", "--write", "my.txt"}},
	} {
		o := repro(t, append([]string{"judge"}, c.args...)...)
		assert.Equal(t, int(exits.Error), o.status, c.args)
		assert.Contains(t, o.errors, c.want)
	}
}

// TestExampleCurves holds docs/curves.md to what its commands print of the committed file.
func TestExampleCurves(t *testing.T) {
	csv, err := os.ReadFile("../../../docs/examples/curves/curves.csv")
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/curves.md")
	require.NoError(t, err)
	workplace(t)
	write(t, "curves.csv", string(csv))
	o := ok(t, "judge", "curves.csv")
	shown, _, _ := strings.Cut(o.out, "\n\n")
	assert.Contains(t, string(page), "    "+strings.ReplaceAll(shown, "\n", "\n    ")+"\n\n")
	ok(t, "judge", "curves.csv", "--write", "my.toml")
	_, claim, _ := strings.Cut(string(page), "    [[claim]]")
	claim, _, _ = strings.Cut(claim, "\n\n")
	write(t, "my.toml", read(t, "my.toml")+"\n[[claim]]"+strings.ReplaceAll(claim, "\n    ", "\n")+"\n")
	o = ok(t, "judge", "my.toml", "--gate")
	assert.Regexp(t, `rate .* reproduced`, o.out)
	assert.Regexp(t, `best .* reproduced`, o.out)
}
