package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/metrics"
	"repro/experiments/spectree"
)

// worded is the ridge spec with texts. Profile quick changes the number of rows, the passes and the batch of dsg.
func worded(t *testing.T, texts string) string {
	t.Helper()
	text := change(t, "batch = 32 }", "batch = 32 }\ndata = { train = 512 }\nbudget = { epochs = 3 }")
	for line := range strings.Lines(texts) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "title":
			text = strings.Replace(text, `title = "Ridge"`, "title = "+value, 1)
		case "label":
			text = strings.Replace(text, `algorithm = "dsg"`, "algorithm = \"dsg\"\nlabel = "+value, 1)
		case "statement":
			text = strings.Replace(text, `statement = "dsg is better"`, "statement = "+value, 1)
		case "at":
			text = strings.Replace(text, `against = ["norma"]`, "against = [\"norma\"]\nat ="+value, 1)
		case "caption":
			text = strings.Replace(text, `y = "l2-error"`, "y = \"l2-error\"\ncaption = "+value, 1)
		case "quick":
			text = strings.Replace(text, "batch = 32 }", "batch = 32, label = "+value+" }", 1)
		default:
			require.Fail(t, "no such text", key)
		}
	}
	return text
}

// TestTextsTakeSettings lays texts out at two profiles.
func TestTextsTakeSettings(t *testing.T) {
	text := worded(t, `title="{n} rows, {data.test} test rows, ν = {nu}"
label="{batch} of {train} rows, γ_{t} = {step.gamma0}, x^{n}"
statement="After {epochs} passes, {dsg.batch} against {norma.batch}, {64} and {2^{10}} in the paper"
caption="{n} {epochs}"`)
	for profile, want := range map[string][]string{
		"paper": {"1,024 rows, 64 test rows, ν = 1e-6", "64 of 1,024 rows, γ_{t} = 20, x^{n}", "After 1 passes, 64 against 64, 64 and 2^{10} in the paper", "1,024 1"},
		"quick": {"512 rows, 64 test rows, ν = 1e-6", "32 of 512 rows, γ_{t} = 20, x^{n}", "After 3 passes, 32 against 64, 64 and 2^{10} in the paper", "512 3"},
	} {
		s := loads(t, text, LoadOptions{Profile: profile})
		assert.Equal(t, want, []string{s.Title, s.Methods[0].Label, s.Claims[1].Statement, s.Figures[0].Caption}, profile)
	}
	s := loads(t, text, LoadOptions{Set: []string{"data.train=2048"}})
	assert.Equal(t, "64 of 2,048 rows, γ_{t} = 20, x^{n}", s.Methods[0].Label, "an edit")
	assert.Contains(t, s.Experiment().Title, "2,048 rows")
}

// TestTextsOfGrids fills the label of a grid once, and a claim's statement from the combination that it names.
func TestTextsOfGrids(t *testing.T) {
	text := worded(t, "label=\"b = {batch}\"\nstatement=\"here with blocks of {block}\"")
	text = strings.Replace(text, "batch = 64\nblock = 64", "batch = 64\ngrid = { block = [16, 64] }", 1)
	text = strings.Replace(text, "method = \"dsg\"\nagainst", "method = \"dsg,block=64\"\nagainst", 1)
	text = strings.Replace(text, "batch = 32 }", "batch = 32, grid = { block = [8, 16] } }\nclaim.better = { method = \"dsg,block=8\" }", 1)
	s := loads(t, text, LoadOptions{Profile: "quick"})
	assert.Equal(t, []string{"b = 32 (block = 8)", "b = 32 (block = 16)"}, []string{s.Methods[0].Label, s.Methods[1].Label})
	assert.Equal(t, "here with blocks of 8", s.Claims[len(s.Claims)-1].Statement)
	refused(t, strings.Replace(text, "b = {batch}", "block {block}", 1),
		`user.toml:24: method "dsg".label: {block} is varied by the grid of dsg; leave it out`)
}

// TestTextsAreRefused has placeholders that mean nothing, or not one thing.
func TestTextsAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`title="{rows} rows"`, `user.toml:3: title: {rows} names no setting of these methods; use one of {`},
		{`title="{dsg.rows} rows"`, `user.toml:3: title: {dsg.rows} names no setting of these methods; use one of {epochs}, {test}, {n}, `},
		{`statement="{batch} rows"`, `user.toml:47: claim "better".statement: {batch} is not the same for all: 32 of dsg; 64 of norma; name one of them, as in {dsg.batch}`},
	} {
		refused(t, worded(t, c.text), c.want)
	}
}

// TestTextsThatCannotBeDrawn gives every text that a figure shows a character that the figures' font lacks. A caption is on
// the page beside the figure, and a spec without figures draws nothing.
func TestTextsThatCannotBeDrawn(t *testing.T) {
	const bad, y, series = `"curve 誤"`, `y = "l2-error"`, `series = [{ method = "dsg" }`
	for where, text := range map[string]string{
		`user.toml:3: title`:                  change(t, `"Ridge"`, bad),
		`user.toml:24: method "dsg".label`:    change(t, `algorithm = "dsg"`, "algorithm = \"dsg\"\nlabel = "+bad),
		`profile.quick.method "dsg".label`:    change(t, "batch = 32 }", "batch = 32, label = "+bad+" }"),
		`figure "convergence".title`:          change(t, y, y+"\ntitle = "+bad),
		`figure "convergence".source`:         change(t, y, y+"\nsource = "+bad),
		`figure "convergence".x_label`:        change(t, y, y+"\nx_label = "+bad),
		`figure "convergence".y_label`:        change(t, y, y+"\ny_label = "+bad),
		`figure "convergence".series 1.label`: change(t, series, `series = [{ method = "dsg", label = `+bad+" }"),
		`figure "convergence".guides 1.label`: change(t, y, y+"\nguides = [{ slope = -1, label = "+bad+" }]"),
		`figure "convergence".classes 2`:      change(t, y, y+"\nkind = \"functions\"\nclasses = [\"a\", "+bad+"]"),
	} {
		refused(t, text, where+`: the figure font DejaVu Sans has no glyph for '誤' (U+8AA4) in `+bad+`: use another character`)
	}
	head, figure, _ := strings.Cut(change(t, `"Ridge"`, bad), "[[figure]]")
	_, tables, _ := strings.Cut(figure, "[[table]]")
	for _, fine := range []string{
		change(t, y, y+"\ncaption = "+bad),
		change(t, `"dsg is better"`, bad),
		head + "[[table]]" + tables,
	} {
		_, err := loadText(fine, LoadOptions{})
		assert.NoError(t, err)
	}
	m := metrics.Lookup("l2-error")
	defer func(words string) { m.Words = words }(m.Words)
	m.Words = "誤差"
	refused(t, ridge,
		`user.toml:19: evaluate.metrics: the words for l2-error cannot be drawn: the figure font DejaVu Sans has no glyph for '誤' (U+8AA4) in "誤差": use another character where it is registered`)
}

// TestTextsOfCatalog finds no placeholder that was left in any spec.
func TestTextsOfCatalog(t *testing.T) {
	specs, errs := loadAll(t, "paper")
	for i, s := range specs {
		require.NoError(t, errs[i])
		for _, x := range s.texts {
			assert.Equal(t, *x.to, spectree.ReplaceBraces(*x.to, func(string) string { return "" }), "%s: %s", s.ID, x.path)
		}
	}
}
