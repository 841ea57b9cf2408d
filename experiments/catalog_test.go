package experiments

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repro/runner/goldentest"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCatalog(t *testing.T) {
	entries, err := Catalog()
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		assert.NotEmpty(t, e.Paper.Title, "%s is of a paper in papers.toml", e.ID)
		assert.NotEmpty(t, e.Source, e.ID)
		assert.NotEmpty(t, e.Data, e.ID)
		text, err := os.ReadFile(e.ID + ".toml")
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), "#:schema ../schema.json\n"), e.ID)
		sizes := map[string]int{}
		for _, profile := range e.Profiles {
			s, err := Load(Ref{ID: e.ID}, LoadOptions{Profile: profile})
			require.NoError(t, err)
			assert.Equal(t, e.ID, s.ID)
			assert.Equal(t, profile, s.Profile, "%s has every profile", e.ID)
			sizes[profile] = len(s.Expand())
		}
		assert.LessOrEqual(t, sizes["smoke"], sizes["quick"], e.ID)
		assert.LessOrEqual(t, sizes["quick"], sizes["paper"], e.ID)
	}
}

func TestPapers(t *testing.T) {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(papers)) {
		keys = append(keys, key)
		p := papers[key]
		assert.NotEmpty(t, p.Authors, p.Key)
		assert.NotEmpty(t, p.Title, p.Key)
		assert.NotEmpty(t, p.Venue, p.Key)
		assert.True(t, strings.HasSuffix(p.Key, strings.TrimLeft(p.Key, "abcdefghijklmnopqrstuvwxyz")))
		assert.Contains(t, p.Key, string(rune('0'+p.Year%10)), p.Key)
		assert.True(t, strings.HasPrefix(p.URL, "https://"), p.Key)
	}
	assert.Equal(t, []string{"carratino2018", "dai2014", "jezequel2019", "li2016", "ma2017"}, keys)
}

func TestResolve(t *testing.T) {
	own := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.WriteFile(own, []byte(ridge), 0o644))

	all, err := Resolve(nil)
	require.NoError(t, err)
	assert.Len(t, all, len(catalogIDs()))

	refs, err := Resolve([]string{"dai2014/svm-*", own, "dai2014/svm-adult", "dai2014/ridge"})
	require.NoError(t, err)
	var want []Ref
	for _, id := range catalogIDs() {
		if strings.HasPrefix(id, "dai2014/svm-") {
			want = append(want, Ref{ID: id})
		}
	}
	require.Greater(t, len(want), 2)
	assert.Equal(t, append(want, Ref{Path: own}, Ref{ID: "dai2014/ridge"}), refs)
	s, err := Load(Ref{Path: own}, LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "dai2014/mine", s.ID)
	assert.Equal(t, filepath.Dir(own), s.Dir())

	cases := []struct{ arg, want string }{
		{"dai2014/rigde", `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`},
		{"ridge", `unknown experiment "ridge"; did you mean "dai2014/ridge"?`},
		{"dai2014", `unknown experiment "dai2014"; did you mean "dai2014/*"?`},
		{"dai2014/[", `"dai2014/[": not a pattern; use * and ? as in dai2014/*`},
		{"no.toml", `no.toml: no such file; give a path, or an id without .toml`},
	}
	for _, c := range cases {
		_, err := Resolve([]string{c.arg})
		assert.EqualError(t, err, c.want)
	}
	_, err = Resolve([]string{"x*"})
	assert.ErrorContains(t, err, `unknown experiment "x*"; the nearest are `)
	_, err = Resolve([]string{"ma2017/three-kernels-of-mnist"})
	assert.EqualError(t, err, `unknown experiment "ma2017/three-kernels-of-mnist"; the nearest are ma2017/mnist-kernels, li2016/objective-mnist, carratino2018/features-cod-rna, dai2014/kernels, li2016/libsvm-mnist; repro list shows all, or give the path of a .toml file`)
	_, err = Load(Ref{ID: "dai2014/rigde"}, LoadOptions{})
	assert.EqualError(t, err, `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`)
}

func TestText(t *testing.T) {
	text, err := Text("dai2014/ridge")
	require.NoError(t, err)
	want, err := os.ReadFile("dai2014/ridge.toml")
	require.NoError(t, err)
	assert.Equal(t, want, text)
	_, err = Text("dai2014/rigde")
	assert.EqualError(t, err, `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`)
}

func TestBaseMetric(t *testing.T) {
	name, average := baseMetric("l2-error@average")
	assert.Equal(t, "l2-error", name)
	assert.True(t, average)
}

// What figures and tables of an experiment need to know of its metrics goes with it.
func TestMetricsOfAnExperiment(t *testing.T) {
	for _, id := range catalogIDs() {
		s, err := Load(Ref{ID: id}, LoadOptions{})
		require.NoError(t, err)
		e := s.Experiment()
		require.Len(t, e.Metrics, len(s.Evaluate.Metrics), id)
		for i, m := range e.Metrics {
			assert.Equal(t, s.Evaluate.Metrics[i], m.Name)
			assert.NotEmpty(t, m.Words, m.Name)
			assert.Contains(t, []string{"smaller", "larger", "neither"}, m.Better, m.Name)
		}
	}
	novelty, err := Load(Ref{ID: "dai2014/losses-novelty"}, LoadOptions{})
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
	for _, id := range catalogIDs() {
		var values map[string]any
		_, err := toml.DecodeFile(id+".toml", &values)
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
