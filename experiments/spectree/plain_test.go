package spectree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/fuzztest"
)

// same checks that a text which is read in one pass has the tree that the TOML decoder makes.
func same(t *testing.T, text string) (plain bool) {
	got, plain := plainly(text)
	if plain {
		want, err := decoded("x.toml", text)
		require.NoError(t, err, "%s", text)
		require.Equal(t, want, got, "%s", text)
	}
	return plain
}

// Nearly all specs are read in one pass, to the same trees.
func TestPlainSpecs(t *testing.T) {
	files, err := filepath.Glob("../papers/*/*.toml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var others []string
	for _, file := range append(files, "../papers/papers.toml", "../starter.toml") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !same(t, string(text)) {
			others = append(others, file)
		}
	}
	assert.Less(t, len(others), len(files)/10, "%v", others)
}

// What is not plain is left to the decoder: it says what is wrong, or knows more of TOML.
func TestNotPlain(t *testing.T) {
	for _, text := range []string{
		"a = 1\na = 2", "[a]\n[a]", "a = 1\n[a]", "a.b = 1\n[a]", "[a]\nb = 1\n[a.b]", "a = {}\n[a.b]", "a = {}\na.b = 1", "a = [{}]\n[[a]]", "a = []\n[[a]]", "[a]\n[[a]]", "[[a]]\n[a]",
		"a = { b.c = 1, b = 2 }", "a = { b = 1, }", "a = { b = 1\n}", "a = 1 b = 2", "a = 1, b", "[a] b = 1", "a", "a =", "= 1", "[]", "[a", "[[a]", "[a]]", "[ [a] ]", "[a.]", "a. = 1", "a = [1", "a = [1,,2]", "a = [,]",
		"a = 01", "a = 1.", "a = .1", "a = +_1", "a = 1__0", "a = inf", "a = nan", "a = 0x1", "a = 1e-400", "a = 1e400", "a = 9223372036854775808", "a = -9223372036854775809", "a = 2024-01-01", "a = True",
		"a = \"\\u0041\"", "a = \"x\ny\"", "a = 'x\ny'", "a = \"x", "a = \"\\", "a = '''x'''", "a = \"\"\"x\"\"\"\"", "a = \"\"\"x", "a = \"\"\"\\ \nx\"\"\"", "a = \"\"\"\\\\\"\"\"", "a = 1\r\nb = 2", "\ufeffa = 1", "a = 1 # \x01", "a = \"\x7f\"", "a = \"\xff\"",
		"[a.b]\n[a]\n[a]", "a\nb = 1", "a # b = 1",
	} {
		_, plain := plainly(text)
		assert.False(t, plain, "%q", text)
	}
	for _, text := range []string{
		"", "\n# c\n", "a=1", "a = -0", "a = -0.0", "a = +1", "a = 1e3", "a = 1_0", "a = []", "a = [ # c\n 1,\n 2, # d\n]", "a = {}", "a = { b.c = 1, b.d = { e = [ { f = true } ] } }", "a.b = 1\na.c = 2 # c",
		"[a.b]\nx = 1\n[a]\ny = 2", "[[a]]\n[a.b]\nc = 1\n[[a]]\n[a.b]\nc = 2\n[[a.d]]\n[[a.d]]\ne = 1", "\"a b\".c = \"\\\\ \\\" é\"\n'd' = 1", "a = \"\"\"\nx \"y\"\n\"\"\"", "a = \"\"\"\n\n\"\"\"\nb = ''", "[ a . b ]\nc . d = 1", "[[ a ]]\nb = 1",
		"a.b = 1\n[x]\n[a.c]\n[[a.d]]\n[a.d.e]", "[x]\na.b = 1\n[x.a.c]", "[a]\nb.c = 1\nb.d = 2\n[e]\nb.c = 3", "a = [[1, 2], ['x', \"y\"], [{ b = 1 }, 2]]", "a = \"\"\"\\\n \t\n x\\\n\n\\\n y \\\n\"\"\"\nb = 1", "true = true\n1 = 2\n1.5 = 3", "a = 9223372036854775807",
	} {
		same(t, text)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a.b = { c = [1, 2.5e3, \"x\"] }\n[[d]]\ne = \"\"\"\nx\"\"\"\n[d.f]\n'g' = true")
	f.Add("[a]\n[a.b]\nc.d = 1\n[[a.e]]\n[[a.e.f]]\ng = -0\n")
	f.Fuzz(fuzztest.Corpus(f, func(t *testing.T, text string) { same(t, text) }))
}
