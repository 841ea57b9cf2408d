package experiments

import (
	"bytes"
	"testing"

	"repro/runner/goldentest"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiled returns the compiled JSON Schema of specs.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

func TestSchemaIsCommitted(t *testing.T) {
	goldentest.Equal(t, "schema.json", string(Schema()))
}

func TestSchemaAcceptsTheCatalog(t *testing.T) {
	s := compiled(t)
	for _, id := range builtinIDs(t) {
		var values map[string]any
		_, err := toml.DecodeFS(builtin, id+".toml", &values)
		require.NoError(t, err)
		assert.NoError(t, s.Validate(plain(values)), id)
	}
}

// plain turns what the toml package decodes into what the jsonschema package reads.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = plain(e)
		}
	case []map[string]any:
		s := make([]any, len(v))
		for i, e := range v {
			s[i] = plain(e)
		}
		return s
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	}
	return v
}
