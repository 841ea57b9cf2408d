package experiments

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/methods"
	"repro/experiments/strict"
	"repro/results/claims"
)

// A method may have data of its own size, which only its cells have.
func TestDataOfMethod(t *testing.T) {
	s := loads(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { inputs = 5, train = 999 }"))
	cells := s.Expand()
	want := s.Data
	want.Inputs, want.Train = 5, 999
	assert.Equal(t, want, cells[0].Data())
	assert.Equal(t, 5, cells[0].Settings["data"].(map[string]any)["inputs"])
	assert.Equal(t, s.Data, cells[1].Data())
	plain := loads(t, ridge)
	assert.Equal(t, plain.Expand()[1].Digest, cells[1].Digest)
	assert.NotEqual(t, plain.Expand()[0].Digest, cells[0].Digest)
}

func TestDataOfMethodErrors(t *testing.T) {
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { inputs = -1 }"), `method "dsg".data.inputs: must be >= 0, got -1`)
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { test = 1 }"),
		`method "dsg".data.test: unknown key; choose one of train, inputs, outputs, capacity, regularity, order, scale_range, target_range`)
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { train = 999 }"),
		`method "dsg".data.train: the experiment's data is read from files, and its scaling is fitted on the training rows: another number of them would change it; remove it`, "data.name=cod-rna", "data.scale=zscore")
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { inputs = 9 }"),
		`method "dsg".data.inputs: the experiment's data is read from files, which have their own number of inputs; remove it`, "data.name=cod-rna")
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { outputs = 9 }"),
		`method "dsg".data.outputs: the experiment's data is read from files, which have their own targets; remove it`, "data.name=cod-rna")
	_, err := loadText(change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { train = 999 }"), LoadOptions{Set: []string{"data.name=cod-rna"}})
	assert.NotContains(t, fmt.Sprint(err), `method "dsg".data`)
	refused(t, change(t, `id = "dsg"`, "id = \"dsg\"\ndata = { inputs = 3 }"),
		`method "dsg".data.inputs: wave-outliers has 1 inputs and no form in other dimensions: remove it`, "data.name=wave-outliers")
}

// A zero in the data of a method would be the experiment's value without a word, so it is refused, in a grid too.
func TestZerosInDataOfMethod(t *testing.T) {
	for _, f := range strict.Fields(reflect.TypeFor[MethodData]()) {
		zero := "0"
		switch f.Type.Kind() {
		case reflect.String:
			continue
		case reflect.Array:
			zero = "[0, 0]"
		}
		for _, line := range []string{"data = { %s = %s }", "grid = { \"data.%s\" = [%s] }"} {
			text := change(t, "average = true\n", "average = true\n"+fmt.Sprintf(line, f.Key, zero)+"\n")
			refused(t, text, `user.toml:28: method "dsg".data.`+f.Key+`: 0 stands for the experiment's own value; give another, or remove it`)
		}
	}
}

// Settings with & between them take the same value.
func TestGridOfSettingsTogether(t *testing.T) {
	text := change(t, "average = true\n", "average = true\nbudget = { epochs = 16 }\ngrid = { \"data.train & batch\" = [8, 16], block = [1, 2] }\n")
	s := loads(t, text)
	require.Len(t, s.Methods, 5)
	assert.Equal(t, "dsg,train=8,block=1", s.Methods[0].ID)
	for i, want := range []int{8, 8, 16, 16} {
		assert.Equal(t, want, s.Methods[i].Data.Train)
		assert.Equal(t, want, s.Methods[i].Configured.(*methods.DSG).Batch)
		assert.Equal(t, []string{"data.train", "batch", "block"}, s.Methods[i].axes)
	}
	refused(t, change(t, "average = true\n", "grid = { \"batch & id\" = [8, 16] }\n"),
		`method "dsg".grid."batch & id": cannot be varied in a grid; write another method`)
	refused(t, change(t, "average = true\n", "grid = { \"batch &\" = [8, 16] }\n"), `method "dsg".grid."batch &": not a setting`)
}

// Settings with & between them take values of their own from an array with one for each, of which the first is in the id.
func TestGridOfTuples(t *testing.T) {
	grid := func(key, values string) string {
		return change(t, "average = true\n", "average = true\ngrid = { \""+key+"\" = "+values+" }\n")
	}
	s := loads(t, grid("data.train & batch & budget.steps", "[[8, 2, 9], [16, 3, 5], 7]"))
	require.Len(t, s.Methods, 4)
	for i, want := range [][3]int{{8, 2, 9}, {16, 3, 5}, {7, 7, 7}} {
		m := s.Methods[i]
		assert.Equal(t, fmt.Sprintf("dsg,train=%d", want[0]), m.ID)
		assert.Equal(t, want, [3]int{m.Data.Train, m.Configured.(*methods.DSG).Batch, m.Budget.Steps})
		assert.Equal(t, []string{"data.train", "batch", "budget.steps"}, m.axes)
	}
	s = loads(t, grid("step.t0 & step.gamma0", "[[1, 0.5]]"))
	assert.Equal(t, "dsg,t0=1", s.Methods[0].ID)

	refused(t, grid("data.train & batch", "[[8, 2],\n  [16]]"),
		`user.toml:29: method "dsg".grid."data.train & batch": value 2 is an array of 1, and 2 settings vary together; write one value for each of data.train, batch, or a single one for all`)
	refused(t, grid("data.train & batch", "[[8, -2]]"), `user.toml:28: method "dsg".batch: must be > 0, got -2`)
	refused(t, grid("data.train & batch", "[[8, 2], [8, 3]]"), `is also the id of`)
	refused(t, grid("batch", "[[8, 2]]"), `method "dsg".batch: want a number, got an array`)
}

// A claim across the grid of the method dsg, and a figure.
const acrossClaim = `
[[claim]]
id = "dimension"
kind = "rate"
statement = "linear in d"
source = "Table 2"
method = "dsg"
metric = "flops"
across = "data.inputs"
published = "1"
at_most = true
`

const acrossFigure = `
[[figure]]
id = "dimensions"
across = "data.inputs"
y = "flops"
series = [{ method = "dsg", label = "doubly SGD" }]
`

func TestClaimAcrossAGrid(t *testing.T) {
	text := change(t, "average = true\n", "average = true\ngrid = { \"data.inputs\" = [2, 4, 8, 16] }\n") + acrossClaim + acrossFigure
	s := loads(t, text)
	members := []string{"dsg,inputs=2", "dsg,inputs=4", "dsg,inputs=8", "dsg,inputs=16"}
	claim := s.Claims[len(s.Claims)-1]
	assert.Equal(t, "dimension", claim.ID, "one claim for all")
	assert.Equal(t, members, claim.Members)
	figure := s.Figures[len(s.Figures)-1]
	assert.Equal(t, []claims.Series{{Method: "dsg", Label: "doubly SGD", Members: members}}, figure.Series)

	s = loads(t, text, LoadOptions{Methods: []string{"norma"}})
	for _, f := range s.Figures {
		assert.NotEqual(t, "dimensions", f.ID, "there is nothing of it to draw")
	}
}

func TestClaimAcrossErrors(t *testing.T) {
	grid := "average = true\ngrid = { \"data.inputs\" = [2, 4, 8, 16] }\n"
	both := "average = true\ngrid = { \"data.inputs\" = [2, 4, 8, 16], batch = [8, 16] }\n"
	for _, c := range map[string]struct{ grid, more, want string }{
		"no grid":              {"average = true\n", acrossClaim, `claim "dimension".across: "dsg" has no grid; name a method with one that varies "data.inputs"`},
		"at without it":        {grid, claimAt, `claim "slope".at: has no effect on a claim of kind "rate" against x; remove it`},
		"plateau":              {grid, acrossPlateau("2"), ""},
		"plateau of no factor": {grid, acrossPlateau("0.5"), `claim "level".tolerance: is a factor between the published place and ours; must be >= 1, got 0.5`},
		"best setting":         {both, bestClaim("batch"), ""},
		"best of the same key": {both, bestClaim("data.inputs"), `claim "dimension".best: is the key of across`},
		"frontier":             {both, bestClaim("batch") + "target = 2.0\n", ""},
		"mean of the best":     {both, bestClaim("batch") + "statistic = \"mean\"\n", `claim "dimension".statistic: has no effect on the best settings; remove it`},
		"map":                  {both, mapFigure, ""},
		"curves by a key":      {both, acrossFigure + "by = \"batch\"\n", `figure "dimensions".by: has no effect on a figure of kind "curves"; remove it`},
	} {
		refused(t, change(t, "average = true\n", c.grid)+c.more, c.want)
	}
}

// bestClaim is acrossClaim of the best value of a key.
func bestClaim(key string) string {
	return strings.Replace(acrossClaim, "metric = \"flops\"", "metric = \"test-mse\"\nbest = \""+key+"\"", 1)
}

const mapFigure = `
[[figure]]
id = "map"
kind = "map"
across = "data.inputs"
by = "batch"
y = "test-mse"
series = [{ method = "dsg" }]
`

func acrossPlateau(factor string) string {
	return `
[[claim]]
id = "level"
kind = "plateau"
statement = "more do not help"
source = "Fig. 1"
method = "dsg"
metric = "test-mse"
across = "data.inputs"
within = 0.02
derived = "8"
derivation = "the square root of 64"
why = "a factor"
tolerance = ` + factor + "\n"
}

const claimAt = `
[[claim]]
id = "slope"
kind = "rate"
statement = "falls"
source = "Thm 4"
method = "norma"
metric = "l2-error"
x = "step"
published = "-1"
at_most = true
at = { x = "step", value = 3 }
`
