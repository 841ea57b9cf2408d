package experiments

import (
	"reflect"
	"sync"
)

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
		c := parseWant(f.Tag.Get("want"))
		c.most = ceilingOf(f.Tag.Get("most"), f.Type)
		s = append(s, field{key: key, index: f.Index, want: c, must: f.Tag.Get("must") != "", doc: f.Tag.Get("doc"), typ: f.Type})
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

// required lists the keys that tables of a type must have. Keys whose default breaks their own constraint are required too.
func required(t reflect.Type) (keys []string) {
	for _, f := range fields(t) {
		if f.must {
			keys = append(keys, f.key)
		}
	}
	return keys
}
