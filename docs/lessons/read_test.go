package lessons

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
)

// TestRead reads every lesson, which checks its format and compiles its expressions. Lessons run in seconds on any machine, so
// their data is generated.
func TestRead(t *testing.T) {
	all, err := own.read(true)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for i, l := range all {
		assert.Equal(t, i+1, l.Number)
		for _, r := range l.Runs() {
			spec, err := l.load(r)
			require.NoError(t, err)
			source, err := datasets.Describe(spec.Data.Name)
			require.NoError(t, err)
			assert.True(t, source.Generated(), "%s: the data of %s", l.File, r.Spec)
		}
		for _, r := range append(l.Runs(), &Run{Spec: l.Exercise().From}) {
			if !strings.HasSuffix(r.Spec, ".toml") {
				continue // of the catalog
			}
			text, err := l.Spec(r.Spec)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(text), "#:schema ../../experiments/schema.json\n"), r.Spec)
		}
	}
}

// first is the file of lesson 1, on which the tests of the format make their mistakes.
const first = "01-why-random-features.md"

// withFirst returns the lessons with lesson 1 changed, which must contain what is replaced.
func withFirst(t *testing.T, old, text string) fs.FS {
	page, err := fs.ReadFile(own.files, first)
	require.NoError(t, err)
	require.Contains(t, string(page), old)
	files := fstest.MapFS{first: {Data: []byte(strings.Replace(string(page), old, text, 1))}}
	for _, name := range []string{"01-why-random-features.toml", "01-exercise.toml"} {
		spec, err := fs.ReadFile(own.files, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: spec}
	}
	return files
}

// TestMistakes makes mistakes in lesson 1. Every error names file and line, the key if there is one, and what to do.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ old, text, want string }{
		"unknown key":            {`hint = "256 is`, `hints = "256 is`, `: hints: unknown key; did you mean "hint"?`},
		"missing key":            {"question = \"You double", "# question = \"You double", ": question: missing (what is asked); add it"},
		"wrong type":             {"minutes = 8", `minutes = "8"`, ": minutes: want a number, got"},
		"not TOML":               {"minutes = 8", "minutes 8", "not valid TOML"},
		"unknown kind":           {`kind = "draw"`, `kind = "drawing"`, `: kind: unknown value "drawing"; choose one of choice, number, order, draw`},
		"unknown fence":          {"```predict\nid = \"matrix\"", "```predct\nid = \"matrix\"", "unknown fence ```predct; did you mean \"predict\"?"},
		"fence without an end":   {"\n```\n\nRandom features avoid", "\n\nRandom features avoid", "the fence ```predict has no end before the next one; close it with ```"},
		"last fence without end": {"flatter first.\"\"\"\n```", "flatter first.\"\"\"\n", "the fence ```notes has no end; close it with ```"},
		"no title":               {"# Why", "Why", "want a heading of level 1"},
		"no notes":               {"```notes\ntext = ", "```toml\ntext = ", "has 0 fences ```notes; write one"},
		"unknown method":         {`across("exact", "kernel-evals", "data.train"), 0.9`, `across("exakt", "kernel-evals", "data.train"), 0.9`, `: choices 1.when: unknown group "exakt"; did you mean "exact"?`},
		"unknown metric":         {`final("exact,train=1024", "evals")`, `final("exact,train=1024", "eval")`, `: items 1.by: unknown metric "eval"; did you mean "evals"?`},
		"unknown method of two":  {`final("features", "exact-error") < 0.5`, `final("feature", "exact-error") < 0.5`, `: pass: unknown method "feature"; did you mean "features"?`},
		"unknown function":       {`final("exact,train=1024", "evals")`, `fnal("exact,train=1024", "evals")`, `unknown name fnal; did you mean "final"?`},
		"unknown run":            {`run("base")`, `run("basis")`, `unknown run "basis"; did you mean "base"?`},
		"clock":                  {`final("exact,train=1024", "evals")`, `final("exact,train=1024", "seconds")`, "seconds is measured with the clock"},
		"computed id":            {`final("exact,train=1024", "evals")`, `final(diverged("exact,train=1024") ? "a" : "b", "evals")`, "the method must be a text in quotes"},
		"literal answer":         {`answer = 'final("features,features=64", "exact-error") / final("features,features=256", "exact-error")'`, "answer = '2.0'", ": answer: want a number that is read from records"},
		"literal truth":          {`'within(across("exact", "kernel-evals", "data.train"), 0.9, 1.1)'`, "'1 < 2'", ": choices 1.when: it reads no records, so its value would be a literal"},
		"number as truth":        {`'within(across("exact", "kernel-evals", "data.train"), 0.9, 1.1)'`, `'across("exact", "kernel-evals", "data.train")'`, "expected bool, but got"},
		"key of another kind":    {"answer = 'final", "at = [1]\nanswer = 'final", ": at: a prediction of kind number has no such key, one of kind draw has; remove it"},
		"wrong of another kind":  {"near = 4.0", "slope = 4.0", ": wrong 1.near: a wrong answer of kind number has the key near and no other; correct it"},
		"order twice":            {"order = [2, 3, 1]", "order = [2, 2, 1]", ": wrong 1.order: want each of the numbers 1 to 3 once"},
		"neither factor":         {"factor = 1.3\n", "", ": factor: give a factor above 1 or a margin above 0, not both"},
		"unknown figure":         {"figure = \"error\"\nmethod", "figure = \"eror\"\nmethod", `: figure: unknown figure "eror" of the run base; did you mean "error"?`},
		"unknown drawn method":   {`method = "features"`, `method = "exakt"`, `: method: unknown method "exakt"; did you mean "exact"?`},
		"places fall":            {"at = [32, 64, 128, 256, 512]", "at = [64, 32, 128]", ": at: want three or more rising numbers"},
		"same id":                {`id = "factor"`, `id = "fall"`, `"fall" is also the id of a prediction; rename one of them`},
		"unknown use":            {`uses = ["matrix", "fall"`, `uses = ["matrx", "fall"`, `: uses: unknown prediction "matrx"; did you mean "matrix"?`},
		"never explained":        {`uses = ["matrix", "fall"`, `uses = ["fall"`, "no explain fence uses it"},
		"unknown spec":           {`spec = "01-why-random-features.toml"`, `spec = "01-why.toml"`, "there is no file docs/lessons/01-why.toml"},
		"unknown broken run":     {"id = \"narrow\"\n", "id = \"narrow\"\nof = \"bass\"\n", `there is no run "bass" before it; did you mean "base"?`},
		"wrong setting":          {`set = ["problem.kernel.bandwidth.scale=0.02"]`, `set = ["problem.kernel.bandwidht.scale=0.02"]`, `did you mean "bandwidth"?`},
		"forbidden solution":     {`right = ["method.features.features=128"]`, `right = ["method.features.features=128", "data.test=5"]`, ": right: changes data.test, which change does not list"},
		"solution of nothing":    {`right = ["method.features.features=128"]`, `right = ["method.features.features=32"]`, ": right: changes nothing"},
		"open placeholder":       {"The law 1/√D still", "The law {{ 1/√D still", "{{ has no }}; close the placeholder"},
		"placeholder too early":  {"Random features avoid", `{{ final("features", "evals") }} avoid`, "there is no run whose records it could read"},
		"predict without a run":  {"```notes", "```predict\nid = \"late\"\nkind = \"choice\"\nquestion = \"?\"\n```\n\n```notes", `predict "late": there is no run after it; add a run fence`},
		"lesson before":          {`minutes = 8`, "minutes = 8\nafter = [1]", "after: there is no lesson 1 before lesson 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := set{withFirst(t, c.old, c.text), own.folder}.read(true)
			require.ErrorContains(t, err, c.want)
			if name != "lesson before" {
				assert.Regexp(t, `^docs/lessons/01-why-random-features\.md:\d+: `, err.Error())
			}
		})
	}
}

// A break may name the run that it changes.
func TestBreakOfANamedRun(t *testing.T) {
	all, err := set{withFirst(t, "id = \"narrow\"\n", "id = \"narrow\"\nof = \"base\"\n"), own.folder}.read(true)
	require.NoError(t, err)
	assert.Len(t, all[0].Runs(), 2)
}

// TestMistakeNamesItsLine finds the line of a wrong key in the file.
func TestMistakeNamesItsLine(t *testing.T) {
	files := withFirst(t, `unit = "times smaller"`, `unit = "times smaller"`+"\nwhen = true")
	page, err := fs.ReadFile(files, first)
	require.NoError(t, err)
	before, _, _ := strings.Cut(string(page), "when = true")
	_, err = set{files, own.folder}.read(true)
	require.EqualError(t, err, lineOf(before)+`when: unknown key; choose one of id, kind, question, hint, choices, answer, unit, factor, items, figure, method, at, y, shape, margin, wrong`)
}

func lineOf(before string) string {
	return "docs/lessons/01-why-random-features.md:" + strconv.Itoa(strings.Count(before, "\n")+1) + ": "
}

// Lessons of another module follow those of repro, with numbers and an exercise of their own, and are checked when they are read.
func TestRegister(t *testing.T) {
	before := slices.Clone(sets)
	t.Cleanup(func() { sets = before })
	require.PanicsWithValue(t, "lessons: 01-why-random-features.md is registered twice; rename one", func() { Register(own.files, ".") })
	require.PanicsWithValue(t, "lessons: nothing to register; a lesson is a file NN-name.md in the folder x of the file system", func() { Register(fstest.MapFS{}, "x") })

	renamed := func(old, text string) fs.FS {
		files := fstest.MapFS{}
		for name, f := range withFirst(t, old, text).(fstest.MapFS) {
			files["mine/"+strings.Replace(name, first, "01-mine.md", 1)] = f
		}
		files["mine/02-mine.md"] = &fstest.MapFile{Data: bytes.Replace(files["mine/01-mine.md"].Data, []byte("minutes = 8"), []byte("minutes = 8\nafter = [1]"), 1)}
		return files
	}
	Register(renamed("# Why", "# Why"), "mine")
	all, err := Read()
	require.NoError(t, err)
	n := len(own.pages())
	require.Len(t, all, n+2)
	mine := all[n+1]
	assert.Equal(t, n+2, mine.Number)
	assert.Equal(t, []int{n + 1}, mine.After)
	assert.Equal(t, "mine/02-mine.md", mine.File)
	dir := t.TempDir()
	s, err := Open(dir, &paper{}, idle(t))
	require.NoError(t, err)
	_, untouched, err := s.Grade(t.Context(), mine)
	require.NoError(t, err)
	assert.True(t, untouched)
	assert.FileExists(t, filepath.Join(dir, "02-mine", "01-exercise.toml"))

	sets = slices.Clone(before)
	Register(renamed("id = \"exercise\"", "id = \"base\""), "mine")
	_, err = Read()
	assert.ErrorContains(t, err, `mine/01-mine.md:`)
	assert.ErrorContains(t, err, `"base" is also the id of a run; rename one of them`)
}
