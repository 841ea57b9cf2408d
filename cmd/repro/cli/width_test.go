package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
)

// onTerminal returns what a command prints on a terminal of so many columns, 0 for none.
func onTerminal(t *testing.T, width int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	o := &terminal.Output{To: &out, Width: width}
	root := newRoot(&terminal.Terminal{Stdout: o, Stderr: o})
	root.SetArgs(args)
	require.NoError(t, root.ExecuteContext(context.Background()), args)
	return out.String()
}

// fits checks that no line is wider than the terminal, and that every word of the text is in it whole.
func fits(t *testing.T, width int, shown, whole string) {
	t.Helper()
	for line := range strings.Lines(shown) {
		assert.LessOrEqual(t, text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")), width, line)
	}
	words := strings.Fields(shown)
	for _, w := range strings.Fields(whole) {
		require.Contains(t, words, w)
	}
}

// The help of every command fits 80 columns, and says the same as elsewhere.
func TestHelpFitsTheTerminal(t *testing.T) {
	var all func(c *cobra.Command, path []string)
	all = func(c *cobra.Command, path []string) {
		asked := append(slices.Clone(path), "--help")
		shown, whole := onTerminal(t, 80, asked...), onTerminal(t, 0, asked...)
		fits(t, 80, shown, "")
		assert.Equal(t, strings.Fields(whole), strings.Fields(shown), asked)
		for _, sub := range c.Commands() {
			all(sub, append(slices.Clone(path), sub.Name()))
		}
	}
	root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{}, Stderr: &terminal.Output{}})
	root.InitDefaultCompletionCmd()
	all(root, nil)
}

// A plan fits 80 columns with names of any length: settings go below a cell, and names that fill the screen get lines of
// their own.
func TestPlanFitsTheTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "new", "mine")
	spec, err := os.ReadFile("mine.toml")
	require.NoError(t, err)
	const name = "a-method-with-a-name-that-is-as-long-as-half-the-screen"
	long := strings.ReplaceAll(string(spec), `"dsg"`, `"`+name+`"`)
	require.NotEqual(t, string(spec), long)
	long = strings.ReplaceAll(long, `algorithm = "`+name+`"`, `algorithm = "dsg"`)
	require.NoError(t, os.WriteFile("long.toml", []byte(long), 0o666))
	for file, below := range map[string]string{"mine.toml": "\n    ", "long.toml": "\nSETTINGS    "} {
		whole := onTerminal(t, 0, "plan", file, "--seeds", "2")
		shown := onTerminal(t, 80, "plan", file, "--seeds", "2")
		fits(t, 80, shown, strings.Join(lasting(whole), " "))
		assert.Contains(t, shown, below)
	}
}

// lasting lists the words of the table of a plan but its numbers and their units: times are estimated anew.
func lasting(plan string) []string {
	table, _, _ := strings.Cut(plan, "\n\n")
	return slices.DeleteFunc(strings.Fields(table), func(w string) bool { return len(w) < 3 || strings.ContainsAny(w, "0123456789") })
}

// Every grid fits, whatever its columns hold, as long as no word is as wide as the terminal.
func TestGridFitsTheTerminal(t *testing.T) {
	rows := [][]string{
		{"one", "two words", "three"},
		{strings.Repeat("x", 30), strings.Repeat("y", 40), strings.Repeat("many words ", 20)},
		{"", strings.Repeat("some words ", 9) + "\nand a line", strings.Repeat("z", 50)},
	}
	for wrap := range 4 {
		for last := range rows {
			g := terminal.Table{Head: []string{"first", "second", "third"}, Rows: rows[:last+1], Wrap: wrap, Indent: "  ", Right: []int{1}}
			g.Paint = func(_, column int) terminal.Colour {
				return []terminal.Colour{terminal.Red, terminal.Green, terminal.Yellow}[column]
			}
			var out bytes.Buffer
			o := &terminal.Output{To: &out, Width: 80, Colour: true}
			o.Table(g)
			plain := text.StripEscape(out.String())
			fits(t, 80, plain, strings.Join(slices.Concat(g.Rows...), " "))
			for _, word := range []string{"one", "two", "three"} {
				code := map[string]string{"one": "31", "two": "32", "three": "33"}[word]
				assert.Contains(t, out.String(), "\x1b["+code+"m"+word, "the colour of its column")
			}
		}
	}
}

func TestOutputHoldsBackControlCharacters(t *testing.T) {
	const text = "λ \x1b[31m, \u009b, \u202e, \xff, line\r\nlast \xe2\x80"
	var b bytes.Buffer
	o := &terminal.Output{To: &b}
	for i := range len(text) { // bytes of one character arrive in several writes
		n, err := o.Write([]byte(text[i : i+1]))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.NoError(t, o.Flush())
	assert.Equal(t, printed.Visible(text), b.String())
}

// A full is a stream that cannot be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAFullStandardOutputIsAnError(t *testing.T) {
	workplace(t)
	ok(t, "run", "tiny.toml", "--seeds", "1")
	for _, args := range [][]string{
		{"list"}, {"list", "--json"}, {"list", "metrics"}, {"show", "dai2014/ridge"}, {"show", "dai2014/ridge", "--toml"}, {"plan", "tiny.toml"},
		{"plan", "tiny.toml", "--json"}, {"run", "tiny.toml", "--seeds", "1"}, {"judge", "--report", "tiny.toml"}, {"judge", "tiny.toml"},
		{"judge", "tiny.toml", "--json"}, {"score"}, {"score", "--json"}, {"fetch", "--list"}, {"doctor"}, {"show", "--schema"},
		{"--version"}, {"--licences"}, {"--help"}, {"help", "run"}, {"completion", "bash"},
	} {
		var stderr bytes.Buffer
		status := Run(t.Context(), full{}, &stderr, args)
		assert.Equal(t, int(exits.Mistake), status, "%q", args)
		assert.Contains(t, stderr.String(), "no space left on device", "%q", args)
	}
}

func TestWrapped(t *testing.T) {
	assert.Equal(t, "a line that is too\n  long for its width\nshort", terminal.Wrapped("a line that is too long for its width\nshort", 20))
	assert.Equal(t, "  indented\n    words", terminal.Wrapped("  indented words", 14))
	assert.Equal(t, "see\n  /a/path/that/stays/whole.toml\n  now", terminal.Wrapped("see /a/path/that/stays/whole.toml now", 20))
	assert.Equal(t, "not a terminal", terminal.Wrapped("not a terminal", 0))
	assert.Equal(t, "lines that are\nfilled anew\n\nshort", terminal.Filled("lines\nthat are filled\nanew\n\nshort", 16))
	assert.Equal(t, "not\na terminal", terminal.Filled("not\na terminal", -10))
}

// Only the program's own colours reach a terminal.
func TestPaint(t *testing.T) {
	var b bytes.Buffer
	o := &terminal.Output{To: &b, Colour: true}
	o.Painted(o.Paint(terminal.Green, "fine\x1b[31m"))
	assert.Equal(t, "\x1b[32mfine\\u001b[31m\x1b[0m\n", b.String())
	assert.Equal(t, "fine", (&terminal.Output{}).Paint(terminal.Green, "fine"))
}
