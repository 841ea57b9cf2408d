// Package params keeps the registries of kernels and of losses and checks the parameters that specs give them. A program
// that registers a kernel or a loss uses it through packages kernels and losses.
package params

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Family is the kernels or losses of one name, which differ in their parameters. Make is the type of the function
// that returns one of them for the parameters of a spec.
type Family[Make any] struct {
	Doc  string // one line, for lists
	Keys []Key  // the parameters that a spec gives beside name
	Make Make   // called with values that have been checked
}

// A Key is a parameter of a family. The spec gives the value of a parameter that is not a key of the package's Config in
// the table params.
type Key struct {
	Name     string
	Need     string               // what the value must be, as in "> 0 and finite"
	OK       func(v float64) bool // reports whether the value is valid; nil if every number is
	Optional bool                 // may be left out and is then 0
}

// Positive is the key of a positive, finite number.
func Positive(name string) Key {
	return Key{Name: name, Need: "> 0 and finite", OK: func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }}
}

// NonNegative is the key of a finite number of at least 0.
func NonNegative(name string) Key {
	return Key{Name: name, Need: ">= 0 and finite", OK: func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }}
}

// Or0 is the key of a parameter that may be left out and is then 0.
func (k Key) Or0() Key {
	k.Optional = true
	return k
}

func (k Key) ok(v float64) bool { return k.OK == nil || k.OK(v) }

// A Config is what a spec says of one kernel or loss.
type Config struct {
	Name  string
	Own   map[string]float64 // the parameters that have a key of their own, 0 where the spec does not give them
	Table map[string]float64 // those in the table params
	Later string             // a parameter whose value is not known yet; empty if there is none
}

// An Error says what is wrong with a key of a Config.
type Error struct{ Key, Text string }

func (e *Error) Error() string { return e.Key + ": " + e.Text }

// A Registry holds the families of one package by name.
type Registry[Make any] struct {
	Package  string            // "kernels"
	Noun     string            // "kernel"
	Own      []string          // the parameters that have a key of their own
	Missing  map[string]string // what errors say about a missing parameter, where it is not the usual text
	Families map[string]Family[Make]
}

// table is the key of the table of parameters that have no key of their own.
const table = "params"

// Register adds a family. It panics if the name is taken.
func (r *Registry[Make]) Register(name string, f Family[Make]) {
	switch _, taken := r.Families[name]; {
	case taken:
		panic(r.Package + ": " + name + " registered twice")
	case name == "" || f.Doc == "" || reflect.ValueOf(f.Make).IsNil():
		panic(r.Package + ": " + name + ": a family needs a name, a Doc line and Make")
	}
	r.Families[name] = f
}

// Names lists the families in alphabetical order.
func (r *Registry[Make]) Names() []string { return slices.Sorted(maps.Keys(r.Families)) }

// Keys lists the keys of the named family in a spec, "name" first.
func (r *Registry[Make]) Keys(name string) []string {
	keys := []string{"name"}
	for _, k := range r.Families[name].Keys {
		if !slices.Contains(r.Own, k.Name) {
			k.Name = table
		}
		if !slices.Contains(keys, k.Name) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}

// Table returns, for the parameters of a family that a spec gives in the table params, values that are valid: 1, or a small
// number where 1 is not.
func (r *Registry[Make]) Table(name string) map[string]float64 {
	values := map[string]float64{}
	for _, k := range r.Families[name].Keys {
		if slices.Contains(r.Own, k.Name) {
			continue
		}
		for _, v := range []float64{1, 0.5, 0.1, 2, 10, 0, -1} {
			if k.ok(v) {
				values[k.Name] = v
				break
			}
		}
	}
	return values
}

// Check returns an *Error if one of the keys given is not the family's, if one that it needs is not given, or if the
// value of one is wrong. The family is one of Names.
func (r *Registry[Make]) Check(c Config, given []string) error {
	own := r.Keys(c.Name)
	for _, key := range given {
		if slices.Contains(own, key) {
			continue
		}
		if with := r.takers(key); len(with) > 0 {
			return &Error{key, fmt.Sprintf("is a key of %s, not of %s; remove it", list(with), c.Name)}
		}
		return &Error{key, fmt.Sprintf("is not a key of %s; remove it", c.Name)}
	}
	keys := r.Families[c.Name].Keys
	for _, name := range slices.Sorted(maps.Keys(c.Table)) {
		if !slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name }) {
			return &Error{table + "." + name, fmt.Sprintf("is not a parameter of %s; remove it", c.Name)}
		}
	}
	for _, k := range keys {
		path, has := k.Name, slices.Contains(given, k.Name)
		v, own := c.Own[k.Name]
		if !own {
			path = table + "." + k.Name
			v, has = c.Table[k.Name]
		}
		switch {
		case has && k.Name != c.Later && !k.ok(v):
			return &Error{path, fmt.Sprintf("must be %s, got %v", k.Need, v)}
		case has || k.Optional:
		case r.Missing[k.Name] != "":
			return &Error{path, r.Missing[k.Name]}
		default:
			return &Error{path, fmt.Sprintf("missing; %s %s needs a number %s", r.Noun, c.Name, k.Need)}
		}
	}
	return nil
}

// CheckSet is Check of a Config that was made in Go: the keys given are those that are not 0 and those that may be 0.
func (r *Registry[Make]) CheckSet(c Config) error {
	var given []string
	for _, key := range slices.Sorted(maps.Keys(c.Own)) {
		if c.Own[key] != 0 {
			given = append(given, key)
		}
	}
	for _, k := range r.Families[c.Name].Keys {
		if _, own := c.Own[k.Name]; own && k.ok(0) {
			given = append(given, k.Name)
		}
	}
	return r.Check(c, given)
}

// takers lists the families that have a key.
func (r *Registry[Make]) takers(key string) []string {
	return slices.DeleteFunc(r.Names(), func(name string) bool { return !slices.Contains(r.Keys(name), key) })
}

// list joins names for a sentence.
func list(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// A Want is what a want tag says of the value of a key. Tags have this grammar:
//
//	want:"> 0"        a number above a bound; also ">= 0" and "= 1"
//	want:"a|b|c"      one of these words; an empty one, as in "|a|b", allows an empty string
//	want:"metric"     one of a vocabulary: abscissa, algorithm, curve, dataset, kernel, loss, metric, schedule, statistic
//
// A word has no comma, quotation mark or space at an end.
type Want struct {
	Op    string // ">", ">=", "=", or empty for words
	Bound float64
	Words []string // nil if every string will do
}

var (
	bounded = regexp.MustCompile(`^(>|>=|=) (\S+)$`)
	word    = regexp.MustCompile(`^[^\s,"'|<>;]([^,"'|<>;]*[^\s,"'|<>;])?$`)
)

// ParseWant parses a want tag.
func ParseWant(tag string) (w Want, err error) {
	if tag == "" {
		return w, nil
	}
	if m := bounded.FindStringSubmatch(tag); m != nil {
		w.Op = m[1]
		if w.Bound, err = strconv.ParseFloat(m[2], 64); err == nil {
			return w, nil
		}
	}
	for _, s := range strings.Split(tag, "|") {
		if s != "" && !word.MatchString(s) {
			return w, fmt.Errorf(`want tag %q: write a bound such as "> 0", or words with | between them such as "a|b"`, tag)
		}
		w.Words = append(w.Words, s)
	}
	return w, nil
}

// CheckTags returns an error if a field of the struct that v points to, or of a struct in it, has a want tag that is none.
func CheckTags(v any) error { return checkTags(reflect.TypeOf(v), map[reflect.Type]bool{}) }

func checkTags(t reflect.Type, seen map[reflect.Type]bool) error {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if _, key := f.Tag.Lookup("toml"); !key && !f.Anonymous {
			continue
		}
		if _, err := ParseWant(f.Tag.Get("want")); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := checkTags(f.Type, seen); err != nil {
			return err
		}
	}
	return nil
}
