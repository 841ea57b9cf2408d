package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	withFigure(t)
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
		"list --algorithms", "list --profile nosuch", "schema", "score", "score tiny.toml", "score --out out", "plan tiny.toml", "plan --settle", "plan li2016/*", "status",
		"run tiny.toml --shard 3/2", "report", "merge", "fetch", "fetch --list", "fetch nosuch", "lesson", "lesson 99", "lesson 1", "verify", "verify x.zip", "audit x.zip", "compare x",
		"compare x y", "bundle x", "export appendix x.zip", "history tiny.toml", "bisect x", "check tiny.toml", "baseline accept", "baseline review",
		"run tiny.toml", "run tiny.toml --profile paper", "verify tiny.toml -v", "report tiny.toml", "show tiny.toml", "bundle b.zip tiny.toml",
		"run tiny.toml --shard 1/1 --out failing --method dsg --set data.train=30000 --set evaluate.reference=krr --set evaluate.metrics=[\"l2-error\",\"test-mse\",\"exact-distance\"]",
		"status --out failing", "verify b.zip", "export appendix b.zip", "export crate b.zip", "submit tiny.toml --engine parallel --program p --seeds 3 --dry-run",
		"submit tiny.toml --engine slurm --program p --seeds 3 --dry-run", "cite", "version",
	} {
		try(strings.Fields(line)...)
	}
	for _, want := range []string{" list shows all", " plan --settle", " score --out out", " run my.toml", " bundle makes one", " submit sends", " run tiny.toml --profile quick --method dsg --seeds 1", " --help"} {
		assert.Contains(t, said, program+want)
	}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			assert.NotRegexp(t, itself, read(t, path), path)
		}
		return err
	}))
	assert.Contains(t, read(t, "out/report.html"), program+" run tiny.toml")
	for name, text := range unzip(t, "b.zip") {
		assert.NotRegexp(t, itself, text, name)
	}
}

// ofRepro are the strings that name repro itself, not the program that the user runs.
var ofRepro = map[string]string{
	"no checkout of repro is known":                                      "the sources of repro",
	"several programs have the commands of repro: %s":                    "the commands",
	"it has no program with the commands of repro; name one by its path": "the commands",
	"repro stream 1\x00":                                                 "a key of random streams",
	"repro checkpoint 4\n":                                               "the first line of a checkpoint",
	"repro":                                                              "user agent, cache folder, and the program unless another calls",
	`(^|[\s"(])repro([\s":;,.)]|$)`:                                      "what name replaces",
	"repro ":                                                             "what the starter replaces",
	"An experiment of repro":                                             "the title of the schema",
	"json:\"repro,omitempty\"":                                           "the version of repro in a build",
	"with repro ":                                                        "the version of repro in a build",
	"written by a newer repro":                                           "the format of a record",
	"schema %d: not a record of repro":                                   "the format of a record",
	"the repro authors":                                                  "how the code is cited",
	"%w: schema %d, this one reads %d; update repro":                     "the format of a record",
	"%w of this version: format %d, this repro reads %d; update repro":            "the format of a bundle",
	"repro: reproductions of the experiments of papers on kernel methods":         "how the code is cited",
	"hello: the program speaks protocol %d, and repro %d; write \"protocol\": %d": "the protocol of external methods",
}

// TestTheProgramIsNotWrittenOut looks for the name of the program in the strings of the sources: a program of another module has
// another. Only help texts hold it, which name renames.
func TestTheProgramIsNotWrittenOut(t *testing.T) {
	itself, found := regexp.MustCompile(`(^|[^\w./-])repro([^\w/-]|$)`), 0
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{"examples", "peers"}, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				key, ok := n.Key.(*ast.Ident)
				return !ok || !slices.Contains([]string{"Short", "Long", "Example"}, key.Name)
			case *ast.CallExpr:
				s, ok := n.Fun.(*ast.SelectorExpr)
				return !ok || !strings.HasSuffix(strings.TrimSuffix(s.Sel.Name, "P"), "Var") // a flag
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					found++
					if used[s] = true; ofRepro[s] == "" && !strings.HasPrefix(s, "# repro\n\n") { // the front page of the documentation of repro
						assert.NotRegexp(t, itself, s, "%s: take the name from printed.Command or printed.Name", path)
					}
				}
			}
			return true
		})
		return nil
	}))
	assert.Greater(t, found, 10000, "strings of the sources")
	for s := range ofRepro {
		assert.True(t, used[s], "%q is in no source; take it out", s)
	}
}
