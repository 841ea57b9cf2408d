package experiments

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/methods"
	"repro/algos/schedules"
	"repro/experiments/strict"
	"repro/results/claims"
	"repro/results/records"
)

const timed = `schema = 1
paper = "own"
title = "Expansion"
data = { name = "a9a", scale = "minmax", holdout = 0.25 }
problem = { loss = "hinge", nu_n = 0.01, kernel = { name = "gaussian", bandwidth = 2 } }
budget = { epochs = 1, steps = 100 }
evaluate = { points = 5, metrics = ["test-error"] }
repeat = { seeds = 2, first = 7 }

[[method]]
id = "late"
algorithm = "norma"
budget = { time_of = "dsg" }

[[method]]
id = "dsg"
algorithm = "dsg"
grid = {}

[[method]]
id = "once"
label = "once only"
algorithm = "r-pegasos"
seeds = 1
`

func TestExpandOrder(t *testing.T) {
	s := loads(t, strings.Replace(timed, "grid = {}\n", "", 1))
	var names []string
	for _, c := range s.Expand() {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"dsg-seed7", "once-seed7", "late-seed7", "dsg-seed8", "late-seed8"}, names,
		"by seed, and a method after the one whose time it takes")
	for i, p := range s.Experiment().Expected {
		c := s.Expand()[i]
		assert.Equal(t, claims.Planned{Cell: names[i], Method: c.Method.ID, Digest: c.Digest}, p)
	}
	assert.Equal(t, []string{"dsg-seed8"}, s.Expand()[4].Needs)
	assert.Equal(t, Budget{TimeOf: "dsg"}, s.Expand()[4].Budget(), "a method's budget replaces the experiment's")
	assert.Equal(t, Budget{Limits: Limits{Epochs: 1, Steps: 100}}, s.Expand()[0].Budget())
	assert.Equal(t, []string{"late", "dsg", "once only"}, []string{
		s.Experiment().Methods[0].Label, s.Experiment().Methods[1].Label, s.Experiment().Methods[2].Label,
	})
}

// A method that takes the time of another has no more seeds than it.
func TestExpandSeedsOfTimeOf(t *testing.T) {
	text := strings.Replace(timed, "grid = {}\n", "seeds = 1\n", 1)
	s := loads(t, text, LoadOptions{Seeds: 5})
	assert.Len(t, s.Expand(), 3)
}

// A method whose own number of seeds is not fewer than the others' has as many as they if more are asked for.
func TestMoreSeedsThanThoseOfAMethod(t *testing.T) {
	text := strings.Replace(timed, "grid = {}\n", "seeds = 2\n", 1)
	s := loads(t, text, LoadOptions{Seeds: 5})
	assert.Len(t, s.Expand(), 11, "five of dsg, five that take its time, and the one of once")
}

// Rows that are chosen anew for every seed are the same for all methods of a seed.
func TestResample(t *testing.T) {
	text := strings.Replace(timed, "grid = {}\n", "", 1)
	s := loads(t, strings.Replace(text, "holdout = 0.25", "holdout = 0.25, seed = 4, resample = true", 1))
	for _, c := range s.Expand() {
		assert.Equal(t, 4+c.Seed, c.Data().Seed, c.Name)
	}
	s = loads(t, text)
	for _, c := range s.Expand() {
		assert.Zero(t, c.Data().Seed, c.Name)
	}
}

func dsgDigest(t *testing.T, text string, opts LoadOptions) string {
	t.Helper()
	s := loads(t, text, opts)
	c := s.Expand()[0]
	require.Equal(t, "dsg", c.Method.ID)
	return c.Digest
}

func TestDigestIsOfWhatDecidesTheNumbers(t *testing.T) {
	base := dsgDigest(t, ridge, LoadOptions{})
	assert.Regexp(t, regexp.MustCompile("^[0-9a-f]{64}$"), base)
	same := []struct{ name, old, new string }{
		{"order of keys", "batch = 64\nblock = 64\n", "block = 64\nbatch = 64\n"},
		{"order within a table", `{ schedule = "inverse", gamma0 = 20.0, t0 = 10.0 }`, `{ t0 = 10, schedule = "inverse", gamma0 = 2e1 }`},
		{"default written out", `scale = 0.1`, `scale = 0.1, sample = 4000, convention = "sigma=median"`},
		{"title", `"Ridge"`, `"Other"`},
		{"label", `id = "dsg"`, "id = \"dsg\"\nlabel = \"x\""},
		{"claims", `published = "-1"`, `published = "-2"`},
		{"figures", "x = \"step\"\ny", "x = \"evals\"\ny"},
		{"number of seeds", "[budget]", "[repeat]\nseeds = 9\n[budget]"},
		{"another method", `algorithm = "norma"`, `algorithm = "n-pegasos"`},
		{"limit of none", "epochs = 1", "epochs = 1\nsteps = 0"},
		{"own budget equal to the experiment's", "average = true", "average = true\nbudget.epochs = 1"},
	}
	for _, c := range same {
		assert.Equal(t, base, dsgDigest(t, change(t, c.old, c.new), LoadOptions{}), c.name)
	}
	assert.Equal(t, dsgDigest(t, ridge, LoadOptions{Profile: "quick"}),
		dsgDigest(t, change(t, "batch = 64\nblock", "batch = 32\nblock"), LoadOptions{}), "whatever the profile is called")

	text, _, _ := strings.Cut(ridge, "[[claim]]") // claims would pin the metrics
	seen := map[string]string{base: "the base"}
	other := func(edits ...string) string {
		s := loads(t, text, LoadOptions{Set: edits})
		return s.Expand()[1].Digest
	}
	for _, edit := range []string{
		"data.train=1023", "data.test=63", "data.order=file", "data.holdout=0.1", "data.rows=[1,9]",
		"problem.loss=absolute", "problem.nu=1e-5", "problem.kernel.bandwidth.scale=0.2",
		"problem.kernel.bandwidth.sample=100", "problem.kernel.bandwidth.convention=exp(-d2/median2)",
		"problem.kernel.bandwidth=0.5",
		"budget.epochs=2", "budget.steps=3", "budget.seconds=1", "method.dsg.budget.steps=5",
		"evaluate.points=7", "evaluate.spacing=linear", `evaluate.metrics=["l2-error"]`,
		"evaluate.surface=9", "evaluate.predictions=true", "evaluate.reference=krr", "repeat.first=2",
		"method.dsg.batch=65", "method.dsg.block=65", "method.dsg.average=false",
		"memory=0.5", "precision=float32", "method.dsg.loss=huber", "method.dsg.nu=2e-5", "method.dsg.data.train=99", `method.dsg.kernel={name="laplace",bandwidth=0.5}`,
		"method.dsg.step.gamma0=21", "method.dsg.step.t0=11", "method.dsg.step={schedule=\"constant\"}",
	} {
		d := dsgDigest(t, text, LoadOptions{Set: []string{edit}})
		assert.Empty(t, seen[d], "%s does not change the digest", edit)
		seen[d] = edit
		if strings.HasPrefix(edit, "method.dsg.") {
			assert.Equal(t, other(), other(edit), "%s changes another method", edit)
		}
	}
}

// Closed forms compute in double precision whatever the spec says, cells that take much memory run alone, and those of one matrix follow
// each other.
func TestWhatCellsRunWith(t *testing.T) {
	s := loads(t, change(t, "algorithm = \"norma\"\nbatch = 64\n", "algorithm = \"krr\"\n"), LoadOptions{Set: []string{"precision=float32"}})
	cells := s.Expand()
	assert.Equal(t, []any{compute.Float32, compute.Float64}, []any{cells[0].Settings["precision"], cells[1].Settings["precision"]})
	assert.False(t, (&Spec{Memory: defaultMemory}).Alone())
	assert.True(t, (&Spec{Memory: 2 * defaultMemory}).Alone())
	var all []Cell
	for i, train := range []int{0, 9, 0, 9} {
		all = append(all, Cell{Spec: s, Seed: uint64(i), Method: Method{Data: MethodData{Train: train}}})
	}
	var seeds []uint64
	for _, c := range byKernel(all) {
		seeds = append(seeds, c.Seed)
	}
	assert.Equal(t, []uint64{0, 2, 1, 3}, seeds)
}

// A late setting changes no digest at its default.
func TestLateSettings(t *testing.T) {
	for _, late := range records.LateSettings {
		v := newSettings(late.Algorithm)
		i := slices.IndexFunc(strict.Fields(v.Type()), func(f strict.Field) bool { return f.Key == late.Key })
		require.GreaterOrEqual(t, i, 0, "%s has no setting %s", late.Algorithm, late.Key)
		assert.Equal(t, late.Default, strict.Encode(v.FieldByIndex(strict.Fields(v.Type())[i].Index)), "%s.%s", late.Algorithm, late.Key)

		m := Method{Algorithm: late.Algorithm, Configured: v.Addr().Interface().(algos.Algorithm)}
		assert.NotContains(t, encodeMethod(m), late.Key, late.Algorithm)
		other := v.FieldByIndex(strict.Fields(v.Type())[i].Index)
		switch other.Kind() {
		case reflect.String:
			other.SetString("other")
		case reflect.Bool:
			other.SetBool(!other.Bool())
		case reflect.Int:
			other.SetInt(other.Int() + 1)
		case reflect.Float64:
			other.SetFloat(other.Float() + 1)
		}
		assert.Contains(t, encodeMethod(m), late.Key, late.Algorithm)
	}
}

// The time a method is given depends on all that the other one does.
func TestDigestFollowsTimeOf(t *testing.T) {
	text := change(t, "id = \"norma\"\n", "id = \"norma\"\nbudget.time_of = \"dsg\"\n")
	digest := func(edits ...string) string {
		s := loads(t, text, LoadOptions{Set: edits})
		return s.Expand()[1].Digest
	}
	assert.Equal(t, digest(), digest("method.dsg.label=x"))
	assert.NotEqual(t, digest(), digest("method.dsg.block=65"))
}

// Settings of every registered algorithm and schedule bind and encode, and none hides a key that
// all methods have.
func TestEveryAlgorithm(t *testing.T) {
	var own []string
	for _, f := range strict.Fields(reflect.TypeFor[Method]()) {
		own = append(own, f.Key)
	}
	for _, name := range algos.Names() {
		s, err := loadText(change(t, "algorithm = \"norma\"\nbatch = 64\n", "algorithm = \""+name+"\"\nbudget = { steps = 7 }\n"), LoadOptions{})
		require.NoError(t, err, name)
		cell := s.Expand()[1]
		_, err = json.Marshal(cell.Settings)
		require.NoError(t, err)
		for _, f := range strict.Fields(newSettings(name).Type()) {
			assert.NotContains(t, own, f.Key, name)
			assert.NotEmpty(t, f.Doc, "%s.%s", name, f.Key)
		}
	}
	for _, name := range schedules.Names() {
		s, err := loadText(change(t, `{ schedule = "inverse", gamma0 = 20.0, t0 = 10.0 }`, `{ schedule = "`+name+`" }`), LoadOptions{})
		require.NoError(t, err, name)
		want, err := schedules.New(name)
		require.NoError(t, err)
		assert.Equal(t, want, s.Methods[0].Configured.(*methods.DSG).Step)
		step := s.Expand()[0].Settings["method"].(map[string]any)["step"].(map[string]any)
		assert.Equal(t, name, step["schedule"])
	}
}

// Digests find the records of earlier versions: they must not change.
func TestDigestsStay(t *testing.T) {
	for algorithm, want := range map[string]string{
		"dsg": "37ed8fbee24b73a3", "eigenpro": "7886135ea0ee7bf7", "gd": "c65940f13fee8015", "krr": "ec94375c2199e8b0",
	} {
		s := loads(t, change(t, "algorithm = \"norma\"\nbatch = 64\n", "algorithm = \""+algorithm+"\"\nbudget = { steps = 7 }\n"))
		assert.Equal(t, want, s.Expand()[1].Digest[:16], algorithm)
	}
}
