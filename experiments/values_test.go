package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// printedTable is a valid spec with a column of a table; tests change it line by line.
const printedTable = `schema = 1
paper = "ma2017"
title = "Table"
[data]
name = "dai2014-synthetic"
[problem]
loss = "square"
nu = 0.0
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
epochs = 20
[evaluate]
at = [1, 5, 20]
metrics = ["test-mse"]
[[method]]
id = "pegasos"
algorithm = "pegasos"
[[claim]]
id = "loss"
kind = "values"
statement = "Test loss"
source = "Table 1"
method = "pegasos"
metric = "test-mse"
x = "epoch"
rows = [1, 5, 20]
cells = ["2.4e-2", "", "0.0000"]
[[figure]]
id = "loss"
x = "epoch"
y = "test-mse"
claims = ["loss"]
[[table]]
id = "losses"
metrics = ["test-mse"]
x = "epoch"
rows = [1, 5, 20]
[published]
is = "run"
says = "Table 1"
`

func TestValuesBecomeOneClaimANumber(t *testing.T) {
	s := loads(t, printedTable)
	cell := claims.Claim{
		ID: "loss@1", Kind: "value", Statement: "Test loss, at epoch 1", Source: "Table 1", Method: "pegasos",
		Metric: "test-mse", Published: "2.4e-2", PublishedIs: "run", PublishedSays: "Table 1", At: records.At{X: "epoch", Value: 1}, Column: "loss",
	}
	last := cell
	last.ID, last.Statement, last.Published, last.At.Value = "loss@20", "Test loss, at epoch 20", "0.0000", 20
	assert.Equal(t, []claims.Claim{cell, last}, s.Claims)
	assert.Equal(t, []string{"loss@1", "loss@20"}, s.Figures[0].Claims)
	assert.Equal(t, []float64{1, 5, 20}, s.Tables[0].Rows)
}

func TestValuesOfAGrid(t *testing.T) {
	s := loads(t, strings.Replace(printedTable, `algorithm = "pegasos"`, "algorithm = \"pegasos\"\ngrid = { batch = [1, 8] }", 1))
	var ids []string
	for _, c := range s.Claims {
		ids = append(ids, c.Method+" "+c.ID)
	}
	assert.Equal(t, []string{
		"pegasos,batch=1 loss,batch=1@1", "pegasos,batch=1 loss,batch=1@20",
		"pegasos,batch=8 loss,batch=8@1", "pegasos,batch=8 loss,batch=8@20",
	}, ids)
	assert.Len(t, s.Figures[0].Claims, 4)
}

func TestValuesErrors(t *testing.T) {
	const cells, table = `cells = ["2.4e-2", "", "0.0000"]`, "x = \"epoch\"\nrows = [1, 5, 20]\n"
	for _, c := range map[string]struct{ old, new, want string }{
		"too few numbers":  {cells, `cells = ["1", "2"]`, `user.toml:27: claim "loss".cells: has 2 numbers for 3 places of rows on line 26; give one for each, empty where none is printed`},
		"no number at all": {cells, `cells = ["", "", ""]`, `user.toml:27: claim "loss".cells: holds no number; remove the claim`},
		"no places": {"rows = [1, 5, 20]\n" + cells, "rows = []\ncells = []",
			`user.toml:26: claim "loss".rows: is empty; name places along x`},
		"falling":       {"rows = [1, 5, 20]\n" + cells, "rows = [1, 20, 5]\n" + cells, `user.toml:26: claim "loss".rows: want increasing places, got 5 after 20`},
		"not evaluated": {"rows = [1, 5, 20]\n" + cells, "rows = [1, 10, 20]\n" + cells, `user.toml:26: claim "loss".rows: nothing is evaluated at epoch 10; add it to evaluate.at on line 13`},
		"rows of another": {`kind = "values"`, "kind = \"value\"\npublished = \"1\"", `user.toml:26: claim "loss".x: has no effect on a claim of kind "value"; remove it
user.toml:27: claim "loss".rows: has no effect on a claim of kind "value"; remove it
user.toml:28: claim "loss".cells: has no effect on a claim of kind "value"; remove it`},
		"table at one place": {"metrics = [\"test-mse\"]\n" + table, "metrics = [\"test-mse\"]\n" + table + "at = { x = \"epoch\", value = 1 }\n",
			`user.toml:38: table "losses".at: contradicts rows on line 37; keep one`},
		"table without places": {"metrics = [\"test-mse\"]\n" + table, "metrics = [\"test-mse\"]\nx = \"epoch\"\n",
			`user.toml:36: table "losses".rows: missing; name places along x, as in rows = [1, 10]`},
		"table not evaluated": {"metrics = [\"test-mse\"]\n" + table, "metrics = [\"test-mse\"]\nx = \"epoch\"\nrows = [1, 2, 20]\n",
			`user.toml:37: table "losses".rows: nothing is evaluated at epoch 2; add it to evaluate.at on line 13`},
	} {
		require.Equal(t, 1, strings.Count(printedTable, c.old), c.old)
		refusedAs(t, strings.Replace(printedTable, c.old, c.new, 1), c.want)
	}
}

// A table of a mesh study has every mesh, or those that rows name, from coarse to fine or from fine to coarse.
func TestTablesOfMeshes(t *testing.T) {
	const study = `schema = 1
paper = "own"
title = "order of a program"
problem.kind = "own"
budget.steps = 7
repeat.seeds = 1
metric = [{ name = "err" }]
method = [{ id = "m", algorithm = "external", command.run = ["cat", "table.csv"] }]
table = [{ id = "all", metrics = ["err"], x = "h" }, { id = "some", metrics = ["err"], x = "h", rows = [0.5, 0.125] }]
`
	s := loads(t, study)
	assert.Empty(t, s.Tables[0].Rows)
	assert.Equal(t, []float64{0.5, 0.125}, s.Tables[1].Rows)
}

// With a large memory, cells of one kernel come one after another, whatever the seed.
func TestCellsOfOneKernelComeTogether(t *testing.T) {
	text := strings.Replace(printedTable, "[[claim]]", `[[method]]
id = "laplace"
algorithm = "pegasos"
kernel = { name = "laplace", bandwidth = 1.0 }
[[method]]
id = "eigenpro"
algorithm = "eigenpro"
[[claim]]`, 1)
	names := func(text string) (names []string) {
		s := loads(t, text, LoadOptions{Seeds: 2})
		for _, c := range s.Expand() {
			names = append(names, c.Name)
		}
		return names
	}
	assert.Equal(t, []string{
		"pegasos-seed1", "laplace-seed1", "eigenpro-seed1", "pegasos-seed2", "laplace-seed2", "eigenpro-seed2",
	}, names(text))
	assert.Equal(t, []string{
		"pegasos-seed1", "eigenpro-seed1", "pegasos-seed2", "eigenpro-seed2", "laplace-seed1", "laplace-seed2",
	}, names(strings.Replace(text, "[data]", "memory = 2.0\n[data]", 1)))
	assert.Equal(t, []string{
		"pegasos-seed1", "laplace-seed1", "eigenpro-seed1", "pegasos-seed2", "laplace-seed2", "eigenpro-seed2",
	}, names(strings.NewReplacer("[data]", "memory = 2.0\n[data]", `"eigenpro"`+"\nalgorithm", `"eigenpro"`+"\nbudget = { time_of = \"pegasos\" }\nalgorithm").Replace(text)),
		"one cell waits for another")
}
