package imports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"repro/datasets/regular"
	"repro/results/printed"
)

// A column is what the first rows of a file have in it.
type column struct {
	name    string
	numbers bool // all that is there
	comma   bool // some have a decimal comma
	whole   bool // the numbers
	long    bool // some texts are no names
	varies  bool
	largest float64
	texts   []string // some that differ, in order
}

// sampled bounds the bytes of the rows that are looked at.
const sampled = 1 << 22

// mlflowLine matches a line of the files that MLflow keeps metrics in.
var mlflowLine = regexp.MustCompile(`^\d{9,} \S+( -?\d+)?\r?(\n|$)`)

// Propose returns options that may fit some files of one kind, the columns, or words for them, that may be metrics, and the methods
// that the files are named after; nil if they are not. It looks at the beginning of the first file.
func Propose(paths []string) (o Options, metrics, methods []string, err error) {
	var bound []binding
	if o.File, bound, err = alike(paths); err != nil {
		return o, nil, nil, err
	}
	f, err := regular.Open(paths[0])
	if err != nil {
		return o, nil, nil, err
	}
	defer f.Close()
	start := make([]byte, 100)
	n, _ := io.ReadFull(f, start)
	if mlflowLine.Match(start[:n]) {
		o.Format = "mlflow"
	}
	in, err := open(io.MultiReader(bytes.NewReader(start[:n]), f), paths[0], o.Format)
	if err != nil {
		return o, nil, nil, err
	}
	columns, err := in.sample()
	if err != nil {
		return o, nil, nil, err
	}
	o.recognise(in.columns, columns)
	if slices.ContainsFunc(columns, func(c column) bool { return c.comma }) {
		o.Decimal = comma
	}
	for _, b := range bound {
		if b[methodKey] != "" {
			methods = append(methods, b[methodKey])
		}
		if b[metricKey] != "" {
			metrics = append(metrics, b[metricKey])
		}
	}
	if metrics == nil {
		metrics = o.metricsOf(columns)
	}
	if key, wrong := o.Check(); wrong != "" {
		return o, nil, nil, fmt.Errorf("%s: curves.%s %s", printed.Quote(paths[0]), key, wrong)
	}
	slices.Sort(metrics)
	metrics = slices.Compact(metrics)
	return o, metrics[:min(len(metrics), mostMetrics)], methods, nil
}

// recognise finds the format and the keys that fit the columns.
func (o *Options) recognise(named []string, columns []column) {
	for _, p := range presets {
		if o.Format == "" && p.is(named) {
			o.Format = p.name
		}
	}
	stop := slices.Index(named, "stop_val")
	switch r := (&roll{columns: columns}); {
	case o.Format == "":
		o.name(r)
	case o.Format == "wandb" && panel(named) && named[0] != "Step":
		if r.columns = columns[:1]; !o.place(r) {
			o.Epoch = named[0] // the x that need not be whole
		}
	case o.Format == "benchopt" && columns[stop].whole && columns[stop].largest < 1<<53: // iterations, and no tolerances
		o.Step = "stop_val"
	}
}

// exported are the names that programs give to their exports: those of TensorBoard.
var exported = []*regexp.Regexp{
	regexp.MustCompile(`^(.*run[-_])(?P<method>[^/]+?)([-_](?:seed[-_]?)?)(?P<seed>\d+)(-tag-)(?P<metric>[^/]+)(\.csv)$`),
	regexp.MustCompile(`^(.*run[-_])(?P<method>[^/]+)(-tag-)(?P<metric>[^/]+)(\.csv)$`),
}

// shapes are what names of files consist of where they differ. What has no name is the same in all.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`^(\D*)(?P<seed>\d+)$`),
	regexp.MustCompile(`^(?P<method>.+?)([-_./ =]+(?:seed|rep|run|trial|fold)?[-_=]?)(?P<seed>\d+)$`),
	regexp.MustCompile(`^(\D*)(?P<seed>\d+)([-_./ =]+)(?P<method>.+)$`),
	regexp.MustCompile(`^(?P<method>.+)$`),
}

// seedWord matches a text after which a number is a seed.
var seedWord = regexp.MustCompile(`(?i)(seed|rep|repetition|run|trial|fold)[-_./ =]*$`)

// alike returns the path, or the pattern of several and what it says of each.
func alike(paths []string) (file string, bound []binding, err error) {
	file = filepath.ToSlash(paths[0])
	switch {
	case !utf8.ValidString(file):
		return "", nil, fmt.Errorf("the name %s is not UTF-8; rename the file or its folder", printed.Quote(file))
	case len(paths) == 1:
		return file, nil, nil
	}
	for _, shape := range exported {
		if text, bound := shaped(shape, "", file, "", paths); bound != nil {
			return text, bound, nil
		}
	}
	head, tail := len(file), len(file)
	for _, p := range paths[1:] {
		p, most, n := filepath.ToSlash(p), min(len(p), len(file)), 0
		for n < most && p[n] == file[n] {
			n++
		}
		head, n = min(head, n), 0
		for n < most && p[len(p)-1-n] == file[len(file)-1-n] {
			n++
		}
		tail = min(tail, n)
	}
	head = strings.LastIndexAny(file[:head], "-_/ =") + 1
	for _, p := range paths {
		tail = max(0, min(tail, len(p)-head-1))
	}
	if cut := strings.IndexAny(file[len(file)-tail:], "-_/. ="); cut >= 0 {
		tail -= cut
	}
	for _, shape := range shapes {
		if text, bound := shaped(shape, file[:head], file[head:len(file)-tail], file[len(file)-tail:], paths); bound != nil {
			return text, bound, nil
		}
	}
	return "", nil, fmt.Errorf("the names of these %d files differ in more than a method and a seed; write a spec with a pattern such as file = \"{method}/{seed}.csv\" in [curves]", len(paths))
}

// shaped returns the pattern of paths, the first of which has a part of a shape between two texts, and what it says of each; nil if
// they do not fit.
func shaped(shape *regexp.Regexp, before, part, after string, paths []string) (text string, bound []binding) {
	m := shape.FindStringSubmatch(part)
	if m == nil {
		return "", nil
	}
	text = before
	for i, name := range shape.SubexpNames()[1:] {
		if name != "" {
			name = "{" + name + "}"
		}
		text += cmp.Or(name, m[i+1])
	}
	text += after
	if bound = bind(text, paths); bound == nil || !plausible(text, bound) {
		return "", nil
	}
	return text, bound
}

// bind returns what a pattern says of paths, nil if one does not match.
func bind(text string, paths []string) (bound []binding) {
	p, wrong := newPattern(text, "[^/]")
	for _, path := range paths {
		b, ok := p.match(filepath.ToSlash(path))
		if wrong != "" || !ok {
			return nil
		}
		bound = append(bound, b)
	}
	return bound
}

// plausible reports whether the seeds of a pattern may be seeds: a method has several, or they follow each other from 0 or 1, or a
// word says so.
func plausible(text string, bound []binding) bool {
	methods, seeds := map[string]bool{}, map[int]bool{}
	for _, b := range bound {
		n, _ := strconv.Atoi(b[seedKey])
		methods[b[methodKey]], seeds[n] = true, true
	}
	before, _, seeded := strings.Cut(text, parts[seedKey])
	switch {
	case !seeded:
		return true
	case !methods[""]:
		return len(methods) < len(bound)
	}
	return seedWord.MatchString(before) || len(seeds) == len(bound) && (seeds[0] && seeds[len(bound)-1] || seeds[1] && seeds[len(bound)])
}

// sample looks at the first rows.
func (t *table) sample() (columns []column, err error) {
	for n := 0; n < sampled; {
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
			n += 1 + len(t.fields[i])
		}
	}
	for len(columns) < len(t.columns) { // there is no row
		columns = append(columns, column{name: t.columns[len(columns)]})
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
		c.numbers, c.long = false, c.long || len(text) > mostName
	} else {
		c.whole = c.whole && v == math.Trunc(v)
		c.largest = max(c.largest, math.Abs(v))
	}
	if len(c.texts) < mostMetrics && !slices.Contains(c.texts, text) {
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
	seconds: []string{"seconds", "time", "elapsed", "wall_time", "walltime", "runtime", "duration", "timestamp", "time_s", "cpu_time", "relative_time_(process)", "relative_time_(wall)"},
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

func isText(c column) bool   { return !c.numbers && !c.long }
func isNumber(c column) bool { return c.numbers }

// name gives columns their parts by their names.
func (o *Options) name(r *roll) {
	if c := r.pick(names.metric, isText); c != nil {
		if v := r.pick(names.value, isNumber); v != nil {
			o.Metric, o.Value = c.name, v.name
		}
	}
	if !o.tells(methodKey) {
		if r.set(&o.Method, names.method, isText); o.Method == "" {
			r.set(&o.Method, names.method[:5], isNumber) // such as sizes
		}
	}
	if !o.tells(seedKey) {
		r.set(&o.Seed, names.seed, func(column) bool { return true })
	}
	o.place(r)
	for _, c := range r.columns {
		if !o.tells(methodKey) && !slices.Contains(r.taken, c.name) && isText(c) && c.varies && len(c.texts) < mostMetrics {
			o.Method = c.name
		}
	}
}

// place finds the columns of x, and reports whether there is one.
func (o *Options) place(r *roll) bool {
	r.set(&o.Step, names.step, func(c column) bool { return c.numbers && c.whole })
	r.set(&o.Epoch, names.epoch, isNumber)
	if c := r.pick(names.seconds, isNumber); c != nil && c.largest > 1e9 {
		o.Clock = c.name
	} else if c != nil {
		o.Seconds = c.name
	}
	return o.onAxis()
}

// metricsOf lists what may be metrics.
func (o *Options) metricsOf(columns []column) (metrics []string) {
	all := printed.Each(columns, func(c column) string { return c.name })
	f := o.Filled(all)
	at := slices.Index(all, f.Metric)
	switch {
	case f.Columns != "":
		p, _ := newPattern(f.Columns, ".")
		for _, name := range all {
			if b, ok := p.match(name); ok && !besides(name) {
				metrics = append(metrics, b[metricKey])
			}
		}
	case f.Metric != "" && at >= 0:
		metrics = columns[at].texts
	case f.Value != "":
		metrics = []string{strings.ToLower(f.Value)}
	default:
		used := []string{"_timestamp", ""}
		for _, name := range f.keys() {
			used = append(used, *name)
		}
		for _, c := range columns {
			if c.numbers && c.varies && !slices.Contains(used, c.name) && (o.Format != "benchopt" || strings.HasPrefix(c.name, "objective_")) {
				metrics = append(metrics, c.name)
			}
		}
	}
	return metrics
}
