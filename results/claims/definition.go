package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// A Definition is what a claim says, by the keys of a spec, with values as JSON has them. Two tags of Claim decide what it has, so
// that a new key is part of it:
//
//	prose:"yes"    explains the claim and decides nothing: left out
//	prose:"given"  a reason, which decides only by being there: true
//	loose:"…"      when a change of the key makes the claim easier to meet; see Loosens
type Definition map[string]any

// keyTags returns the tags of a claim's keys, by key.
func keyTags() map[string]reflect.StructTag {
	tags := map[string]reflect.StructTag{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Claim]()) {
		if key := f.Tag.Get("toml"); key != "" && key != "-" {
			tags[key] = f.Tag
		}
	}
	return tags
}

// Definition returns what the claim says.
func (c Claim) Definition() Definition {
	text, err := json.Marshal(c)
	if err != nil {
		panic("claims: a claim is not JSON: " + err.Error())
	}
	var d Definition
	if err := json.Unmarshal(text, &d); err != nil {
		panic("claims: a claim is not a JSON object: " + err.Error())
	}
	for key, tag := range keyTags() {
		switch _, there := d[key]; {
		case tag.Get("prose") == "yes":
			delete(d, key)
		case tag.Get("prose") == "given" && there:
			d[key] = true
		}
	}
	return d
}

// Claim returns the claim of a definition, which is judged as the defined one was; reasons are not known any more.
func (d Definition) Claim() (c Claim, err error) {
	d = maps.Clone(d)
	for key, tag := range keyTags() {
		if d[key] == true && tag.Get("prose") == "given" {
			d[key] = "given"
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return c, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return c, in.Decode(&c)
}

// Loosens reports whether the change of a key, whose value is nil where it is not given, makes a claim easier to meet by itself: its
// tag says that it does if it is "given", "more", "less" or "moved" at all. What the accepted numbers follow from needs no tag.
func Loosens(key string, was, is any) bool {
	switch keyTags()[key].Get("loose") {
	case "given":
		return was == nil && is != nil
	case "more":
		return size(is) > size(was)
	case "less":
		return size(is) < size(was)
	case "moved":
		return true
	}
	return false
}

// size returns a number, or the length of a list.
func size(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case []any:
		return float64(len(v))
	}
	return 0
}

// Wider reports whether the region accepts anything that another one does not.
func (a Region) Wider(than Region) bool {
	return a.Low < than.Low || a.High > than.High || a.High == than.High && than.Open && !a.Open || than.every && !a.every
}

// TextOf writes a value of a definition, nil as what is not given.
func TextOf(v any) string {
	if v == nil {
		return "not given"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// without returns the definition without some keys.
func (d Definition) without(keys ...string) Definition {
	maps.DeleteFunc(d, func(key string, _ any) bool { return slices.Contains(keys, key) })
	return d
}
