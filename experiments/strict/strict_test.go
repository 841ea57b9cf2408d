package strict

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments/spectree"
)

type shape interface{ area() float64 }

type square struct {
	Side float64 `toml:"side" want:"> 0"`
}

type circle struct {
	Radius float64 `toml:"radius" want:"> 0"`
}

func (s *square) area() float64 { return s.Side * s.Side }
func (c *circle) area() float64 { return 3 * c.Radius * c.Radius }

type paint struct {
	Colour string `toml:"colour" want:"red|blue" short:"yes"`
	Layers int    `toml:"layers"`
}

type thing struct {
	Name  string  `toml:"name" must:"yes" doc:"what it is called"`
	Shape shape   `toml:"shape"`
	Paint paint   `toml:"paint"`
	Price float64 `toml:"price" not:"free" most:"1e3 nobody pays more"`
	Free  bool    `toml:"free"`
	Tax   float64 `toml:"tax" needs:"price" asks:"why say who takes it"`
	Why   string  `toml:"why" beside:"free"`
}

func init() {
	Choose[shape](Choice{Key: "kind", Names: func() []string { return []string{"circle", "square"} }, New: func(name string) any {
		return map[string]any{"circle": &circle{Radius: 1}, "square": &square{Side: 2}}[name]
	}})
}

func decoded(t *testing.T, text string) (thing, error) {
	root, err := spectree.Parse("x.toml", text)
	require.NoError(t, err)
	var v thing
	found := &spectree.Mistakes{File: "x.toml"}
	Decode(root, &v, "", nil, found)
	return v, found.Err()
}

func TestDecode(t *testing.T) {
	v, err := decoded(t, "name = \"a\"\nshape = { kind = \"square\" }\npaint = \"red\"\nprice = 3\n")
	require.NoError(t, err)
	assert.Equal(t, thing{Name: "a", Shape: &square{2}, Paint: paint{Colour: "red"}, Price: 3}, v)
	m := EncodeSet(v)
	assert.Equal(t, map[string]any{"name": "a", "shape": map[string]any{"kind": "square", "side": 2.0}, "paint": "red", "price": 3.0}, m)
	v.Paint.Layers = 2
	assert.Equal(t, map[string]any{"colour": "red", "layers": 2}, Encode(reflect.ValueOf(v.Paint)), "a word does not say all")
}

// What Decode refuses, an editor with the schema refuses too.
func TestMistakes(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema("a thing", thing{})))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	schema, err := c.Compile("schema.json")
	require.NoError(t, err)
	for text, want := range map[string]string{
		`name = "a"`: "",
		`nam = "a"`:  "x.toml:1: nam: unknown key; did you mean \"name\"?\nx.toml:1: name: missing (what it is called); add it",
		`name = "a"
shape = { kind = "circle", side = 1.0 }`: `x.toml:2: shape.side: unknown key; choose one of radius, kind`,
		`name = "a"
shape = { kind = "cube" }`: `x.toml:2: shape.kind: unknown kind "cube"; choose one of circle, square`,
		`name = "a"
paint = 3`: `x.toml:2: paint: want a word, or a table with some of the keys colour, layers, got 3`,
		`name = "a"
paint = "green"`: `x.toml:2: paint: unknown value "green"; choose one of red, blue`,
		`name = "a"
price = 1e4`: `x.toml:2: price: must be <= 1000, got 10000: nobody pays more`,
		`name = "a"
price = 1.0
free = true`: `x.toml:2: price: contradicts free on line 3; keep one`,
		`name = "a"
tax = 1.0
why = "law"`: `x.toml:2: tax: has no effect without price; give that too, or remove it`,
		`name = "a"
price = 1.0
tax = 1.0`: `x.toml:3: why: missing; say who takes it`,
		`name = "a"
free = true
why = "gift"`: `x.toml:3: why: has no effect beside free on line 2; remove it`,
	} {
		_, err := decoded(t, text)
		root, parsed := spectree.Parse("x.toml", text)
		require.NoError(t, parsed)
		wrong := schema.Validate(plain(root))
		if want == "" {
			assert.NoError(t, err)
			assert.NoError(t, wrong)
			continue
		}
		assert.EqualError(t, err, want)
		assert.Error(t, wrong, text)
	}
}

// plain returns the values of a tree as the schema's package reads them.
func plain(n *spectree.Node) any {
	t := n.Table()
	if t == nil {
		return n.Value
	}
	values := map[string]any{}
	for _, k := range t.Keys {
		values[k] = plain(t.Nodes[k])
	}
	return values
}

func TestDecodeBlock(t *testing.T) {
	var v thing
	b, err := DecodeBlock("page.md", 7, "name = \"a\"\nshape = { kind = \"circle\" }", &v)
	require.NoError(t, err)
	assert.True(t, b.Has("shape"))
	assert.EqualError(t, b.Mistake([]any{"shape", "kind"}, "is round; choose another"), "page.md:8: shape.kind: is round; choose another")
}
