package imports

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repro/datasets/regular"
)

// A column is what the first rows of a file have in it.
type column struct {
	name    string
	numbers bool // all that is there
	comma   bool // some have a decimal comma
	whole   bool // the numbers
	varies  bool
	largest float64
	texts   []string // some that differ, in order
}

// sampled bounds the rows that are looked at, and the texts of a column that are kept.
const sampled = 1000

// mlflowLine matches a line of the files that MLflow keeps metrics in.
var mlflowLine = regexp.MustCompile(`^\d{9,} \S+( -?\d+)?\r?(\n|$)`)

// Propose returns options that may fit some files of one kind, and the columns, or words for them, that may be metrics. It looks at
// the first rows of the first file.
func Propose(paths []string) (o Options, metrics []string, err error) {
	o.File = filepath.ToSlash(alike(paths))
	f, err := regular.Open(paths[0])
	if err != nil {
		return o, nil, err
	}
	defer f.Close()
	start := make([]byte, 100)
	n, _ := io.ReadFull(f, start)
	if mlflowLine.Match(start[:n]) {
		o.Format = "mlflow"
	}
	in, err := open(io.MultiReader(bytes.NewReader(start[:n]), f), paths[0], o.Format)
	if err != nil {
		return o, nil, err
	}
	columns, err := in.sample()
	if err != nil {
		return o, nil, err
	}
	for _, p := range presets {
		if o.Format == "" && p.is(in.columns) {
			o.Format = p.name
		}
	}
	if o.Format == "" {
		o.name(columns)
	}
	if slices.ContainsFunc(columns, func(c column) bool { return c.comma }) {
		o.Decimal = comma
	}
	return o, o.metricsOf(columns, paths), nil
}

// alike returns the path, or the pattern of several that differ in one place.
func alike(paths []string) string {
	first := paths[0]
	if len(paths) == 1 {
		return first
	}
	head, tail := len(first), len(first)
	for _, p := range paths[1:] {
		n := 0
		for n < min(head, len(p)) && p[n] == first[n] {
			n++
		}
		head = n
		n = 0
		for n < min(tail, len(p)) && p[len(p)-1-n] == first[len(first)-1-n] {
			n++
		}
		tail = n
	}
	for _, p := range paths {
		tail = min(tail, len(p)-head-1)
	}
	return first[:head] + methodPart + first[len(first)-max(tail, 0):]
}

// sample looks at the first rows.
func (t *table) sample() (columns []column, err error) {
	for range sampled {
		if err := t.read(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		for i := range t.columns {
			if i == len(columns) {
				columns = append(columns, column{name: t.columns[i], numbers: true, whole: true})
			}
			columns[i].take(t, i)
		}
	}
	for i := range columns {
		columns[i].numbers = columns[i].numbers && len(columns[i].texts) > 0
	}
	return columns, nil
}

func (c *column) take(t *table, i int) {
	v, ok, err := t.number(i, "")
	if err != nil {
		if v, ok, err = t.number(i, comma); err == nil {
			c.comma = true
		}
	}
	if err == nil && !ok {
		return
	}
	text := strings.Clone(t.text(i))
	if err != nil {
		c.numbers = false
	} else {
		c.whole = c.whole && v == math.Trunc(v)
		c.largest = max(c.largest, math.Abs(v))
	}
	if !slices.Contains(c.texts, text) && len(c.texts) < mostMetrics {
		c.varies = c.varies || len(c.texts) > 0
		c.texts = append(c.texts, text)
	}
}

// names are what people call columns, in the order of preference.
var names = struct{ method, seed, step, epoch, seconds, metric, value []string }{
	method:  []string{"method", "algorithm", "algo", "optimizer", "optimiser", "solver", "model", "agent", "variant", "config", "run_name", "run", "name", "experiment"},
	seed:    []string{"seed", "random_seed", "rep", "repetition", "replicate", "trial", "fold", "run_id", "run"},
	step:    []string{"step", "steps", "global_step", "iteration", "iterations", "iter", "iters", "n_iter", "t", "k", "evaluation", "evaluations", "evals", "nfev", "episode", "timesteps"},
	epoch:   []string{"epoch", "epochs"},
	seconds: []string{"seconds", "time", "elapsed", "wall_time", "walltime", "runtime", "duration", "timestamp", "time_s", "cpu_time"},
	metric:  []string{"metric", "metric_name", "key", "tag", "measure", "quantity", "variable"},
	value:   []string{"value", "val"},
}

// A roll is the columns of a file of nobody's format, which get their parts by their names.
type roll struct {
	columns []column
	taken   []string
}

// pick takes the first column that has one of some names, best the first, and is of a kind. It returns nil if there is none.
func (r *roll) pick(names []string, is func(c column) bool) *column {
	for _, name := range names {
		i := slices.IndexFunc(r.columns, func(c column) bool {
			return len(c.texts) > 0 && is(c) && !slices.Contains(r.taken, c.name) && strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(c.name)) == name
		})
		if i >= 0 {
			r.taken = append(r.taken, r.columns[i].name)
			return &r.columns[i]
		}
	}
	return nil
}

// set picks a column for an option.
func (r *roll) set(to *string, names []string, is func(c column) bool) {
	if c := r.pick(names, is); c != nil {
		*to = c.name
	}
}

func isText(c column) bool   { return !c.numbers }
func isNumber(c column) bool { return c.numbers }

// name gives columns their parts by their names.
func (o *Options) name(columns []column) {
	r := &roll{columns: columns}
	if c := r.pick(names.metric, isText); c != nil {
		if v := r.pick(names.value, isNumber); v != nil {
			o.Metric, o.Value = c.name, v.name
		}
	}
	if !o.tells(methodPart, "") {
		if r.set(&o.Method, names.method, isText); o.Method == "" {
			r.set(&o.Method, names.method[:5], isNumber) // such as sizes
		}
	}
	r.set(&o.Seed, names.seed, func(column) bool { return true })
	r.set(&o.Step, names.step, func(c column) bool { return c.numbers && c.whole })
	r.set(&o.Epoch, names.epoch, isNumber)
	if c := r.pick(names.seconds, isNumber); c != nil && c.largest > 1e9 {
		o.Clock = c.name
	} else if c != nil {
		o.Seconds = c.name
	}
	for _, c := range columns {
		if !o.tells(methodPart, o.Method) && !slices.Contains(r.taken, c.name) && isText(c) && c.varies && len(c.texts) < mostMetrics {
			o.Method = c.name
		}
	}
}

// metricsOf lists what may be metrics.
func (o *Options) metricsOf(columns []column, paths []string) (metrics []string) {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	f := o.Filled(all)
	switch {
	case f.Columns != "":
		p, _ := newPattern(f.Columns, ".")
		for _, name := range all {
			if b, ok := p.match(name); ok && !ranged(name) {
				metrics = append(metrics, b.metric)
			}
		}
	case f.Metric != "":
		metrics = columns[slices.Index(all, f.Metric)].texts
	case f.Value != "" && f.tells(metricPart, ""):
		p, _ := newPattern(f.File, ".")
		for _, path := range paths {
			b, _ := p.match(filepath.ToSlash(path))
			metrics = append(metrics, b.metric)
		}
	case f.Value != "":
		metrics = []string{strings.ToLower(f.Value)}
	default:
		used := []string{f.Method, f.Seed, f.Step, f.Epoch, f.Seconds, f.Clock, "_timestamp", ""}
		for _, c := range columns {
			if c.numbers && c.varies && !slices.Contains(used, c.name) && (o.Format != "benchopt" || strings.HasPrefix(c.name, "objective_")) {
				metrics = append(metrics, c.name)
			}
		}
	}
	slices.Sort(metrics)
	metrics = slices.Compact(metrics)
	return metrics[:min(len(metrics), mostMetrics)]
}
