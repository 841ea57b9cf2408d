package strict

import (
	"maps"
	"reflect"
	"slices"
)

// Own is implemented by a table that has only some of its type's keys.
type Own interface{ OwnKeys() []string }

// EncodeSet returns the keys of a struct that are set, with their values in types that JSON has.
func EncodeSet(set any) map[string]any { return encodeSet(reflect.ValueOf(set)) }

func encodeSet(v reflect.Value) map[string]any {
	m := map[string]any{}
	for _, f := range Fields(v.Type()) {
		own := v.FieldByIndex(f.Index)
		if own.Kind() != reflect.Struct && own.IsZero() {
			continue
		}
		if e := reflect.ValueOf(Encode(own)); e.IsValid() && !e.IsZero() && (e.Kind() != reflect.Slice || e.Len() > 0) {
			m[f.Key] = e.Interface()
		}
	}
	return m
}

// EncodeAll returns all keys of a struct with their values.
func EncodeAll(v reflect.Value) map[string]any {
	m := map[string]any{}
	for _, f := range Fields(v.Type()) {
		m[f.Key] = Encode(v.FieldByIndex(f.Index))
	}
	return m
}

// Encode returns a value in types that JSON has.
func Encode(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if c, ok := choices[v.Type()]; ok {
			m := EncodeAll(v.Elem().Elem())
			m[c.Key] = c.NameOf(v.Interface())
			return m
		}
		return Encode(v.Elem())
	case reflect.Struct:
		return encodeTable(v)
	case reflect.Slice, reflect.Array:
		s := make([]any, v.Len())
		for i := range s {
			s[i] = Encode(v.Index(i))
		}
		if v.Kind() == reflect.Array && v.IsZero() {
			return []any{}
		}
		return s
	default:
		return v.Interface()
	}
}

// encodeTable returns the keys of a struct, or the value that may stand for them.
func encodeTable(v reflect.Value) any {
	m := EncodeAll(v)
	f, _, short := ShortOf(v.Type())
	if own, ok := v.Interface().(Own); ok {
		keys := own.OwnKeys()
		maps.DeleteFunc(m, func(key string, _ any) bool { return !slices.Contains(keys, key) })
	} else if short {
		m = encodeSet(v)
	}
	if short && f.written && (len(m) == 0 || len(m) == 1 && m[f.Key] != nil) {
		return Encode(v.FieldByIndex(f.Index))
	}
	return m
}
