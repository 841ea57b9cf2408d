package catalog

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
)

// The specs of package papers, which imports this one.
func init() { register(os.DirFS("../papers"), ".", "repro/experiments/papers") }

func TestEntries(t *testing.T) {
	entries, err := Entries()
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		assert.True(t, e.Paper.Title != "" || strings.HasPrefix(e.ID, "solvers/"), "%s is of a paper in papers.toml, or compares solvers", e.ID)
		assert.NotEmpty(t, e.Source, e.ID)
		assert.NotEmpty(t, e.Data, e.ID)
		text, err := os.ReadFile(filepath.Join("..", "papers", filepath.FromSlash(e.ID)+".toml"))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), "#:schema ../../schema.json\n"), e.ID)
		sizes := map[string]int{}
		for _, profile := range e.Profiles {
			s, err := Load(Ref{ID: e.ID}, experiments.LoadOptions{Profile: profile})
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
	assert.Equal(t, []string{"carratino2018", "dai2014", "jezequel2019", "li2016", "ma2017", "rathore2024"}, keys)
}

func TestResolve(t *testing.T) {
	own := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.WriteFile(own, []byte(ridge(t, "", "")), 0o644))

	all, err := Resolve(nil)
	require.NoError(t, err)
	assert.Len(t, all, len(ids()))

	refs, err := Resolve([]string{"dai2014/svm-*", own, "dai2014/svm-adult", "dai2014/ridge"})
	require.NoError(t, err)
	var want []Ref
	for _, id := range ids() {
		if strings.HasPrefix(id, "dai2014/svm-") {
			want = append(want, Ref{ID: id})
		}
	}
	require.Greater(t, len(want), 2)
	assert.Equal(t, append(want, Ref{Path: own}, Ref{ID: "dai2014/ridge"}), refs)
	s, err := Load(Ref{Path: own}, experiments.LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "dai2014/mine", s.ID)
	assert.Equal(t, filepath.Dir(own), s.Dir())

	cases := []struct{ arg, want string }{
		{"dai2014/rigde", `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`},
		{"ridge", `unknown experiment "ridge"; did you mean "dai2014/ridge"?`},
		{"paper", `unknown experiment "paper"; did you mean --profile paper?`},
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
	_, err = Load(Ref{ID: "dai2014/rigde"}, experiments.LoadOptions{})
	assert.EqualError(t, err, `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`)
}

// A file over a spec of the catalog names it by its id.
func TestBase(t *testing.T) {
	s, err := LoadText("mine.toml", []byte("base = \"dai2014/ridge\"\ntitle = \"Mine\""), experiments.LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "dai2014/mine", s.ID)
	_, err = LoadText("mine.toml", []byte(`base = "dai2014/rigde"`), experiments.LoadOptions{})
	assert.EqualError(t, err, `mine.toml:1: base: unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`)
	text, files, err := Written(Ref{ID: "dai2014/ridge"})
	require.NoError(t, err)
	assert.Equal(t, text, files["dai2014/ridge.toml"])
	_, _, err = Written(Ref{ID: "dai2014/rigde"})
	assert.EqualError(t, err, `unknown experiment "dai2014/rigde"; did you mean "dai2014/ridge"?`)
}

// Figures of a paper share their colours: every spec of the catalog has the casts of its sisters at profile paper, and one that is
// not of the catalog adds its own.
func TestCasts(t *testing.T) {
	casts.Clear()
	s, err := Load(Ref{ID: "dai2014/ridge"}, experiments.LoadOptions{Profile: "quick", Methods: []string{"dsg"}})
	require.NoError(t, err)
	all := s.Casts()
	assert.Greater(t, len(all), len(s.Original.OwnCasts()))
	other, err := Load(Ref{ID: "dai2014/kernels"}, experiments.LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, all, other.Experiment().Casts())
	mine, err := LoadText("mine.toml", []byte(ridge(t, "", "")), experiments.LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, append(slices.Clone(all), mine.OwnCasts()...), mine.Casts())
}
