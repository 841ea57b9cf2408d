package experiments

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/methods"
	"repro/algos/schedules"
	"repro/results/records"
)

func ids(s *Spec) (ids []string) {
	for _, m := range s.Methods {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestProfileMerge(t *testing.T) {
	text := strings.Replace(ridge, `repeat = { seeds = 2 }
method.dsg = { batch = 32 }
`, `data = { train = 128 }
problem.kernel.bandwidth = 0.5
evaluate.metrics = ["l2-error", "test-loss"]
[profile.quick.method.dsg]
batch = 32
step = { gamma0 = 5 }
[profile.quick.method.norma]
remove = true
[profile.quick.claim.rate]
window = [2, 8]
[[profile.quick.figure]]
id = "new"
x = "evals"
y = "l2-error"
[[profile.quick.figure]]
id = "convergence"
x = "epoch"
[profile.tiny]
method.dsg.step = { schedule = "constant" }
[profile.tiny.figure.convergence]
remove = true
`, 1)
	s := loads(t, text, LoadOptions{Profile: "quick"})
	assert.Equal(t, "quick", s.Profile)
	assert.Equal(t, 128, s.Data.Train, "replaced")
	assert.Equal(t, 64, s.Data.Test, "kept")
	assert.Equal(t, 0.5, s.Problem.Kernel.Bandwidth.Value)
	assert.Empty(t, s.Problem.Kernel.Bandwidth.Rule, "a number replaces a table")
	assert.Equal(t, []string{"l2-error", "test-loss"}, s.Evaluate.Names())
	assert.Equal(t, []string{"dsg"}, ids(s))
	assert.Equal(t, &methods.DSG{DSGSettings: methods.DSGSettings{Batch: 32, Block: 64, Average: true, Step: &schedules.Inverse{Gamma0: 5, T0: 10}}}, s.Methods[0].Configured)
	assert.Equal(t, [2]float64{2, 8}, s.Claims[0].Window)
	assert.Equal(t, []string{"norma"}, s.Claims[1].Against, "a claim keeps a method that is removed, so that it is not judged")
	require.Len(t, s.Figures, 2)
	assert.Equal(t, "epoch", s.Figures[0].X)
	assert.Equal(t, "new", s.Figures[1].ID)
	assert.Equal(t, []string{"dsg"}, s.Tables[0].Methods, "a table drops a method that is removed")

	s = loads(t, text, LoadOptions{Profile: "tiny"})
	assert.Equal(t, &schedules.Constant{Gamma0: 1}, s.Methods[0].Configured.(*methods.DSG).Step, "another schedule replaces the old one")
	assert.Empty(t, s.Figures)

	s = loads(t, text, LoadOptions{Profile: "smoke"})
	assert.Equal(t, "paper", s.Profile, "a profile that changes nothing is the paper's")
	assert.Equal(t, 1024, s.Data.Train)
}

func TestSet(t *testing.T) {
	s := loads(t, ridge, LoadOptions{Profile: "quick", Set: []string{
		"method.dsg.step.gamma0=5", "data.name = dai2014-synthetic", "budget.steps= 7", `title="a = b"`,
		"problem.kernel.bandwidth={ rule = \"median\", sample = 9 }", "claim.rate.remove=true",
		"evaluate.metrics=[\"l2-error\", \"test-mse\", \"test-loss\"]",
	}})
	dsg := s.Methods[0].Configured.(*methods.DSG)
	assert.Equal(t, &schedules.Inverse{Gamma0: 5, T0: 10}, dsg.Step)
	assert.Equal(t, 32, dsg.Batch, "edits come after the profile")
	assert.Equal(t, 7, s.Budget.Steps)
	assert.Equal(t, "a = b", s.Title)
	assert.Equal(t, 9, s.Problem.Kernel.Bandwidth.Sample)
	assert.Equal(t, 0.1, s.Problem.Kernel.Bandwidth.Scale, "tables merge")
	assert.Len(t, s.Claims, 1)
	assert.Len(t, s.Evaluate.Metrics, 3)
	assert.Equal(t, "quick (edited)", s.Profile, "an edited spec is not the paper's")
}

func TestMethodsAndSeeds(t *testing.T) {
	text := change(t, "batch = 64\n\n", "batch = 64\nbudget = { time_of = \"dsg\" }\n[[method]]\nid = \"r-pegasos\"\nalgorithm = \"r-pegasos\"\n\n")
	s := loads(t, text, LoadOptions{Methods: []string{"norma"}, Seeds: 4})
	assert.Equal(t, []string{"dsg", "norma"}, ids(s), "norma needs the time of dsg")
	assert.Equal(t, 4, s.Repeat.Seeds)
	assert.True(t, s.Repeat.Timed, "seconds are used")

	s = loads(t, text, LoadOptions{Methods: []string{"r-pegasos"}})
	assert.Empty(t, s.Figures, "the figure shows dsg alone")
	assert.Empty(t, s.Tables)
	assert.Len(t, s.Claims, 2)
}

// Whatever a spec uses an abscissa for, its cells run alone if and only if the clock measures it.
func TestAnyUseOfTheClockIsTimed(t *testing.T) {
	uses := map[string][2]string{
		"claim.x":       {"metric = \"l2-error\"\nx = \"step\"", "metric = \"l2-error\"\nx = \"%s\""},
		"claim.at":      {"against = [\"norma\"]", "against = [\"norma\"]\nat = { x = \"%s\", value = 1 }"},
		"claim.metric":  {"against = [\"norma\"]\nmetric = \"l2-error\"", "against = [\"norma\"]\nmetric = \"%s\""},
		"figure.x":      {"x = \"step\"\ny", "x = \"%s\"\ny"},
		"figure.y":      {"y = \"l2-error\"", "y = \"%s\""},
		"figure.series": {"l2-error@average", "%s"},
		"table.metrics": {"\"evals\"", "\"%s\""},
		"table.at":      {"methods = [\"dsg\", \"norma\"]", "methods = [\"dsg\", \"norma\"]\nat = { x = \"%s\", value = 1 }"},
		"table.x":       {"methods = [\"dsg\", \"norma\"]", "methods = [\"dsg\", \"norma\"]\nx = \"%s\"\nrows = [1]"},
	}
	for where, use := range uses {
		for _, a := range records.Abscissae {
			text := change(t, use[0], fmt.Sprintf(use[1], a.Name))
			if a.Name == "seen" {
				text = strings.Replace(text, "value = 1 }", "value = 64 }", 1) // the first step sees a batch
			}
			s, err := loadText(text, LoadOptions{})
			require.NoError(t, err, "%s %s", where, a.Name)
			assert.Equal(t, a.Source == records.Clock, s.Repeat.Timed, "%s %s", where, a.Name)
		}
	}
}

// A figure may name methods in place of series.
func TestFigureMethods(t *testing.T) {
	series := `series = [{ method = "dsg" }, { method = "dsg", metric = "l2-error@average" }]`
	written := loads(t, change(t, series, `series = [{ method = "dsg" }, { method = "norma" }]`))
	listed := loads(t, change(t, series, `methods = ["dsg", "norma"]`))
	assert.Equal(t, written.Figures, listed.Figures)
	_, err := loadText(change(t, series, "methods = [\"dsg\"]\n"+series), LoadOptions{})
	assert.EqualError(t, err, `user.toml:57: figure "convergence".methods: contradicts series on line 58; keep one`)
	_, err = loadText(change(t, series, `methods = ["dgs"]`), LoadOptions{})
	assert.EqualError(t, err, `user.toml:57: figure "convergence".series 1.method: unknown method "dgs"; did you mean "dsg"?`)
	refused(t, change(t, series, `methods = "dsg"`), `figure "convergence".methods: want an array, got the string "dsg"; put it in brackets`)
}

func TestGrid(t *testing.T) {
	text := change(t, "average = true\n", "average = true\ngrid = { \"step.gamma0\" = [1, 5], \"batch\" = [8, 16] }\n")
	s := loads(t, text)
	want := []string{
		"dsg,gamma0=1,batch=8", "dsg,gamma0=1,batch=16", "dsg,gamma0=5,batch=8", "dsg,gamma0=5,batch=16",
	}
	assert.Equal(t, append(want, "norma"), ids(s))
	m := s.Methods[2]
	assert.Equal(t, "dsg (gamma0 = 5, batch = 8)", m.Label)
	assert.Equal(t, "dsg", m.Group)
	assert.Equal(t, &methods.DSG{DSGSettings: methods.DSGSettings{Batch: 8, Block: 64, Average: true, Step: &schedules.Inverse{Gamma0: 5, T0: 10}}}, m.Configured)

	require.Len(t, s.Figures[0].Series, 8, "two series of a grid of four")
	assert.Equal(t, "dsg,gamma0=1,batch=8", s.Figures[0].Series[0].Method)
	assert.Equal(t, "l2-error@average", s.Figures[0].Series[4].Metric)
	assert.Equal(t, append(want, "norma"), s.Tables[0].Methods)
	require.Len(t, s.Claims, 8, "a claim on a grid is one on each of its methods")
	assert.Equal(t, "rate,gamma0=1,batch=8", s.Claims[0].ID)
	assert.Equal(t, want[0], s.Claims[0].Method)
	assert.Len(t, s.Figures[0].Claims, 4)

	s = loads(t, text, LoadOptions{Profile: "quick", Methods: []string{"dsg"}})
	assert.Equal(t, want, ids(s), "a grid is kept by its id")
}

func TestGridNames(t *testing.T) {
	text := change(t, "average = true\n", `grid = { "step" = [{ gamma0 = 1.5 }, { schedule = "constant" }], "average" = [true] }`+"\n")
	s := loads(t, text, LoadOptions{Methods: []string{"dsg"}})
	assert.Equal(t, []string{"dsg,step=1,average=true", "dsg,step=2,average=true"}, ids(s), "tables go by their position")
	assert.Equal(t, &schedules.Inverse{Gamma0: 1.5, T0: 10}, s.Methods[0].Configured.(*methods.DSG).Step)
	assert.Equal(t, &schedules.Constant{Gamma0: 1}, s.Methods[1].Configured.(*methods.DSG).Step)

	text = change(t, "average = true\n", `grid = { "step.gamma0" = [1], "step" = [{ schedule = "constant" }] }`+"\n")
	_, err := loadText(text, LoadOptions{})
	require.EqualError(t, err, `user.toml:27: method "dsg".grid."step.gamma0": contradicts "step" on line 27; keep one`)
}

// Settings that end in the same word go by their whole key.
func TestGridTooLarge(t *testing.T) {
	values := strings.Repeat("1, ", 40)
	text := change(t, "average = true\n", "grid = { batch = ["+values+"], block = ["+values+"] }\n")
	_, err := loadText(text, LoadOptions{})
	require.EqualError(t, err, `user.toml:27: method "dsg".grid: makes more than 1000 methods; give fewer values`)
}
