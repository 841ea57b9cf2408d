package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A round trip: a figure of ours is traced from its PDF and judged against the runs that it was drawn from. The curve is reproduced; runs
// with a fault deviate, and the reason says where.
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

	said := repro(t, "trace", found[0]).errors // letters of ours are shapes, so it asks, and says where the ticks are
	places := regexp.MustCompile(`stand at ([\d. ]+) from left to right, and at ([\d. ]+) from top`).FindStringSubmatch(said)
	require.Len(t, places, 3, said)
	axis := func(list string, first float64, step float64) string {
		out := "log"
		for _, at := range strings.Fields(list) {
			out += "," + at + "=" + strconv.FormatFloat(first, 'g', -1, 64)
			first *= step
		}
		return out
	}
	x, y := axis(places[1], 1, 10), axis(places[2], 1, 0.1)
	o := ok(t, "trace", found[0], "--x", x, "--y", y, "--write", "read")
	lines := regexp.MustCompile(`(?m)^curve \d+ \(#[^)]*\)`).FindAllString(o.out, -1)
	require.NotEmpty(t, lines, o.out)
	assert.Contains(t, repro(t, "trace", found[0], "--x", x, "--y", y, "--write", "read").errors, "read.csv exists already")

	fault := regexp.MustCompile(`(?m)^(sgd,\d+,(?:256|512|1024),)0`).ReplaceAllString(string(text), "${1}9")
	require.NotEqual(t, string(text), fault)
	require.NoError(t, os.WriteFile("fault.csv", []byte(fault), 0o600))
	var sgd string
	for _, line := range lines { // the solid curve that ends highest is that of sgd
		o := repro(t, "trace", found[0], "--x", x, "--y", y, "--judge", "curves.csv", "--pair", "sgd="+line, "--write", "t"+strconv.Itoa(len(sgd))+slugOf(line), "--out", "o"+slugOf(line))
		if strings.Contains(o.out, "same level") && strings.Contains(o.out, "same shape") {
			sgd = line
			assert.Regexp(t, `curve-sgd .*reproduced`, o.out)
			break
		}
	}
	require.NotEmpty(t, sgd, "a traced curve is that of sgd")
	o = ok(t, "trace", found[0], "--x", x, "--y", y, "--judge", "fault.csv", "--pair", "sgd="+sgd, "--write", "bad", "--out", "bad")
	assert.Regexp(t, `curve-sgd .*deviates`, o.out)
	assert.Contains(t, o.out, "another shape: beside the level, ours is")
	assert.Contains(t, repro(t, "trace", found[0], "--x", x, "--y", y, "--judge", "curves.csv", "--pair", "sgd=curve 99", "--write", "no").errors, "has no curve")
	assert.Contains(t, repro(t, "trace", "curves.csv").errors, "is no PDF, SVG or PNG")
	assert.Contains(t, repro(t, "trace", found[0], "--judge", "curves.csv").errors, "name it with --write")
}

// slugOf makes part of the name of a file of a curve's name.
func slugOf(name string) string {
	return regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(name, "-")
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
