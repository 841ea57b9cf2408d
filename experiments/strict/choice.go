package strict

import (
	"fmt"
	"reflect"
	"slices"
)

// What packages register, from init functions.
var (
	choices = map[reflect.Type]Choice{}
	fresh   = map[reflect.Type]reflect.Value{} // what new values of a type begin as, where that is not zero
)

// Fresh makes new values of T begin as v: those of keys that are pointers.
func Fresh[T any](v T) { fresh[reflect.TypeFor[T]()] = reflect.ValueOf(v) }

// A Choice says that a table has, beside its own keys, those of one of several structs: the one that a key names.
type Choice struct {
	Key   string // a string
	Names func() []string
	New   func(name string) any // a pointer to the named struct at its defaults; nil if there is none
	Field string                // of T, which holds the struct; empty if T is the interface that all of them have
}

// Choose registers the choice that tables of type T have.
func Choose[T any](c Choice) { choices[reflect.TypeFor[T]()] = c }

// ChoiceOf returns the choice that tables of a type have.
func ChoiceOf(t reflect.Type) (c Choice, ok bool) {
	c, ok = choices[t]
	return c, ok
}

// named returns the named struct at its defaults.
func (c Choice) named(name string) reflect.Value { return reflect.ValueOf(c.New(name)).Elem() }

// NameOf returns the name of what New made.
func (c Choice) NameOf(made any) string {
	names := c.Names()
	i := slices.IndexFunc(names, func(name string) bool { return reflect.TypeOf(c.New(name)) == reflect.TypeOf(made) })
	if i < 0 {
		panic(fmt.Sprintf("strict: %T has no name", made))
	}
	return names[i]
}

// IsKey reports whether tables of type t may have a key under a path of keys; with a choice, with any name.
func IsKey(t reflect.Type, path ...string) bool {
	for _, k := range path {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map || t.Kind() == reflect.Interface {
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
	for _, f := range Fields(t) {
		if f.Key == key {
			return f.Type
		}
	}
	if c, ok := choices[t]; ok {
		for _, name := range c.Names() {
			if own := typeOfKey(c.named(name).Type(), key); own != nil {
				return own
			}
		}
	}
	return nil
}

// AnyWord reports whether is holds for a word in v, a value of a key, or in a key below it. noun is the word's vocabulary.
func AnyWord(v reflect.Value, noun string, is func(noun, word string) bool) bool {
	switch v.Kind() {
	case reflect.String:
		return is(noun, v.String())
	case reflect.Slice:
		for i := range v.Len() {
			if AnyWord(v.Index(i), noun, is) {
				return true
			}
		}
	case reflect.Struct:
		return slices.ContainsFunc(Fields(v.Type()), func(f Field) bool { return AnyWord(v.FieldByIndex(f.Index), f.Want.Noun, is) })
	}
	return false
}
