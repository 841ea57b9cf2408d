package strict

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/results/printed"
)

// Decode decodes a tree, which messages name by path, into the struct that into points to. A key that no field has and a value
// that breaks a tag are mistakes. own has the names that the text adds to vocabularies, by vocabulary.
func Decode(n *spectree.Node, into any, path string, own map[string][]string, found *spectree.Mistakes) {
	binder{found, n, own}.value(n, reflect.ValueOf(into).Elem(), path, Constraint{})
}

type binder struct {
	*spectree.Mistakes
	root *spectree.Node
	own  map[string][]string
}

// spared reports whether a key need not be there, because of another one.
func (b binder) spared(f Field) bool {
	if f.Spare == nil {
		return false
	}
	e := b.root.Find(strings.Split(f.Spare[0], ".")...)
	return e != nil && (len(f.Spare) == 1 || e.Text() == f.Spare[1])
}

// value decodes n into v. Mistakes name it by path.
func (b binder) value(n *spectree.Node, v reflect.Value, path string, want Constraint) {
	if c, ok := choices[v.Type()]; ok {
		b.choice(n, v, path, c)
		return
	}
	if f, short, ok := ShortOf(v.Type()); ok && n.Table() == nil {
		b.short(n, v, path, f, short)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if begin, ok := fresh[v.Type().Elem()]; ok {
			p.Elem().Set(begin)
		}
		b.value(n, p.Elem(), path, want)
		v.Set(p)
	case reflect.Struct:
		b.structure(n, v, path, Fields(v.Type()), nil)
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
		panic("strict: no decoder for " + v.Type().String() + " at " + path)
	}
}

// short decodes a value that stands for a table with one key.
func (b binder) short(n *spectree.Node, v reflect.Value, path string, f Field, want Constraint) {
	_, word := n.Value.(string)
	if word || f.Type.Kind() != reflect.String {
		b.value(n, v.FieldByIndex(f.Index), path, want)
		return
	}
	b.Add(n.Place, path, "want a word, or a table with some of the keys %s, got %s", strings.Join(keysOf(Fields(v.Type())), ", "), spectree.Describe(n))
}

// structure decodes a table into fs, the fields of v. It may have the keys of others too.
func (b binder) structure(n *spectree.Node, v reflect.Value, path string, fs, others []Field) {
	t := n.Table()
	if t == nil {
		b.Add(n.Place, path, "want a table, got %s", spectree.Describe(n))
		return
	}
	has := func(fs []Field, key string) bool {
		return slices.ContainsFunc(fs, func(f Field) bool { return f.Key == key })
	}
	for _, k := range t.Keys {
		if !has(fs, k) && !has(others, k) {
			known := append(keysOf(fs), keysOf(others)...)
			b.Add(t.Nodes[k].Place, spectree.Join(path, spectree.QuoteKey(k)), "unknown key; %s", printed.Suggest(k, known))
		}
	}
	b.fields(n, v, path, fs)
}

// fields decodes the keys of a table that are among fs and notes the missing ones.
func (b binder) fields(n *spectree.Node, v reflect.Value, path string, fs []Field) {
	for _, f := range fs {
		switch e := n.Find(f.Key); {
		case e != nil:
			b.value(e, v.FieldByIndex(f.Index), spectree.Join(path, f.Key), f.Want)
		case b.spared(f):
		case f.Must:
			b.Add(n.Place, spectree.Join(path, f.Key), "missing (%s); %s", f.Doc, f.Want.hint())
		case f.Needed(v):
			b.Add(n.Place, spectree.Join(path, f.Key), "missing; give a number %s", f.Want.number())
		}
		b.pairs(n, path, f)
	}
}

// pairs checks what the tags of a key say of other keys of its table.
func (b binder) pairs(n *spectree.Node, path string, f Field) {
	e := n.Find(f.Key)
	if e == nil {
		return
	}
	given := func(key string) bool { return n.Find(key) != nil }
	for _, k := range f.Not {
		if given(k) {
			b.Add(e.Place, spectree.Join(path, f.Key), "contradicts %s; keep one", spectree.Beside(k, n.Find(k)))
		}
	}
	for _, k := range f.Beside {
		if given(k) {
			b.Add(e.Place, spectree.Join(path, f.Key), "has no effect beside %s; remove it", spectree.Beside(k, n.Find(k)))
		}
	}
	if len(f.Needs) > 0 && !slices.ContainsFunc(f.Needs, given) {
		b.Add(e.Place, spectree.Join(path, f.Key), "has no effect without %s; give that too, or remove it", strings.Join(f.Needs, " or "))
	}
	if key, how, ok := strings.Cut(f.Asks, " "); ok && (!given(key) || n.Find(key).Value == "") {
		b.Add(e.Place, spectree.Join(path, key), "missing; %s", how)
	}
}

// choice decodes a table with a choice: its own keys, and those of the struct that it names. The name may be left out where there
// is a struct already.
func (b binder) choice(n *spectree.Node, v reflect.Value, path string, c Choice) {
	own, made := []Field(nil), v
	want := func() Constraint { return Constraint{Noun: c.Key, Words: c.Names()} }
	switch {
	case n.Table() == nil:
		b.Add(n.Place, path, "want a table, got %s; write { %s = %q }", spectree.Describe(n), c.Key, c.Names()[0])
		return
	case c.Field == "":
		own = []Field{{Key: c.Key}}
	default:
		own, made = Fields(v.Type()), v.FieldByName(c.Field)
		b.fields(n, v, path, own)
	}
	var settings reflect.Value
	switch name := n.Find(c.Key); {
	case name != nil:
		named := c.New(name.Text())
		if named == nil {
			b.text(name, reflect.New(reflect.TypeFor[string]()).Elem(), spectree.Join(path, c.Key), want())
			return
		}
		settings = reflect.ValueOf(named)
	case !made.IsNil():
		settings = reflect.New(made.Elem().Elem().Type())
		settings.Elem().Set(made.Elem().Elem())
	default:
		if c.Field == "" {
			b.Add(n.Place, spectree.Join(path, c.Key), "missing; %s", want().hint())
		}
		return
	}
	b.structure(n, settings.Elem(), path, Fields(settings.Type().Elem()), own)
	made.Set(settings)
}

// dictionary decodes a table of any keys into a map.
func (b binder) dictionary(n *spectree.Node, v reflect.Value, path string, want Constraint) {
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

// array decodes an array into a slice, or into a Go array of the same length.
func (b binder) array(n *spectree.Node, v reflect.Value, path string, want Constraint) {
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

func (b binder) text(n *spectree.Node, v reflect.Value, path string, want Constraint) {
	s, ok := n.Value.(string)
	if own := b.own[want.Noun]; len(own) > 0 {
		want.Words = append(slices.Clone(own), want.Words...)
	}
	wrong := want.checkString(s)
	switch n.Value.(type) {
	case int64, float64, bool:
		if want.Digits && n.Digits != "" {
			s, ok, wrong = n.Digits, true, ""
			break
		}
		b.Add(n.Place, path, "want a string, got %s; write %[1]q", spectree.Describe(n))
		return
	}
	switch {
	case !ok:
		b.Add(n.Place, path, "want a string, got %s", spectree.Describe(n))
	case wrong != "":
		b.Add(n.Place, path, "%s", wrong)
	default:
		v.SetString(s)
	}
}

// number decodes an integer or a finite float. A float field takes integers; an integer field takes no floats.
func (b binder) number(n *spectree.Node, v reflect.Value, path string, want Constraint) {
	x, float := n.Value.(float64)
	whole, integer := n.Value.(int64)
	if integer {
		x = float64(whole)
	}
	wrong := want.check(x)
	switch {
	case !float && !integer:
		b.Add(n.Place, path, "want a number, got %s", spectree.Describe(n))
	case math.IsNaN(x) || math.IsInf(x, 0):
		b.Add(n.Place, path, "must be finite, got %v", x)
	case float && !v.CanFloat() && x == math.Trunc(x) && math.Abs(x) < 1<<53:
		b.Add(n.Place, path, "want an integer, got a float; write %.0f", x)
	case float && !v.CanFloat():
		b.Add(n.Place, path, "want an integer, got %v", x)
	case wrong != "":
		b.Add(n.Place, path, "%s", wrong)
	case v.CanFloat():
		v.SetFloat(x)
	case v.CanUint() && whole < 0:
		b.Add(n.Place, path, "must be >= 0, got %d", whole)
	case v.CanUint():
		v.SetUint(uint64(whole))
	default:
		v.SetInt(whole)
	}
}

// A Block is TOML text that is part of another file, such as a fence of a Markdown page, decoded as strictly as a spec. It
// knows the line of every key, so that whoever checks its values further can say where a mistake is.
type Block struct {
	found spectree.Mistakes
	root  *spectree.Node
}

// DecodeBlock decodes text, which begins on a line of a file, into the struct that into points to. The struct's tags are those
// of specs: toml has the key, want bounds a number or lists words, must = "yes" requires the key, doc says what it is. The error
// names file, line and key of every mistake.
func DecodeBlock(file string, line int, text string, into any) (*Block, error) {
	root, err := spectree.Parse(file, strings.Repeat("\n", line-1)+text)
	if err != nil {
		return nil, err
	}
	root.Line = line - 1 // of the fence itself, for keys that are missing
	b := &Block{found: spectree.Mistakes{File: file}, root: root}
	Decode(root, into, "", nil, &b.found)
	return b, b.found.Err()
}

// Has reports whether the text has a key of that name.
func (b *Block) Has(key string) bool { return b.root.Find(key) != nil }

// Mistake returns an error that names the file and the line and key of the value under a path of keys and positions, such as
// "choices", 1, "when". The text says what is wrong and, after a semicolon, how to correct it.
func (b *Block) Mistake(path []any, format string, args ...any) error {
	n, name := b.root, ""
	for _, step := range path {
		next := (*spectree.Node)(nil)
		switch step := step.(type) {
		case string:
			name, next = spectree.Join(name, step), n.Find(step)
		case int:
			name = spectree.Entry(name, nil, step)
			if items := n.Items(); step < len(items) {
				next = items[step]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	m := spectree.Mistakes{File: b.found.File}
	m.Add(n.Place, name, format, args...)
	return errors.New(m.List[0].Text)
}
