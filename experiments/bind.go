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
	"repro/experiments/spectree"
	"repro/results/printed"
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
	*spectree.Mistakes
	known map[reflect.Type][]field // the keys of structs that it has met
}

func newBinder(found *spectree.Mistakes) binder { return binder{found, map[reflect.Type][]field{}} }

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
func (b binder) value(n *spectree.Node, v reflect.Value, path string, want constraint) {
	switch {
	case v.Type() == methodType:
		b.method(n, v, path)
		return
	case v.Type() == scheduleType:
		b.schedule(n, v, path)
		return
	case v.Type() == gridType:
		return // taken apart by expandGrid
	case v.Type() == bandwidthType && n.Table() == nil:
		f := b.keys(bandwidthType)[0]
		b.value(n, v.FieldByIndex(f.index), path, constraint{op: ">"})
		return
	case (v.Type() == lossType || v.Type() == scaleType || v.Type() == kernelType) && n.Table() == nil:
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
		if x, ok := n.Value.(bool); ok {
			v.SetBool(x)
		} else {
			b.Add(n.Place, path, "want true or false, got %s", spectree.Describe(n))
		}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		b.number(n, v, path, want)
	default:
		panic("experiments: no decoder for " + v.Type().String() + " at " + path)
	}
}

// word decodes the first key of a table that a word stands for, such as the name of a kernel.
func (b binder) word(n *spectree.Node, v reflect.Value, path string) {
	switch n.Value.(type) {
	case int64, float64:
		if v.Type() == scaleType {
			b.Add(n.Place, path, "want a word or a table, got %s; write { divide = %[1]s } to divide every input by it", spectree.Describe(n))
			return
		}
	}
	f := b.keys(v.Type())[0]
	b.value(n, v.FieldByIndex(f.index), path, f.want)
}

// structure decodes a table, whose keys are the fields of v.
func (b binder) structure(n *spectree.Node, v reflect.Value, path string) {
	t := n.Table()
	if t == nil {
		b.Add(n.Place, path, "want a table, got %s", spectree.Describe(n))
		return
	}
	fs := b.keys(v.Type())
	for _, k := range t.Keys {
		if !slices.ContainsFunc(fs, func(f field) bool { return f.key == k }) {
			b.unknown(t.Nodes[k], path, k, keysOf(fs))
		}
	}
	b.fields(n, v, path, fs)
}

// dictionary decodes a table of any keys into a map.
func (b binder) dictionary(n *spectree.Node, v reflect.Value, path string, want constraint) {
	t := n.Table()
	if t == nil {
		b.Add(n.Place, path, "want a table, got %s", spectree.Describe(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, k := range t.Keys {
		e := reflect.New(v.Type().Elem()).Elem()
		b.value(t.Nodes[k], e, spectree.Join(path, spectree.QuoteKey(k)), want)
		v.SetMapIndex(reflect.ValueOf(k), e)
	}
}

// fields decodes the keys of a table that are among fs and notes the missing ones.
func (b binder) fields(n *spectree.Node, v reflect.Value, path string, fs []field) {
	for _, f := range fs {
		switch e := n.Find(f.key); {
		case e != nil:
			b.value(e, v.FieldByIndex(f.index), spectree.Join(path, f.key), f.want)
		case f.must:
			b.Add(n.Place, spectree.Join(path, f.key), "missing (%s); %s", f.doc, f.want.hint())
		case f.want.op != "" && f.want.checkNumber(number(v.FieldByIndex(f.index))) != "":
			b.Add(n.Place, spectree.Join(path, f.key), "missing; give a number %s", f.want.number())
		}
	}
}

// unknown notes a key that is not one of keys.
func (b binder) unknown(n *spectree.Node, path, key string, keys []string) {
	b.Add(n.Place, spectree.Join(path, spectree.QuoteKey(key)), "unknown key; %s", printed.Suggest(key, keys))
}

// hint says what to do about a missing key.
func (c constraint) hint() string {
	if len(c.words) == 0 {
		return "add it"
	}
	return printed.Suggest("", c.words)
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
func (b binder) array(n *spectree.Node, v reflect.Value, path string, want constraint) {
	items, ok := n.Value.([]*spectree.Node)
	if !ok {
		b.Add(n.Place, path, "want an array, got %s; put it in brackets", spectree.Describe(n))
		return
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	} else if len(items) != v.Len() {
		b.Add(n.Place, path, "want %d numbers, got %d", v.Len(), len(items))
		return
	}
	for i, e := range items {
		at := path
		if e.Table() != nil {
			at = spectree.Entry(path, e, i)
		}
		b.value(e, v.Index(i), at, want)
	}
}

func (b binder) text(n *spectree.Node, v reflect.Value, path string, want constraint) {
	s, ok := n.Value.(string)
	if want.digits && n.Digits != "" {
		v.SetString(n.Digits)
		return
	}
	switch n.Value.(type) {
	case int64, float64, bool:
		b.Add(n.Place, path, "want a string, got %s; write %q", spectree.Describe(n), spectree.Describe(n))
		return
	}
	if !ok {
		b.Add(n.Place, path, "want a string, got %s", spectree.Describe(n))
		return
	}
	if wrong := want.checkString(s); wrong != "" {
		b.Add(n.Place, path, "%s", wrong)
		return
	}
	v.SetString(s)
}

// number decodes an integer or a finite float. A float field takes integers; an integer field takes no floats.
func (b binder) number(n *spectree.Node, v reflect.Value, path string, want constraint) {
	switch x := n.Value.(type) {
	case int64:
		if wrong := want.checkNumber(float64(x)); wrong != "" {
			b.Add(n.Place, path, "%s", wrong)
			return
		}
		switch {
		case v.CanFloat():
			v.SetFloat(float64(x))
		case v.CanUint() && x < 0:
			b.Add(n.Place, path, "must be >= 0, got %d", x)
		case v.CanUint():
			v.SetUint(uint64(x))
		default:
			v.SetInt(x)
		}
	case float64:
		switch wrong := want.checkNumber(x); {
		case math.IsNaN(x) || math.IsInf(x, 0):
			b.Add(n.Place, path, "must be finite, got %v", x)
		case !v.CanFloat() && x == math.Trunc(x) && math.Abs(x) < 1<<53:
			b.Add(n.Place, path, "want an integer, got a float; write %.0f", x)
		case !v.CanFloat():
			b.Add(n.Place, path, "want an integer, got %v", x)
		case wrong != "":
			b.Add(n.Place, path, "%s", wrong)
		default:
			v.SetFloat(x)
		}
	default:
		b.Add(n.Place, path, "want a number, got %s", spectree.Describe(n))
	}
}

// method decodes a method: the keys of every method, and the other keys over the defaults of its algorithm.
func (b binder) method(n *spectree.Node, v reflect.Value, path string) {
	t := n.Table()
	if t == nil {
		b.Add(n.Place, path, "want a table, got %s", spectree.Describe(n))
		return
	}
	own := b.keys(methodType)
	b.fields(n, v, path, own)
	m := v.Addr().Interface().(*Method)
	m.Group, m.axes = t.Group, t.Axes
	a, err := newAlgorithm(m.Algorithm)
	if err != nil {
		return // already noted with the key "algorithm"
	}
	m.Configured = a
	settings := reflect.ValueOf(a).Elem()
	fs := b.keys(settings.Type())
	for _, k := range t.Keys {
		if isKey := func(f field) bool { return f.key == k }; !slices.ContainsFunc(own, isKey) && !slices.ContainsFunc(fs, isKey) {
			b.unknown(t.Nodes[k], path, k, slices.Concat(keysOf(fs), keysOf(own)))
		}
	}
	b.fields(n, settings, path, fs)
}

// schedule decodes a table that names a schedule under the key "schedule", over the schedule's defaults. The
// table may leave the name out if the algorithm has a default schedule.
func (b binder) schedule(n *spectree.Node, v reflect.Value, path string) {
	t := n.Table()
	if t == nil {
		b.Add(n.Place, path, `want a table, got %s; write { schedule = "constant", gamma0 = 1.0 }`, spectree.Describe(n))
		return
	}
	s, ok := b.namedSchedule(n, v, path)
	if !ok {
		return
	}
	params := reflect.ValueOf(s).Elem()
	fs := b.keys(params.Type())
	for _, k := range t.Keys {
		if k != "schedule" && !slices.ContainsFunc(fs, func(f field) bool { return f.key == k }) {
			b.unknown(t.Nodes[k], path, k, append(keysOf(fs), "schedule"))
		}
	}
	b.fields(n, params, path, fs)
	v.Set(reflect.ValueOf(s))
}

// namedSchedule returns a new schedule of the name in the table, or a copy of the default schedule.
func (b binder) namedSchedule(n *spectree.Node, v reflect.Value, path string) (schedules.Schedule, bool) {
	path = spectree.Join(path, "schedule")
	name := n.Find("schedule")
	if name == nil {
		if v.IsNil() {
			b.Add(n.Place, path, "missing; %s", printed.Suggest("", schedules.Names()))
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

// isKey reports whether a spec may have a key under a path of keys; below a method, with any algorithm.
func isKey(path []string) bool {
	if len(path) > 2 && path[0] == "profile" {
		path = path[2:]
	}
	t := reflect.TypeFor[Spec]()
	for _, k := range path {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map || t == scheduleType {
			return true
		}
		if t = typeOfKey(t, k); t == nil {
			return false
		}
	}
	return true
}

// typeOfKey returns the type of a key in tables of type t, nil if they have no such key.
func typeOfKey(t reflect.Type, key string) reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fields(t) {
		if f.key == key {
			return f.typ
		}
	}
	if t == methodType {
		for _, name := range AlgorithmNames() {
			if own := typeOfKey(newSettings(name).Type(), key); own != nil {
				return own
			}
		}
	}
	return nil
}
