package spectree

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	text := `# a comment = 1
a = 1
b.c = { d = 1, "e f" = [1,
  2, { g = 3 }] }
s = """
x = 1
""""
raw = '''
[no.table]
'''

[t."q.r"]  # [not.a.table]
k = "# no comment"
[[list]]
id = 'one'
[list.sub]
x = [ # opened
  "]", # ] not closed
  2,
]
[[list]]
id = "two"
  [[list.inner]]
  y = 1
  [[list.inner]]
  y = 2024-01-01
"\u0061b" = 1
`
	root, err := Parse("x.toml", text)
	require.NoError(t, err)
	lines := func(n *Node, path ...string) int {
		n = n.Find(path...)
		require.NotNil(t, n, "%v", path)
		return n.Line
	}
	assert.Equal(t, 2, lines(root, "a"))
	assert.Equal(t, 3, lines(root, "b"))
	assert.Equal(t, 3, lines(root, "b", "c", "d"))
	assert.Equal(t, 3, lines(root, "b", "c", "e f"))
	assert.Equal(t, 4, lines(root.Find("b", "c", "e f").Items()[2], "g"))
	assert.Equal(t, 5, lines(root, "s"))
	assert.Equal(t, 8, lines(root, "raw"))
	assert.Equal(t, 12, lines(root, "t", "q.r"))
	assert.Equal(t, 13, lines(root, "t", "q.r", "k"))
	list := root.Find("list").Items()
	require.Len(t, list, 2)
	assert.Equal(t, 14, list[0].Line)
	assert.Equal(t, 15, lines(list[0], "id"))
	assert.Equal(t, 16, lines(list[0], "sub"))
	assert.Equal(t, 19, list[0].Find("sub", "x").Items()[1].Line)
	assert.Equal(t, 22, lines(list[1], "id"))
	inner := list[1].Find("inner").Items()
	require.Len(t, inner, 2)
	assert.Equal(t, 24, lines(inner[0], "y"))
	assert.Equal(t, 26, lines(inner[1], "y"))
	assert.Equal(t, 27, lines(inner[1], "ab"))
	assert.Equal(t, []string{"a", "b", "s", "raw", "t", "list"}, root.Table().Keys, "in the order of the file")
}

// Tables and arrays that lie deeper in each other than any spec's are refused before they take a decoder's time and memory.
func TestDepth(t *testing.T) {
	n := 100_000
	dots, open, end := strings.Repeat("a.", n), strings.Repeat("[", n), strings.Repeat("]", n)
	for _, text := range []string{
		"[" + dots + "a]\n", "[[" + dots + "a]]\n", dots + "a = 1\n", "b = { " + dots + "a = 1 }\n",
		"b = " + open + end + "\n", "b = " + strings.Repeat("{ a = ", n) + "1" + strings.Repeat(" }", n) + "\n",
		"'a'" + strings.Repeat(".\"a\"", n) + " = 1\n", "b = \"\"\"\n\"\"\"\n" + dots + "a = 1\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse("x.toml", "x = 1\n"+text)
		runtime.ReadMemStats(&after)
		assert.ErrorContains(t, err, fmt.Sprintf("x.toml:%d: tables and arrays more than 32 deep in each other; is it a spec?", 1+strings.Count(text, "\n")))
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*len(text)))
	}
	for _, text := range []string{
		"a = [" + strings.Repeat("0.5, ", n) + "]\n", "# " + dots + "\n", "a = \"" + dots + open + "\"\n", "a = '''\n" + dots + "'''\n",
		"a = [\n" + strings.Repeat("[0.5, 1.5],\n", 1000) + "]\n", strings.Repeat("[[a.b.c]]\nd.e = { f.g = [1.0] }\n", 1000),
	} {
		_, err := Parse("x.toml", text)
		assert.NoError(t, err)
	}
}
