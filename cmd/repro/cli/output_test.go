package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
)

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
		{"plan", "tiny.toml", "--json"}, {"run", "tiny.toml", "--seeds", "1"}, {"report", "tiny.toml"}, {"verify", "tiny.toml"},
		{"verify", "tiny.toml", "--json"}, {"score"}, {"score", "--json"}, {"fetch", "--list"}, {"doctor"}, {"show", "--schema"},
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
