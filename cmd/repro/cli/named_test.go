package cli

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/terminal"
	"repro/results/printed"
)

// inACommand matches a command of this program where it is named as repro.
func inACommand() *regexp.Regexp {
	var verbs []string
	for _, c := range newRoot(&terminal.Terminal{}).Commands() {
		verbs = append(verbs, c.Name())
	}
	return regexp.MustCompile("(^|[^\\w./-])repro\\s+(" + strings.Join(append(verbs, "--help", "completion"), "|") + ")\\b")
}

// TestNoCommandNamesTheProgramItself runs the program under another name, through help, hints, errors, scripts, and the files
// of a run, a report and a bundle.
func TestNoCommandNamesTheProgramItself(t *testing.T) {
	workplace(t)
	write(t, "tiny.toml", read(t, "tiny.toml")+"\n[[figure]]\nid = \"convergence\"\ntitle = \"Convergence\"\nx = \"step\"\ny = \"l2-error\"\n")
	const program = "go run example.org/mine/cmd/mine"
	itself := inACommand()
	printed.Program = program
	t.Cleanup(func() { printed.Program = "repro" })
	said := ""
	try := func(args ...string) {
		o := repro(t, args...)
		assert.NotRegexp(t, itself, o.out+o.errors, "%v", args)
		said += o.out + o.errors
	}
	var helps func(c *cobra.Command)
	helps = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { assert.NotRegexp(t, itself, f.Usage, "%s --%s", c.Name(), f.Name) })
		_, args, _ := strings.Cut(c.CommandPath(), program)
		try(append(strings.Fields(args), "--help")...)
		for _, below := range c.Commands() {
			helps(below)
		}
	}
	helps(newRoot(&terminal.Terminal{}))
	for _, line := range []string{
		"", "rum", "frobnicate", "dai2014/ridge", "run --sed 3", "run --out", "run nosuch", "run dai2014/nosuch", "show", "show nosuch", "new", "new my", "new my", "list", "list tiny.toml",
		"list algorithms", "list --profile nosuch", "schema", "score", "score tiny.toml", "plan tiny.toml", "plan --settle", "plan li2016/*", "status",
		"run tiny.toml --shard 3/2", "report", "merge", "fetch", "fetch --list", "fetch nosuch", "lesson", "lesson 99", "lesson 1", "verify", "verify x.zip", "audit x.zip", "compare x",
		"compare x y", "bundle x", "history tiny.toml", "bisect x", "check tiny.toml", "baseline accept", "baseline review",
		"run tiny.toml", "run tiny.toml --profile paper", "verify tiny.toml -v", "report tiny.toml", "show tiny.toml", "bundle b.zip tiny.toml",
		"run tiny.toml --shard 1/1 --out failing --method dsg --set data.train=30000 --set evaluate.reference=krr --set evaluate.metrics=[\"l2-error\",\"test-mse\",\"exact-distance\"]",
		"status --out failing", "verify b.zip", "submit tiny.toml --program p --seeds 3 --dry-run", "cite", "version",
	} {
		try(strings.Fields(line)...)
	}
	for _, want := range []string{" list shows all", " plan --settle", " run my.toml", " bundle makes one", " submit sends", " run tiny.toml --profile quick --method dsg --seeds 1", " --help"} {
		assert.Contains(t, said, program+want)
	}
	bundle, err := zip.OpenReader("b.zip")
	require.NoError(t, err)
	defer bundle.Close()
	require.NoError(t, os.CopyFS("unpacked", bundle))
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			assert.NotRegexp(t, itself, read(t, path), path)
		}
		return err
	}))
	assert.Contains(t, read(t, "out/report.html"), program+" run tiny.toml")
}
