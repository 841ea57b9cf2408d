package baseline

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/builds"
	"repro/results/claims"
)

// keepModules takes back after the test what it registers.
func keepModules(t *testing.T) {
	before := slices.Clone(modules)
	t.Cleanup(func() { modules = before })
}

// inFolder writes a file into a folder of its own, in which the test works from then on.
func inFolder(t *testing.T, name, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if name != "" {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

// ours is a module that ships the accepted state of an experiment, and a verdict.
func ours(t *testing.T) {
	keepModules(t)
	text, _, err := format(snapshot())
	require.NoError(t, err)
	verdicts := `[{"experiment": "p/x", "claim": "rate", "verdict": "reproduced"}]`
	files := fstest.MapFS{"a/ci/p/x.json": {Data: text}, "a/paper/p.json": {Data: []byte(verdicts)}}
	sub, err := fs.Sub(files, "a")
	require.NoError(t, err)
	modules = append(modules, shipped{"example.org/ours", "a", sub}) // a module that this test is not built from
}

// What a module ships is found by name. In a checkout of the module its folder has the truth, whatever was built.
func TestRegisteredModule(t *testing.T) {
	ours(t)
	all, err := Verdicts()
	require.NoError(t, err)
	assert.Equal(t, "p/x", all[len(all)-1].Experiment)
	assert.Greater(t, len(all), 1, "beside those of repro")

	modules = append(modules, shipped{"example.org/again", "a", modules[len(modules)-1].fsys})
	_, err = Verdicts()
	assert.EqualError(t, err, "paper/p.json of module example.org/again: has verdicts on p/x, and so has module example.org/ours; take them out of one")
	modules = modules[:len(modules)-1]

	inFolder(t, "", "")
	a, err := OpenAccepted("")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("baseline", "ci"), a.Dir, "there is no go.mod")
	got, err := a.Read("p/x")
	require.NoError(t, err)
	assert.Equal(t, snapshot(), got)
	assert.Equal(t, "the baseline that comes with example.org/ours", a.From([]string{"p/x"}))
	ridge, err := a.Read("dai2014/ridge")
	require.NoError(t, err)
	assert.Equal(t, "dai2014/ridge", ridge.Experiment)
	assert.Equal(t, "the baseline that comes with "+modules[0].module+", "+a.Dir, a.From([]string{"dai2014/ridge", "no/none", "dai2014/rate"}))
	require.NoError(t, os.MkdirAll(a.Dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(a.Dir, "p"), nil, 0o644))
	_, err = a.Read("p/x")
	require.Error(t, err, "a folder of the user's own that cannot be read hides that of the module")
	require.NoError(t, os.Remove(filepath.Join(a.Dir, "p")))
	changed := snapshot()
	changed.Commit = "c9"
	require.NoError(t, a.Write(changed))
	got, err = a.Read("p/x")
	require.NoError(t, err)
	assert.Equal(t, "c9", got.Commit, "the user's own folder comes first")

	inFolder(t, "go.mod", "// ours\nmodule example.org/ours // v1\n\ngo 1.26\n")
	require.NoError(t, os.MkdirAll("deep/down", 0o755))
	t.Chdir("deep/down")
	a, err = OpenAccepted("")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("..", "..", "a", "ci"), a.Dir)
	got, err = a.Read("p/x")
	require.NoError(t, err)
	assert.Empty(t, got, "its checkout has no such file")
	require.NoError(t, a.Write(snapshot()))
	assert.FileExists(t, filepath.Join("..", "..", "a", "ci", "p", "x.json"))
}

func TestFolder(t *testing.T) {
	inFolder(t, "go.mod", "module example.org/theirs\n")
	assert.Equal(t, "baseline", Folder(), "a module that is not here")
	inFolder(t, "go.mod", "module "+builds.Repro()+"\n")
	assert.Equal(t, filepath.Join("results", "baseline"), Folder())
	inFolder(t, "go.mod", "no module")
	assert.Equal(t, "baseline", Folder())
	inFolder(t, "baseline", "a file")
	require.NoError(t, os.Mkdir("ci", 0o755))
	_, err := OpenAccepted("baseline")
	assert.EqualError(t, err, "baseline is a file; name a folder with --baseline")
}

func TestRegisterPanics(t *testing.T) {
	keepModules(t)
	assert.PanicsWithValue(t, "baseline: module "+builds.Main()+" has registered its results already", func() { Register(own, ".") })
	modules = nil
	assert.PanicsWithValue(t, "baseline: there is no folder here to register", func() { Register(fstest.MapFS{"there/x": {}}, "here") })
	assert.Panics(t, func() { Register(own, "../up") })
	Register(own, "ci")
	assert.Equal(t, "results/baseline/ci", modules[0].folder, "beside the file that registers")
}

// Verdicts of new runs take the place of those on the same experiments, also of claims that are gone, and of no others.
func TestShip(t *testing.T) {
	t.Chdir(t.TempDir())
	verdict := func(experiment, claim string, word claims.Word) claims.Verdict {
		return claims.Verdict{Experiment: experiment, Claim: claim, Verdict: word}
	}
	for _, fresh := range [][]claims.Verdict{
		{verdict("p/b", "old", claims.Failed), verdict("p/c", "stays", claims.Deviates), verdict("q/a", "other", claims.Reproduced)},
		{verdict("p/b", "new", claims.Reproduced), verdict("p/a", "first", claims.Inconclusive)},
	} {
		_, err := Ship(fresh)
		require.NoError(t, err)
	}
	read := func(paper string) (all []string) {
		f, err := os.Open(filepath.Join("baseline", "paper", paper+".json"))
		require.NoError(t, err)
		defer f.Close()
		verdicts, err := claims.ReadVerdicts(f)
		require.NoError(t, err)
		for _, v := range verdicts {
			all = append(all, fmt.Sprint(v.Experiment, " ", v.Claim, " ", v.Verdict))
		}
		return all
	}
	assert.Equal(t, []string{"p/a first inconclusive", "p/b new reproduced", "p/c stays deviates"}, read("p"))
	assert.Equal(t, []string{"q/a other reproduced"}, read("q"))

	file := filepath.Join("baseline", "paper", "q.json")
	require.NoError(t, os.WriteFile(file, []byte("[{"), 0o644))
	_, err := Ship([]claims.Verdict{verdict("q/b", "new", claims.Reproduced)})
	require.ErrorContains(t, err, file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "[{", string(text), "a file that cannot be read is left as it is")
}
