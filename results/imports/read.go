package imports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A Point is what a file says of a curve at a step.
type Point struct {
	Step    int
	Epoch   float64
	Seconds float64
	Mesh    float64   // the discretisation parameter; 0 if there is none
	Values  []float64 // one for each metric wanted; NaN where there is none
	given   uint64    // the metrics that the file gives a value, finite or not
	x       float64   // the place on the curve, less than 0 where x falls along it; NaN before it is known
	file    int32
	line    int32
}

// A Curve is the points of a method and a seed in the order of x. It has none if all its values are empty.
type Curve struct {
	Method   string // "" if the file does not tell methods apart
	Seed     string // "" if it does not tell seeds apart
	Points   []Point
	Broken   string // says which of the last values is not finite; "" if they are
	Unsorted bool   // x goes up and down along its rows
	Again    int    // values that were left out for a later one at the same x

	last  *Point   // so far
	count []int    // values of each metric so far
	tails []*Point // the last point with each metric, if it is left out
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

	paths []string
	at    map[[2]string]*Curve
	rows  map[[2]string]int // counted, by method and seed
	last  *Curve
	size  int // numbers held
}

// What a table may hold.
const (
	mostPoints  = 100_000    // a record has a line for each
	mostNumbers = 20_000_000 // 160 MB
	mostCurves  = 100_000
	mostMetrics = 64
)

// Read reads the curves of some metrics from files whose paths are relative to dir. It leaves out the files whose names have another
// method than those given, if any are.
func (o *Options) Read(dir string, metrics []Wanted, methods []string) (*Table, error) {
	if len(metrics) > mostMetrics {
		return nil, fmt.Errorf("%d metrics are more than the %d that can be read from one file", len(metrics), mostMetrics)
	}
	files, bound, err := o.files(dir, methods)
	if err != nil {
		return nil, err
	}
	t := &Table{Metrics: metrics, paths: files, at: map[[2]string]*Curve{}, rows: map[[2]string]int{}}
	n := &notation{paths: files, format: o.Format, decimal: o.Decimal}
	for i := range files {
		if err := t.file(o, n, dir, i, bound[i]); err != nil {
			return nil, err
		}
	}
	var seen uint64
	for _, c := range t.Curves {
		if err := c.settle(t); err != nil {
			return nil, err
		}
		for _, p := range c.Points {
			seen |= p.given
		}
	}
	for i, m := range metrics {
		if seen>>i&1 == 0 {
			return nil, fmt.Errorf("%s: no row has a value of %s; correct the name, or the column of [[metric]]", files[0], printed.Quote(m.Column))
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
	if o := &t.Options; o.Abscissa != "" {
		mesh, _ := o.Axis()
		values[cmp.Or(mesh.Name, o.Abscissa)] = records.Value(p.Mesh)
	}
	return records.Point{Step: p.Step, Epoch: p.Epoch, Values: values, Timing: records.PointTiming{Train: p.Seconds}}
}

// Curve returns the curve of a method and a seed, as the file names them; nil if there is none. Where a file does not tell methods
// or seeds apart, any name is the only one.
func (t *Table) Curve(method, seed string) *Curve {
	key := [2]string{strings.TrimSpace(method), plain(strings.TrimSpace(seed))}
	for i := range key {
		if !t.Options.tells(i) {
			key[i] = ""
		}
	}
	return t.at[key]
}

// Methods lists the methods in the order of the files.
func (t *Table) Methods() []string {
	return t.names(func(c *Curve) string { return c.Method })
}

// Seeds lists the seeds, numbers in their order and then others.
func (t *Table) Seeds() []string {
	seeds := t.names(func(c *Curve) string { return c.Seed })
	number := func(seed string) float64 {
		if v, err := strconv.ParseFloat(seed, 64); err == nil {
			return v
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(seeds, func(a, b string) int { return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b)) })
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
	names  [len(keyNames)]string
	at     [len(keyNames)]int
	where  map[int]string // the text that a column has in the rows to be read
	absent bool           // a column of where has not come
	called pattern        // of what the method column holds
	values []value
	bound  binding
	file   int32

	counted bool // x is the number of the row
	down    bool // x falls along a curve
}

// file reads a file.
func (t *Table) file(o *Options, n *notation, dir string, number int, bound binding) error {
	path := t.paths[number]
	f, err := files.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	in, err := open(io.TeeReader(f, sum), path, o.Format)
	if err != nil {
		return err
	}
	in.notation = n
	var l layout
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
		if rows == 1 || in.grown {
			l = layout{Options: o.Filled(in.columns), bound: bound, file: int32(number)}
			if err = l.find(in); err == nil {
				err = t.valuesOf(&l, in)
			}
			if err != nil {
				return err
			}
			t.Options, in.grown = l.Options, false
		}
		if in.again > 0 && l.counted {
			return fmt.Errorf("%s:%d: the header stands here again; without a column of x, two runs would be one: name that column, or write a file for each", path, in.again)
		}
		if err := t.row(&l, in); err != nil {
			return err
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s has a header and no rows; it has no curve", path)
	}
	t.Files = append(t.Files, File{Path: path, Name: NameOf(dir, path), SHA256: hex.EncodeToString(sum.Sum(nil)), Rows: rows})
	in.late = false
	return l.find(in)
}

// find finds the columns that the keys name.
func (l *layout) find(in *table) (err error) {
	for i, name := range l.keys() {
		l.names[i] = *name
		if l.at[i], err = in.find("curves."+keyNames[i], *name); err != nil {
			return err
		}
	}
	var wrong string
	if l.called, wrong = newPattern(l.Names, "."); wrong != "" {
		return fmt.Errorf("curves.names: %s", wrong)
	}
	l.where, l.absent, l.counted, l.down = map[int]string{}, false, !l.onAxis(), l.falls()
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		at, err := in.find("curves.where", name)
		if err != nil {
			return err
		}
		l.where[at], l.absent = strings.TrimSpace(l.Where[name]), l.absent || at < 0
	}
	return nil
}

// valuesOf finds the columns with values.
func (t *Table) valuesOf(l *layout, in *table) error {
	l.values = nil
	switch at := l.at[valueKey]; {
	case l.Columns != "":
		p, wrong := newPattern(l.Columns, ".")
		if wrong != "" {
			return fmt.Errorf("curves.columns: %s", wrong)
		}
		for i, name := range in.columns {
			b, ok := p.match(name)
			if !ok || besides(name) || slices.Contains(l.at[:], i) {
				continue
			}
			m := t.metric(cmp.Or(b[metricKey], l.bound[metricKey]))
			if m < 0 {
				continue
			}
			if slices.ContainsFunc(l.values, func(v value) bool { return v.binding == b }) {
				return in.headed("two columns are named %s; rename one", printed.Quote(name))
			}
			l.values = append(l.values, value{i, m, b})
		}
		if len(l.values) == 0 && !in.late {
			return in.headed("no column that is named like curves.columns = %s has a metric of the spec; the columns are %s", printed.Quote(l.Columns), printed.Names(in.columns, few))
		}
	case l.Value != "" && l.Metric != "":
		l.values = []value{{at, -1, binding{}}}
	case l.Value != "":
		if m := t.metric(l.bound[metricKey]); m >= 0 { // or it is a file of another metric
			l.values = []value{{at, m, binding{}}}
		}
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

// find returns where the column that a key names is, -1 if none is named or it may come later.
func (t *table) find(key, name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	i := slices.Index(t.columns, name)
	switch {
	case i >= 0 && slices.Contains(t.columns[i+1:], name):
		return -1, t.headed("two columns are named %s; rename one", printed.Quote(name))
	case i >= 0 || t.late:
		return i, nil
	case key != "":
		key += ": "
	}
	return -1, t.headed("%sthere is no column %s among %s; %s", key, printed.Quote(name), printed.Names(t.columns, few), strings.TrimSuffix(printed.Suggest(name, t.columns), "?"))
}

// row takes what a row says.
func (t *Table) row(l *layout, in *table) error {
	b, empty, chosen := l.says(in)
	if !chosen {
		return nil
	}
	p := Point{file: l.file, line: int32(in.line), x: math.NaN()}
	if l.counted && empty < 0 && len(l.values) > 0 {
		p.Step = t.count(b)
		p.x = float64(p.Step)
	}
	for _, v := range l.values {
		if v.metric < 0 && empty != metricKey {
			v.metric = t.metric(b[metricKey])
		}
		y, ok, err := in.number(v.column)
		switch {
		case v.metric < 0 && empty != metricKey: // it is not wanted
			ok = false
		case err != nil:
			return err
		case ok && empty >= 0:
			return in.errorf("column %s is empty; fill it in, or leave the row out", printed.Quote(l.names[empty]))
		case ok && math.IsNaN(p.x):
			if err := in.abscissae(l, &p); err != nil {
				return err
			}
		}
		if empty >= 0 {
			continue
		}
		c, err := t.curve(in, cmp.Or(v.binding[methodKey], b[methodKey]), plain(cmp.Or(v.binding[seedKey], b[seedKey])))
		if err == nil && ok {
			err = t.put(c, in, &p, v.metric, y)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count returns the number of a row among those of its method and seed.
func (t *Table) count(b binding) int {
	key := [2]string{b[methodKey], b[seedKey]}
	if t.rows[key] == 0 {
		key = [2]string{strings.Clone(key[0]), strings.Clone(key[1])}
	}
	t.rows[key]++
	return t.rows[key]
}

// says returns what a row says of the curve, the key of which it says nothing, or -1, and whether it is to be read.
func (l *layout) says(in *table) (b binding, empty int, chosen bool) {
	b, empty = l.bound, -1
	for at, is := range l.where {
		if l.absent || in.text(at) != is {
			return b, empty, false
		}
	}
	for i := range b {
		if l.names[i] == "" {
			continue
		}
		if b[i] = in.text(l.at[i]); b[i] == "" {
			empty = i
		}
	}
	if l.Names != "" {
		called, ok := l.called.match(b[methodKey])
		if !ok {
			return b, empty, false // of a method that the spec lacks
		}
		for _, part := range l.called.parts {
			b[part] = called[part]
		}
	}
	return b, empty, true
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
		switch {
		case len(t.Curves) == mostCurves:
			return nil, in.errorf("more than %d curves cannot be read; check that curves.method and curves.seed name the right columns", mostCurves)
		case len(method)+len(seed) > mostName:
			return nil, in.errorf("the names of method %s and seed %s have more than %d bytes; check that curves.method and curves.seed name the right columns", printed.Quote(method), printed.Quote(seed), mostName)
		}
		c = &Curve{Method: strings.Clone(method), Seed: strings.Clone(seed), count: make([]int, len(t.Metrics)), tails: make([]*Point, len(t.Metrics))}
		t.Curves, t.at[[2]string{c.Method, c.Seed}] = append(t.Curves, c), c
	}
	t.last = c
	return c, nil
}

// text returns a field without blanks around it.
func (t *table) text(column int) string {
	if column < 0 {
		return "" // it has not come
	}
	return strings.ToValidUTF8(strings.TrimSpace(t.fields[column]), "\ufffd") // what a spec can write
}

// number parses a field. It is not ok if the field has no value.
func (t *table) number(column int) (v float64, ok bool, err error) {
	if column < 0 {
		return 0, false, nil // it has not come
	}
	text, decimal := t.text(column), byte('.')
	if t.marked(text) {
		if decimal, err = t.notation.of(t, column); err != nil {
			return 0, false, err
		}
	}
	v, cell := printed.ReadCell(text, decimal)
	if cell == printed.IsText {
		todo, _ := oddly(text)
		return 0, false, t.errorf("column %s: %s is not a number; %s", printed.Quote(t.columns[column]), printed.Quote(text), todo)
	}
	return v, cell != printed.IsMissing, nil
}

// abscissae reads the x of a row.
func (t *table) abscissae(l *layout, p *Point) error {
	var x [len(keyNames)]float64
	for i := abscissaKey; i <= clockKey; i++ {
		if l.names[i] == "" {
			continue
		}
		v, ok, err := 0.0, false, error(nil)
		if i == clockKey {
			v, ok = clockOf(t.text(l.at[i]))
		}
		if !ok {
			v, ok, err = t.number(l.at[i])
		}
		switch {
		case err != nil:
			return err
		case i == abscissaKey && (!ok || !(v > 0) || math.IsInf(v, 0)):
			return t.errorf("column %s: %s is no mesh, of which the parameter is a finite number above 0; correct it, or leave the row out", printed.Quote(l.names[i]), printed.Quote(t.text(l.at[i])))
		case !ok || !(v >= 0) || math.IsInf(v, 0):
			return t.errorf("column %s: %s is no place on an axis, which has finite numbers from 0 on; correct it, or leave the row out", printed.Quote(l.names[i]), printed.Quote(t.text(l.at[i])))
		case i == stepKey && (v != math.Trunc(v) || v > 1<<53):
			return t.errorf("column %s: %s is not a whole number of steps; if the column has epochs or seconds, name it in curves.epoch or curves.seconds and not in curves.step",
				printed.Quote(l.names[i]), printed.Quote(t.text(l.at[i])))
		case i == clockKey && v > 1e11: // no second before the year 5138
			v /= 1000
		}
		x[i] = v
		if math.IsNaN(p.x) {
			if p.x = v; l.down {
				p.x = -v
			}
		}
	}
	p.Mesh, p.Step, p.Epoch, p.Seconds = x[abscissaKey], int(x[stepKey]), x[epochKey], x[secondsKey]+x[clockKey]
	return nil
}
