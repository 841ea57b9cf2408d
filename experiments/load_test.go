package experiments

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/memorytest"
	"repro/experiments/spectree"
	"repro/results/records"
)

// ridge is a valid spec; tests change it line by line.
const ridge = `schema = 1
paper = "dai2014"
title = "Ridge"

[data]
name = "dai2014-synthetic"
train = 1024
test = 64

[problem]
loss = "square"
nu = 1e-6
kernel = { name = "gaussian", bandwidth = { rule = "median", scale = 0.1 } }

[budget]
epochs = 1

[evaluate]
metrics = ["l2-error", "test-mse"]

[[method]]
id = "dsg"
algorithm = "dsg"
batch = 64
block = 64
step = { schedule = "inverse", gamma0 = 20.0, t0 = 10.0 }
average = true

[[method]]
id = "norma"
algorithm = "norma"
batch = 64

[[claim]]
id = "rate"
kind = "rate"
statement = "it falls as 1/t"
source = "Thm 4"
method = "dsg"
metric = "l2-error"
x = "step"
published = "-1"
at_most = true
[[claim]]
id = "better"
kind = "order"
statement = "dsg is better"
source = "Fig. 4"
method = "dsg"
against = ["norma"]
metric = "l2-error"

[[figure]]
id = "convergence"
x = "step"
y = "l2-error"
series = [{ method = "dsg" }, { method = "dsg", metric = "l2-error@average" }]
claims = ["rate"]

[[table]]
id = "final"
metrics = ["l2-error", "evals"]
methods = ["dsg", "norma"]

[profile.quick]
repeat = { seeds = 2 }
method.dsg = { batch = 32 }

[published]
is = "theorem"
says = "Thm 4"
`

// loadText loads a spec as the user's file user.toml.
func loadText(text string, opts LoadOptions) (*Spec, error) {
	return loadNamed("user.toml", text, opts)
}

// loads loads a spec, which has no mistake, from text.
func loads(t *testing.T, text string, opts ...LoadOptions) *Spec {
	t.Helper()
	s, err := loadText(text, append(opts, LoadOptions{})[0])
	require.NoError(t, err)
	return s
}

// refused requires that a spec, with edits, is refused and with what words, or is not where there are none.
func refused(t *testing.T, text, want string, set ...string) {
	t.Helper()
	if _, err := loadText(text, LoadOptions{Set: set}); want == "" {
		assert.NoError(t, err)
	} else {
		assert.ErrorContains(t, err, want)
	}
}

// refusedAs requires that a spec is refused in exactly these words.
func refusedAs(t *testing.T, text, want string) {
	t.Helper()
	_, err := loadText(text, LoadOptions{})
	assert.EqualError(t, err, want)
}

// loadNamed loads a spec as the user's file of a name.
func loadNamed(file, text string, opts LoadOptions) (*Spec, error) {
	return Load(Source{File: file, Text: text, Find: find}, opts)
}

// loadFile loads a spec from a file.
func loadFile(path string, opts LoadOptions) (*Spec, error) {
	src, err := ReadSource(path, find)
	if err != nil {
		return nil, err
	}
	return Load(src, opts)
}

// find returns a built-in spec.
func find(id string) (Source, error) {
	text, err := fs.ReadFile(builtin, id+".toml")
	return Source{File: id + ".toml", Text: string(text), Catalog: true, Find: find}, err
}

// builtin holds the specs of the papers. Tests may change the working directory.
var builtin = func() fs.FS {
	folder, err := filepath.Abs("papers")
	if err != nil {
		panic(err)
	}
	return os.DirFS(folder)
}()

// loadID loads a built-in spec.
func loadID(id string, opts LoadOptions) (*Spec, error) {
	src, err := find(id)
	if err != nil {
		return nil, err
	}
	return Load(src, opts)
}

var loadedOnce sync.Map // what loadedAt returns, by its arguments

// loadedAt returns a built-in spec at a profile, for tests that only read it.
func loadedAt(id, profile string) (*Spec, error) {
	load, _ := loadedOnce.LoadOrStore([2]string{id, profile}, sync.OnceValues(func() (*Spec, error) { return loadID(id, LoadOptions{Profile: profile}) }))
	return load.(func() (*Spec, error))()
}

// builtinIDs lists the ids of the built-in specs.
func builtinIDs(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(builtin, "*/*.toml")
	require.NoError(t, err)
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".toml")
	}
	require.NotEmpty(t, files)
	return files
}

// loadAll returns all built-in specs at a profile, for tests that only read them.
func loadAll(t *testing.T, profile string) (specs []*Spec, errs []error) {
	t.Helper()
	ids := builtinIDs(t)
	specs, errs = make([]*Spec, len(ids)), make([]error, len(ids))
	records.Parallel(len(ids), func(i int) { specs[i], errs[i] = loadedAt(ids[i], profile) })
	return specs, errs
}

// change replaces one occurrence of old in the ridge spec.
func change(t *testing.T, old, new string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(ridge, old), "%q must occur once", old)
	return strings.Replace(ridge, old, new, 1)
}

func TestLoad(t *testing.T) {
	s := loads(t, ridge)
	assert.Equal(t, "dai2014/user", s.ID)
	assert.Equal(t, "user.toml", s.File)
	assert.Equal(t, "paper", s.Profile)
	assert.Equal(t, []string{"smoke", "quick", "paper"}, s.Profiles)
	assert.Equal(t, Evaluate{Points: 40, Spacing: "log", Metrics: []Measured{{Name: "l2-error"}, {Name: "test-mse"}}}, s.Evaluate)
	assert.Equal(t, Repeat{Seeds: 1, First: 1}, s.Repeat)
	assert.Equal(t, "theorem", s.Claims[0].PublishedIs)
	assert.Equal(t, "Thm 4", s.Claims[0].PublishedSays)
	assert.Empty(t, s.Claims[1].PublishedIs, "it has no number")
	assert.Equal(t, "float64", s.Precision)
	assert.Equal(t, "shuffled", s.Data.Order)
	b := s.Problem.Kernel.Bandwidth
	assert.Equal(t, 0.1, b.Scale)
	assert.Equal(t, "sigma=median", b.Convention)
	assert.Equal(t, 4000, b.Sample)
	assert.Equal(t, "norma", s.Methods[1].Label)
	assert.Equal(t, "curves", s.Figures[0].Kind)
	assert.Equal(t, "loglog", s.Figures[0].Scale)
}

// All mistakes of keys show at once; contradictions are looked for when there are none.
func TestAllMistakesAtOnce(t *testing.T) {
	text := strings.NewReplacer("epochs = 1", "epoch = 1", "nu = 1e-6\n", "", `against = ["norma"]`, `against = ["norm"]`,
		`published = "-1"`, "published = -1.0\ntolerence = 3", `methods = ["dsg", "norma"]`, `methods = ["dgs"]`, `kernel = {`, `kernel = "gaussian" #`).Replace(ridge)
	_, err := loadText(text, LoadOptions{})
	assert.EqualError(t, err, `user.toml:15: budget.epoch: unknown key; did you mean "epochs"?
user.toml:42: claim "rate".tolerence: unknown key; did you mean "tolerance"?`)

	s := loads(t, change(t, `published = "-1"`, "published = -1.00"))
	assert.Equal(t, "-1.00", s.Claims[0].Published, "the digits are those written")
	loads(t, change(t, `against = ["norma"]`, "against = [\"norma\"]\nat = { x = \"seen\", value = 1024 }"), LoadOptions{Set: []string{"data.train=512"}}) // it may end before the place of a claim
	s = loads(t, ridge, LoadOptions{Set: []string{"claim.rate.published=-1.0"}})
	assert.Equal(t, "-1.0", s.Claims[0].Published)
}

func TestLoadErrors(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"misspelt setting", "block = 64", "bloc = 64", `user.toml:25: method "dsg".bloc: unknown key; did you mean "block"?`},
		{"misspelt table", "[problem]", "[problm]", `user.toml:1: problem: missing (loss, kernel and regularisation, the same for every method); add it
user.toml:10: problm: unknown key; did you mean "problem"?`},
		{"quoted key", "[evaluate]", "[evaluate]\n\"what to measure\" = 1", `user.toml:19: evaluate."what to measure": unknown key; choose one of points, at, spacing, metrics, reference, predictions, surface`},
		{"parameter of a schedule", "gamma0 = 20.0", "gama0 = 20.0", `user.toml:26: method "dsg".step.gama0: unknown key; did you mean "gamma0"?`},
		{"unknown schedule", `"inverse"`, `"inverted"`, `user.toml:26: method "dsg".step.schedule: unknown schedule "inverted"; did you mean "inverse"?`},
		{"unknown algorithm", `algorithm = "norma"`, `algorithm = "norm"`, `user.toml:31: method "norma".algorithm: unknown algorithm "norm"; did you mean "norma"?`},
		{"schema of the future", "schema = 1", "schema = 2", `user.toml:1: schema: must be 1, got 2`},
		{"no title", `title = "Ridge"`, ``, `user.toml:1: title: missing (what the experiment is, in a line); add it`},

		{"string for a number", "nu = 1e-6", `nu = "1e-6"`, `user.toml:12: problem.nu: want a number, got the string "1e-6"`},
		{"number for a string", `title = "Ridge"`, `title = 3.1`, `user.toml:3: title: want a string, got 3.1; write "3.1"`},
		{"float for an integer", "train = 1024", "train = 1024.0", `user.toml:7: data.train: want an integer, got a float; write 1024`},
		{"float too large for an integer", "train = 1024", "train = 1e17", `user.toml:7: data.train: want an integer, got 1e+17`},
		{"not a number", "nu = 1e-6", "nu = nan", `user.toml:12: problem.nu: must be finite, got NaN`},
		{"text for a switch", "average = true", `average = "yes"`, `user.toml:27: method "dsg".average: want true or false, got the string "yes"`},
		{"string for an array", `against = ["norma"]`, `against = "norma"`, `user.toml:50: claim "better".against: want an array, got the string "norma"; put it in brackets`},

		{"two regularisations", "nu = 1e-6", "nu = 1e-6\nnu_n = 1", `user.toml:13: problem.nu_n: contradicts problem.nu on line 12; keep one`},
		{"no regularisation", "nu = 1e-6", "", `user.toml:10: problem: neither nu nor nu_n is given; write nu = 0.0 for no regularisation`},
		{"bandwidth twice", `rule = "median", scale = 0.1`, `rule = "median", value = 1`, `user.toml:13: problem.kernel.bandwidth.value: contradicts rule on line 13; keep one`},
		{"bandwidth not at all", `rule = "median", scale = 0.1`, `scale = 0.1`, `user.toml:13: problem.kernel.bandwidth: neither value nor rule is given; write bandwidth = 1.0 or { rule = "median" }`},
		{"no budget", "epochs = 1", "", `user.toml:15: budget: sets no limit; give epochs, steps or seconds`},
		{"time of itself", "average = true", `budget = { time_of = "dsg" }`, `user.toml:27: method "dsg".budget.time_of: names the method itself; name another`},
		{"time of nobody", "average = true", `budget = { time_of = "nora" }`, `user.toml:27: method "dsg".budget.time_of: unknown method "nora"; did you mean "norma"?`},
		{"option the data does not have", "train = 1024", "scale = \"zscore\"", `user.toml:7: data.scale: dai2014-synthetic is generated in the units of its paper: remove it`},
		{"exact distance without a solver", `metrics = ["l2-error", "test-mse"]`, `metrics = ["l2-error", "test-mse", "exact-distance"]`, `user.toml:19: evaluate.metrics: "exact-distance" needs an exact solver to compare with; name one as evaluate.reference`},
		{"metric of another algorithm", `metrics = ["l2-error", "test-mse"]`, `metrics = ["l2-error", "kernel-error"]`, `user.toml:19: evaluate.metrics: "kernel-error" needs a method that estimates the kernel (such as random-features, taylor-expansion), and method "dsg" is dsg; remove one of them`},
		{"metric twice", `metrics = ["l2-error", "test-mse"]`, `metrics = ["l2-error", "test-mse", "test-mse"]`, `user.toml:19: evaluate.metrics: names "test-mse" twice; remove one`},
		{"evaluations that do not increase", `metrics = ["l2-error", "test-mse"]`, "metrics = [\"l2-error\"]\nat = [1.0, 5.0, 5.0]", `user.toml:20: evaluate.at: [1 5 5] are not increasing positive numbers`},

		{"id twice", `id = "norma"`, `id = "DSG"`, `user.toml:30: method "DSG".id: is also the id of another method on line 21; rename one`},
		{"id that names no file", `id = "final"`, `id = "a/b"`, `user.toml:61: table "a/b".id: "a/b" cannot name a file; use up to 100 letters, digits and . _ + , = -, starting with a letter or digit`},
		{"reserved id", `id = "norma"`, `id = "truth"`, `user.toml:30: method "truth".id: "truth" is the generating function in figures; choose another id`},
		{"claim on unknown method", `against = ["norma"]`, `against = ["nora"]`, `user.toml:50: claim "better".against: unknown method "nora"; did you mean "norma"?`},
		{"claim against itself", `against = ["norma"]`, `against = ["dsg"]`, `user.toml:50: claim "better".against: names "dsg", the method the claim is about; remove it`},
		{"rate without x", "x = \"step\"\npublished", "published", `user.toml:34: claim "rate".x: missing; a claim of kind "rate" needs it, or across`},
		{"epochs of a method without batches", "algorithm = \"norma\"\nbatch = 64", `algorithm = "gd"`, `user.toml:29: method "norma".budget: epochs set no limit, because gd has no batches that make up an epoch; give it budget = { steps = … }`},
		{"window beyond the budget", "x = \"step\"\npublished", "x = \"step\"\nwindow = [17, 1000]\npublished", `user.toml:42: claim "rate".window: the curve of "dsg" has 0 points between step 17 and 1000, and a line needs 4; widen the window, evaluate more often or raise the budget`},
		{"rate of one step", "algorithm = \"dsg\"\nbatch = 64\nblock = 64\nstep = { schedule = \"inverse\", gamma0 = 20.0, t0 = 10.0 }\naverage = true", `algorithm = "krr"`, "user.toml:37: claim \"rate\".x: the curve of \"dsg\" has one point, and a line needs 4; claim a value, or a rate across the settings of a grid\nuser.toml:53: figure \"convergence\".series 2.metric: method \"dsg\" keeps no average; algorithm \"krr\" cannot keep one"},
		{"place beyond the budget", `against = ["norma"]`, "against = [\"norma\"]\nat = { x = \"seen\", value = 1025 }", `user.toml:51: claim "better".at: the curve of "dsg" ends at seen 1024; name a place on it, or raise the budget`},
		{"condition of a claim bound to its size", `against = ["norma"]`, "against = [\"norma\"]\nmin_rows = 5", `user.toml:51: claim "better".min_rows: has no effect without holds; give that too, or remove it`},
		{"key without effect", `against = ["norma"]`, "against = [\"norma\"]\nwithin = 0.1", `user.toml:51: claim "better".within: has no effect on a claim of kind "order"; remove it`},
		{"no number", `published = "-1"`, ``, `user.toml:34: claim "rate".published: missing; a claim of kind "rate" needs it, or derived`},
		{"derived without derivation", `published = "-1"`, `derived = "-1"`, `user.toml:42: claim "rate".derivation: missing; say how the number follows from what the paper prints`},
		{"nothing says what is published", "[published]\nis = \"theorem\"\nsays = \"Thm 4\"\n", ``, `user.toml:34: claim "rate".published_is: missing; say here, or for all claims in [published], whether the printed number is "run", "mean of K" or "theorem"`},
		{"published by an unknown word", `published = "-1"`, "published = \"-1\"\npublished_is = \"mean of 1\"\npublished_says = \"so\"", `user.toml:43: claim "rate".published_is: "mean of 1" is unknown; choose one of "run", "mean of K" with the number of runs for K, of a curve also "median of K", "theorem"`},
		{"a median that is no curve", `published = "-1"`, "published = \"-1\"\npublished_is = \"median of 5\"\npublished_says = \"so\"", `user.toml:43: claim "rate".published_is: a median is compared in claims of kind "curve" only; no interval here is of a median`},
		{"tolerance without a reason", `published = "-1"`, "published = \"-1\"\ntolerance = 0.1", `user.toml:43: claim "rate".why: missing; say why the tolerance has this width`},
		{"window backwards", `published = "-1"`, "published = \"-1\"\nwindow = [10, 1]", `user.toml:43: claim "rate".window: want [low, high] with 0 < low < high, got [10, 1]`},
		{"place without a value", `against = ["norma"]`, "against = [\"norma\"]\nat = { x = \"epoch\" }", `user.toml:51: claim "better".at: want both x and value; for example { x = "epoch", value = 1 }, or one of last and best`},
		{"metric not measured", "metric = \"l2-error\"\nx = \"step\"", "metric = \"test-loss\"\nx = \"step\"", `user.toml:40: claim "rate".metric: "test-loss" is not measured; add it to evaluate.metrics on line 19`},
		{"average not kept", "against = [\"norma\"]\nmetric = \"l2-error\"", "against = [\"norma\"]\nmetric = \"l2-error@average\"", `user.toml:51: claim "better".metric: method "norma" keeps no average; set its average = true`},
		{"factor of a rising metric", `kind = "rate"`, `kind = "geometric"`, `user.toml:42: claim "rate".published: must be between 0 and 1, got -1: with another factor nothing converges`},
		{"bound that is not measured", "kind = \"rate\"", "kind = \"geometric-bound\"\nmeasured_bound = \"step-limit\"", `user.toml:37: claim "rate".measured_bound: "step-limit" is not measured; add it to evaluate.metrics on line 19`},
		{"guide of nothing", `claims = ["rate"]`, "claims = [\"rate\"]\nguides = [{ label = \"g\" }]", `user.toml:59: figure "convergence".guides 1.slope: missing; give it or, with scale = "semilogy", a factor`},
		{"truth in a curve", `series = [{ method = "dsg" }, `, `series = [{ method = "truth" }, `, `user.toml:57: figure "convergence".series 1.method: "truth" can only be shown in a figure of learnt functions; set kind = "functions" or "heatmap", or remove it`},
		{"figure with unknown claim", `claims = ["rate"]`, `claims = ["rat"]`, `user.toml:58: figure "convergence".claims: unknown claim "rat"; did you mean "rate"?`},
		{"figure without y", `y = "l2-error"`, "", `user.toml:53: figure "convergence".y: missing; choose one of l2-error, test-mse`},
		{"heat map without surface", `x = "step"
y = "l2-error"`, `kind = "heatmap"`, `user.toml:53: figure "convergence".kind: a heatmap figure needs the learnt functions on a grid; set evaluate.surface = 101`},
		{"table of a metric not measured", `metrics = ["l2-error", "evals"]`, `metrics = ["test-loss", "evals"]`, `user.toml:62: table "final".metrics: "test-loss" is not measured; add it to evaluate.metrics on line 19`},
		{"paper that is no path", `paper = "dai2014"`, `paper = "../x"`, `user.toml:2: paper: "../x" cannot be part of a file name; use up to 100 letters, digits and . _ + , = -, starting with a letter or digit`},

		{"error in a profile", `method.dsg = { batch = 32 }`, `method.dsg = { bach = 32 }`, `user.toml:67: profile.quick.method "dsg".bach: unknown key; did you mean "batch"?`},
		{"profile of unknown method", `method.dsg = { batch = 32 }`, `method.dgs = { batch = 32 }`, `user.toml:67: profile.quick.method "dgs": there is no such method to change; did you mean "dsg"?`},
		{"profile renaming", `method.dsg = { batch = 32 }`, `method.dsg = { id = "x" }`, `user.toml:67: profile.quick.method "dsg".id: an id cannot be changed; leave it out`},
		{"profile that is no table", "[profile.quick]\n", "[profile]\nquick = 1\n", `user.toml:66: profile.quick: want a table, got 1; write [profile.quick]`},

		{"grid of nothing", "average = true", "grid = {}", `user.toml:27: method "dsg".grid: want a table of settings, got an empty one; write { "step.gamma0" = [1.0, 5.0] }`},
		{"grid of bare dotted keys", "average = true", "grid = { step.gamma0 = [1] }", `user.toml:27: method "dsg".grid.step: want an array of values, got a table; put the dotted key in quotes, as in "step.gamma0"`},
		{"grid over ids", "average = true", `grid = { id = ["a"] }`, `user.toml:27: method "dsg".grid.id: cannot be varied in a grid; write another method`},

		{"match by an impossible factor", "kind = \"order\"", "kind = \"match\"\nrelative = true\ntolerance = 0.5\nwhy = \"none\"", `user.toml:48: claim "better".tolerance: must be >= 1 for a relative tolerance, got 0.5`},
		{"ratio to reach nothing", "kind = \"order\"", "kind = \"ratio\"\nx = \"epoch\"\npublished = \"7\"\ntarget = 0", `user.toml:49: claim "better".target: must be > 0, got 0`},
		{"against nobody", `against = ["norma"]`, `against = []`, `user.toml:50: claim "better".against: is empty; name the methods compared with`},
		{"key of earlier versions", `claims = ["rate"]`, `style = "slides"`, `user.toml:58: figure "convergence".style: is no key of this version; remove it: draw all figures with repro judge --style`},
		{"range backwards", `claims = ["rate"]`, "y_range = [1, 0]", `user.toml:58: figure "convergence".y_range: want [low, high] with low < high, got [1, 0]`},
		{"time of a grid", "average = true", "grid = { batch = [1, 2] }\n[[method]]\nid = \"x\"\nalgorithm = \"dsg\"\nbudget = { time_of = \"dsg\" }", `user.toml:31: method "x".budget.time_of: "dsg" is a grid; name one of dsg,batch=1, dsg,batch=2`},
		{"average that cannot be kept", "algorithm = \"norma\"\nbatch = 64\n\n[[claim]]", "algorithm = \"krr\"\n\n[[claim]]\nid = \"a\"\nkind = \"order\"\nstatement = \"s\"\nsource = \"s\"\nmethod = \"dsg\"\nagainst = [\"norma\"]\nmetric = \"l2-error@average\"\n[[claim]]", `user.toml:40: claim "a".metric: method "norma" keeps no average; algorithm "krr" cannot keep one`},

		{"key twice", "train = 1024", "train = 1024\ntrain = 2", `user.toml:8: data.train: key 'data.train' has already been defined; not valid TOML, see https://toml.io`},
	}
	for _, c := range cases {
		refusedAs(t, change(t, c.old, c.new), c.want)
	}
}

func TestLoadErrorsOfTheWhole(t *testing.T) {
	cycle := change(t, "average = true", `budget = { time_of = "norma" }`)
	cycle = strings.Replace(cycle, "algorithm = \"norma\"", "algorithm = \"norma\"\nbudget = { time_of = \"dsg\" }", 1)
	cases := []struct {
		name, text string
		opts       LoadOptions
		want       string
	}{
		{"cycle of times", cycle, LoadOptions{}, `user.toml:27: method "dsg".budget.time_of: waits for itself: dsg → norma → dsg; give one of them a limit of its own
user.toml:32: method "norma".budget.time_of: waits for itself: norma → dsg → norma; give one of them a limit of its own`},
		{"empty", "", LoadOptions{}, `user.toml:1: schema: missing (version of the spec format); add it
user.toml:1: paper: missing (key of the paper in papers.toml, or any name in a spec of your own); add it
user.toml:1: title: missing (what the experiment is, in a line); add it
user.toml:1: data: missing (training and test data); add it
user.toml:1: problem: missing (loss, kernel and regularisation, the same for every method); add it
user.toml:1: evaluate: missing (what to measure, and how often); add it
user.toml:1: method: missing (the methods compared); add it`},
		{"unknown profile", ridge, LoadOptions{Profile: "qick"}, `user.toml: unknown profile "qick"; did you mean "quick"?`},
		{"profiles that are no table", "profile = 1", LoadOptions{}, `user.toml:1: profile: want a table of profiles, got 1; write [profile.quick]`},
		{"too long", strings.Repeat("#", spectree.MaxSpecBytes+1), LoadOptions{}, `user.toml: 1048577 bytes long, more than the 1048576 a spec may have; is it a data file?`},
		{"unknown method kept", ridge, LoadOptions{Methods: []string{"nora"}}, `user.toml: unknown method "nora"; did you mean "norma"?`},
		{"negative seeds", ridge, LoadOptions{Seeds: -1}, `user.toml: --seeds must be > 0, got -1`},
		{"edit of an unknown key", ridge, LoadOptions{Set: []string{"method.dsg.bacth=64"}}, `--set method.dsg.bacth=64: method "dsg".bacth: unknown key; did you mean "batch"?`},
		{"edit of an unknown method", ridge, LoadOptions{Set: []string{"method.dgs.batch=64"}}, `--set method.dgs.batch=64: method "dgs": there is no such method to change; did you mean "dsg"?`},
		{"edit without a value", ridge, LoadOptions{Set: []string{"budget"}}, `--set budget: not of the form path=value; for example problem.nu=1e-4 or method.dsg.batch=64`},
		{"edit that says not which", ridge, LoadOptions{Set: []string{"method=1"}}, `--set method=1: say which method; for example method.ID.key=value`},
		{"edit of a profile", ridge, LoadOptions{Set: []string{"profile.quick.budget.epochs=1"}}, `--set profile.quick.budget.epochs=1: a profile cannot be edited here; edit the values themselves`},
		{"edit that contradicts the file", ridge, LoadOptions{Set: []string{"problem.nu_n=1"}}, `--set problem.nu_n=1: problem.nu_n: contradicts problem.nu on line 12; keep one`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := loadText(c.text, c.opts)
			assert.EqualError(t, err, c.want)
		})
	}
}

// Loading takes memory for the keys of all specs and, for each byte of a spec, at most loadedPerByte: a TOML value of a few
// bytes becomes nodes, which a few profiles and the methods of a grid copy.
const (
	loadedAnyway  = 64 << 20
	loadedPerByte = 1 << 15
)

func FuzzLoad(f *testing.F) {
	const edit = "method.dsg.step.gamma0=2"
	f.Add(ridge, edit)
	f.Add(`a = "\`, "problem.nu=")
	f.Add("[[method]]\nid = 1\ngrid = { \"a.b\" = [1, {}] }\n[method.x]\n[profile.quick.method.1]\nremove = true", "a.b.c=[[[1]]]")
	f.Add("a = [[[[{ b.\"c\\u0041\" = '''x''''' }]]]]\n[[a.b]]\n[a.b.c]", `"a".b = {c = 1}`)
	f.Add(strings.Replace(ridge, "batch = 64", "grid = { batch = [1, 2, 3], \"step.gamma0 & step.t0\" = [1.0, 2.0] }", 1), "repeat.seeds=10000")
	f.Add("[profile.a]\n[profile.b]\n[profile.c.method.dsg]\nbatch = 1\n"+ridge, "method.dsg.grid={batch=[1,2]}")
	f.Fuzz(func(t *testing.T, text, edit string) {
		memorytest.Within(t, loadedAnyway+loadedPerByte*uint64(len(text)+len(edit)), func() {
			for _, profile := range []string{"paper", "quick"} {
				s, err := loadText(text, LoadOptions{Profile: profile, Set: []string{edit}})
				if (s == nil) == (err == nil) {
					t.Fatalf("spec %v with error %v", s, err)
				}
				if s != nil && s.Repeat.Seeds < 100 { // more take seconds
					s.Expand()
				}
			}
		})
	})
}

// A number that would silently become another one, or be left aside, is refused with its place: by the file and by --set.
func TestNumbersThatVanish(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"nu = 1e-6", "nu = 1e-400", "user.toml:12: problem.nu: 1e-400 is nearer to 0 than every other number; write 0, or a larger number"},
		{"nu = 1e-6", "nu = 0.0000_1e-4_00 # small", "user.toml:12: problem.nu: 0.0000_1e-4_00 is nearer to 0"},
		{"step = { schedule = \"inverse\", gamma0 = 20.0, t0 = 10.0 }", "step = { schedule = \"inverse\", gamma0 = 20.0, t0 = -1e-999 }", "-1e-999 is nearer to 0"},
		{"epochs = 1", "epochs = 1e400", "user.toml:16"},
	} {
		refused(t, change(t, test.old, test.new), test.want)
	}
	refused(t, ridge, "1e-400", "problem.nu=1e-400")
	_, err := loadText(change(t, "nu = 1e-6", "nu = 0e-400"), LoadOptions{})
	assert.NotContains(t, fmt.Sprint(err), "nearer to 0")
}

// Predictions of test rows are asked for only where there are some.
func TestPredictionsNeedTestRows(t *testing.T) {
	with := strings.Replace(ridge, "[evaluate]\n", "[evaluate]\npredictions = true\n", 1)
	_, err := loadText(with, LoadOptions{})
	require.NoError(t, err)
	refused(t, strings.Replace(with, "test = 64", "stream = true", 1),
		"evaluate.predictions: there are no test rows whose predictions it could write; give the data a test set, or remove it")
}

// A contradiction is found in the profile that is asked for, also of a spec that tests load.
func TestCheckedSpecsAreChecked(t *testing.T) {
	text := strings.Replace(ridge, `method.dsg = { batch = 32 }`, `budget = { epochs = 0, steps = 0 }`, 1)
	src := Source{File: "dai2014/x.toml", Text: text, Catalog: true, Checked: true, Find: find}
	_, err := Load(src, LoadOptions{})
	require.NoError(t, err)
	_, err = Load(src, LoadOptions{Profile: "quick"})
	require.ErrorContains(t, err, "budget")
	src.Passed = true
	_, err = Load(src, LoadOptions{Profile: "quick"})
	require.NoError(t, err)
}
