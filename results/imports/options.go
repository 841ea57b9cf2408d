// Package imports reads curves that other programs wrote: tables in CSV or JSON lines with a row a point, or a column a curve, and
// the exports of experiment trackers. It holds the points that it keeps, never the file.
package imports

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// Options say where curves are and which columns hold what: the keys of [curves].
type Options struct {
	File     string            `toml:"file" must:"yes" doc:"file of the curves, relative to the spec; {method}, {seed} and {metric} stand for parts of the names of several files, as in \"runs/{method}-{seed}.csv\""`
	Format   string            `toml:"format" want:"|csv|json-lines|mlflow|wandb|tensorboard|benchopt|iohanalyzer|stable-baselines" doc:"format of the file, or the program that exported it, which sets the keys below; csv if left out"`
	Method   string            `toml:"method" doc:"column that names the method"`
	Seed     string            `toml:"seed" doc:"column with the seed, or the number of the repetition"`
	Abscissa string            `toml:"abscissa" not:"step epoch seconds clock" doc:"column with the discretisation parameter of a mesh study, such as h, N, ndofs, dt or tol: the rows of a curve are its meshes, and are read from coarse to fine. Names that are not known need an [[abscissa]]"`
	Step     string            `toml:"step" doc:"column with the step: whole numbers, such as iterations or evaluations; if left out, the rows are counted from 1"`
	Epoch    string            `toml:"epoch" doc:"column with the epochs so far"`
	Seconds  string            `toml:"seconds" doc:"column with the seconds of training so far"`
	Clock    string            `toml:"clock" not:"seconds" doc:"column with the time of day in seconds or milliseconds since 1970; seconds count from the first row of a curve"`
	Metric   string            `toml:"metric" needs:"value" doc:"column that names the metric, in a table with one number a row"`
	Value    string            `toml:"value" doc:"column with the number, if its name is not that of a metric"`
	Columns  string            `toml:"columns" not:"method value" doc:"pattern of the names of columns that hold a curve each, such as \"{method} - {metric}\""`
	Where    map[string]string `toml:"where" doc:"columns and the text that rows to be read have there, such as { dataset = \"a9a\" }"`
	Names    string            `toml:"names" needs:"method format" not:"seed" doc:"pattern of what the method column holds, if that is more than the method, such as \"{method}-seed{seed}\""`
	Decimal  string            `toml:"decimal" want:"|point|comma" doc:"decimal mark of the numbers where that is not plain; the other of the two separates thousands. If left out, a point"`
	Every    int               `toml:"every" want:">= 0" most:"1e9 a file has fewer rows" doc:"read each so many values of a metric of a curve, beginning with the first, and the last; all if left out"`
	Twice    string            `toml:"twice" want:"|last" doc:"\"last\" reads the last of the values that a curve has at one x and, where x goes back, those from there on, as of a run that was resumed; an error if left out"`
	Seeds    []string          `toml:"seeds" doc:"what the seed column holds for each seed of [repeat], in order; the seed itself if left out"`

	Mesh records.Abscissa `toml:"-"` // what the column of x is declared to be; what its name means if it is empty
}

// Axis returns the discretisation parameter in the column of abscissa, step or epoch. ok is false if it is none.
func (o *Options) Axis() (mesh records.Abscissa, ok bool) {
	if o.Mesh.Name != "" {
		return o.Mesh, true
	}
	return records.MeshOf(cmp.Or(o.Abscissa, o.Step, o.Epoch))
}

// falls reports whether x gets smaller along the curves.
func (o *Options) falls() bool {
	mesh, ok := o.Axis()
	return ok && mesh.Finer == records.FinerSmaller
}

// A Wanted is a metric and the column, or the word in a column, that it has in the file.
type Wanted struct{ Name, Column string }

// The keys that name a column; the first three are also parts of patterns.
const (
	methodKey = iota
	seedKey
	metricKey
	abscissaKey
	stepKey
	epochKey
	secondsKey
	clockKey
	valueKey
)

// keyNames are these keys.
var keyNames = [...]string{"method", "seed", "metric", "abscissa", "step", "epoch", "seconds", "clock", "value"}

// keys returns what the keys that name a column hold.
func (o *Options) keys() [len(keyNames)]*string {
	return [...]*string{&o.Method, &o.Seed, &o.Metric, &o.Abscissa, &o.Step, &o.Epoch, &o.Seconds, &o.Clock, &o.Value}
}

// parts are the parts of a name that a pattern can have.
var parts = []string{methodKey: "{method}", seedKey: "{seed}", metricKey: "{metric}"}

// A binding is what the name of a file or of a column says: a method, a seed and a metric.
type binding [metricKey + 1]string

// A pattern matches names with parts. Longer text goes to the first part.
type pattern struct {
	expression *regexp.Regexp
	parts      []int
}

// unit matches a part.
var unit = regexp.MustCompile(`\{[A-Za-z]*\}`)

// newPattern compiles a pattern, or says what is wrong with it. What a part matches consists of some characters of a class.
func newPattern(text, class string) (p pattern, wrong string) {
	var b strings.Builder
	last := 0
	for _, at := range unit.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		part := slices.Index(parts, word)
		if part < 0 {
			return p, fmt.Sprintf("has an unknown part %s; use %s", word, strings.Join(parts, ", "))
		}
		if slices.Contains(p.parts, part) {
			return p, fmt.Sprintf("has %s twice; write it once", word)
		}
		p.parts = append(p.parts, part)
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]) + "(" + class + "+)")
		last = at[1]
	}
	var err error
	if p.expression, err = regexp.Compile("^" + b.String() + regexp.QuoteMeta(text[last:]) + "$"); err != nil {
		return p, "cannot be a pattern, because it is not UTF-8; rename the file or its folder"
	}
	return p, ""
}

// match returns what a name says.
func (p pattern) match(name string) (b binding, ok bool) {
	found := p.expression.FindStringSubmatch(name)
	if found == nil {
		return b, false
	}
	for i, part := range p.parts {
		b[part] = found[i+1]
	}
	return b, true
}

// mostFiles bounds the number of files of a pattern or a folder.
const mostFiles = 10_000

// Files lists the files of the curves of some methods in a folder, in order; of all methods if methods is nil.
func (o *Options) Files(dir string, methods []string) ([]string, error) {
	files, _, err := o.files(dir, methods)
	return files, err
}

func (o *Options) files(dir string, methods []string) (files []string, bound []binding, err error) {
	name := filepath.FromSlash(o.File)
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if !unit.MatchString(o.File) {
		return []string{name}, []binding{{}}, nil
	}
	p, wrong := newPattern(filepath.ToSlash(name), "[^/]")
	if wrong != "" {
		return nil, nil, fmt.Errorf("curves.file: %s", wrong)
	}
	found, err := filepath.Glob(unit.ReplaceAllString(literal.ReplaceAllString(name, `\$0`), "*"))
	if err != nil {
		return nil, nil, fmt.Errorf("curves.file: %w", err)
	}
	var others []string
	for _, f := range found {
		b, ok := p.match(filepath.ToSlash(f))
		switch {
		case ok && (methods == nil || b[methodKey] == "" || slices.Contains(methods, b[methodKey])):
			files, bound = append(files, f), append(bound, b)
		case ok:
			others = append(others, b[methodKey])
		}
	}
	switch {
	case len(files) == 0 && len(others) > 0:
		return nil, nil, fmt.Errorf("curves.file: no file like %s has the name of a method of the spec, as its curve or id; they are named %s", printed.Quote(name), printed.Names(slices.Compact(others), few))
	case len(files) == 0:
		return nil, nil, fmt.Errorf("curves.file: no file is named like %s; correct the pattern", printed.Quote(name))
	case len(files) > mostFiles:
		return nil, nil, fmt.Errorf("curves.file: %d files are named like %s, of which %d can be read; write a narrower pattern", len(files), printed.Quote(name), mostFiles)
	}
	return files, bound, nil
}

// few is how many names a message lists.
const few = 12

// literal matches what means something else in a glob.
var literal = regexp.MustCompile(`[*?\[\\]`)

// tells reports whether a column, or a pattern of the options, tells a part of the curves apart.
func (o *Options) tells(part int) bool {
	return *o.keys()[part] != "" || strings.Contains(o.File+o.Columns+o.Names, parts[part])
}

// TellsMethods reports whether the file tells methods apart.
func (o *Options) TellsMethods() bool { f := o.Filled(nil); return f.tells(methodKey) }

// TellsSeeds reports whether the file tells seeds apart.
func (o *Options) TellsSeeds() bool { f := o.Filled(nil); return f.tells(seedKey) }

// onAxis reports whether a key places the points on an axis. If none does, rows are counted.
func (o *Options) onAxis() bool { return o.Abscissa+o.Step+o.Epoch+o.Seconds+o.Clock != "" }

// A preset is the columns of a program's export.
type preset struct {
	name  string
	is    func(columns []string) bool // whether they are those of the export
	fills Options
}

// presets are the exports that are known. docs/curves.md says where each was seen.
var presets = []preset{
	{"tensorboard", all("Wall time", "Step", "Value"), Options{Step: "Step", Clock: "Wall time", Value: "Value"}},
	{"benchopt", all("solver_name", "stop_val"), Options{Method: "solver_name", Seed: "idx_rep", Seconds: "time"}},
	{"iohanalyzer", all("algId", "runtime", "run", "f(x)"), Options{Method: "algId", Seed: "run", Step: "runtime"}},
	{"iohanalyzer", all("ID", "runtime", "run", "f(x)"), Options{Method: "ID", Seed: "run", Step: "runtime"}},
	{"wandb", panel, Options{Step: "Step", Columns: "{method} - {metric}"}},
	{"wandb", all("_step", "_runtime"), Options{Step: "_step", Seconds: "_runtime"}},
	{"wandb", all("_step"), Options{Step: "_step"}},
	{"mlflow", all("run_id", "key", "value", "step", "timestamp"), Options{Method: "run_id", Metric: "key", Value: "value", Step: "step", Clock: "timestamp"}},
	{"mlflow", all(mlflowColumns...), Options{Step: "step", Clock: "timestamp", Value: "value"}},
	{"stable-baselines", func(columns []string) bool {
		return len(columns) >= 3 && slices.Equal(columns[:3], []string{"r", "l", "t"})
	}, Options{Seconds: "t"}},
}

func all(names ...string) func(columns []string) bool {
	return func(columns []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns, name) })
	}
}

// panel recognises the columns of a panel of W&B: that of x, and then those of the runs, with ranges or under the step.
func panel(columns []string) bool {
	curve := func(c string) bool { return strings.Contains(c, " - ") }
	return slices.ContainsFunc(columns, curve) && !curve(columns[0]) && (columns[0] == "Step" || slices.ContainsFunc(columns, ranged))
}

// besides reports whether a column of a panel has no curve: the end of the range that W&B draws around one, or the step.
func besides(column string) bool { return ranged(column) || strings.HasSuffix(column, " - _step") }

func ranged(column string) bool {
	return strings.HasSuffix(column, "__MIN") || strings.HasSuffix(column, "__MAX")
}

// mlflowColumns are those of the files that MLflow keeps a metric in, which have no header.
var mlflowColumns = []string{"timestamp", "value", "step"}

// Filled returns the options with the columns that the format sets and the keys leave out. Of formats with several layouts, the
// columns of the file choose one; nil chooses the first. A key of x takes the place of all those of the format.
func (o *Options) Filled(columns []string) Options {
	f := *o
	for _, p := range presets {
		if p.name != o.Format || columns != nil && !p.is(columns) {
			continue
		}
		if o.Columns == "" && o.Value == "" && o.Method == "" {
			f.Columns = p.fills.Columns
		}
		for i, column := range p.fills.keys() {
			if given := i <= metricKey && f.tells(i) || i >= abscissaKey && i <= clockKey && o.onAxis(); !given {
				own := f.keys()[i]
				*own = cmp.Or(*own, *column)
			}
		}
		break
	}
	return f
}

// Check returns what is wrong with the options by themselves, and the key that it is about; empty if nothing is.
func (o *Options) Check() (key, wrong string) {
	if _, wrong := newPattern(o.File, "."); wrong != "" {
		return "file", wrong
	}
	p, wrong := newPattern(o.Columns, ".")
	if wrong == "" && o.Columns != "" && len(p.parts) == 0 {
		wrong = "has no part that differs between columns; write one such as \"{method} - {metric}\""
	}
	if wrong != "" {
		return "columns", wrong
	}
	if p, wrong := newPattern(o.Names, "."); wrong != "" {
		return "names", wrong
	} else if o.Names != "" && !slices.Contains(p.parts, methodKey) {
		return "names", "has no {method}; write one such as \"{method}-seed{seed}\""
	}
	if f := o.Filled(nil); f.tells(metricKey) && !f.onAxis() {
		return "step", "missing; rows of several metrics cannot be counted, so name the column of the steps, or one of epochs or seconds"
	}
	return "", ""
}
