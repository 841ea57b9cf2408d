package imports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A column is what the first rows of a file have in it.
type column struct {
	name    string
	numbers bool // all that is there
	some    bool // numbers
	clock   bool // all are times of day
	whole   bool // the numbers
	long    bool // some texts are no names
	varies  bool
	largest float64
	rows    int             // with something
	known   map[string]bool // all texts
	again   bool            // one comes twice
	texts   []string        // some that differ, in order
	word    place           // the first text
	figures bool            // the texts begin with digits
	before  float64         // the last number
	moves   [2]int          // how often the next number was smaller, and larger
}

// sampled bounds the bytes of the rows that are looked at.
const sampled = 1 << 22

// mlflowLine matches a line of the files that MLflow keeps metrics in.
var mlflowLine = regexp.MustCompile(`^\d{9,} \S+( -?\d+)?\r?(\n|$)`)

// A Guess is options that may fit some files.
type Guess struct {
	Options
	Metrics []string // columns, or words for them, that may be metrics
	Meshes  []string // further columns with discretisation parameters
	Methods []string // those that the files are named after; nil if they are not
	Notes   []string // what was read, or left out, in a way that may not be meant
}

// Propose returns options that may fit some files of one kind. It looks at the beginning of the first file.
func Propose(paths []string) (*Guess, error) {
	g := &Guess{}
	bound, err := g.alike(paths)
	if err != nil {
		return nil, err
	}
	f, err := files.OpenRegular(paths[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 100)
	n, _ := io.ReadFull(f, start)
	if mlflowLine.Match(start[:n]) {
		g.Format = "mlflow"
	}
	in, err := open(io.MultiReader(bytes.NewReader(start[:n]), f), paths[0], g.Format)
	if err != nil {
		return nil, err
	}
	in.notation = &notation{paths: paths, format: g.Format, guess: true}
	columns, err := in.sample()
	if err != nil {
		return nil, err
	}
	g.recognise(in.columns, columns)
	if g.Abscissa != "" {
		if bound, err = g.alike(paths); err != nil {
			return nil, err
		}
	}
	if g.divide(columns); g.Names != "" || strings.Contains(g.Columns, parts[seedKey]) {
		g.Notes = append(g.Notes, fmt.Sprintf("names are read as %s; correct it if the number is no seed", printed.Quote(g.Names+g.Columns)))
	}
	for _, b := range bound {
		if b[methodKey] != "" {
			g.Methods = append(g.Methods, b[methodKey])
		}
		if b[metricKey] != "" {
			g.Metrics = append(g.Metrics, b[metricKey])
		}
	}
	if g.Metrics == nil {
		g.Metrics = g.metricsOf(columns)
		g.study(columns)
	}
	if key, wrong := g.Check(); wrong != "" {
		return nil, fmt.Errorf("%s: curves.%s %s", printed.Quote(paths[0]), key, wrong)
	}
	for _, c := range columns {
		if o := g.Filled(in.columns); c.numbers && !c.varies && c.rows > 1 && records.MeshRank(c.name) >= 0 && !o.onAxis() {
			g.Notes = append(g.Notes, fmt.Sprintf("column %s is %s in every row, so that it is no x, and rows are counted", printed.Quote(c.name), c.texts[0]))
		}
	}
	slices.Sort(g.Metrics)
	g.Metrics = slices.Compact(g.Metrics)
	g.Metrics = g.Metrics[:min(len(g.Metrics), mostMetrics)]
	g.note(in.notation, columns)
	return g, nil
}

// orders matches the names of columns in which programs print the orders between successive meshes, or the ratios of errors.
var orders = regexp.MustCompile(`(?i)(^|[-_ ])(eoc|ooc|orders?|rates?|ratios?|slopes?)([-_ ]|$)`)

// study takes out of the metrics of a mesh study its further discretisation parameters, and the orders that its program printed.
func (g *Guess) study(columns []column) {
	if g.Abscissa == "" || g.Metric+g.Columns != "" {
		return
	}
	isOrder := func(name string) bool { return orders.MatchString(name) }
	others := slices.ContainsFunc(g.Metrics, func(name string) bool { return !isOrder(name) && records.MeshRank(name) < 0 })
	g.Metrics = slices.DeleteFunc(g.Metrics, func(name string) bool {
		switch {
		case records.MeshRank(name) >= 0:
			g.Meshes = append(g.Meshes, name)
			return true
		case isOrder(name) && others:
			g.Notes = append(g.Notes, fmt.Sprintf("column %s is left out: by its name it has orders or ratios, which are computed here", printed.Quote(name)))
			return true
		}
		return false
	})
}

// note says which columns have thousands, and which look like numbers and are left out.
func (g *Guess) note(n *notation, columns []column) {
	used := append(printed.Each(g.keysOf(columns), func(k *string) string { return *k }), g.Metrics...)
	for _, c := range columns {
		w := n.columns[c.name]
		if todo, _ := oddly(c.word.text); c.word.line > 0 && (c.some || c.figures) && !slices.Contains(used, c.name) && !c.clock {
			g.Notes = append(g.Notes, fmt.Sprintf("column %s is left out: %v is not a number; %s", printed.Quote(c.name), c.word, todo))
		}
		if w == nil || !c.some || w.decimal == 0 {
			continue
		}
		if w.decimal == ',' {
			g.Decimal = decimals[',']
		}
		for _, p := range w.marks[printed.ByPoint:] {
			if strings.ContainsRune(p.text, ','+'.'-rune(w.decimal)) {
				g.Notes = append(g.Notes, fmt.Sprintf("column %s has thousands: %v is read as %s", printed.Quote(c.name), p, plainly(p.text, w.decimal)))
				break
			}
		}
	}
}

// keysOf returns the keys that name a column, as the format fills them.
func (o *Options) keysOf(columns []column) []*string {
	f := o.Filled(printed.Each(columns, func(c column) string { return c.name }))
	keys := f.keys()
	return keys[:]
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
				columns = append(columns, column{name: t.columns[i], numbers: true, whole: true, clock: true, known: map[string]bool{}})
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
		columns[i].clock = columns[i].clock && len(columns[i].texts) > 0
	}
	return columns, nil
}

func (c *column) take(t *table, i int) {
	v, ok, err := t.number(i)
	if err == nil && !ok {
		return
	}
	text := strings.Clone(t.text(i))
	if c.rows++; c.clock {
		_, c.clock = clockOf(text)
	}
	_, cell := printed.ReadCell(text, '.')
	switch {
	case cell == printed.IsText:
		if _, is := oddly(text); c.word.line == 0 {
			c.word, c.figures = place{line: t.line, text: text}, is
		} else {
			c.figures = c.figures && is
		}
		c.numbers, c.long = false, c.long || len(text) > mostName
	case err == nil:
		c.some, c.whole = true, c.whole && v == math.Trunc(v)
		c.largest = max(c.largest, math.Abs(v))
		c.move(v)
	default: // who reads the column asks
		c.some = true
	}
	switch {
	case c.known[text]:
		c.again = true
	case len(c.texts) < mostMetrics:
		c.texts = append(c.texts, text)
		fallthrough
	default:
		c.known[text], c.varies = true, len(c.known) > 0
	}
}

// move counts whether a number is smaller or larger than the one before.
func (c *column) move(v float64) {
	switch {
	case c.rows > 1 && v < c.before:
		c.moves[0]++
	case c.rows > 1 && v > c.before:
		c.moves[1]++
	}
	c.before = v
}

// ordered reports whether the numbers go one way, but for where one curve ends and the next begins.
func (c *column) ordered() bool {
	return c.moves[0]+c.moves[1] > leastRun*min(c.moves[0], c.moves[1])
}

// names are what people call columns, in the order of preference. A column of steps has the place of a row; one of counts may have it or,
// beside a discretisation parameter, what a mesh took.
var names = struct{ method, seed, step, count, epoch, seconds, metric, value []string }{
	method:  []string{"method", "algorithm", "algo", "optimizer", "optimiser", "solver", "model", "agent", "variant", "config", "run_name", "run", "name", "experiment"},
	seed:    []string{"seed", "random_seed", "rep", "repetition", "replicate", "trial", "fold", "run_id", "run"},
	step:    []string{"step", "global_step", "iteration", "iter", "t", "evaluation", "episode", "timesteps"},
	count:   []string{"steps", "iterations", "iters", "n_iter", "k", "evaluations", "evals", "nfev", "number", "level", "cycle", "refinement"},
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
			return len(c.texts) > 0 && is(c) && !slices.Contains(r.taken, c.name) && plainName(c.name) == name
		})
		if i >= 0 {
			r.taken = append(r.taken, r.columns[i].name)
			return &r.columns[i]
		}
	}
	return nil
}

func plainName(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
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
	x := slices.IndexFunc(r.columns, func(c column) bool { return o.Abscissa+o.Step != "" && c.name == cmp.Or(o.Abscissa, o.Step) })
	for _, c := range r.columns {
		names := isText(c) && !c.some && !c.figures && c.varies && len(c.texts) < mostMetrics && 2*len(c.texts) <= c.rows
		if !o.tells(methodKey) && !slices.Contains(r.taken, c.name) && names && (x < 0 || r.columns[x].again) { // or it is one curve
			o.Method = c.name
		}
	}
}

// place finds the columns of x, and reports whether there is one.
func (o *Options) place(r *roll) bool {
	r.set(&o.Step, names.step, func(c column) bool { return c.numbers && c.whole })
	r.set(&o.Epoch, names.epoch, isNumber)
	if o.Step+o.Epoch == "" && o.mesh(r) {
		return true // what a mesh took is no place on the curve
	}
	if o.Step == "" {
		r.set(&o.Step, names.count, func(c column) bool { return c.numbers && c.whole })
	}
	if c := r.pick(names.seconds, func(c column) bool { return c.numbers || c.clock }); c != nil && (c.clock || c.largest > 1e9) {
		o.Clock = c.name
	} else if c != nil {
		o.Seconds = c.name
	}
	return o.onAxis()
}

// mesh finds the column of a discretisation parameter, of several that with the most values, and reports whether there is one. Where
// its values come again, that with the fewest, such as a degree, tells methods apart.
func (o *Options) mesh(r *roll) bool {
	counted := slices.ContainsFunc(r.columns, func(c column) bool { return slices.Contains(names.count, plainName(c.name)) })
	var all []column
	for _, c := range r.columns {
		if c.numbers && records.MeshRank(c.name) >= 0 && !slices.Contains(r.taken, c.name) && (c.varies || c.rows == 1) && (!counted || c.ordered()) {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return false
	}
	slices.SortStableFunc(all, func(a, b column) int {
		return cmp.Or(len(b.known)-len(a.known), records.MeshRank(a.name)-records.MeshRank(b.name))
	})
	o.Abscissa = all[0].name
	if last := all[len(all)-1]; len(all) > 1 && all[0].again && last.again && !o.tells(methodKey) && !o.tells(seedKey) {
		o.Method = last.name
	}
	return true
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
				metrics = append(metrics, cmp.Or(b[metricKey], "value"))
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
			if c.numbers && (c.varies || o.Abscissa != "" && c.rows == 1) && !slices.Contains(used, c.name) && (o.Format != "benchopt" || strings.HasPrefix(c.name, "objective_")) {
				metrics = append(metrics, c.name)
			}
		}
	}
	return metrics
}
