package experiments

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/methods"
)

// inFolder writes files into a new folder, which becomes the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

func TestBase(t *testing.T) {
	grid := change(t, "average = true\n", "average = true\ngrid = { \"batch\" = [8, 16], \"step.gamma0\" = [1, 5] }\n")
	inFolder(t, map[string]string{"under.toml": grid, "mine.toml": `
base = "under"
without = ["method.nor*", "claim.better", "evaluate.metrics", "table"]
title = "Mine"
[data]
name = "dai2014-synthetic"
train = 512
[problem.kernel]
name = "laplace"
bandwidth = 2.0
[evaluate]
metrics = ["l2-error"]
[[method]]
id = "dsg"
label = "Mine"
grid = { "step.gamma0" = [2, 3] }
[[method]]
id = "other"
algorithm = "norma"
[profile.quick]
method."*" = { batch = 4 }
method.dsg = { block = 32 }
[profile.tiny]
data.train = 16
`})
	s, err := loadFile("mine.toml", LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "dai2014/mine", s.ID)
	assert.Equal(t, "Mine", s.Title)
	assert.Equal(t, 512, s.Data.Train)
	assert.Equal(t, 64, s.Data.Test, "the same data keeps the base's keys")
	assert.Equal(t, "laplace", s.Problem.Kernel.Name)
	assert.Equal(t, 2.0, s.Problem.Kernel.Bandwidth.Value)
	assert.Equal(t, []string{"l2-error"}, s.Evaluate.Names())
	assert.Equal(t, []string{"dsg,gamma0=2", "dsg,gamma0=3", "other"}, ids(s), "a grid replaces the base's")
	assert.Len(t, s.Claims, 2, "one for each combination")
	assert.Empty(t, s.Tables)
	file, line := s.ClaimPlace("rate,gamma0=2", "")
	assert.Equal(t, "under.toml", file)
	assert.Equal(t, 35, line)

	s, err = loadFile("mine.toml", LoadOptions{Profile: "quick"})
	require.NoError(t, err)
	dsg := s.Methods[0].Configured.(*methods.DSG)
	assert.Equal(t, 4, dsg.Batch, "the spec's changes come after the base's, which has 32")
	assert.Equal(t, 32, dsg.Block)
	assert.Equal(t, 2, s.Repeat.Seeds, "and beside them")
	assert.Equal(t, []string{"smoke", "quick", "paper", "tiny"}, s.Profiles)

	src, err := ReadSource("mine.toml", find)
	require.NoError(t, err)
	text, files, err := Written(src)
	require.NoError(t, err)
	assert.Equal(t, grid, string(files["under.toml"]))
	assert.Len(t, files, 2)
	for _, profile := range s.Profiles {
		s, err := loadFile("mine.toml", LoadOptions{Profile: profile})
		require.NoError(t, err)
		again, err := loadNamed("mine.toml", string(text), LoadOptions{Profile: profile})
		require.NoError(t, err)
		assert.Equal(t, string(layoutOf(t, s)), string(layoutOf(t, again)), "in full it means the same")
	}
}

// What a spec of the catalog says in full is what it says.
func TestWrittenCatalog(t *testing.T) {
	for _, id := range builtinIDs(t) {
		src, err := find(id)
		require.NoError(t, err)
		text, files, err := Written(src)
		require.NoError(t, err)
		assert.Contains(t, files, id+".toml")
		if len(files) == 1 {
			continue
		}
		s, err := loadedAt(id, "paper")
		require.NoError(t, err)
		again, err := loadNamed(id+".toml", string(text), LoadOptions{})
		require.NoError(t, err, id)
		assert.Equal(t, string(layoutOf(t, s)), string(layoutOf(t, again)), id)
	}
}

// What names only what is left out goes with it.
func TestLeftOut(t *testing.T) {
	text := strings.Replace(ridge, "method.dsg = {", "claim.better = { metric = \"test-mse\" }\nmethod.\"n*\" = { seeds = 1 }\nmethod.dsg = {", 1)
	for without, want := range map[string][3]string{
		`"method.norma"`:               {"dsg", "rate", "dsg"},
		`"method.norma", "claim.rate"`: {"dsg", "", "dsg"},
	} {
		inFolder(t, map[string]string{"under.toml": text, "mine.toml": "base = \"under\"\nwithout = [" + without + "]\n[profile.other]\ntitle = \"x\""})
		s, err := loadFile("mine.toml", LoadOptions{})
		require.NoError(t, err)
		var claims []string
		for _, c := range s.Claims {
			claims = append(claims, c.ID)
		}
		assert.Equal(t, want, [3]string{strings.Join(ids(s), " "), strings.Join(claims, " "), strings.Join(s.Tables[0].Methods, " ")})
	}
}

func TestBaseErrors(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"missing file":      {`base = "none"`, `mine.toml:1: base: there is no file none.toml; name a spec beside this one, or one of the catalog by its id, such as dai2014/ridge`},
		"elsewhere":         {`base = "../under.toml"`, `mine.toml:1: base: "../under.toml" is not below the spec's folder; copy it there, or name a spec of the catalog`},
		"itself":            {`base = "mine"`, `mine.toml:1: base: is this spec itself; name another, or remove it`},
		"circle":            {`base = "back"`, `mine.toml:1: base: "back" has this spec, "mine", as its base; write one of them without a base`},
		"not TOML":          {`base = "broken"`, `broken.toml:2: expected '.' or '=', but got 'i' instead; not valid TOML, see https://toml.io (inherited by mine.toml)`},
		"mistake below":     {`base = "wrong"`, `wrong.toml:32: method "norma".bacth: unknown key; did you mean "batch"? (inherited by mine.toml)`},
		"left out twice":    {"base = \"under\"\nwithout = [\"method.dgs\"]", `mine.toml:2: without: the base has no "method.dgs"; did you mean "dsg"?`},
		"left out, no path": {"base = \"under\"\nwithout = [3, \"a..b\"]", `mine.toml:2: without: 3 is not a dotted key; write one such as "method.dsg" or "evaluate.at"` + "\n" + `mine.toml:2: without: the string "a..b" is not a dotted key; write one such as "method.dsg" or "evaluate.at"`},
		"without a base":    {"without = [\"title\"]\n" + ridge, `mine.toml:1: without: lists what is left out of a base, but the spec has no base; remove it, or name a base`},
		"base in a profile": {"base = \"under\"\n[profile.quick]\nbase = \"under\"", `mine.toml:3: profile.quick.base: belongs to a spec, which is laid over its base before its profiles and edits; write it at the top of the file`},
		"same item":         {"base = \"under\"\n[[ambiguity]]\nitem = \"a\"\nchosen = \"b\"\nwhy = \"c\"\n[[ambiguity]]\nitem = \"a\"\nchosen = \"d\"\nwhy = \"c\"\n", `mine.toml:7: ambiguity "a".item: is also the item of another ambiguity on line 2; rename one`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{
				"under.toml": ridge, "mine.toml": c.text, "over.toml": `base = "under"`, "back.toml": `base = "mine"`,
				"broken.toml": "schema = 1\nthis is no TOML\n", "wrong.toml": change(t, "algorithm = \"norma\"\n", "algorithm = \"norma\"\nbacth = 2\n"),
			})
			_, err := loadFile("mine.toml", LoadOptions{})
			require.Error(t, err)
			assert.Equal(t, c.want, err.Error())
		})
	}
}

func TestBaseOfTheCatalog(t *testing.T) {
	load := func(text string) error {
		_, err := Load(Source{File: "dai2014/x.toml", Text: text, Catalog: true, Find: find}, LoadOptions{})
		return err
	}
	assert.NoError(t, load(`base = "ridge"`), "a sister")
	assert.NoError(t, load(`base = "dai2014/ridge"`))
	assert.ErrorContains(t, load(`base = "ridge.toml"`), `base: a spec of the catalog has no folder on disk; name its base without .toml`)
	assert.ErrorContains(t, load(`base = "li2016/objective-a9a"`), `paper: is "li2016", and the folder of the spec is "dai2014"; give them the same name`)
}

func TestRows(t *testing.T) {
	text := change(t, "id = \"norma\"\n", `id = "norma-{batch}"
label = "NORMA, {words}, ν = {nu} with λ_{batch}"
each = [
  { batch = 8, words = "few rows" },
  { batch = 64, words = "many rows", step = { schedule = "constant" } },
]
`)
	text = strings.NewReplacer("\nbatch = 64\n", "\n", `against = ["norma"]`, `against = ["norma-8", "norma-64"]`,
		`methods = ["dsg", "norma"]`, `methods = ["dsg", "norma-8", "norma-64"]`).Replace(text)
	text = strings.Replace(text, "method.dsg = { batch = 32 }\n", "method.\"norma-*\" = { batch = 2 }\n", 1)
	s := loads(t, text)
	assert.Equal(t, []string{"dsg", "norma-8", "norma-64"}, ids(s))
	assert.Equal(t, "NORMA, few rows, ν = 1e-6 with λ_{batch}", s.Methods[1].Label, "the spec's own placeholders stay")
	assert.Equal(t, 8, s.Methods[1].Configured.(*methods.NORMA).Batch)
	assert.Equal(t, 64, s.Methods[2].Configured.(*methods.NORMA).Batch)
	s = loads(t, text, LoadOptions{Profile: "quick"})
	assert.Equal(t, 2, s.Methods[2].Configured.(*methods.NORMA).Batch, "a pattern names what rows make")
}

// Rows may stand in tables within entries, and in profiles.
func TestRowsWithin(t *testing.T) {
	text := change(t, `series = [{ method = "dsg" }, { method = "dsg", metric = "l2-error@average" }]`,
		`series = [{ method = "dsg", label = "{what}", each = [{ what = "last" }, { what = "mean", metric = "l2-error@average" }] }]`)
	text += "[[profile.paper.table]]\nid = \"more-{metrics}\"\neach = [{ metrics = [\"l2-error\"], id = \"x\" }, { id = \"y\", metrics = [\"test-mse\"] }]\n"
	s := loads(t, text)
	assert.Equal(t, "mean", s.Figures[0].Series[1].Label)
	assert.Equal(t, "l2-error@average", s.Figures[0].Series[1].Metric)
	assert.True(t, slices.Equal([]string{"final", "x", "y"}, []string{s.Tables[0].ID, s.Tables[1].ID, s.Tables[2].ID}))
}

func TestRowErrors(t *testing.T) {
	cases := map[string]struct{ each, want string }{
		"unknown key":  {`id = "n" # each = [{ bacth = 3 }]`, `user.toml:33: method "n".bacth: unknown key; did you mean "batch"?`},
		"not in a row": {`id = "{name}" # each = [{ name = "a" }, { batch = 3 }]`, `user.toml:34: method "{name}".each: {name} is in "{name}", and the row has no key name; add it to the row`},
		"a table":      {`id = "a{step}" # each = [{ step = { gamma0 = 3.0 } }]`, `user.toml:33: method "a{step}".each: {step} is a table, and stands in a string; give it a string or a number`},
		"too long": {`id = "a" # label = "` + strings.Repeat("{x}", 3000) + `" # each = [{ x = "` + strings.Repeat("y", 3000) + `" }]`,
			`makes more than 8388608 values and characters; give fewer rows or shorter strings`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			lines := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(c.each, " # ", "\n"), "[{", "[\n\n{"), "}, {", "},\n{")
			_, err := loadText(change(t, "id = \"norma\"\n", lines+"\n"), LoadOptions{})
			require.Error(t, err)
			first, _, _ := strings.Cut(err.Error(), "\n")
			assert.Contains(t, first, c.want)
		})
	}
}
