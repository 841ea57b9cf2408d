package experiments

import (
	"reflect"
	"slices"
	"sync"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/results/claims"
	"repro/results/records"
)

// wants holds the constraints on the keys of package results, whose structs carry no want tags.
var wants = map[reflect.Type]map[string]string{
	reflect.TypeFor[claims.Claim](): {
		"kind": "kind", "metric": "curve", "x": "|abscissa", "rows": "> 0",
		"tolerance": ">= 0", "target": ">= 0", "statistic": "|statistic",
		"min_rows": ">= 0", "min_steps": ">= 0",
	},
	reflect.TypeFor[records.At](): {"x": "|abscissa", "value": ">= 0"},
	reflect.TypeFor[claims.Figure](): {
		"kind": "|figure", "x": "|abscissa", "y": "|curve", "scale": "|loglog|semilogx|semilogy|linear",
		"font_size": ">= 0", "legend": "|ends|right|inside|below|none", "style": "|paper|slides|dark",
	},
	reflect.TypeFor[claims.Series](): {"metric": "|curve", "statistic": "|statistic"},
	reflect.TypeFor[claims.Table]():  {"metrics": "curve", "x": "|abscissa", "rows": "> 0"},
}

// required lists the keys that a table must have, of types without the tag must = "yes". Keys whose default breaks their own
// constraint are required too.
var required = map[reflect.Type][]string{
	reflect.TypeFor[Spec]():             {"schema", "paper", "title", "data", "problem", "evaluate", "method"},
	reflect.TypeFor[Problem]():          {"loss", "kernel"},
	reflect.TypeFor[kernels.Config]():   {"name"},
	reflect.TypeFor[losses.Config]():    {"name"},
	reflect.TypeFor[Evaluate]():         {"metrics"},
	reflect.TypeFor[Method]():           {"id", "algorithm"},
	reflect.TypeFor[External]():         {"command"},
	reflect.TypeFor[Command]():          {"train"},
	reflect.TypeFor[Published]():        {"is", "says"},
	reflect.TypeFor[claims.Claim]():     {"id", "kind", "statement", "source", "method", "metric"},
	reflect.TypeFor[claims.Figure]():    {"id"},
	reflect.TypeFor[claims.Series]():    {"method"},
	reflect.TypeFor[claims.Guide]():     {"slope"},
	reflect.TypeFor[claims.Table]():     {"id", "metrics"},
	reflect.TypeFor[claims.Ambiguity](): {"item", "chosen", "why"},
	reflect.TypeFor[claims.Row]():       {"id", "source", "what"},
}

// A field is one key of a table, bound to a field of a struct.
type field struct {
	key   string
	index []int // for reflect.Value.FieldByIndex
	want  constraint
	must  bool // the table must have the key
	doc   string
	typ   reflect.Type
}

// fieldsOf has what fields found.
var fieldsOf sync.Map

// fields lists the keys of a struct by its toml tags, in order. Callers must not change the list.
func fields(t reflect.Type) []field {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]field)
	}
	var s []field
	for _, f := range reflect.VisibleFields(t) {
		key := f.Tag.Get("toml")
		if key == "" || key == "-" {
			continue
		}
		want := f.Tag.Get("want")
		if w, ok := wants[t][key]; ok {
			want = w
		}
		c := parseWant(want)
		c.most = ceilingOf(f.Tag.Get("most"), f.Type)
		must := f.Tag.Get("must") != "" || slices.Contains(required[t], key)
		s = append(s, field{key: key, index: f.Index, want: c, must: must, doc: f.Tag.Get("doc"), typ: f.Type})
	}
	fieldsOf.Store(t, s)
	return s
}

// constraintOf returns the constraint on a key of T.
func constraintOf[T any](key string) constraint {
	for _, f := range fields(reflect.TypeFor[T]()) {
		if f.key == key {
			return f.want
		}
	}
	panic("experiments: no key " + key)
}

func keysOf(fs []field) []string {
	keys := make([]string, len(fs))
	for i, f := range fs {
		keys[i] = f.key
	}
	return keys
}
