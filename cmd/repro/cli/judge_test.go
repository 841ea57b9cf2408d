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

// TestJudgeOddFiles goes the same way with files that have gaps, doubled rows and hostile names: what is odd is said, and the rest judged.
func TestJudgeOddFiles(t *testing.T) {
	workplace(t)
	var b strings.Builder
	b.WriteString("method,seed,step,loss\n")
	for seed := range 4 {
		for step := range 60 {
			x := float64(step)
			fmt.Fprintf(&b, "gd,%d,%d,%v\n", seed, step, (1+0.01*math.Sin(x+float64(seed)))*math.Pow(0.9, x))
			if seed != 2 {
				fmt.Fprintf(&b, "\x1b[31msgd\x1b[0m,%d,%d,%v\n", seed, step, (1+0.01*math.Sin(x+float64(seed)))/math.Sqrt(1+x))
			}
		}
	}
	b.WriteString("dead,0,1,\ngd,0,59,0.002\n")
	write(t, "odd.csv", b.String())
	o := ok(t, "judge", "odd.csv", "--write", "my.toml")
	assert.Regexp(t, `gd +loss +4 +60 +1 +0\.001\S+ +0\.9 \[0\.\d+, 0\.\d+\] +0\.9 +0\.9 +geometric decay from 15.\S* to 59, misfit 0\.\d+ % \(power law: `, o.out)
	assert.Regexp(t, `sgd\S+ +loss +3 +60 .* power law from 2.\S+ to 59, misfit 0\.\d+ % \(geometric decay: `, o.out)
	assert.NotContains(t, o.out+o.errors, "\x1b")
	assert.Contains(t, o.errors, "of 1 value, there is a later one at the same x")
	assert.Contains(t, o.errors, `method "dead" has rows and no value; it is left out`)
	assert.Contains(t, o.errors, `sgd\x1b[0m" has no curve of seed 2; claims are judged without`)
	spec := read(t, "my.toml")
	assert.Contains(t, spec, "twice = \"last\"\n")
	assert.Contains(t, spec, "scale = \"semilogy\"\n")
	assert.NotContains(t, spec, "dead")
	_, claim, found := strings.Cut(spec, "# [[claim]]\n")
	require.True(t, found)
	claim = "[[claim]]\n" + strings.ReplaceAll(strings.TrimPrefix(claim, "# "), "\n# ", "\n") + "tolerance = 0.01\nwhy = \"noise\"\n"
	require.Contains(t, claim, "kind = \"geometric\"\n")
	write(t, "my.toml", spec+claim)

	o = ok(t, "judge", "my.toml", "-v", "--gate")
	assert.Regexp(t, `rate +0\.9 +factor 0\.9\S* .* reproduced`, o.out)
	assert.Regexp(t, `best .*geometric mean over 3 seeds`, o.out)
	assert.Regexp(t, `warning: best: judged without \S+ seed 2 skipped: odd.csv has no curve of this seed`, o.out)
	assert.Contains(t, o.errors, "7 cells done, 1 skipped")
	ok(t, "verify", "my.toml", "--gate")
	r, err := records.Read(records.Path("out", "own/my", "gd-seed0"))
	require.NoError(t, err)
	assert.Contains(t, r.End.Reason, "of 1 value, the file has a later value at the same x")
	assert.Contains(t, read(t, "out/verdicts.json"), "judged without", "where the report takes it from")

	write(t, "a.csv", "step,loss\n1,4\n2,2\n3,1\n4,0.5\n")
	write(t, "b.csv", "step,loss\n1,8\n2,4\n3,2\n4,1\n")
	write(t, "c.csv", "no curve")
	ok(t, "judge", "a.csv", "b.csv", "--write", "two.toml")
	assert.Contains(t, read(t, "two.toml"), "file = \"{method}.csv\"\nstep = \"step\"\n")
	o = ok(t, "judge", "two.toml")
	assert.Contains(t, o.errors, "2 cells done")
	write(t, "c.csv", "still no curve")
	o = ok(t, "judge", "two.toml")
	assert.Contains(t, o.errors, "2 of 2 were complete", "the file of another method is not read")
}

// TestJudgeDenseCurves: all points of curves are judged, and figures of them stay small.
func TestJudgeDenseCurves(t *testing.T) {
	workplace(t)
	var b strings.Builder
	b.WriteString("method,step,loss\n")
	for _, m := range []string{"a", "b"} {
		for step := 1; step <= 20_000; step++ {
			fmt.Fprintf(&b, "%s,%d,%.6g\n", m, step, 1/float64(step))
		}
	}
	write(t, "dense.csv", b.String())
	ok(t, "judge", "dense.csv", "--write", "my.toml")
	ok(t, "judge", "my.toml")
	r, err := records.Read(records.Path("out", "own/my", "a-seed1"))
	require.NoError(t, err)
	assert.Len(t, r.Points, 20_000)
	page := read(t, "out/report.html")
	assert.Regexp(t, `\d{4} of 40000 points are drawn; records.csv has all`, page)
	assert.Less(t, len(page), 300_000)
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
