// Package strict reads the tables of a tree into Go structs by their tags, and writes their values, their JSON Schema and their
// names back. It knows no key: what a key may be stands in the tags of its field, and what a name may be is registered.
//
//	toml:"key"     the key
//	doc:"…"        what it means
//	must:"yes"     the table must have it; "unless metric" or "unless problem.kind own" names a key of the whole text, and its value,
//	               where it need not
//	want:"> 0"     a bound or words: see params.Want; "digits" is a string that may be given as a number
//	most:"1e5 …"   the largest magnitude of a number, and why
//	short:"yes"    this key's value may stand for the whole table; "read" if it is not written so; else the want of such a value
//	not:"a b"      contradicts these keys of the same table
//	beside:"a b"   has no effect beside these
//	needs:"a b"    has no effect without one of these
//	asks:"a …"     does not stand without the key a; the rest says what to do
package strict

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repro/algos/params"
	"repro/results/printed"
)

// A Field is one key of a table, bound to a field of a struct.
type Field struct {
	Key   string
	Index []int // for reflect.Value.FieldByIndex
	Want  Constraint
	Must  bool     // the table must have the key
	Spare []string // where it need not: the path of a key of the whole text, and a value of it
	Doc   string
	Type  reflect.Type

	Not, Beside, Needs []string // other keys of the table: contradicted, that make it idle, one of which it needs
	Asks               string   // a key that the table must have too, with what to do

	short   *Constraint // on a value that stands for the whole table; nil if none may
	written bool        // such a value is written where it says all
}

// fieldsOf has what Fields found.
var fieldsOf sync.Map

// Fields lists the keys of a struct by its toml tags, in order. Callers must not change the list.
func Fields(t reflect.Type) []Field {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]Field)
	}
	var s []Field
	for _, f := range reflect.VisibleFields(t) {
		key := f.Tag.Get("toml")
		if key == "" || key == "-" {
			continue
		}
		most := ceilingOf(f.Tag.Get("most"), f.Type)
		own := Field{Key: key, Index: f.Index, Want: parseWant(f.Tag.Get("want"), most), Must: f.Tag.Get("must") != "", Doc: f.Tag.Get("doc"), Type: f.Type, Asks: f.Tag.Get("asks")}
		own.Not, own.Beside = strings.Fields(f.Tag.Get("not")), strings.Fields(f.Tag.Get("beside"))
		own.Needs = strings.Fields(f.Tag.Get("needs"))
		if spare, ok := strings.CutPrefix(f.Tag.Get("must"), "unless "); ok {
			own.Spare = strings.Fields(spare)
		}
		if short := f.Tag.Get("short"); short != "" {
			want := own.Want
			if short != "yes" && short != "read" {
				want = parseWant(short, most)
			}
			own.short, own.written = &want, short != "read"
		}
		s = append(s, own)
	}
	fieldsOf.Store(t, s)
	return s
}

// ShortOf returns the key whose value may stand for a whole table of type t, and what is wanted of such a value.
func ShortOf(t reflect.Type) (f Field, want Constraint, ok bool) {
	if t.Kind() != reflect.Struct {
		return f, want, false
	}
	for _, f := range Fields(t) {
		if f.short != nil {
			return f, *f.short, true
		}
	}
	return f, want, false
}

// Needed reports whether a table, whose defaults in holds, must have the key: because the tag says so, or because its default
// breaks its own bound.
func (f Field) Needed(in reflect.Value) bool {
	return f.Must || f.Want.Op != "" && f.Want.check(number(in.FieldByIndex(f.Index))) != ""
}

func keysOf(fs []Field) []string {
	return printed.Each(fs, func(f Field) string { return f.Key })
}

// Required lists the keys that all tables of a type must have.
func Required(t reflect.Type) (keys []string) {
	for _, f := range Fields(t) {
		if f.Must && f.Spare == nil {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Check returns what is wrong with a number as the value of a key of T, empty if nothing is.
func Check[T any](key string, x float64) string {
	for _, f := range Fields(reflect.TypeFor[T]()) {
		if f.Key == key {
			return f.Want.check(x)
		}
	}
	panic("strict: no key " + key)
}

// vocabularies has what Vocabulary registered.
var vocabularies = map[string]vocabulary{}

// A vocabulary is a set of names that a word in a want tag stands for.
type vocabulary struct {
	called string // in messages
	names  func() []string
	open   bool // a text may add names
}

// Vocabulary makes a word in want tags stand for names, one of which messages call as told.
func Vocabulary(word, called string, names func() []string) {
	vocabularies[word] = vocabulary{called: called, names: names}
}

// Open is Vocabulary for names to which a text may add its own: those that Decode is told of.
func Open(word, called string, names func() []string) {
	vocabularies[word] = vocabulary{called, names, true}
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

// A Constraint is what the tags of a key say of its value: a bound on a number, or the words a string may be.
type Constraint struct {
	Op     string // ">", ">=", "=" or empty
	Bound  float64
	Most   Ceiling  // of a number; without a limit if the key is of another type
	Noun   string   // the vocabulary of the words: "loss"; empty for a plain enumeration
	Words  []string // nil if any string will do
	Digits bool     // a number stands for its digits

	empty bool // the string may be left empty
}

// parseWant reads a want tag, whose words may be names of vocabularies. It panics if it is none; params.CheckTags refuses such
// a tag where something is registered.
func parseWant(tag string, most Ceiling) Constraint {
	want, err := params.ParseWant(tag)
	if err != nil {
		panic("strict: " + err.Error())
	}
	c := Constraint{Op: want.Op, Bound: want.Bound, Most: most}
	for _, w := range want.Words {
		switch v, ok := vocabularies[w]; {
		case w == "":
			c.empty = true
		case w == "digits":
			c.Digits = true
		case ok:
			c.Noun = w
			c.Words = append(c.Words, v.names()...)
		default:
			c.Words = append(c.Words, w)
		}
	}
	return c
}

// check returns what is wrong with x, empty if nothing is.
func (c Constraint) check(x float64) string {
	if wrong := c.Most.check(x); wrong != "" {
		return wrong
	}
	ok := true
	switch c.Op {
	case ">":
		ok = x > c.Bound
	case ">=":
		ok = x >= c.Bound
	case "=":
		ok = x == c.Bound
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("must be %s, got %v", c.number(), x)
}

// number says which numbers are valid.
func (c Constraint) number() string {
	return strings.TrimPrefix(fmt.Sprintf("%s %v", c.Op, c.Bound), "= ")
}

// checkString returns what is wrong with s, empty if nothing is.
func (c Constraint) checkString(s string) string {
	if c.Words == nil || slices.Contains(c.Words, s) || s == "" && c.empty {
		return ""
	}
	return fmt.Sprintf("unknown %s %s; %s", c.Word(), printed.Quote(s), printed.Suggest(s, c.Words))
}

// Word is what a message calls one of the words.
func (c Constraint) Word() string { return cmp.Or(vocabularies[c.Noun].called, c.Noun, "value") }

// hint says what to do about a missing key.
func (c Constraint) hint() string {
	if len(c.Words) == 0 {
		return "add it"
	}
	return printed.Suggest("", c.Words)
}

// A Ceiling bounds the magnitude of a number, so that a slip of the keyboard is refused before it takes memory or overflows. Zero
// is no ceiling.
type Ceiling struct {
	Most float64
	Why  string
}

// Ceilings of keys without a tag of their own. The product of two integers that they allow fits in 64 bits.
var (
	integers = Ceiling{math.MaxInt32, "no matrix can have more rows or columns"}
	unsigned = Ceiling{1<<53 - 1, "readers of records keep larger integers inexactly"}
	reals    = Ceiling{1e100, "products of it could overflow"}
)

// ceilingOf returns the ceiling of a key from its tag, such as most:"1e5 a record has a line for each", or the one of its
// type.
func ceilingOf(tag string, t reflect.Type) Ceiling {
	if tag != "" {
		number, why, _ := strings.Cut(tag, " ")
		most, err := strconv.ParseFloat(number, 64)
		if err != nil || why == "" {
			panic("strict: most tag " + strconv.Quote(tag))
		}
		return Ceiling{most, why}
	}
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return integers
	case reflect.Uint64:
		return unsigned
	case reflect.Float64:
		return reals
	}
	return Ceiling{}
}

// Stated reports whether the ceiling is the key's own.
func (c Ceiling) Stated() bool {
	return c.Most > 0 && c != integers && c != unsigned && c != reals
}

// check returns what is wrong with x, empty if nothing is. Infinity, which is no value of a key, is nobody's concern here.
func (c Ceiling) check(x float64) string {
	if c.Most == 0 || math.Abs(x) <= c.Most || math.IsInf(x, 0) {
		return ""
	}
	if x < 0 {
		return fmt.Sprintf("must be >= %v, got %v: %s", -c.Most, x, c.Why)
	}
	return fmt.Sprintf("must be <= %v, got %v: %s", c.Most, x, c.Why)
}
