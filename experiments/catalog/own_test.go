package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/experiments"
	"repro/results/claims"
)

var _ = algos.Register[*ownFit]("test-own", "a method with a problem of its own", func() algos.Algorithm { return &ownMethod{} })

type (
	ownMethod struct{}
	ownFit    struct{ algos.Fit }
)

func (*ownMethod) Traits() algos.Traits                    { return algos.Traits{Own: true} }
func (*ownMethod) Start(*algos.Problem) (algos.Fit, error) { return &ownFit{}, nil }
func (*ownFit) Report() map[string]float64                 { return nil }

// loadText loads a spec from text.
func loadText(text string, opts experiments.LoadOptions) (*experiments.Spec, error) {
	return experiments.Load(experiments.Source{File: "user.toml", Text: text, Find: find}, opts)
}

// onRidge is a spec with rows.
const onRidge = `
base = "dai2014/ridge"
paper = "mine"
title = "ridge"
`

// ownSpec is a spec without rows.
const ownSpec = `
schema = 1
paper = "mine"
title = "own"
problem.kind = "own"
budget.steps = 100
[[metric]]
name = "gap"
unit = "J"
better = "larger"
[[metric]]
name = "share"
unit = "fraction"
words = "share of something"
signed = true
better = "neither"
[[method]]
id = "a"
algorithm = "test-own"
[[method]]
id = "b"
algorithm = "test-own"
`

func TestOwnMetrics(t *testing.T) {
	s, err := loadText(ownSpec, experiments.LoadOptions{})
	require.NoError(t, err)
	assert.True(t, s.Own())
	assert.Equal(t, []claims.Metric{
		{Name: "gap", Words: "gap", Unit: "J", Better: "larger"},
		{Name: "share", Words: "share of something", Unit: "fraction", Better: "neither", Signed: true},
	}, s.Experiment().Metrics)
	settings := s.Expand()[0].Settings
	assert.Equal(t, map[string]any{"kind": "own"}, settings["problem"])
	assert.Equal(t, map[string]any{}, settings["data"])
	assert.Equal(t, []any{"gap", "share"}, settings["evaluate"].(map[string]any)["metrics"])

	s, err = loadText(ownSpec, experiments.LoadOptions{Set: []string{`evaluate.metrics=["share", {name = "gap", methods = ["a"]}]`, "metric.gap.better=smaller"}})
	require.NoError(t, err)
	var names [][]any
	for _, c := range s.Expand() {
		names = append(names, c.Settings["evaluate"].(map[string]any)["metrics"].([]any))
	}
	assert.Equal(t, [][]any{{"share", "gap"}, {"share"}}, names)
	assert.Equal(t, "smaller", s.Experiment().Metrics[1].Better)
}

// A kind that is the default, and a metric for all methods in the long form, change no setting.
func TestDefaultsOfKindsAndMetricsChangeNoDigest(t *testing.T) {
	plain, err := loadText(onRidge, experiments.LoadOptions{})
	require.NoError(t, err)
	long, err := loadText(onRidge, experiments.LoadOptions{Set: []string{"problem.kind=kernel", `evaluate.metrics=[{name = "l2-error"}, {name = "test-mse"}]`}})
	require.NoError(t, err)
	for i, c := range plain.Expand() {
		assert.Equal(t, c.Digest, long.Expand()[i].Digest, c.Name)
	}
}

func TestMistakesOfOwnProblems(t *testing.T) {
	kind := `problem.kind = "own" on line 5`
	for _, c := range []struct{ edit, want string }{
		{`data.name=susy`, `data: contradicts ` + kind + `: the methods know their problem, which has no rows; remove it`},
		{`problem.loss=square`, `problem.loss: contradicts ` + kind},
		{`problem.kernel.name=gaussian`, `problem.kernel: contradicts ` + kind},
		{`evaluate.predictions=true`, `evaluate.predictions: contradicts ` + kind},
		{`budget.epochs=10`, `budget.epochs: contradicts ` + kind},
		{`method.a.budget={epochs = 1}`, `method "a".budget.epochs: contradicts ` + kind},
		{`method.a.algorithm=krr`, `method "a".algorithm: krr learns from rows, and ` + kind + ` has none; choose a method with a problem of its own`},
		{`evaluate.metrics=["test-mse"]`, `evaluate.metrics: "test-mse" is of rows, and ` + kind + ` has none; measure what the methods report, which [[metric]] declares`},
		{`evaluate.metrics=["rkhs-norm", "gap"]`, `evaluate.metrics: "rkhs-norm" needs a method that`},
		{`evaluate.metrics=[]`, `evaluate.metrics: is empty; choose some of gap, share`},
		{`evaluate.metrics=[{name = "gap", methods = ["c"]}]`, `evaluate.metrics: unknown method "c"`},
		{`evaluate.metrics=[{name = "gap", methods = []}]`, `evaluate.metrics: the methods of "gap" are empty; name some, or remove the metric`},
		{`metric.gap.name=objective`, `metric "objective".name: "objective" has a meaning in every spec; choose another name, such as "own-objective"`},
		{`metric.gap.name=share`, `metric "share".name: is also the name of another metric on line 7; rename one`},
		{`metric.gap.name="gap@average"`, `metric "gap@average".name: "gap@average" cannot name a metric; use up to 100 letters`},
		{`claim=[{id = "c", kind = "order", statement = "s", source = "s", method = "a", against = ["b"], metric = "test-mse"}]`, `"test-mse" is not measured; add it to evaluate.metrics`},
		{`claim=[{id = "c", kind = "order", statement = "s", source = "s", method = "a", against = ["b"], metric = "share"}]`, `neither smaller nor larger values of "share" are better`},
		{`claim=[{id = "c", kind = "value", statement = "s", source = "s", method = "a", metric = "gap@average", derived = "1", derivation = "d"}]`, `unknown metric "gap@average"`},
		{`claim=[{id = "c", kind = "value", statement = "s", source = "s", method = "a", metric = "gap", derived = "1", derivation = "d", at = {x = "epoch", value = 1}}]`, `claim "c".at.x: an epoch is a pass over rows, and ` + kind + ` has none; count steps`},
		{`figure=[{id = "f", x = "epoch", y = "gap"}]`, `figure "f".x: an epoch is a pass over rows`},
		{`table=[{id = "t", metrics = ["epoch"]}]`, ``},
	} {
		_, err := loadOwn(c.edit)
		if c.want == "" {
			assert.NoError(t, err, c.edit)
		} else {
			assert.ErrorContains(t, err, c.want, c.edit)
		}
	}
}

// loadOwn loads ownSpec with an edit, or with a line before it that has an array.
func loadOwn(edit string, more ...string) (*experiments.Spec, error) {
	if strings.Contains(edit, "=[{id") {
		return loadText(edit+ownSpec, experiments.LoadOptions{Set: more})
	}
	return loadText(ownSpec, experiments.LoadOptions{Set: append(more, edit)})
}

// A spec with rows may measure what its methods report, beside the registered metrics.
func TestReportedMetricsBesideRegisteredOnes(t *testing.T) {
	_, err := loadText(onRidge+"metric = [{name = \"gap\"}]\n", experiments.LoadOptions{Set: []string{`evaluate.metrics=["l2-error", "test-mse", "gap"]`}})
	assert.ErrorContains(t, err, `evaluate.metrics: "gap" needs a method that reports numbers of itself`)
	_, err = loadText(onRidge+"\n[[method]]\nid = \"x\"\nalgorithm = \"test-own\"\n", experiments.LoadOptions{})
	assert.ErrorContains(t, err, `method "x".algorithm: test-own has a problem of its own and learns from no rows; write problem.kind = "own", or remove it`)
}

// A problem of its own without metrics says where they are declared.
func TestOwnProblemWithoutMetrics(t *testing.T) {
	text := ownSpec[:strings.Index(ownSpec, "[[metric]]")] + "metric = []\n" + ownSpec[strings.Index(ownSpec, "[[method]]"):]
	_, err := loadText(text, experiments.LoadOptions{})
	assert.ErrorContains(t, err, "evaluate.metrics: is empty; declare by [[metric]] what the methods report")
}
