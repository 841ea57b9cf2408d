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

func TestBaseMetric(t *testing.T) {
	name, average := baseMetric("l2-error@average")
	assert.Equal(t, "l2-error", name)
	assert.True(t, average)
}

// What figures and tables of an experiment need to know of its metrics goes with it.
func TestMetricsOfAnExperiment(t *testing.T) {
	for _, id := range builtinIDs(t) {
		s, err := loadID(id, LoadOptions{})
		require.NoError(t, err)
		e := s.Experiment()
		require.Len(t, e.Metrics, len(s.Evaluate.Metrics), id)
		for i, m := range e.Metrics {
			assert.Equal(t, s.Evaluate.Metrics[i].Name, m.Name)
			assert.NotEmpty(t, m.Words, m.Name)
			assert.Contains(t, []string{"smaller", "larger", "neither"}, m.Better, m.Name)
		}
	}
	novelty, err := loadID("dai2014/losses-novelty", LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "%", novelty.Experiment().Unit("test-novel").Sign)
}

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

func TestSchemaRejects(t *testing.T) {
	s := compiled(t)
	cases := []struct{ name, old, new string }{
		{"nothing", "", ""},
		{"unknown key", "block = 64", "bloc = 64"},
		{"setting of another algorithm", "algorithm = \"norma\"\nbatch = 64", "algorithm = \"norma\"\nblock = 64"},
		{"unknown algorithm", `algorithm = "norma"`, `algorithm = "norm"`},
		{"unknown table", "[budget]\nepochs = 1", "[budged]\nepochs = 1"},
		{"unknown loss", `"square"`, `"squared"`},
		{"unknown schedule", `"inverse"`, `"inverted"`},
		{"parameter of another schedule", `"inverse"`, `"constant"`},
		{"negative", "nu = 1e-6", "nu = -1"},
		{"zero bandwidth", `{ rule = "median", scale = 0.1 }`, `0`},
		{"wrong type", "train = 1024", `train = "1024"`},
		{"missing title", `title = "Ridge"`, ""},
		{"unknown kind", `kind = "order"`, `kind = "ordr"`},
		{"error in a profile", `method.dsg = { batch = 32 }`, `method.dsg = { bach = 32 }`},
		{"wrong number in a profile", `repeat = { seeds = 2 }`, `repeat = { seeds = 0 }`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := ridge
			if c.old != "" {
				text = change(t, c.old, c.new)
			}
			var values map[string]any
			_, err := toml.Decode(text, &values)
			require.NoError(t, err)
			if err := s.Validate(plain(values)); c.old == "" {
				assert.NoError(t, err)
			} else {
				assert.Error(t, err)
			}
		})
	}
}
