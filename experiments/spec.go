// Package experiments holds the papers' experiments as data: one TOML spec per figure or table,
// loaded strictly, laid out for a profile, and expanded into the cells that run.
package experiments

import (
	"cmp"
	"path/filepath"
	"strings"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/datasets"
	"repro/experiments/spectree"
	"repro/results/claims"
	"repro/results/imports"
)

// EditedMark ends the name of a profile whose values were edited for one run: an edited spec is no longer
// the paper's.
const EditedMark = " (edited)"

// A Spec is one experiment, defaults resolved and profile applied. Its fields are the keys of the
// TOML file.
type Spec struct {
	Schema int    `toml:"schema" want:"= 1" must:"yes" doc:"version of the spec format"`
	Paper  string `toml:"paper" must:"yes" doc:"key of the paper in papers.toml, or any name in a spec of your own"`
	Title  string `toml:"title" must:"yes" doc:"what the experiment is, in a line"`
	Source string `toml:"source" doc:"section, figure or table of the paper"`
	Notes  string `toml:"notes" doc:"anything a reader should know"`

	Base    string   `toml:"base" doc:"the spec that this one is laid over: a sister by its name, an id of the catalog such as dai2014/ridge, or the path of a file below the spec's folder"`
	Without []string `toml:"without" doc:"what is left out of the base, such as method.dsg or evaluate.at"`

	Auxiliary bool `toml:"auxiliary" doc:"serves another experiment, such as one that chooses its settings; a run includes it only if it is named"`

	NoCI string `toml:"no_ci" doc:"why the spec has no [profile.ci] and is not part of check"`

	Data            datasets.Options        `toml:"data" must:"unless problem.kind own" doc:"training and test data"`
	Problem         Problem                 `toml:"problem" must:"yes" doc:"loss, kernel and regularisation, the same for every method"`
	Budget          Limits                  `toml:"budget" doc:"when to stop: whichever comes first"`
	Limits          CellLimits              `toml:"limits" doc:"what a run may take at most; beyond it ends, keeps its points, and continues only if the limit grows"`
	Evaluate        Evaluate                `toml:"evaluate" must:"unless metric" doc:"what to measure, and how often"`
	Metrics         []Reported              `toml:"metric" doc:"numbers that the methods report of themselves"`
	Curves          imports.Options         `toml:"curves" doc:"file with the curves of methods with algorithm = \"imported\", and what its columns hold; docs/curves.md has examples"`
	Abscissae       []Abscissa              `toml:"abscissa" doc:"discretisation parameters, such as a mesh width, against which metrics are read"`
	Repeat          Repeat                  `toml:"repeat" doc:"independent repetitions"`
	Precision       string                  `toml:"precision" want:"float32|float64" doc:"floating-point format of kernels, features and matrix products; if left out, float32 from 65536 training rows on, else float64; exact solvers always use float64"`
	Memory          float64                 `toml:"memory" want:"> 0" most:"1e6 no machine has more" doc:"GiB that a run may use for a stored kernel or feature matrix; a matrix that does not fit is computed anew whenever it is needed; above the default of 1, methods and seeds run one at a time"`
	Methods         []Method                `toml:"method" must:"yes" doc:"the methods compared"`
	Published       Published               `toml:"published" doc:"what the printed numbers of the claims are"`
	PublishedCurves []claims.PublishedCurve `toml:"published_curve" doc:"curves of the paper's figures, with which claims of kind curve compare ours; docs/tracing.md says how to get them"`
	Claims          []claims.Claim          `toml:"claim" doc:"what the paper claims"`
	Figures         []claims.Figure         `toml:"figure" doc:"figures to draw"`
	Tables          []claims.Table          `toml:"table" doc:"tables to write"`
	Ambiguities     []claims.Ambiguity      `toml:"ambiguity" doc:"what the paper leaves open"`

	ID       string   `toml:"-"` // paper/name
	File     string   `toml:"-"` // where it was read
	Profile  string   `toml:"-"` // the profile applied, "paper" if it changes nothing, with EditedMark after edits
	Profiles []string `toml:"-"` // the profiles there are
	Original *Spec    `toml:"-"` // the spec at profile paper, without edits

	PaperInfo claims.Paper         `toml:"-"` // the key alone if the paper is not registered
	Casts     func() []claims.Cast `toml:"-"` // those of the figures of the paper's experiments; nil if the catalog did not load the spec

	readCurves func() (*imports.Table, error) // nil without [curves]
	cells      func() []Cell                  // expand, once

	texts  []text                    // with the places that they were read at
	scope  scope                     // of all methods, while the spec is loaded
	tree   *spectree.Node            // the whole, as it was read
	claims map[string]*spectree.Node // each [[claim]], by id
}

// ClaimPlace returns the file and the line on which a key of a claim stands, or a key of the spec, such as repeat.seeds. If there is
// none, it is the line on which the claim begins, 0 if there is no such claim.
func (s *Spec) ClaimPlace(id, key string) (file string, line int) {
	n := s.claims[id]
	if n == nil {
		return s.File, 0
	}
	at := spectree.At(n, key)
	if of := s.tree.Find(strings.Split(key, ".")...); of != nil && strings.Contains(key, ".") {
		at = of.Place
	}
	return cmp.Or(at.File, s.File), at.Line
}

// Published says what the printed numbers of a spec's claims are, where a claim does not say it itself.
type Published struct {
	Is   string `toml:"is" must:"yes" doc:"run for the results of single runs, mean of K for means over K runs, such as mean of 5, theorem for exponents, bounds and other statements that hold exactly"`
	Says string `toml:"says" must:"yes" doc:"the paper's sentence, or the place, that shows it"`
}

// Problem is the objective R(f) = E[l(f(x), y)] + ν/2·‖f‖² [dai2014 eq. (1)].
type Problem struct {
	Kind   string         `toml:"kind" want:"|problem" doc:"kernel (the default): the methods learn from the data, by loss and kernel; own: they know their problem, and only what they report is measured"`
	Loss   losses.Config  `toml:"loss" want:"loss" must:"unless problem.kind own" doc:"loss function: a name, or a table with its parameters"`
	Nu     float64        `toml:"nu" want:">= 0" doc:"regularisation ν"`
	NuN    float64        `toml:"nu_n" want:">= 0" doc:"c of ν = c/n with n training rows, for papers that print it so"`
	Kernel kernels.Config `toml:"kernel" must:"unless problem.kind own" doc:"kernel and its bandwidth"`

	Targets string `toml:"targets" want:"|test-kernels|mean-variance" doc:"what is fitted: the data's targets if left out; with test-kernels the kernel functions k(x*, ·) of all test inputs x*, which give the posterior variance of a Gaussian process with noise σ² = ν·n [dai2014 §4]; with mean-variance both, so that one fit has the posterior mean and the posterior variance"`
}

// Limits say when a cell stops; zero means no such limit. At least one must be set.
type Limits struct {
	Epochs  float64 `toml:"epochs" want:">= 0" most:"1e9 steps must be countable" doc:"passes over the training rows"`
	Steps   int     `toml:"steps" want:">= 0" most:"1e15 steps must be countable" doc:"iterations of the method"`
	Seconds float64 `toml:"seconds" want:">= 0" most:"1e9 that is 32 years" doc:"seconds of training, without setup and evaluation"`
}

// Budget is the limits of a method.
type Budget struct {
	Limits
	TimeOf string `toml:"time_of" not:"seconds" doc:"id of a method; train for as many seconds as its run of the same seed did"`
}

// CellLimits bound what a cell may take, whatever its method; zero means no such limit. They decide no number, so they are not among
// the settings of a cell.
type CellLimits struct {
	Seconds float64 `toml:"seconds" want:">= 0" most:"1e9 that is 32 years" doc:"seconds of setup and training, without evaluation; asked after each step, or after all steps that a method makes at once; a run beyond it ends as timeout"`
	Memory  float64 `toml:"memory" want:">= 0" most:"1e6 no machine has more" doc:"GiB, of which plan must predict no more; where there is one run at a time, also what the whole process has allocated, with data, after each step; programs that methods run are not counted; a run beyond it ends as memory"`
}

// Evaluate says what is measured and when.
type Evaluate struct {
	Points      int        `toml:"points" beside:"at" want:"> 0" most:"1e5 a record has a line for each" doc:"number of evaluations along the curve"`
	At          []float64  `toml:"at" most:"1e9 steps must be countable" doc:"evaluate after these numbers of epochs (of steps if the budget names no epochs), instead of at spaced points"`
	Spacing     string     `toml:"spacing" beside:"at" want:"log|linear" doc:"spacing of the evaluations in steps"`
	Metrics     []Measured `toml:"metrics" must:"unless metric" doc:"what to measure; if left out, every [[metric]]"`
	Reference   string     `toml:"reference" want:"|algorithm" doc:"exact solver with whose predictions metrics such as exact-error compare"`
	Predictions bool       `toml:"predictions" doc:"write final test predictions to predictions/<experiment>/<cell>.csv"`
	Surface     int        `toml:"surface" want:">= 0" most:"1000 a file has a line for each point of the grid" doc:"write the function learnt by the first seed on a grid of this many points a side (one or two inputs only)"`
}

// A Reported is a metric of a spec's own: a number that methods report of themselves.
type Reported struct {
	Name   string `toml:"name" must:"yes" doc:"what evaluate.metrics, claims and figures call it, and the methods that report it"`
	Column string `toml:"column" doc:"column of [curves] with its values, or the word for it there; the name if left out"`
	Words  string `toml:"words" doc:"what figures and tables call it, without its unit; the name if left out"`
	Symbol string `toml:"symbol" doc:"in the letters of a paper"`
	Unit   string `toml:"unit" doc:"unit, such as m/s; fraction for a share that is shown in per cent"`
	Better string `toml:"better" want:"|smaller|larger|neither" doc:"which values are better: smaller (the default), larger or neither"`
	Signed bool   `toml:"signed" doc:"it can be negative, so that its spread over seeds has no logarithmic scale"`
}

// A Measured is a metric that a spec asks for.
type Measured struct {
	Name    string   `toml:"name" short:"yes" want:"metric" must:"yes" doc:"a registered metric, or one of [[metric]]"`
	Methods []string `toml:"methods" doc:"the methods and grids for which it is measured; all if left out"`
}

// Repeat says how many independent repetitions run.
type Repeat struct {
	Seeds   int    `toml:"seeds" want:"> 0" most:"1e4 each is a run with a record of its own" doc:"number of seeds"`
	Planned int    `toml:"planned" want:">= 0" doc:"of seeds that were added after a look at the verdicts: how many were planned before it; the more were added, the more certain a verdict must be"`
	First   uint64 `toml:"first" doc:"the first seed; the others follow it"`
	Timed   bool   `toml:"timed" doc:"make one run at a time so that seconds mean something; implied by any use of seconds"`
}

// MethodData is what a method has of its own in the data, in fields of datasets.Options; zero means the experiment's.
type MethodData struct {
	Train       int        `toml:"train" want:">= 0" doc:"number of training rows; of data read from files only if no scaling is fitted on them"`
	Inputs      int        `toml:"inputs" want:">= 0" doc:"number of inputs, of generated data"`
	Outputs     int        `toml:"outputs" want:">= 0" doc:"number of targets, of generated data"`
	Capacity    float64    `toml:"capacity" want:">= 0" doc:"capacity exponent α, of data that is made with one"`
	Regularity  float64    `toml:"regularity" want:">= 0" doc:"source condition r, of data that is made with one"`
	Order       string     `toml:"order" want:"|shuffled|file" doc:"order examples are visited in"`
	ScaleRange  [2]float64 `toml:"scale_range" doc:"range of the scaled inputs, for scale = \"minmax\""`
	TargetRange [2]float64 `toml:"target_range" doc:"range of the scaled targets, for target_scale = \"minmax\""`
}

// A Method is one algorithm with its settings. Load takes grids apart, so Grid is nil in a loaded Spec.
type Method struct {
	ID            string           `toml:"id" must:"yes" doc:"name of the method in records, figures and claims"`
	Label         string           `toml:"label" doc:"name in legends and tables, the id if left out"`
	Algorithm     string           `toml:"algorithm" want:"algorithm|external|imported" must:"yes" doc:"registered algorithm, external for a program to run, or imported for curves of a file"`
	Loss          *losses.Config   `toml:"loss" doc:"a loss for this method, in place of the problem's; both must be for the same targets"`
	Kernel        *kernels.Config  `toml:"kernel" doc:"a kernel for this method, in place of the problem's"`
	Nu            *float64         `toml:"nu" want:">= 0" doc:"a regularisation ν for this method, in place of the problem's"`
	Data          MethodData       `toml:"data" doc:"another size, order or range of the data for this method"`
	Budget        *Budget          `toml:"budget" doc:"a budget for this method; it replaces the experiment's limits as a whole"`
	Seeds         int              `toml:"seeds" want:">= 0" most:"1e4 each is a run with a record of its own" doc:"number of seeds of this method, if fewer than repeat.seeds"`
	Deterministic *bool            `toml:"deterministic" doc:"nothing of the method is random, so that its rates are judged by the orders between successive points and not by their spread over seeds. If left out: true of one run of a mesh study, by imported curves or by a program without {seed}"`
	Planned       int              `toml:"planned" want:">= 0" doc:"of this method's seeds, those that were planned before a look at the verdicts, as repeat.planned"`
	Grid          map[string][]any `toml:"grid" doc:"one method for each combination of these settings, given by dotted key; settings joined by & vary together: each value is the same for all, or an array with one value for each setting, as in { \"data.train & batch\" = [[256, 16], [1024, 32]] }"`

	Configured algos.Algorithm `toml:"-"` // the algorithm, with every other key decoded over its defaults
	Group      string          `toml:"-"` // id of the method with a grid this is a combination of
	axes       []string        // keys that the grid varies
	first      int             // seeds that the spec plans for the first look, without edits and --seeds; 0 until narrow sets it
}

// Dir returns the folder that data.file is relative to.
func (s *Spec) Dir() string { return filepath.Dir(s.File) }
