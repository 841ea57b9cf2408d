package datasets

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Options is the [data] table of a spec: a named source or the user's own file, and what to do with it.
//
// Rows are chosen in this order: Rows, TestRows and TestPart, then Classes, Holdout, and last Train and Test. Of loaded
// data, Train and Test keep a random subset that is the same in every run, or the first rows if
// Order is "file"; of generated data they are the number of rows drawn. With Stream there is no test set, and Rows,
// Classes and Train choose among the rows of all files.
type Options struct {
	Name string `toml:"name" want:"dataset" doc:"registered data set"`

	File     string `toml:"file" not:"name" doc:"the user's own file in place of name: csv, libsvm or npy, plain or gz, bz2, xz, zst; relative to the spec"`
	TestFile string `toml:"test_file" doc:"the user's own test file"`
	Format   string `toml:"format" want:"|csv|libsvm|npy" doc:"format of file; if left out, the ending of its name says which"`
	Target   string `toml:"target" doc:"csv, npy: target column, by name or by number from 1; the last if left out"`
	Header   bool   `toml:"header" doc:"csv: the first line names the columns"`
	Columns  int    `toml:"columns" want:">= 0" doc:"libsvm: number of inputs, if higher than the largest index present"`
	Task     string `toml:"task" want:"|regression|binary|multiclass|none" doc:"what the target is: numbers, labels 1 and -1, labels of several classes in the order of their numbers, or unused; if left out, what the loss takes"`

	Coding string `toml:"coding" want:"|zero-one|signs" doc:"multiclass: what the target of a row is in the columns of other classes. zero-one, the default: 0. signs: -1, so that a loss for binary targets learns each class against the rest"`

	Stream bool `toml:"stream" doc:"all rows, those of the training files and then those of the test files, are one stream of examples, and there is no test set; order says in which order methods see them. For methods that predict a row before they learn from it"`

	Train    int     `toml:"train" want:">= 0" doc:"number of training rows, a fixed random subset or with order = \"file\" the first; all if left out"`
	Test     int     `toml:"test" want:">= 0" doc:"number of test rows, chosen in the same way; all if left out"`
	Rows     []int   `toml:"rows" doc:"[first, last] training rows to use, from 1, before anything else; of a stream, rows of all its files"`
	TestRows []int   `toml:"test_rows" not:"test_file" doc:"[first, last] rows of the training file that are the test set, from 1"`
	TestPart float64 `toml:"test_part" want:">= 0" doc:"random part of the training file's rows that is the test set"`
	Classes  []int   `toml:"classes" doc:"keep only the rows of these classes; of two, the first becomes 1 and the second -1 in a binary task"`
	Seed     uint64  `toml:"seed" doc:"seed of choices that are the same in every run: test_part, holdout, random subsets, virtual examples, and which of the splits published with the data"`
	Resample bool    `toml:"resample" doc:"make those choices anew for every seed of the repetitions, so that their spread is part of the interval over seeds"`
	Holdout  float64 `toml:"holdout" not:"test_file test_rows" want:">= 0" doc:"replace the test set by this random part of the training rows, to choose settings without the test set"`

	Starts int `toml:"starts" want:">= 0" most:"1e6 each is a search of its own" doc:"adversary: number of random points from which it searches every example"`

	Search string `toml:"search" want:"|signs|joint" doc:"adversary: how it searches an example. signs, the default: x from random points of [-1, 1]^d, once for y = -1 and once for y = 1. joint: x and y together from random points of [0, 1]^(d+1), as the released code of jezequel2019 does"`

	Inputs int `toml:"inputs" want:">= 0" doc:"generated data that has a form in any dimension: number of inputs; its paper's if left out"`
	// Outputs is the number of targets of generated data that has a form with any number of them; 0 for its own.
	Outputs int `toml:"outputs" want:">= 0" doc:"generated data that has a form with any number of targets: their number; its paper's if left out"`

	Capacity   float64 `toml:"capacity" want:">= 0" doc:"capacity: exponent α of the effective dimension, 0 < α <= 1, as that of the kernel periodic-sobolev"`
	Regularity float64 `toml:"regularity" want:">= 0" most:"10 higher frequencies would vanish in rounding" doc:"capacity: exponent r of the source condition f_H = L^r g; 1/2 for a function f_H in the kernel's space"`

	Order        string     `toml:"order" want:"|shuffled|file" doc:"order examples are visited in: reshuffled every epoch (the default) or as they stand in the file"`
	Scale        Scale      `toml:"scale" doc:"scaling of the inputs: a word, or a table with it as rule"`
	ScaleRange   [2]float64 `toml:"scale_range" doc:"minmax: range of the scaled inputs, [0, 1] if left out"`
	PCA          int        `toml:"pca" want:">= 0" doc:"number of principal components that the scaled inputs are projected on, fitted on training rows only; 0 for the inputs themselves"`
	PCAUncentred bool       `toml:"pca_uncentred" doc:"principal components about zero, not about the mean"`
	PCARows      int        `toml:"pca_rows" want:">= 0" doc:"find the principal components with this many random training rows; all if left out"`
	InMemory     bool       `toml:"in_memory" doc:"keep rows that are made or read on demand in memory after scaling, so that the time of a step does not include making them"`

	TargetScale string     `toml:"target_scale" want:"|none|zscore|minmax" doc:"scaling of a real target, fitted on training rows only"`
	TargetRange [2]float64 `toml:"target_range" doc:"minmax of the target: range of the scaled targets, [0, 1] if left out"`
}

// A Scale is what the inputs are scaled by: in a spec a word, or a table with it.
type Scale struct {
	Rule string `toml:"rule" want:"|none|zscore|minmax|unit-norm" short:"yes" doc:"zscore and minmax are fitted on training rows only, unit-norm divides a row by its Euclidean norm"`
}

// none reports whether the inputs stay as they are.
func (s Scale) none() bool { return s.Rule == "" || s.Rule == "none" }

// An OptionError is a value of the [data] table that cannot be used.
type OptionError struct {
	Key  string // "data.train"
	Text string
}

func (e *OptionError) Error() string { return e.Key + ": " + e.Text }

// wrong returns an *OptionError for the option key if bad is set.
func wrong(bad bool, key, format string, args ...any) error {
	if !bad {
		return nil
	}
	return optionErrorf(key, format, args...)
}

// unset returns an *OptionError for the first of the options, keys in one string, that is not left out.
func (o Options) unset(keys, format string, args ...any) error {
	table := reflect.ValueOf(o)
	for key := range strings.FieldsSeq(keys) {
		for i := range table.NumField() {
			v := table.Field(i)
			if !v.IsZero() && table.Type().Field(i).Tag.Get("toml") == key && (v.Kind() != reflect.Slice || v.Len() > 0) {
				return optionErrorf(key, format, args...)
			}
		}
	}
	return nil
}

func optionErrorf(key, format string, args ...any) error {
	return &OptionError{"data." + key, fmt.Sprintf(format, args...)}
}

const (
	taskBinary     = "binary"
	taskMulticlass = "multiclass"
	taskNone       = "none"
	taskRegression = "regression"

	codingSigns = "signs"
)

// Check returns an *OptionError if o contradicts itself or names an unknown source. It looks at no file, and not at the words and bounds
// that the tags of o state.
func (o Options) Check() error {
	checks := []func() error{o.checkOrigin, o.checkSearch, o.checkExponents, o.checkStream, o.checkRows, o.checkClasses, o.checkScale}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Joint reports whether an adversary searches x and y together.
func (o Options) Joint() bool { return o.Search == "joint" }

// checkSearch checks that only an adversary is told how to search.
func (o Options) checkSearch() error {
	if s, _ := lookup(o.Name); s != nil && s.Adversarial() {
		return nil
	}
	return o.unset("starts search", "it belongs to data that an adversary chooses: remove it")
}

// checkExponents checks the exponents of data that is made with given ones, and that no other data has them.
func (o Options) checkExponents() error {
	s, _ := lookup(o.Name)
	takes := s != nil && s.Generated() && s.Generate.Of != nil
	for _, e := range []struct {
		key         string
		value, most float64
		example     string
	}{{"capacity", o.Capacity, 1, "0.5"}, {"regularity", o.Regularity, 10, "0.5"}} {
		switch {
		case !takes && e.value != 0:
			return optionErrorf(e.key, "it belongs to data that is made with given exponents, such as capacity: remove it")
		case takes && e.value == 0:
			return optionErrorf(e.key, "missing: %s needs a number > 0 and <= %v, such as %s", o.Name, e.most, e.example)
		case takes && !(e.value > 0 && e.value <= e.most):
			return optionErrorf(e.key, "it must be > 0 and <= %v, got %v", e.most, e.value)
		}
	}
	return nil
}

// checkOrigin checks where the data comes from.
func (o Options) checkOrigin() error {
	switch {
	case o.Name == "" && o.File == "":
		return optionErrorf("name", "no data: set name (one of %s) or file", strings.Join(Names(), ", "))
	case o.Name != "" && o.File != "":
		return optionErrorf("file", "name = %q and file = %q contradict each other: keep one", o.Name, o.File)
	case o.File != "":
		return o.checkFile()
	}
	source, err := lookup(o.Name)
	if err != nil {
		return optionErrorf("name", "%v", err)
	}
	err = o.unset("test_file format target header columns", "it belongs to file, and %s is a registered data set: remove it", o.Name)
	switch {
	case err != nil:
		return err
	case source.Generate != nil:
		return o.checkGenerated(source)
	case source.Copies != nil:
		return o.unset("rows test_rows test_part classes stream",
			"the rows of %s are made when they are used and have a test set of their own: remove it", o.Name)
	}
	return wrong(!source.tested() && o.ownTest(), "name",
		"%s has no test set of its own: set test_rows, test_part or holdout, or stream = true to use all rows without one", o.Name)
}

func (o Options) checkFile() error {
	format, err := formatOf(o.File, o.Format)
	if err != nil {
		return err
	}
	other, err := format, error(nil)
	if o.TestFile != "" {
		other, err = formatOf(o.TestFile, o.Format)
	}
	column, notNumber := strconv.Atoi(o.Target)
	return cmp.Or(
		wrong(o.Header && format != "csv", "header", "a %s file has no header: remove it", format),
		wrong(o.Columns > 0 && format != "libsvm", "columns", "it belongs to libsvm files, this one is %s: remove it", format),
		wrong(o.Target != "" && format == "libsvm", "target", "the target of a libsvm file is the first word of each line: remove it"),
		wrong(o.TestFile == "" && o.ownTest(), "file",
			"%s has no test set: set test_file, test_rows, test_part or holdout, or stream = true to use all rows without one", o.File),
		wrong(o.Target != "" && !o.Header && (notNumber != nil || column < 1), "target",
			"%q is not a column number from 1; to name a column of a csv file set header = true", o.Target),
		err,
		wrong(other != format, "test_file", "it is %s and file is %s: use one format for both", other, format),
	)
}

func (o Options) checkGenerated(s *Source) error {
	if s.Adversarial() {
		if err := o.checkAdversary(); err != nil {
			return err
		}
	}
	return cmp.Or(
		wrong(o.Inputs > 0 && s.Generate.In == nil, "inputs", "%s has %d inputs and no form in other dimensions: remove it", o.Name, s.Dims),
		wrong(o.Outputs > 0 && s.Generate.Out == nil, "outputs", "%s has %d targets and no form with others: remove it", o.Name, max(s.Generate.Outputs, 1)),
		wrong(!s.suits(o.Task), "task", "the target of %s is %s, not %s: choose a loss for it, or other data", o.Name, s.Task, o.Task),
		o.unset("test_rows test_part", "%s is generated and draws its own test rows: set test to their number", o.Name),
		o.unset("classes", "%s has a real target: remove it", o.Name),
		wrong(!o.Scale.none(), "scale", "%s is generated in the units of its paper: remove it", o.Name),
		o.unset("resample", "%s is generated anew for every seed already: remove it", o.Name),
		o.unset("pca", "%s is generated in the units of its paper: remove it", o.Name),
		wrong(o.TargetScale != "" && o.TargetScale != "none", "target_scale", "%s is generated in the units of its paper: remove it", o.Name),
	)
}

// checkAdversary checks the options of rows that are chosen while a method learns.
func (o Options) checkAdversary() error {
	return cmp.Or(
		wrong(!o.Stream, "stream", "%s chooses one example after another against the method that learns them: set stream = true", o.Name),
		wrong(o.Starts == 0, "starts", "missing: the number of random points from which %s searches every example, such as 4", o.Name),
		o.unset("rows", "%s chooses its examples in turn: set train to their number", o.Name),
		o.unset("in_memory", "%s chooses its examples in turn: remove it", o.Name),
	)
}

// Fitted reports whether a scaling of inputs or targets is fitted on the training rows.
func (o Options) Fitted() bool {
	return isAffine(o.Scale.Rule) || isAffine(o.TargetScale) || o.PCA > 0
}

// checkRows checks which rows are used.
func (o Options) checkRows() error {
	if s, _ := lookup(o.Name); s == nil || !s.Generated() {
		if err := o.unset("inputs outputs", "it belongs to generated data: remove it"); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		key  string
		rows []int
	}{{"rows", o.Rows}, {"test_rows", o.TestRows}} {
		if len(r.rows) > 0 && (len(r.rows) != 2 || r.rows[0] < 1 || r.rows[1] < r.rows[0]) {
			return optionErrorf(r.key, "%v is not [first, last] with 1 <= first <= last", r.rows)
		}
	}
	if len(o.Rows) > 0 && len(o.TestRows) > 0 && o.Rows[0] <= o.TestRows[1] && o.TestRows[0] <= o.Rows[1] {
		return optionErrorf("test_rows", "%v overlaps rows = %v: training and test rows must differ", o.TestRows, o.Rows)
	}
	for _, f := range []struct {
		key   string
		value float64
	}{{"holdout", o.Holdout}, {"test_part", o.TestPart}} {
		if !(f.value >= 0 && f.value < 1) {
			return optionErrorf(f.key, "it must be a fraction between 0 and 1, got %v", f.value)
		}
	}
	return cmp.Or(
		wrong(o.TestFile != "" && len(o.TestRows) > 0, "test_rows", "it and test_file contradict each other: keep one"),
		wrong(o.TestPart > 0 && o.TestFile != "", "test_part", "it and test_file contradict each other: keep one"),
		wrong(o.TestPart > 0 && len(o.TestRows) > 0, "test_part", "it and test_rows contradict each other: keep one"),
		wrong(o.Resample && !o.chooses(), "resample", "no rows are chosen at random: set train, test, test_part or holdout, or remove it"),
	)
}

// checkStream checks that a stream is not asked for a test set.
func (o Options) checkStream() error {
	if !o.Stream {
		return nil
	}
	for _, key := range []string{"test", "test_rows", "test_part", "holdout"} {
		if err := o.unset(key, "it makes a test set, and with stream = true all rows are one stream of examples: remove %s or stream", key); err != nil {
			return err
		}
	}
	return nil
}

// chooses says whether data.seed chooses rows.
func (o Options) chooses() bool {
	s, _ := Describe(o.Name)
	return o.published(s.Splits) || o.TestPart > 0 || o.Holdout > 0 || o.Order != "file" && o.Train+o.Test > 0
}

// checkClasses checks which classes are used.
func (o Options) checkClasses() error {
	source, _ := Describe(o.Name) // a file of the user's own has no entry
	numbered := source.Task == taskMulticlass && len(o.Classes) == 0
	switch {
	case numbered && o.Task == taskBinary:
		return optionErrorf("classes", "%s has %d classes and the task is binary: name the two to compare, as in classes = [8, 6]", o.Name, len(source.Counts[0]))
	case numbered && o.Task == taskRegression:
		return optionErrorf("task", "the targets of %s are classes: set task = \"multiclass\", or binary and two classes", o.Name)
	case len(o.Classes) == 0:
		return nil
	case len(o.Classes) == 1:
		return optionErrorf("classes", "one class cannot be told from another: name two or more")
	case o.Task == taskBinary && len(o.Classes) != 2:
		return optionErrorf("classes", "a binary task is about two classes, %v are %d", o.Classes, len(o.Classes))
	}
	for i, c := range o.Classes {
		if slices.Contains(o.Classes[:i], c) {
			return optionErrorf("classes", "%d is listed twice: remove one", c)
		}
		if numbered := source.Counts[0]; numbered != nil && (c < 0 || c >= len(numbered)) {
			return optionErrorf("classes", "%s has no class %d: they are 0 to %d", o.Name, c, len(numbered)-1)
		}
	}
	return nil
}

func (o Options) checkScale() error {
	outputs := 1
	if s, _ := lookup(o.Name); s != nil {
		outputs = s.Outputs
	}
	return cmp.Or(
		wrong(o.ScaleRange != [2]float64{} && o.Scale.Rule != "minmax", "scale_range", "it belongs to scale = \"minmax\": set that or remove it"),
		wrong(o.ScaleRange != [2]float64{} && !(o.ScaleRange[0] < o.ScaleRange[1]), "scale_range", "%v is not [low, high] with low < high", o.ScaleRange),
		wrong(o.TargetRange != [2]float64{} && o.TargetScale != "minmax", "target_range", "it belongs to target_scale = \"minmax\": set that or remove it"),
		wrong(o.TargetRange != [2]float64{} && !(o.TargetRange[0] < o.TargetRange[1]), "target_range", "%v is not [low, high] with low < high", o.TargetRange),
		wrong(o.Task == taskBinary && o.TargetScale != "" && o.TargetScale != "none", "target_scale", "a binary target is 1 or -1 already: remove it"),
		wrong(o.Task == taskMulticlass && o.TargetScale != "" && o.TargetScale != "none", "target_scale", "a multiclass target is 1 or 0 for every class already: remove it"),
		wrong(outputs > 1 && o.TargetScale != "" && o.TargetScale != "none", "target_scale", "%s has %d targets a row, which would each have a unit of its own: scale them in the file", o.Name, outputs),
		wrong(o.Coding != "" && o.Task != taskMulticlass, "coding", "it belongs to task = \"multiclass\": set that or remove it"),
		wrong(o.PCA == 0 && o.PCAUncentred, "pca_uncentred", "it belongs to pca: set that to the number of components or remove it"),
		wrong(o.PCA == 0 && o.PCARows > 0, "pca_rows", "it belongs to pca: set that to the number of components or remove it"),
		wrong(o.PCA > o.PCARows && o.PCARows > 0, "pca_rows", "%d rows have at most that many components, not %d: use more", o.PCARows, o.PCA),
	)
}

// formatOf returns the format of the user's file path, stated being the option of that name.
func formatOf(path, stated string) (string, error) {
	if stated != "" {
		return stated, nil
	}
	switch ext := strings.ToLower(filepath.Ext(trimCompression(path))); ext {
	case ".csv":
		return "csv", nil
	case ".libsvm", ".svm", ".svmlight":
		return "libsvm", nil
	case ".npy":
		return "npy", nil
	}
	return "", optionErrorf("format", "the name %s has no known ending: set csv, libsvm or npy", filepath.Base(path))
}

var compressions = []string{".gz", ".bz2", ".xz", ".zst"}

// trimCompression removes the ending of a compressed file's name.
func trimCompression(name string) string {
	for _, ext := range compressions {
		if s, ok := strings.CutSuffix(name, ext); ok && s != "" {
			return s
		}
	}
	return name
}
