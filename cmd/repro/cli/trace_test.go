package cli

import (
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A round trip: a figure of ours, of medians over five seeds, is traced from its PDF and judged against the runs that it was drawn from.
// The curves are reproduced; runs with a fault deviate, and the reason says where.
func TestTrace(t *testing.T) {
	text, err := os.ReadFile("../../../docs/examples/curves/curves.csv")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("curves.csv", text, 0o600))
	ok(t, "judge", "curves.csv", "--write", "my.toml")
	ok(t, "judge", "my.toml")
	ok(t, "report", "my.toml", "--format", "pdf")
	found, err := filepath.Glob("out/figures/*/*/loss.pdf")
	require.NoError(t, err)
	require.Len(t, found, 1)

	o := ok(t, "trace", found[0], "--write", "read")
	assert.Contains(t, o.out, "x axis: --x log,")
	assert.Regexp(t, `(?m)^sgd .*\n?`, o.out)
	assert.Regexp(t, `(?m)^averaged `, o.out)
	assert.Contains(t, repro(t, "trace", found[0], "--write", "read").errors, "read.csv exists already")

	o = ok(t, "trace", found[0], "--judge", "curves.csv", "--published-is", "median of 5", "--write", "t", "--out", "t")
	assert.Regexp(t, `curve-sgd .*reproduced`, o.out)
	assert.Regexp(t, `curve-averaged .*reproduced`, o.out)
	assert.Contains(t, o.out, "same level")
	assert.Contains(t, o.out, "same shape")
	assert.Contains(t, o.out, "the median of 5 more runs is expected")

	fault := regexp.MustCompile(`(?m)^(sgd,\d+,(?:256|512|1024),)0`).ReplaceAllString(string(text), "${1}9")
	require.NotEqual(t, string(text), fault)
	require.NoError(t, os.WriteFile("fault.csv", []byte(fault), 0o600))
	o = ok(t, "trace", found[0], "--judge", "fault.csv", "--published-is", "median of 5", "--write", "bad", "--out", "bad")
	assert.Regexp(t, `curve-sgd .*deviates`, o.out)
	assert.Regexp(t, `curve-averaged .*reproduced`, o.out)
	assert.Contains(t, o.out, "another shape: beside the level, ours is")

	assert.Contains(t, repro(t, "trace", found[0], "--judge", "curves.csv", "--pair", "sgd=curve 99", "--write", "no").errors, "has no curve")
	assert.Contains(t, repro(t, "trace", found[0], "--judge", "curves.csv", "--pair", "gds=sgd", "--write", "no").errors, `has no method "gds"; choose one of sgd, averaged`)
	assert.Contains(t, repro(t, "trace", "curves.csv").errors, "is no PDF, SVG, EPS or PNG")
	assert.Contains(t, repro(t, "trace", found[0], "--judge", "curves.csv").errors, "name it with --write")
	assert.Contains(t, repro(t, "trace", found[0], "--published-is", "median").errors, `--published-is: want run, 'mean of K' or 'median of K'`)
}

// A figure in PostScript is the same figure, where Ghostscript is. A program that wants a file is refused.
func TestTraceOfPostScript(t *testing.T) {
	figure, err := filepath.Abs("../../../results/tracing/testdata/gp-semilogy-plain.pdf")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("thief.eps", []byte("%!PS\n(/etc/hostname) (r) file\n"), 0o600))
	if _, err := exec.LookPath("gs"); err != nil {
		assert.Contains(t, repro(t, "trace", "thief.eps").errors, "Ghostscript (gs), which runs it, is not installed")
		t.Skip("Ghostscript is not installed")
	}
	assert.Contains(t, repro(t, "trace", "thief.eps").errors, "thief.eps: gs, which reads PostScript: exit status 1")
	require.NoError(t, exec.Command("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=eps2write", "-sOutputFile=figure.eps", figure).Run())
	ok(t, "trace", figure, "--write", "pdf")
	ok(t, "trace", "figure.eps", "--write", "eps")
	read := func(file string) (names []string, values []float64) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		require.NoError(t, err)
		for _, row := range rows[1:] {
			y, err := strconv.ParseFloat(row[2], 64)
			require.NoError(t, err)
			names, values = append(names, row[0]), append(values, math.Log(y))
		}
		return names, values
	}
	names, values := read("pdf.csv")
	again, same := read("eps.csv")
	assert.Equal(t, names, again)
	assert.InDeltaSlice(t, values, same, 0.02, "0.1 % of the decades of the axis")
}

// Fig. 4(2) of dai2014 as we draw it, at profile ci: the medians of ten runs, traced from its PDF and judged against the runs. They are
// reproduced. Where the step does not decay, the last iterate deviates, and the reason names the end; with steps of a tenth, both do.
func TestTraceOfFigure4(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(out string, args ...string) {
		ok(t, append([]string{"run", "dai2014/ridge", "--profile", "ci", "--method", "dsg", "--out", out}, args...)...)
		curves(t, filepath.Join(out, "records.csv"), out+".csv")
	}
	run("healthy")
	ok(t, "report", "dai2014/ridge", "--profile", "ci", "--out", "healthy", "--format", "pdf")
	found, err := filepath.Glob("healthy/figures/*/*/convergence.pdf")
	require.NoError(t, err)
	require.Len(t, found, 1)
	judge := func(runs string) string {
		return ok(t, "trace", found[0], "--judge", runs+".csv", "--published-is", "median of 10", "--pair", "last=last iterate", "--pair", "averaged=averaged iterate",
			"--figure", "Fig. 4(2)", "--write", "of-"+runs, "--out", "of-"+runs).out
	}
	o := judge("healthy")
	assert.Regexp(t, `curve-last .*reproduced`, o)
	assert.Regexp(t, `curve-averaged .*reproduced`, o)
	assert.Equal(t, 2, strings.Count(o, "same shape"))

	run("undecayed", "--set", "method.dsg.step.t0=1e9")
	o = judge("undecayed")
	assert.Regexp(t, `curve-last .*deviates`, o)
	assert.Regexp(t, `curve-last .*, ours lies farthest from the published curve at (77|99|128),`, o, "at the end of 128 steps")
	run("small", "--set", "method.dsg.step.gamma0=2")
	o = judge("small")
	assert.Regexp(t, `curve-last .*deviates`, o)
	assert.Regexp(t, `curve-averaged .*deviates`, o)
	assert.Regexp(t, `curve-last .*, ours lies farthest from the published curve at \d\d?,`, o, "early on")
}

// curves writes the errors of both iterates of a records.csv as a file of curves.
func curves(t *testing.T, from, to string) {
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	require.NoError(t, err)
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	text := "method,seed,step,error\n"
	for _, row := range rows[1:] {
		if method := map[string]string{"l2-error": "last", "l2-error@average": "averaged"}[row[at["metric"]]]; method != "" {
			text += strings.Join([]string{method, row[at["seed"]], row[at["step"]], row[at["value"]]}, ",") + "\n"
		}
	}
	require.NoError(t, os.WriteFile(to, []byte(text), 0o600))
}

// Of two curves whose names make the same id, a spec has that of the one that a method is paired with.
func TestTracePairs(t *testing.T) {
	t.Chdir(t.TempDir())
	line := func(colour string, y, legend int, name string) string {
		return `<path d="M50 ` + strconv.Itoa(y) + ` L150 ` + strconv.Itoa(y-20) + ` L250 ` + strconv.Itoa(y-30) + `" stroke="` + colour + `" fill="none"/>` +
			`<path d="M180 ` + strconv.Itoa(legend) + ` L200 ` + strconv.Itoa(legend) + `" stroke="` + colour + `" fill="none"/><text x="205" y="` + strconv.Itoa(legend+3) + `" font-size="9">` + name + `</text>`
	}
	figure := `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="250"><path d="M50 20 H250 V200 H50 Z" stroke="#000" fill="none"/>` +
		line("#ff0000", 150, 30, "sgd (a)") + line("#0000ff", 180, 45, "sgd [a]") + `</svg>`
	require.NoError(t, os.WriteFile("f.svg", []byte(figure), 0o600))
	require.NoError(t, os.WriteFile("runs.csv", []byte("method,seed,step,loss\nsgd,1,0,1\nsgd,1,5,2\nsgd,1,10,3\nsgd,2,0,1.1\nsgd,2,5,2.2\nsgd,2,10,3.1\n"), 0o600))
	ok(t, "trace", "f.svg", "--x", "50=0,250=10", "--y", "200=0,20=9", "--judge", "runs.csv", "--pair", "sgd=sgd [a]", "--figure", "Fig. \"1\"", "--write", "t", "--out", "o")
	text, err := os.ReadFile("t.toml")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "[[published_curve]]"))
	assert.Contains(t, string(text), "curve = \"sgd-a\"")
}
