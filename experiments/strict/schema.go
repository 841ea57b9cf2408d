package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"repro/experiments/spectree"
)

// An object is a JSON object.
type object = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a spec whose keys are the fields of a struct that holds their defaults, for
// editors. It is made from the tags and from what is registered. Decode and checks know more than the schema can express.
func Schema(title string, defaults any) []byte {
	b := schemaBuilder{defs: object{}}
	spec := reflect.ValueOf(defaults)
	b.defs["whole"] = b.structure(spec, false)
	change := b.structure(reflect.Zero(spec.Type()), true)
	b.defs["profile"] = change
	profiles := object{
		"description":          "changes to the experiment by name of the profile: tables merge; methods, claims, figures and tables by id, ambiguities by item, metrics by name",
		"type":                 "object",
		"additionalProperties": object{"$ref": "#/$defs/profile"},
	}
	b.defs["whole"].(object)["properties"].(object)["profile"] = profiles
	properties := object{"profile": profiles}
	for k := range change["properties"].(object) {
		properties[k] = object{"$ref": "#/$defs/profile/properties/" + k}
	}
	root := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "$defs": b.defs,
		"type": "object", "properties": properties, "additionalProperties": false,
		"if": object{"required": []string{"base"}}, "else": object{"$ref": "#/$defs/whole"},
	}
	b.hoist(root)

	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic("strict: schema is not JSON: " + err.Error())
	}
	return text.Bytes()
}

// A schemaBuilder makes schemas of Go types. A partial schema describes a change to a value: no key is required,
// and a table with a choice may hold the keys of any name.
type schemaBuilder struct{ defs object }

// structure returns the schema of a table whose keys are the fields of v, which holds their defaults.
func (b schemaBuilder) structure(v reflect.Value, partial bool) object {
	properties := object{}
	for _, f := range Fields(v.Type()) {
		properties[f.Key] = b.field(f, v.FieldByIndex(f.Index), partial)
	}
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if keys := Required(v.Type()); len(keys) > 0 && !partial {
		o["required"] = keys
	}
	if rules := pairs(Fields(v.Type())); len(rules) > 0 && !partial {
		o["dependentSchemas"] = rules
	}
	return o
}

// pairs returns what the tags of keys say of other keys of their table, as schemas of the table by key.
func pairs(fs []Field) object {
	rules, has := object{}, func(key string) any { return object{"required": []string{key}} }
	for _, f := range fs {
		var all, none, some []any
		for _, k := range slices.Concat(f.Not, f.Beside) {
			none = append(none, has(k))
		}
		for _, k := range f.Needs {
			some = append(some, has(k))
		}
		if len(none) > 0 {
			all = append(all, object{"not": object{"anyOf": none}})
		}
		if len(some) > 0 {
			all = append(all, object{"anyOf": some})
		}
		if key, _, ok := strings.Cut(f.Asks, " "); ok {
			all = append(all, has(key))
		}
		if len(all) > 0 {
			rules[f.Key] = object{"allOf": all}
		}
	}
	return rules
}

// field returns the schema of one key.
func (b schemaBuilder) field(f Field, v reflect.Value, partial bool) object {
	o := b.value(v, f.Want, partial)
	if partial && slices.Contains(spectree.Keyed, f.Key) && v.Kind() == reflect.Slice {
		o = b.keyed(o)
	}
	if f.Doc != "" {
		o["description"] = f.Doc
	}
	if !partial && !v.IsZero() && (v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.String || v.Kind() == reflect.Bool) {
		o["default"] = v.Interface()
	}
	return o
}

// keyed returns the schema of a change to an array of tables: entries by id, each of which may be
// removed, or an array whose entries are changed or added by their ids.
func (b schemaBuilder) keyed(array object) object {
	entry := array["items"].(object)["$ref"].(string)
	properties := object{"remove": object{"type": "boolean", "description": "leave this entry out"}}
	for k := range b.defs[path.Base(entry)].(object)["properties"].(object) {
		if k != "each" {
			properties[k] = object{"$ref": entry + "/properties/" + k}
		}
	}
	change := object{"type": "object", "properties": properties, "additionalProperties": false}
	return object{"anyOf": []any{array, object{"type": "object", "additionalProperties": change}}}
}

// value returns the schema of a value of v's type, with v's fields for defaults.
func (b schemaBuilder) value(v reflect.Value, want Constraint, partial bool) object {
	if c, ok := choices[v.Type()]; ok {
		return b.choice(v.Type(), c, partial)
	}
	if f, want, ok := ShortOf(v.Type()); ok {
		short := b.value(v.FieldByIndex(f.Index), want, partial)
		return object{"anyOf": []any{short, b.structure(v, partial)}}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return b.value(reflect.Zero(v.Type().Elem()), want, partial)
	case reflect.Struct:
		return b.structure(v, partial)
	case reflect.Slice:
		return object{"type": "array", "items": b.item(v.Type().Elem(), want, partial)}
	case reflect.Array:
		item := b.value(reflect.Zero(v.Type().Elem()), want, partial)
		return object{"type": "array", "items": item, "minItems": v.Len(), "maxItems": v.Len()}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": b.value(reflect.Zero(v.Type().Elem()), want, partial)}
	case reflect.Interface:
		return object{} // anything
	case reflect.String:
		return want.stringSchema()
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return want.numberSchema("number")
	case reflect.Int, reflect.Int64:
		return want.numberSchema("integer")
	case reflect.Uint64:
		o := want.numberSchema("integer")
		o["minimum"] = 0
		return o
	}
	panic("strict: no schema for " + v.Type().String())
}

// item returns the schema of an item of an array. A table may have the key each, with a row for each entry that it makes; a row
// may have keys that only stand for text.
func (b schemaBuilder) item(t reflect.Type, want Constraint, partial bool) object {
	if _, _, short := ShortOf(t); short || t.Kind() != reflect.Struct {
		return b.value(reflect.Zero(t), want, partial)
	}
	name := "entry-" + strings.ToLower(t.Name())
	entry, o := object{"$ref": "#/$defs/" + name}, b.value(reflect.Zero(t), want, true)
	if b.defs[name] == nil {
		b.defs[name] = o
	}
	if keys := b.defs[name].(object)["properties"].(object); keys["each"] == nil {
		row := object{}
		for k := range keys {
			row[k] = object{"$ref": "#/$defs/" + name + "/properties/" + k}
		}
		keys["each"] = object{
			"description": "a row for each entry: its keys beside the other keys here; {key} in a string stands for the row's value",
			"type":        "array", "minItems": 1,
			"items": object{"type": "object", "properties": row, "additionalProperties": object{"type": []string{"string", "number", "boolean"}}},
		}
	}
	if partial {
		return entry
	}
	return object{"if": object{"required": []string{"each"}}, "then": entry, "else": b.value(reflect.Zero(t), want, false)}
}

func (c Constraint) stringSchema() object {
	o := object{"type": "string"}
	if c.Digits {
		o["type"] = []string{"string", "number"}
	}
	if words := slices.Clone(c.Words); words != nil {
		if c.empty {
			words = append(words, "")
		}
		o["enum"] = words
	}
	if vocabularies[c.Noun].open {
		return object{"anyOf": []any{o, object{"type": "string"}}}
	}
	return o
}

func (c Constraint) numberSchema(kind string) object {
	o := object{"type": kind}
	if c.Most.Stated() {
		o["maximum"] = c.Most.Most
	}
	if key := map[string]string{">": "exclusiveMinimum", ">=": "minimum", "=": "const"}[c.Op]; key != "" {
		o[key] = c.Bound
	}
	return o
}

// choice returns the schema of a table of type t whose string under a key says which further keys it may have. It defines one
// schema for each name, and one of a table with the keys of any.
func (b schemaBuilder) choice(t reflect.Type, c Choice, partial bool) object {
	name := strings.ToLower(t.Name())
	whole, change := object{"$ref": "#/$defs/" + name}, object{"$ref": "#/$defs/entry-" + name}
	if b.defs[name] == nil {
		b.defs[name] = whole // until it is made, for what lies in itself
		b.defs["entry-"+name] = b.union(t, c)
		b.defs[name] = b.named(t, c, change)
	}
	if partial {
		return change
	}
	return whole
}

// named returns the schema of a table with a choice, which change describes for any name.
func (b schemaBuilder) named(t reflect.Type, c Choice, change object) object {
	o := object{"$ref": change["$ref"]}
	var rules []any
	for _, name := range c.Names() {
		table := b.structure(c.named(name), false)
		if t.Kind() == reflect.Struct {
			own := b.structure(reflect.Zero(t), false)
			maps.Copy(table["properties"].(object), own["properties"].(object))
			table["required"], o["required"] = own["required"], own["required"]
		}
		table["properties"].(object)[c.Key] = object{"const": name}
		def := c.Key + "-" + name
		b.defs[def] = table
		rules = append(rules, object{
			"if":   object{"properties": object{c.Key: object{"const": name}}, "required": []string{c.Key}},
			"then": object{"$ref": "#/$defs/" + def},
		})
	}
	o["allOf"] = rules
	return o
}

// union returns the schema of a change to a table with a choice.
func (b schemaBuilder) union(t reflect.Type, c Choice) object {
	all := object{"type": "object", "properties": object{}, "additionalProperties": false}
	if t.Kind() == reflect.Struct {
		all = b.structure(reflect.Zero(t), true)
	}
	properties := all["properties"].(object)
	if properties[c.Key] == nil {
		properties[c.Key] = object{"type": "string", "enum": c.Names(), "description": "name of the " + c.Key}
	}
	for _, name := range c.Names() {
		for k, p := range b.structure(c.named(name), true)["properties"].(object) {
			if old, ok := properties[k]; ok && !reflect.DeepEqual(old, p) {
				p = object{"anyOf": []any{old, p}}
			}
			properties[k] = p
		}
	}
	return all
}

// least is the length as JSON from which an object is worth a definition of its own.
const least = 150

// hoist moves the schemas of keys that stand in the schema more than once into definitions.
func (b schemaBuilder) hoist(root object) {
	count, defs := map[string]int{}, map[string]string{} // names of definitions by what they define
	visit(root, func(_ string, _ object, text string) { count[text]++ })
	var move func(key string, properties object, text string)
	move = func(key string, properties object, text string) {
		if count[text] < 2 || len(text) < least {
			return
		}
		name, known := defs[text]
		if !known {
			name = "key-" + key
			for i := 2; b.defs[name] != nil; i++ {
				name = fmt.Sprintf("key-%s-%d", key, i)
			}
			defs[text] = name
			b.defs[name] = properties[key]
			visit(properties[key], move)
		}
		properties[key] = object{"$ref": "#/$defs/" + name}
	}
	visit(root, move)
}

// visit calls do with every key of tables that a schema describes, before those within it.
func visit(schema any, do func(key string, properties object, text string)) {
	switch s := schema.(type) {
	case []any:
		for _, e := range s {
			visit(e, do)
		}
	case object:
		properties, _ := s["properties"].(object)
		for _, k := range slices.Sorted(maps.Keys(properties)) {
			text, err := json.Marshal(properties[k])
			if err != nil {
				panic("experiments: schema is not JSON: " + err.Error())
			}
			do(k, properties, string(text))
		}
		for _, k := range slices.Sorted(maps.Keys(s)) {
			visit(s[k], do)
		}
	}
}
