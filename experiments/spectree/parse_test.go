package spectree

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
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

// Tables and arrays that lie deeper in each other than any spec's are refused, and the memory that this takes grows with the
// length of the text, by some 75 bytes a byte, not with the square of the depth.
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
		assert.Regexp(t, fmt.Sprintf("x.toml:%d: (tables and arrays more than 32 deep in each other; is it a spec\\?|.*nested.*10000 levels deep)", 1+strings.Count(text, "\n")), err)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*len(text)))
	}
	for _, text := range []string{
		"a = [" + strings.Repeat("0.5, ", n) + "]\n", "# " + dots + "\n", "a = \"" + dots + open + "\"\n", "a = '''\n" + dots + "'''\n",
		"a = [\n" + strings.Repeat("[0.5, 1.5],\n", 1000) + "]\n", strings.Repeat("[[a.b.c]]\nd.e = { f.g = [1.0] }\n", 1000),
	} {
		_, err := Parse("x.toml", text)
		assert.NoError(t, err)
	}
}

// What a text may say twice, and what not, is as the decoder of the same library has it, and the values are.
func TestParseAgreesWithTheDecoder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	valid := 0
	for range 20_000 {
		text := ""
		for range 1 + r.IntN(5) {
			key := pick("a", "b", "a.b", "b.a", "a.b.c", "a.'b'.b")
			text += pick("["+key+"]", "[["+key+"]]", key+" = 1", key+" = { "+pick("a", "b.c")+" = 0x1F }", key+" = ["+pick("", "{ a = 1.5e0 }, {}", "-2")+"]") + "\n"
		}
		var want map[string]any
		decoded := toml.Unmarshal([]byte(text), &want)
		root, err := Parse("x.toml", text)
		require.Equal(t, decoded == nil, err == nil, "%s%v\n%v", text, decoded, err)
		if err == nil {
			valid++
			require.Equal(t, want, valuesOf(root), text)
		}
	}
	assert.Greater(t, valid, 5000)
	_, err := Parse("x.toml", "[a]\nb.c = 1\n[a.b]\n")
	assert.EqualError(t, err, "x.toml:3: a.b: is given already, on line 2; keep one")
	_, err = Parse("x.toml", "a = 9223372036854775808")
	assert.EqualError(t, err, "x.toml:1: a: 9223372036854775808 is larger than every number there is here; write a smaller one")
}

// valuesOf returns the values of a tree as a decoder would.
func valuesOf(n *Node) any {
	if t := n.Table(); t != nil {
		values := map[string]any{}
		for _, k := range t.Keys {
			values[k] = valuesOf(t.Nodes[k])
		}
		return values
	}
	if items, ok := n.Value.([]*Node); ok {
		values := []any{}
		for _, e := range items {
			values = append(values, valuesOf(e))
		}
		return values
	}
	return n.Value
}
