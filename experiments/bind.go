package experiments

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/datasets"
)

var (
	methodType    = reflect.TypeFor[Method]()
	bandwidthType = reflect.TypeFor[kernels.Bandwidth]()
	kernelType    = reflect.TypeFor[kernels.Config]()
	lossType      = reflect.TypeFor[losses.Config]()
	scaleType     = reflect.TypeFor[datasets.Scale]()
	scheduleType  = reflect.TypeFor[schedules.Schedule]()
	gridType      = reflect.TypeFor[map[string][]any]()
)

// A binder decodes a tree into structs by their toml tags, strictly: a key it does not
// know and a value that breaks a want tag are mistakes.
type binder struct {
	*mistakes
	known map[reflect.Type][]field // the keys of structs that it has met
}

func newBinder(found *mistakes) binder { return binder{found, map[reflect.Type][]field{}} }

// keys lists the keys of a struct.
func (b binder) keys(t reflect.Type) []field {
	fs, ok := b.known[t]
	if !ok {
		fs = fields(t)
		b.known[t] = fs
	}
	return fs
}

// value decodes n into v. Mistakes name it by path.
func (b binder) value(n *node, v reflect.Value, path string, want constraint) {
	switch {
	case v.Type() == methodType:
		b.method(n, v, path)
		return
	case v.Type() == scheduleType:
		b.schedule(n, v, path)
		return
	case v.Type() == gridType:
		return // taken apart by expandGrid
	case v.Type() == bandwidthType && n.table() == nil:
		f := b.keys(bandwidthType)[0]
		b.value(n, v.FieldByIndex(f.index), path, constraint{op: ">"})
		return
	case (v.Type() == lossType || v.Type() == scaleType || v.Type() == kernelType) && n.table() == nil:
		b.word(n, v, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if v.Type().Elem() == kernelType {
			p.Elem().Set(reflect.ValueOf(kernels.Config{Bandwidth: defaultBandwidth}))
		}
		b.value(n, p.Elem(), path, want)
		v.Set(p)
	case reflect.Struct:
		b.structure(n, v, path)
	case reflect.Slice, reflect.Array:
		b.array(n, v, path, want)
	case reflect.Map:
		b.dictionary(n, v, path, want)
	case reflect.String:
		b.text(n, v, path, want)
	case reflect.Bool:
		if x, ok := n.value.(bool); ok {
			v.SetBool(x)
		} else {
			b.add(n.place, path, "want true or false, got %s", describe(n))
		}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		b.number(n, v, path, want)
	default:
		panic("experiments: no decoder for " + v.Type().String() + " at " + path)
	}
}

// word decodes the first key of a table that a word stands for, such as the name of a kernel.
func (b binder) word(n *node, v reflect.Value, path string) {
	switch n.value.(type) {
	case int64, float64:
		if v.Type() == scaleType {
			b.add(n.place, path, "want a word or a table, got %s; write { divide = %[1]s } to divide every input by it", describe(n))
			return
		}
	}
	f := b.keys(v.Type())[0]
	b.value(n, v.FieldByIndex(f.index), path, f.want)
}

// structure decodes a table, whose keys are the fields of v.
func (b binder) structure(n *node, v reflect.Value, path string) {
	t := n.table()
	if t == nil {
		b.add(n.place, path, "want a table, got %s", describe(n))
		return
	}
	fs := b.keys(v.Type())
	for _, k := range t.keys {
		if !slices.ContainsFunc(fs, func(f field) bool { return f.key == k }) {
			b.unknown(t.nodes[k], path, k, keysOf(fs))
		}
	}
	b.fields(n, v, path, fs)
}

// dictionary decodes a table of any keys into a map.
func (b binder) dictionary(n *node, v reflect.Value, path string, want constraint) {
	t := n.table()
	if t == nil {
		b.add(n.place, path, "want a table, got %s", describe(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, k := range t.keys {
		e := reflect.New(v.Type().Elem()).Elem()
		b.value(t.nodes[k], e, join(path, quoteKey(k)), want)
		v.SetMapIndex(reflect.ValueOf(k), e)
	}
}

// fields decodes the keys of a table that are among fs and notes the missing ones.
func (b binder) fields(n *node, v reflect.Value, path string, fs []field) {
	for _, f := range fs {
		switch e := n.find(f.key); {
		case e != nil:
			b.value(e, v.FieldByIndex(f.index), join(path, f.key), f.want)
		case f.must:
			b.add(n.place, join(path, f.key), "missing (%s); %s", f.doc, f.want.hint())
		case f.want.op != "" && f.want.checkNumber(number(v.FieldByIndex(f.index))) != "":
			b.add(n.place, join(path, f.key), "missing; give a number %s", f.want.number())
		}
	}
}

// unknown notes a key that is not one of keys.
func (b binder) unknown(n *node, path, key string, keys []string) {
	b.add(n.place, join(path, quoteKey(key)), "unknown key; %s", Suggest(key, keys))
}

// hint says what to do about a missing key.
func (c constraint) hint() string {
	if len(c.words) == 0 {
		return "add it"
	}
	return Suggest("", c.words)
}

// number returns v as a float64, +Inf if it is no number.
func number(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return math.Inf(1)
}

// array decodes an array into a slice, or into a Go array of the same length.
func (b binder) array(n *node, v reflect.Value, path string, want constraint) {
	items, ok := n.value.([]*node)
	if !ok {
		b.add(n.place, path, "want an array, got %s; put it in brackets", describe(n))
		return
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	} else if len(items) != v.Len() {
		b.add(n.place, path, "want %d numbers, got %d", v.Len(), len(items))
		return
	}
	for i, e := range items {
		at := path
		if e.table() != nil {
			at = entry(path, e, i)
		}
		b.value(e, v.Index(i), at, want)
	}
}

func (b binder) text(n *node, v reflect.Value, path string, want constraint) {
	s, ok := n.value.(string)
	if want.digits && n.digits != "" {
		v.SetString(n.digits)
		return
	}
	switch n.value.(type) {
	case int64, float64, bool:
		b.add(n.place, path, "want a string, got %s; write %q", describe(n), describe(n))
		return
	}
	if !ok {
		b.add(n.place, path, "want a string, got %s", describe(n))
		return
	}
	if wrong := want.checkString(s); wrong != "" {
		b.add(n.place, path, "%s", wrong)
		return
	}
	v.SetString(s)
}

// number decodes an integer or a finite float. A float field takes integers; an integer field takes no floats.
func (b binder) number(n *node, v reflect.Value, path string, want constraint) {
	switch x := n.value.(type) {
	case int64:
		if wrong := want.checkNumber(float64(x)); wrong != "" {
			b.add(n.place, path, "%s", wrong)
			return
		}
		switch {
		case v.CanFloat():
			v.SetFloat(float64(x))
		case v.CanUint() && x < 0:
			b.add(n.place, path, "must be >= 0, got %d", x)
		case v.CanUint():
			v.SetUint(uint64(x))
		default:
			v.SetInt(x)
		}
	case float64:
		switch wrong := want.checkNumber(x); {
		case math.IsNaN(x) || math.IsInf(x, 0):
			b.add(n.place, path, "must be finite, got %v", x)
		case !v.CanFloat() && x == math.Trunc(x) && math.Abs(x) < 1<<53:
			b.add(n.place, path, "want an integer, got a float; write %.0f", x)
		case !v.CanFloat():
			b.add(n.place, path, "want an integer, got %v", x)
		case wrong != "":
			b.add(n.place, path, "%s", wrong)
		default:
			v.SetFloat(x)
		}
	default:
		b.add(n.place, path, "want a number, got %s", describe(n))
	}
}

// method decodes a method: the keys of every method, and the other keys over the defaults of its algorithm.
func (b binder) method(n *node, v reflect.Value, path string) {
	t := n.table()
	if t == nil {
		b.add(n.place, path, "want a table, got %s", describe(n))
		return
	}
	own := b.keys(methodType)
	b.fields(n, v, path, own)
	m := v.Addr().Interface().(*Method)
	m.Group, m.axes = t.group, t.axes
	a, err := newAlgorithm(m.Algorithm)
	if err != nil {
		return // already noted with the key "algorithm"
	}
	m.Configured = a
	settings := reflect.ValueOf(a).Elem()
	fs := b.keys(settings.Type())
	for _, k := range t.keys {
		if isKey := func(f field) bool { return f.key == k }; !slices.ContainsFunc(own, isKey) && !slices.ContainsFunc(fs, isKey) {
			b.unknown(t.nodes[k], path, k, slices.Concat(keysOf(fs), keysOf(own)))
		}
	}
	b.fields(n, settings, path, fs)
}

// schedule decodes a table that names a schedule under the key "schedule", over the schedule's defaults. The
// table may leave the name out if the algorithm has a default schedule.
func (b binder) schedule(n *node, v reflect.Value, path string) {
	t := n.table()
	if t == nil {
		b.add(n.place, path, `want a table, got %s; write { schedule = "constant", gamma0 = 1.0 }`, describe(n))
		return
	}
	s, ok := b.namedSchedule(n, v, path)
	if !ok {
		return
	}
	params := reflect.ValueOf(s).Elem()
	fs := b.keys(params.Type())
	for _, k := range t.keys {
		if k != "schedule" && !slices.ContainsFunc(fs, func(f field) bool { return f.key == k }) {
			b.unknown(t.nodes[k], path, k, append(keysOf(fs), "schedule"))
		}
	}
	b.fields(n, params, path, fs)
	v.Set(reflect.ValueOf(s))
}

// namedSchedule returns a new schedule of the name in the table, or a copy of the default schedule.
func (b binder) namedSchedule(n *node, v reflect.Value, path string) (schedules.Schedule, bool) {
	path = join(path, "schedule")
	name := n.find("schedule")
	if name == nil {
		if v.IsNil() {
			b.add(n.place, path, "missing; %s", Suggest("", schedules.Names()))
			return nil, false
		}
		fresh := reflect.New(v.Elem().Elem().Type())
		fresh.Elem().Set(v.Elem().Elem())
		return fresh.Interface().(schedules.Schedule), true
	}
	var s string
	b.text(name, reflect.ValueOf(&s).Elem(), path, parseWant("schedule"))
	if s == "" {
		return nil, false
	}
	sched, err := schedules.New(s)
	if err != nil {
		panic(fmt.Sprintf("experiments: schedule %q is listed and not made: %v", s, err))
	}
	return sched, true
}
