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
)

// Options say where curves are and which columns hold what: the keys of [curves].
type Options struct {
	File    string            `toml:"file" must:"yes" doc:"file of the curves, relative to the spec; {method}, {seed} and {metric} stand for parts of the names of several files, as in \"runs/{method}-{seed}.csv\""`
	Format  string            `toml:"format" want:"|csv|json-lines|mlflow|wandb|tensorboard|benchopt|iohanalyzer" doc:"format of the file, or the program that exported it, which sets the keys below; csv if left out"`
	Method  string            `toml:"method" doc:"column that names the method"`
	Seed    string            `toml:"seed" doc:"column with the seed, or the number of the repetition"`
	Step    string            `toml:"step" doc:"column with the step: whole numbers, such as iterations or evaluations; if left out, the rows of a curve are counted from 1"`
	Epoch   string            `toml:"epoch" doc:"column with the epochs so far"`
	Seconds string            `toml:"seconds" doc:"column with the seconds of training so far"`
	Clock   string            `toml:"clock" not:"seconds" doc:"column with the time of day in seconds or milliseconds since 1970; seconds count from the first row of a curve"`
	Metric  string            `toml:"metric" needs:"value" doc:"column that names the metric, in a table with one number a row"`
	Value   string            `toml:"value" doc:"column with the number, if its name is not that of a metric"`
	Columns string            `toml:"columns" not:"method value" doc:"pattern of the names of columns that hold a curve each, such as \"{method} - {metric}\""`
	Where   map[string]string `toml:"where" doc:"columns and the text that rows to be read have there, such as { dataset = \"a9a\" }"`
	Decimal string            `toml:"decimal" want:"|point|comma" doc:"decimal mark of the numbers; a point if left out"`
	Every   int               `toml:"every" want:">= 0" most:"1e9 a file has fewer rows" doc:"read each so many rows of a curve, beginning with the first, and the last; if left out all, and of curves with more than 2000 rows those at about 2000 places"`
	Seeds   []string          `toml:"seeds" doc:"what the seed column holds for each seed of [repeat], in order; the seed itself if left out"`
}

// A Wanted is a metric and the column, or the word in a column, that it has in the file.
type Wanted struct{ Name, Column string }

// The parts of a name that a pattern can have.
const (
	methodPart = "{method}"
	seedPart   = "{seed}"
	metricPart = "{metric}"
)

var parts = []string{methodPart, seedPart, metricPart}

// A binding is what the name of a file or of a column says.
type binding struct{ method, seed, metric string }

// A pattern matches names with parts. Longer text goes to the first part.
type pattern struct {
	expression *regexp.Regexp
	parts      []string
}

// unit matches a part.
var unit = regexp.MustCompile(`\{[A-Za-z]*\}`)

// newPattern compiles a pattern, or says what is wrong with it. What a part matches consists of some characters of a class.
func newPattern(text, class string) (p pattern, wrong string) {
	var b strings.Builder
	last := 0
	for _, at := range unit.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		if !slices.Contains(parts, part) {
			return p, fmt.Sprintf("has an unknown part %s; use %s", part, strings.Join(parts, ", "))
		}
		if slices.Contains(p.parts, part) {
			return p, fmt.Sprintf("has %s twice; write it once", part)
		}
		p.parts = append(p.parts, part)
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]) + "(" + class + "+)")
		last = at[1]
	}
	p.expression = regexp.MustCompile("^" + b.String() + regexp.QuoteMeta(text[last:]) + "$")
	return p, ""
}

// match returns what a name says.
func (p pattern) match(name string) (b binding, ok bool) {
	found := p.expression.FindStringSubmatch(name)
	if found == nil {
		return b, false
	}
	for i, part := range p.parts {
		*map[string]*string{methodPart: &b.method, seedPart: &b.seed, metricPart: &b.metric}[part] = found[i+1]
	}
	return b, true
}

// mostFiles bounds the number of files of a pattern.
const mostFiles = 10_000

// Files lists the files of the curves in a folder, in order.
func (o *Options) Files(dir string) ([]string, error) {
	files, _, err := o.files(dir)
	return files, err
}

func (o *Options) files(dir string) (files []string, bound []binding, err error) {
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
	for _, f := range found {
		if b, ok := p.match(filepath.ToSlash(f)); ok {
			files, bound = append(files, f), append(bound, b)
		}
	}
	switch {
	case len(files) == 0:
		return nil, nil, fmt.Errorf("curves.file: no file is named like %s; correct the pattern", printed.Quote(name))
	case len(files) > mostFiles:
		return nil, nil, fmt.Errorf("curves.file: %d files are named like %s, of which %d can be read; write a narrower pattern", len(files), printed.Quote(name), mostFiles)
	}
	return files, bound, nil
}

// literal matches what means something else in a glob.
var literal = regexp.MustCompile(`[*?\[\\]`)

// tells reports whether a pattern of the options, or a column, tells a part of the curves apart.
func (o *Options) tells(part, column string) bool {
	return column != "" || strings.Contains(o.File+o.Columns, part)
}

// TellsMethods reports whether the file tells methods apart.
func (o *Options) TellsMethods() bool { f := o.Filled(nil); return f.tells(methodPart, f.Method) }

// TellsSeeds reports whether the file tells seeds apart.
func (o *Options) TellsSeeds() bool { f := o.Filled(nil); return f.tells(seedPart, f.Seed) }

// A preset is the columns of a program's export.
type preset struct {
	name  string
	is    func(columns []string) bool // whether they are those of the export
	fills Options
	also  map[string]string // another name that a column has in some versions
}

// presets are the exports that are known. docs/curves.md says where each was seen.
var presets = []preset{
	{name: "tensorboard", is: all("Wall time", "Step", "Value"), fills: Options{Step: "Step", Clock: "Wall time", Value: "Value"}},
	{name: "benchopt", is: all("solver_name", "stop_val"), fills: Options{Method: "solver_name", Seed: "idx_rep", Step: "stop_val", Seconds: "time"}},
	{name: "iohanalyzer", is: all("runtime", "run", "f(x)"), fills: Options{Method: "algId", Seed: "run", Step: "runtime"}, also: map[string]string{"algId": "ID"}},
	{name: "wandb", is: panel, fills: Options{Step: "Step", Columns: methodPart + " - " + metricPart}},
	{name: "wandb", is: all("_step"), fills: Options{Step: "_step", Seconds: "_runtime"}},
	{name: "mlflow", is: all("timestamp", "value", "step"), fills: Options{Step: "step", Clock: "timestamp", Value: "value"}},
}

func all(names ...string) func(columns []string) bool {
	return func(columns []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns, name) })
	}
}

// panel recognises the columns of a panel of W&B.
func panel(columns []string) bool {
	return slices.Contains(columns, "Step") && slices.ContainsFunc(columns, func(c string) bool { return strings.Contains(c, " - ") })
}

// ranged reports whether a column has an end of the range that W&B draws around a curve.
func ranged(column string) bool {
	return strings.HasSuffix(column, "__MIN") || strings.HasSuffix(column, "__MAX")
}

// mlflowColumns are those of the files that MLflow keeps a metric in, which have no header.
var mlflowColumns = []string{"timestamp", "value", "step"}

// Filled returns the options with the columns that the format sets and the keys leave out. Of formats with several layouts, the
// columns of the file choose one; nil chooses the first.
func (o *Options) Filled(columns []string) Options {
	f := *o
	for _, p := range presets {
		if p.name != o.Format || columns != nil && !p.is(columns) {
			continue
		}
		d := p.fills
		for column, other := range p.also {
			if slices.Contains(columns, other) && !slices.Contains(columns, column) && d.Method == column {
				d.Method = other
			}
		}
		if o.Columns != "" || o.Value != "" || o.Method != "" {
			d.Columns = ""
		}
		if d.Columns == "" && o.tells(methodPart, "") {
			d.Method = ""
		}
		if o.tells(seedPart, "") {
			d.Seed = ""
		}
		f.Method, f.Seed, f.Step, f.Epoch = cmp.Or(o.Method, d.Method), cmp.Or(o.Seed, d.Seed), cmp.Or(o.Step, d.Step), cmp.Or(o.Epoch, d.Epoch)
		f.Value, f.Columns = cmp.Or(o.Value, d.Value), cmp.Or(o.Columns, d.Columns)
		if o.Seconds == "" && o.Clock == "" {
			f.Seconds, f.Clock = d.Seconds, d.Clock
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
	if f := o.Filled(nil); f.tells(metricPart, f.Metric) && f.Step+f.Epoch+f.Seconds+f.Clock == "" {
		return "step", "missing; rows of several metrics cannot be counted, so name the column of the steps, or one of epochs or seconds"
	}
	return "", ""
}
