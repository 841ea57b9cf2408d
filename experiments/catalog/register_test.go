package catalog

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/spectree"
	"repro/results/builds"
	"repro/results/claims"
)

// keepCatalog takes back after the test what it registers.
func keepCatalog(t *testing.T) {
	before, known := maps.Clone(specs), maps.Clone(papers)
	t.Cleanup(func() { specs, papers = before, known })
}

// ridge returns the text of dai2014/ridge with a part replaced.
func ridge(t *testing.T, old, replacement string) string {
	t.Helper()
	src, err := find("dai2014/ridge")
	require.NoError(t, err)
	require.Contains(t, src.Text, old)
	return strings.Replace(src.Text, old, replacement, 1)
}

// file is a file with a text.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestRegister(t *testing.T) {
	keepCatalog(t)
	before, err := Entries()
	require.NoError(t, err)
	mine := ridge(t, `paper = "dai2014"`, `paper = "me2026"`)
	Register(fstest.MapFS{
		"me2026/first.toml":  file(mine),
		"dai2014/again.toml": file(ridge(t, "", "")),
		"papers.toml":        file("[me2026]\ntitle = \"Mine\"\nyear = 2026\n"),
	}, ".")
	Register(fstest.MapFS{"you2026/x.toml": file(ridge(t, `paper = "dai2014"`, `paper = "you2026"`))}, ".")

	entries, err := Entries()
	require.NoError(t, err)
	require.Len(t, entries, len(before)+3)
	refs, err := Resolve([]string{"me2026/*", "dai2014/again", "you2026/x"})
	require.NoError(t, err)
	assert.Equal(t, []Ref{{ID: "me2026/first"}, {ID: "dai2014/again"}, {ID: "you2026/x"}}, refs)

	s, err := Load(refs[0], experiments.LoadOptions{Profile: "quick"})
	require.NoError(t, err)
	assert.Equal(t, "me2026/first", s.ID)
	assert.Equal(t, claims.Paper{Key: "me2026", Title: "Mine", Year: 2026}, s.PaperInfo)
	s, err = Load(refs[2], experiments.LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, claims.Paper{Key: "you2026"}, s.PaperInfo)
	src, err := find("me2026/first")
	require.NoError(t, err)
	assert.Equal(t, mine, src.Text)

	_, err = Resolve([]string{"first"})
	assert.EqualError(t, err, `unknown experiment "first"; did you mean "me2026/first"?`)
}

// A mistake in a registered spec is one of its author, told when the spec is read.
func TestRegisteredMistake(t *testing.T) {
	keepCatalog(t)
	text := strings.Replace(ridge(t, `paper = "dai2014"`, `paper = "me2026"`), `name = "dai2014-synthetic"`, `file = "my.csv"`, 1)
	Register(fstest.MapFS{"me2026/first.toml": file(text)}, ".")
	_, err := Load(Ref{ID: "me2026/first"}, experiments.LoadOptions{})
	assert.ErrorContains(t, err, `me2026/first.toml:10: data.file: a spec of the catalog has no folder on disk; register a data set and name it as data.name`)
}

func TestRegisterPanics(t *testing.T) {
	keepCatalog(t)
	cases := []struct {
		want string
		fsys fstest.MapFS
	}{
		{`catalog: experiment "dai2014/ridge" is registered twice`, fstest.MapFS{"dai2014/ridge.toml": file("")}},
		{`catalog: paper "dai2014" is registered twice`, fstest.MapFS{"papers.toml": file("[dai2014]\n")}},
		{`catalog: papers.toml:2: me.name: unknown key; did you mean "page"?`, fstest.MapFS{"papers.toml": file("[me]\nname = 1\n")}},
		{`catalog: papers.toml:1: me.row: there is no experiment "c"; did you mean "a"?
papers.toml:1: me.row: experiment "b" belongs to no row; add it to the experiments of one`, fstest.MapFS{"me/a.toml": file(""), "me/b.toml": file(""),
			"papers.toml": file("[[me.row]]\nid = \"x\"\nsource = \"Table 1\"\nwhat = \"it\"\nexperiments = [\"a\", \"c\"]\n")}},
		{`catalog: papers.toml:2: me.row: experiment "a" belongs to rows "x", "y"; leave it out of all but one`, fstest.MapFS{"me/a.toml": file(""),
			"papers.toml": file("[me]\nrow = [{ id = \"x\", source = \"\", what = \"\", experiments = [\"a\"] }, { id = \"y\", source = \"\", what = \"\", experiments = [\"*\"] }]\n")}},
		{`catalog: "my paper" cannot be part of an id; ` + spectree.IDRule, fstest.MapFS{"my paper/x.toml": file("")}},
		{`catalog: nothing to register; a spec is a file <paper>/<name>.toml in the folder . of the file system`, fstest.MapFS{"x.toml": file("")}},
	}
	for _, c := range cases {
		before := len(specs)
		assert.PanicsWithValue(t, c.want, func() { Register(c.fsys, ".") })
		assert.Len(t, specs, before)
	}
}

// Who registered a spec is known by the package that called Register, and its file in a checkout by that package's folder.
func TestOwnAndPlace(t *testing.T) {
	keepCatalog(t)
	Register(fstest.MapFS{"me2026/first.toml": file("")}, ".")
	register(fstest.MapFS{"you2026/x.toml": file("")}, ".", "example.org/yours/specs")
	assert.True(t, Own("dai2014/ridge"))
	assert.True(t, Own("me2026/first"))
	assert.False(t, Own("you2026/x"))
	assert.False(t, Own("no/none"))
	assert.FileExists(t, Place("dai2014/ridge.toml"))
	assert.Equal(t, filepath.Join("..", "papers", "dai2014", "ridge.toml"), builds.Shown(Place("dai2014/ridge.toml")))
	assert.Equal(t, "me2026/first.toml", Place("me2026/first.toml"), "it is in no folder")
	assert.Equal(t, "you2026/x.toml", Place("you2026/x.toml"), "of a module whose checkout this is not")
	t.Chdir(t.TempDir())
	assert.Equal(t, "dai2014/ridge.toml", Place("dai2014/ridge.toml"))
}
