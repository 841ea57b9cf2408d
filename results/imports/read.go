package imports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repro/datasets/regular"
	"repro/results/printed"
	"repro/results/records"
)

// A Point is what a file says of a curve at a step.
type Point struct {
	Step    int
	Epoch   float64
	Seconds float64
	Values  []float64 // one for each metric wanted; NaN where there is none
	given   uint64    // the metrics that the file gives a value, finite or not
	file    int32
	line    int32
}

// A Curve is the points of a method and a seed in the order of x.
type Curve struct {
	Method string // "" if the file does not tell methods apart
	Seed   string // "" if it does not tell seeds apart
	Points []Point
	Broken string // says which of the last values is not finite; "" if they are
	row    Point  // the last one so far
	rows   int
}

// A File is one that was read.
type File struct {
	Path   string
	Name   string // from the folder of the spec
	SHA256 string
	Rows   int
}

// A Table is the curves of one or several files.
type Table struct {
	Files   []File
	Metrics []Wanted
	Curves  []*Curve // in the order of the files
	Options Options  // filled

	at   map[[2]string]*Curve
	last *Curve
	size int // numbers held
}

// What a table may hold.
const (
	mostPoints  = 100_000    // a record has a line for each
	mostNumbers = 20_000_000 // 160 MB
	mostCurves  = 100_000
	mostMetrics = 64
)

// Read reads the curves of some metrics from files whose paths are relative to dir.
func (o *Options) Read(dir string, metrics []Wanted) (*Table, error) {
	if len(metrics) > mostMetrics {
		return nil, fmt.Errorf("%d metrics are more than the %d that can be read from one file", len(metrics), mostMetrics)
	}
	files, bound, err := o.files(dir)
	if err != nil {
		return nil, err
	}
	t := &Table{Metrics: metrics, at: map[[2]string]*Curve{}}
	seen := make([]bool, len(metrics))
	for i, path := range files {
		if err := t.file(o, dir, path, int32(i), bound[i], seen); err != nil {
			return nil, err
		}
	}
	for i, m := range metrics {
		if !seen[i] {
			return nil, fmt.Errorf("%s: no row has a value of %s; correct the name, or the column of [[metric]]", files[0], printed.Quote(m.Column))
		}
	}
	for _, c := range t.Curves {
		if err := c.settle(t, files); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// NameOf returns the path of a file from a folder, with slashes.
func NameOf(dir, path string) string {
	if name, err := filepath.Rel(dir, path); err == nil {
		path = name
	}
	return filepath.ToSlash(path)
}

// Has reports whether the file has a value of a metric at the point.
func (p *Point) Has(metric int) bool { return p.given>>metric&1 == 1 }

// Recorded returns a point as a record has it: without the metrics that have no value there, and null where one is not finite.
func (t *Table) Recorded(p *Point) records.Point {
	values := map[string]*float64{}
	for i, m := range t.Metrics {
		if p.Has(i) {
			values[m.Name] = records.Value(p.Values[i])
		}
	}
	return records.Point{Step: p.Step, Epoch: p.Epoch, Values: values, Timing: records.PointTiming{Train: p.Seconds}}
}

// Curve returns the curve of a method and a seed, as the file names them; nil if there is none. Where a file does not tell methods
// or seeds apart, any name is the only one.
func (t *Table) Curve(method, seed string) *Curve {
	if !t.Options.tells(methodPart, t.Options.Method) {
		method = ""
	}
	if !t.Options.tells(seedPart, t.Options.Seed) {
		seed = ""
	}
	return t.at[[2]string{method, plain(seed)}]
}

// Methods lists the methods in the order of the files.
func (t *Table) Methods() []string {
	return t.names(func(c *Curve) string { return c.Method })
}

// Seeds lists the seeds, numbers in their order and then others.
func (t *Table) Seeds() []string {
	seeds := t.names(func(c *Curve) string { return c.Seed })
	slices.SortStableFunc(seeds, func(a, b string) int {
		x, errA := strconv.ParseInt(a, 10, 64)
		y, errB := strconv.ParseInt(b, 10, 64)
		switch {
		case errA == nil && errB == nil:
			return cmp.Compare(x, y)
		case errA == nil:
			return -1
		case errB == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return seeds
}

func (t *Table) names(of func(c *Curve) string) (names []string) {
	known := map[string]bool{}
	for _, c := range t.Curves {
		if name := of(c); !known[name] {
			known[name], names = true, append(names, name)
		}
	}
	return names
}

// A value is a column with values, and of what.
type value struct {
	column int
	metric int // of those wanted, -1 if the row says it
	binding
}

// A layout is where the columns of a table are, -1 where there is none.
type layout struct {
	Options
	method, seed, metric        int
	step, epoch, seconds, clock int
	values                      []value
	where                       []int // columns
	is                          []string
}

// file reads a file.
func (t *Table) file(o *Options, dir, path string, number int32, bound binding, seen []bool) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	in, err := open(io.TeeReader(f, sum), path, o.Format)
	if err != nil {
		return err
	}
	var l *layout
	rows := 0
	for {
		err := in.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if rows++; in.line > math.MaxInt32 {
			return in.errorf("a file with more lines cannot be read; split it")
		}
		if l == nil || in.grown {
			if l, err = t.layout(o, in, bound); err != nil {
				return err
			}
			in.grown = false
		}
		if err := t.row(l, in, number, bound, seen); err != nil {
			return err
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s has a header and no rows; it has no curve", path)
	}
	t.Files = append(t.Files, File{Path: path, Name: NameOf(dir, path), SHA256: hex.EncodeToString(sum.Sum(nil)), Rows: rows})
	return nil
}

// layout finds the columns of a table.
func (t *Table) layout(o *Options, in *table, bound binding) (*layout, error) {
	l := &layout{Options: o.Filled(in.columns)}
	t.Options = l.Options
	for _, c := range []struct {
		key, name string
		at        *int
	}{
		{"method", l.Method, &l.method}, {"seed", l.Seed, &l.seed}, {"metric", l.Metric, &l.metric},
		{"step", l.Step, &l.step}, {"epoch", l.Epoch, &l.epoch}, {"seconds", l.Seconds, &l.seconds}, {"clock", l.Clock, &l.clock},
	} {
		var err error
		if *c.at, err = in.find("curves."+c.key, c.name); err != nil {
			return nil, err
		}
	}
	for name, is := range l.Where {
		at, err := in.find("curves.where", name)
		if err != nil {
			return nil, err
		}
		l.where, l.is = append(l.where, at), append(l.is, is)
	}
	return l, t.valuesOf(l, in, bound)
}

// valuesOf finds the columns with values.
func (t *Table) valuesOf(l *layout, in *table, bound binding) error {
	switch {
	case l.Columns != "":
		p, wrong := newPattern(l.Columns, ".")
		if wrong != "" {
			return fmt.Errorf("curves.columns: %s", wrong)
		}
		for i, name := range in.columns {
			b, ok := p.match(name)
			if !ok || ranged(name) || slices.Contains([]int{l.method, l.seed, l.step, l.epoch, l.seconds, l.clock}, i) {
				continue
			}
			if metric := t.metric(cmp.Or(b.metric, bound.metric)); metric >= 0 {
				l.values = append(l.values, value{i, metric, b})
			}
		}
		if len(l.values) == 0 {
			return in.errorf("no column that is named like curves.columns = %s has a metric of the spec; the columns are %s", printed.Quote(l.Columns), shown(in.columns))
		}
	case l.Value != "":
		at, err := in.find("curves.value", l.Value)
		if err != nil {
			return err
		}
		metric := -1
		if l.metric < 0 {
			if metric = t.metric(bound.metric); metric < 0 {
				return nil // a file of another metric
			}
		}
		l.values = []value{{at, metric, binding{}}}
	default:
		for i, m := range t.Metrics {
			at, err := in.find("", m.Column)
			if err != nil {
				return fmt.Errorf("%w, or set column in [[metric]]", err)
			}
			if at >= 0 {
				l.values = append(l.values, value{at, i, binding{}})
			}
		}
	}
	return nil
}

// metric returns the metric that a file, a column or a row names, the only one there is if it names none, and -1 if it names one that
// is not wanted.
func (t *Table) metric(name string) int {
	if name == "" && len(t.Metrics) == 1 {
		return 0
	}
	return slices.IndexFunc(t.Metrics, func(m Wanted) bool { return m.Column == name })
}

// find returns where the column that a key names is, -1 if none is named. In a table whose rows name their values, it may come
// later.
func (t *table) find(key, name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	i := slices.Index(t.columns, name)
	switch {
	case i >= 0 && slices.Contains(t.columns[i+1:], name):
		return -1, t.errorf("two columns are named %s; rename one", printed.Quote(name))
	case i >= 0 || t.grown && key == "":
		return i, nil
	}
	what := "there is no column " + printed.Quote(name)
	if key != "" {
		what = key + ": " + what
	}
	header := *t
	header.line = 1
	return -1, header.errorf("%s among %s; %s", what, shown(t.columns), strings.TrimSuffix(printed.Suggest(name, t.columns), "?"))
}

// shown lists some names.
func shown(names []string) string {
	const most = 12
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += ", …"
	}
	return printed.Visible(text)
}

// row takes what a row says.
func (t *Table) row(l *layout, in *table, file int32, bound binding, seen []bool) error {
	for i, at := range l.where {
		if in.text(at) != l.is[i] {
			return nil
		}
	}
	b := bound
	for _, c := range []struct {
		at int
		to *string
	}{{l.method, &b.method}, {l.seed, &b.seed}, {l.metric, &b.metric}} {
		if c.at < 0 {
			continue
		}
		if *c.to = in.text(c.at); *c.to == "" {
			return in.errorf("column %s is empty; fill it in, or leave the row out", printed.Quote(in.columns[c.at]))
		}
	}
	p := Point{file: file, line: int32(in.line)}
	read := false // x is read for rows with values only
	for _, v := range l.values {
		metric := v.metric
		if metric < 0 {
			if metric = t.metric(b.metric); metric < 0 {
				continue
			}
		}
		y, ok, err := in.number(v.column, l.Decimal)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if !read {
			if err := in.abscissae(l, &p); err != nil {
				return err
			}
			read = true
		}
		c, err := t.curve(in, cmp.Or(v.method, b.method), plain(cmp.Or(v.seed, b.seed)))
		if err != nil {
			return err
		}
		seen[metric] = true
		if err := t.put(c, in, p, metric, y, l.Every); err != nil {
			return err
		}
	}
	return nil
}

// plain writes a seed that is a whole number as one: some programs write 1 as 1.0.
func plain(seed string) string {
	if whole, ok := strings.CutSuffix(seed, ".0"); ok {
		return whole
	}
	return seed
}

// curve returns the curve of a method and a seed.
func (t *Table) curve(in *table, method, seed string) (*Curve, error) {
	if t.last != nil && t.last.Method == method && t.last.Seed == seed {
		return t.last, nil
	}
	c := t.at[[2]string{method, seed}]
	if c == nil {
		if len(t.Curves) == mostCurves {
			return nil, in.errorf("more than %d curves cannot be read; check that curves.method and curves.seed name the right columns", mostCurves)
		}
		c = &Curve{Method: strings.Clone(method), Seed: strings.Clone(seed)}
		t.Curves, t.at[[2]string{c.Method, c.Seed}] = append(t.Curves, c), c
	}
	t.last = c
	return c, nil
}

// put adds a value to the row of a curve.
func (t *Table) put(c *Curve, in *table, p Point, metric int, y float64, every int) error {
	if c.rows == 0 || c.row.line != p.line || c.row.file != p.file {
		if c.rows > 0 && (c.rows-1)%max(every, 1) == 0 {
			if err := t.keep(c, in); err != nil {
				return err
			}
		}
		c.rows++
		if p.Values = slices.Repeat([]float64{math.NaN()}, len(t.Metrics)); p.Step < 0 {
			p.Step = c.rows // counted
		}
		c.row = p
	}
	c.row.Values[metric] = y
	c.row.given |= 1 << metric
	return nil
}

// keep makes the row of a curve a point.
func (t *Table) keep(c *Curve, in *table) error {
	t.size += 8 + len(t.Metrics)
	if len(c.Points) == mostPoints-1 || t.size > mostNumbers {
		return in.errorf("the curve of method %s and seed %s has %d points and more, and a table may have %d a curve and %d numbers in all; set curves.every = 10 to read every 10th row",
			printed.Quote(c.Method), printed.Quote(c.Seed), len(c.Points)+1, mostPoints, mostNumbers)
	}
	c.Points = append(c.Points, c.row)
	return nil
}

// text returns a field without blanks around it.
func (t *table) text(column int) string { return strings.TrimSpace(t.fields[column]) }

// comma is the decimal mark of options that is not a point.
const comma = "comma"

// absent are words for a value that is not there.
var absent = []string{"", "na", "n/a", "null", "none", "-"}

// number parses a field. It is not ok if the field has no value.
func (t *table) number(column int, decimal string) (v float64, ok bool, err error) {
	text := t.text(column)
	if len(text) <= 4 && slices.Contains(absent, strings.ToLower(text)) {
		return 0, false, nil
	}
	number := text
	if decimal == comma {
		number = strings.Replace(text, ",", ".", 1)
	}
	v, err = strconv.ParseFloat(number, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(number, "xX_") {
		hint := "correct it, or leave the row out"
		if decimal != comma && strings.Count(text, ",") == 1 {
			hint = `if commas are decimal marks, set curves.decimal = "comma"`
		}
		return 0, false, t.errorf("column %s: %s is not a number; %s", printed.Quote(t.columns[column]), printed.Quote(clip(text)), hint)
	}
	return v, true, nil
}

func clip(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// abscissae reads the x of a row. A step that is not in the file is negative.
func (t *table) abscissae(l *layout, p *Point) error {
	at := func(column int) (v float64, err error) {
		if column < 0 {
			return -1, nil
		}
		v, ok, err := t.number(column, l.Decimal)
		if err != nil {
			return 0, err
		}
		if !ok || v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, t.errorf("column %s: %s is no place on an axis, which has finite numbers from 0 on; correct it, or leave the row out",
				printed.Quote(t.columns[column]), printed.Quote(clip(t.text(column))))
		}
		return v, nil
	}
	step, err := at(l.step)
	if err != nil {
		return err
	}
	if step != math.Trunc(step) || step > 1<<53 {
		return t.errorf("column %s: %s is not a whole number of steps; if the column has epochs or seconds, name it in curves.epoch or curves.seconds and not in curves.step",
			printed.Quote(t.columns[l.step]), printed.Quote(clip(t.text(l.step))))
	}
	p.Step = int(step)
	if p.Epoch, err = at(l.epoch); err != nil {
		return err
	}
	seconds := l.seconds
	if l.clock >= 0 {
		seconds = l.clock
	}
	p.Seconds, err = at(seconds)
	if l.clock >= 0 && p.Seconds > 1e11 { // no second before the year 5138
		p.Seconds /= 1000
	}
	return err
}

// settle sorts the points of a curve, joins those of the same x, and checks it.
func (c *Curve) settle(t *Table, files []string) error {
	c.Points = append(c.Points, c.row)
	o := &t.Options
	slices.SortStableFunc(c.Points, func(a, b Point) int {
		if o.Step == "" {
			return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Seconds, b.Seconds))
		}
		return cmp.Compare(a.Step, b.Step)
	})
	if o.Step == "" && o.Epoch+o.Seconds+o.Clock != "" { // rows were counted in the order of the file
		step := 0
		for i := range c.Points {
			p := &c.Points[i]
			if i == 0 || p.Epoch != c.Points[i-1].Epoch || o.Epoch == "" && p.Seconds != c.Points[i-1].Seconds {
				step++
			}
			p.Step = step
		}
	}
	kept := c.Points[:1]
	for i := 1; i < len(c.Points); i++ {
		p, last := c.Points[i], &kept[len(kept)-1]
		if p.Step != last.Step {
			kept = append(kept, p)
			continue
		}
		if both := p.given & last.given; both != 0 {
			return c.twice(t, files, last, &p, bits.TrailingZeros64(both))
		}
		for m, v := range p.Values {
			if p.Has(m) {
				last.Values[m] = v
			}
		}
		last.given |= p.given
	}
	c.Points = kept
	return c.finish(t, files)
}

// dense is the number of points of a curve from which some are left out, and half of those that stay at least. More show in no
// figure.
const dense = 2000

// thin leaves out points of a dense curve: it keeps those at equal distances in the order of x, and in the logarithm of the order.
func (c *Curve) thin() {
	n := len(c.Points)
	if n <= dense {
		return
	}
	var keep []int
	for i := range dense / 2 {
		u := float64(i) / (dense/2 - 1)
		keep = append(keep, int(math.Round(u*float64(n-1))), int(math.Round(math.Pow(float64(n), u)))-1)
	}
	slices.Sort(keep)
	var kept []Point
	for _, i := range slices.Compact(keep) {
		kept = append(kept, c.Points[i])
	}
	c.Points = kept
}

// twice says that a curve has a value twice.
func (c *Curve) twice(t *Table, files []string, first, again *Point, metric int) error {
	x := fmt.Sprintf("step %d", again.Step)
	switch o := &t.Options; {
	case o.Step == "" && o.Epoch != "":
		x = "epoch " + printed.Exact(again.Epoch)
	case o.Step == "":
		x = printed.Exact(again.Seconds) + " seconds"
	}
	of := ""
	if c.Method != "" {
		of += " of method " + printed.Quote(c.Method)
	}
	if c.Seed != "" {
		of += " of seed " + printed.Quote(c.Seed)
	}
	return fmt.Errorf("%s:%d: %s%s has %s a second time, after line %d; name the column that tells the two apart in curves.seed or curves.method, choose rows by curves.where, or remove one",
		files[again.file], again.line, x, of, printed.Quote(t.Metrics[metric].Name), first.line)
}

// finish makes the clock of a curve begin at 0, says how it ended, and thins it.
func (c *Curve) finish(t *Table, files []string) error {
	o, begin := &t.Options, 0.0
	if o.Clock != "" {
		begin = c.Points[0].Seconds
	}
	for i := range c.Points {
		p := &c.Points[i]
		p.Epoch = max(p.Epoch, 0)
		if p.Seconds = max(p.Seconds-begin, 0); i > 0 && (p.Seconds < c.Points[i-1].Seconds || p.Epoch < c.Points[i-1].Epoch) {
			return fmt.Errorf("%s:%d: step %d has fewer epochs or seconds than step %d on line %d; correct them, or name only one of curves.step, curves.epoch and curves.seconds",
				files[p.file], p.line, p.Step, c.Points[i-1].Step, c.Points[i-1].line)
		}
	}
	last := c.Points[len(c.Points)-1]
	for m, v := range last.Values {
		if last.Has(m) && records.Value(v) == nil {
			c.Broken = fmt.Sprintf("%s is %v at step %d", t.Metrics[m].Name, v, last.Step)
			break
		}
	}
	if o.Every == 0 {
		c.thin()
	}
	return nil
}
