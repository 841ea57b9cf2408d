package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/losses"
)

func TestLoadLosses(t *testing.T) {
	for name, c := range map[string]struct {
		loss   string
		want   losses.Config
		record any
	}{
		"name":            {`"absolute"`, losses.Config{Name: "absolute"}, "absolute"},
		"table of a name": {`{ name = "absolute" }`, losses.Config{Name: "absolute"}, "absolute"},
		"huber, as in the paper": {`"huber"`, losses.Config{Name: "huber", Delta: 1},
			map[string]any{"name": "huber", "delta": 1.0}},
		"huber": {`{ name = "huber", delta = 0.5 }`, losses.Config{Name: "huber", Delta: 0.5},
			map[string]any{"name": "huber", "delta": 0.5}},
		"quantile": {`{ name = "quantile", tau = 0.9 }`, losses.Config{Name: "quantile", Tau: 0.9},
			map[string]any{"name": "quantile", "tau": 0.9}},
		"epsilon zero": {`{ name = "epsilon-insensitive", epsilon = 0 }`, losses.Config{Name: "epsilon-insensitive"},
			map[string]any{"name": "epsilon-insensitive", "epsilon": 0.0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := loads(t, change(t, `"square"`, c.loss))
			assert.Equal(t, c.want, s.Problem.Loss)
			_, err := losses.New(s.Problem.Loss)
			require.NoError(t, err)
			problem := s.Expand()[0].Settings["problem"].(map[string]any)
			assert.Equal(t, c.record, problem["loss"], "records hold the keys of the loss and no others")
		})
	}
}

// A method may have a loss of its own: it alone minimises it, and its records say so.
func TestLossOfAMethod(t *testing.T) {
	s := loads(t, change(t, `algorithm = "norma"`, "algorithm = \"norma\"\nloss = \"huber\""))
	got := map[string]any{}
	for _, c := range s.Expand() {
		got[c.Method.ID] = c.Settings["problem"].(map[string]any)["loss"]
		assert.Equal(t, map[string]string{"dsg": "square", "norma": "huber"}[c.Method.ID], c.Loss().Name)
	}
	assert.Equal(t, map[string]any{"dsg": "square", "norma": map[string]any{"name": "huber", "delta": 1.0}}, got)

	for _, c := range map[string]struct{ loss, want string }{
		"missing parameter": {`"quantile"`, `.tau: missing; loss quantile needs a number between 0 and 1`},
		"other targets":     {`"logistic"`, `: logistic is for the task binary, and problem.loss on line 11 for regression; choose a loss for the same targets`},
	} {
		refused(t, change(t, `algorithm = "norma"`, "algorithm = \"norma\"\nloss = "+c.loss), `user.toml:32: method "norma".loss`+c.want)
	}
}

// A method may have a ν of its own, in place of either of the problem's, but not beside distances to a solution.
func TestRegularisationOfAMethod(t *testing.T) {
	own := func(nu string) string { return change(t, `algorithm = "norma"`, "algorithm = \"norma\"\nnu = "+nu) }
	s := loads(t, strings.Replace(own("0.5"), "nu = 1e-6", "nu_n = 2.0", 1))
	for _, c := range s.Expand() {
		p := c.Settings["problem"].(map[string]any)
		if c.Method.ID == "norma" {
			assert.Equal(t, 0.5, p["nu"])
			assert.NotContains(t, p, "nu_n")
		} else {
			assert.Equal(t, 2.0, p["nu_n"])
		}
	}
	refused(t, own("-1.0"), `method "norma".nu`)
	refused(t, strings.Replace(own("0.5"), `metrics = [`, "reference = \"krr\"\nmetrics = [\"exact-distance\", ", 1),
		`method "norma".nu: "exact-distance" compares with the solution for problem.nu; remove the metric or this nu`)
}

// A loss for labels contradicts data that is said to have other targets.
func TestLossAndTask(t *testing.T) {
	for _, c := range map[string]struct{ loss, task, want string }{
		"hinge on classes":      {"hinge", "multiclass", `problem.loss: hinge takes targets 1 and -1, and data.task on line 8 says "multiclass"; write data.coding = "signs" to learn each class against the rest`},
		"softmax on numbers":    {"softmax", "regression", `problem.loss: softmax needs multiclass targets, and data.task on line 8 says "regression"; change one of them`},
		"square on labels":      {"square", "binary", ""},
		"square on classes":     {"square", "multiclass", ""},
		"novelty beside labels": {"novelty", "binary", ""},
		"its own task":          {"softmax", "multiclass", ""},
		"softmax on signs": {"softmax", "multiclass\"\ncoding = \"signs",
			`problem.loss: softmax takes targets 1 and 0, and data.coding on line 9 says "signs"; remove it`},
		"hinge on signs":    {"hinge", "multiclass\"\ncoding = \"signs", ""},
		"logistic on signs": {"logistic", "multiclass\"\ncoding = \"signs", ""},
		"square on signs":   {"square", "multiclass\"\ncoding = \"signs", ""},
	} {
		text := change(t, "name = \"dai2014-synthetic\"\n", "file = \"my.csv\"\nholdout = 0.5\ntask = \""+c.task+"\"\n")
		refused(t, strings.Replace(text, `"square"`, `"`+c.loss+`"`, 1), c.want)
	}
}

// A scale is a word or a table; settings hold what the spec says.
func TestScale(t *testing.T) {
	own := func(scale string) string {
		return change(t, "name = \"dai2014-synthetic\"\n", "file = \"my.csv\"\nholdout = 0.5\n"+scale+"\n")
	}
	for scale, want := range map[string]any{
		`scale = "zscore"`: "zscore", `scale = { rule = "zscore" }`: "zscore", ``: nil,
	} {
		s, err := loadText(own(scale), LoadOptions{})
		require.NoError(t, err, scale)
		assert.Equal(t, want, s.Expand()[0].Settings["data"].(map[string]any)["scale"], scale)
	}
	for scale, want := range map[string]string{
		`scale = 100`: "data.scale: want a word, or a table with some of the keys rule, got 100", `scale = 0.5`: "rule, got 0.5",
		`scale = { by = 100 }`:     "data.scale.by: unknown key",
		`scale = { divide = 255 }`: "data.scale.divide: is no key of this version; remove it: divide the numbers in the file",
	} {
		refused(t, own(scale), want)
	}
}
