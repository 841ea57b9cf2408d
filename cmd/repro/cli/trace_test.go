package cli

import (
	"os"
	"path/filepath"
	"regexp"
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
	assert.Contains(t, repro(t, "trace", "curves.csv").errors, "is no PDF, SVG or PNG")
	require.NoError(t, os.WriteFile("fig.eps", []byte("%!PS\n"), 0o600))
	assert.Contains(t, repro(t, "trace", "fig.eps").errors, "is PostScript; make a PDF of it")
	assert.Contains(t, repro(t, "trace", found[0], "--judge", "curves.csv").errors, "name it with --write")
	assert.Contains(t, repro(t, "trace", found[0], "--published-is", "median").errors, `--published-is: want run, 'mean of K' or 'median of K'`)
}
