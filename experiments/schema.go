package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"repro/algos/schedules"
	"repro/experiments/spectree"
)

//go:generate go test . -run TestSchemaIsCommitted|TestReferenceIsCommitted -update

// An object is a JSON object.
type object = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a spec, for editors. It is made from the Go
// types, their doc and want tags, and the registries. The loader checks more than the schema can express.
func Schema() []byte {
	b := schemaBuilder{defs: object{}}
	b.defs["whole"] = b.structure(reflect.ValueOf(*defaults()), false)
	b.defs["method"] = b.named("algorithm", methodType, AlgorithmNames(), newSettings)
	b.defs["schedule"] = b.named("schedule", nil, schedules.Names(), newSchedule)
	change := b.structure(reflect.ValueOf(Spec{}), true)
	b.defs["profile"] = change
	profiles := object{
		"description":          "changes to the experiment by name of the profile: tables merge; methods, claims, figures and tables by id, ambiguities by item",
		"type":                 "object",
		"additionalProperties": object{"$ref": "#/$defs/profile"},
	}
	b.defs["whole"].(object)["properties"].(object)["profile"] = profiles
	properties := object{"profile": profiles}
	for k := range change["properties"].(object) {
		properties[k] = object{"$ref": "#/$defs/profile/properties/" + k}
	}
	root := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An experiment of repro", "$defs": b.defs,
		"type": "object", "properties": properties, "additionalProperties": false,
		"if": object{"required": []string{"base"}}, "else": object{"$ref": "#/$defs/whole"},
	}

	b.hoist(root)

	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic("experiments: schema is not JSON: " + err.Error())
	}
	return text.Bytes()
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

// newSchedule returns the named schedule's parameters at their defaults.
func newSchedule(name string) reflect.Value {
	s, err := schedules.New(name)
	if err != nil {
		panic("experiments: " + err.Error())
	}
	return reflect.ValueOf(s).Elem()
}

// A schemaBuilder makes schemas of Go types. A partial schema describes a change to a value: no key is required,
// and a table may hold the keys of any algorithm or schedule.
type schemaBuilder struct{ defs object }

// structure returns the schema of a table whose keys are the fields of v, which holds their defaults.
func (b schemaBuilder) structure(v reflect.Value, partial bool) object {
	properties := object{}
	for _, f := range fields(v.Type()) {
		properties[f.key] = b.field(f, v.FieldByIndex(f.index), partial)
	}
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if keys := required(v.Type()); len(keys) > 0 && !partial {
		o["required"] = keys
	}
	return o
}

// field returns the schema of one key.
func (b schemaBuilder) field(f field, v reflect.Value, partial bool) object {
	o := b.value(v, f.want, partial)
	if partial && slices.Contains(spectree.Keyed, f.key) && v.Kind() == reflect.Slice {
		o = b.keyed(o)
	}
	if f.doc != "" {
		o["description"] = f.doc
	}
	switch k := v.Kind(); {
	case partial || v.IsZero():
	case k == reflect.String, v.CanInt(), v.CanUint(), v.CanFloat(), k == reflect.Bool:
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
func (b schemaBuilder) value(v reflect.Value, want constraint, partial bool) object {
	switch t := v.Type(); {
	case t == methodType && partial:
		return b.union(v, AlgorithmNames(), newSettings)
	case t == methodType:
		return object{"$ref": "#/$defs/method"}
	case t == scheduleType && partial:
		return b.schedules()
	case t == scheduleType:
		return object{"$ref": "#/$defs/schedule"}
	case t == bandwidthType:
		number := object{"type": "number", "exclusiveMinimum": 0}
		return object{"anyOf": []any{number, b.structure(v, partial)}}
	case t == lossType, t == scaleType, t == kernelType:
		names := fields(t)[0].want.stringSchema()
		return object{"anyOf": []any{names, b.structure(v, partial)}}
	case t == gridType:
		return object{"type": "object", "additionalProperties": object{"type": "array", "minItems": 1}}
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
	panic("experiments: no schema for " + v.Type().String())
}

// item returns the schema of an item of an array. A table may have the key each, with a row for each entry that it makes; a row
// may have keys that only stand for text.
func (b schemaBuilder) item(t reflect.Type, want constraint, partial bool) object {
	if t.Kind() != reflect.Struct {
		return b.value(reflect.Zero(t), want, partial)
	}
	name := strings.ToLower(t.Name())
	entry := object{"$ref": "#/$defs/entry-" + name}
	if b.defs["entry-"+name] == nil {
		o := b.value(reflect.Zero(t), want, true)
		b.defs["entry-"+name] = o
		row := object{}
		for k := range o["properties"].(object) {
			row[k] = object{"$ref": "#/$defs/entry-" + name + "/properties/" + k}
		}
		o["properties"].(object)["each"] = object{
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

func (c constraint) stringSchema() object {
	o := object{"type": "string"}
	if c.digits {
		o["type"] = []string{"string", "number"}
	}
	if words := slices.Clone(c.words); words != nil {
		if c.empty {
			words = append(words, "")
		}
		o["enum"] = words
	}
	return o
}

func (c constraint) numberSchema(kind string) object {
	o := object{"type": kind}
	if c.most.stated() {
		o["maximum"] = c.most.most
	}
	switch c.op {
	case ">":
		o["exclusiveMinimum"] = c.bound
	case ">=":
		o["minimum"] = c.bound
	case "=":
		o["const"] = c.bound
	}
	return o
}

// named returns the schema of a table whose string under key says which further keys it may have:
// those of base, and those of make's struct for that name. It defines one schema for each name.
func (b schemaBuilder) named(key string, base reflect.Type, names []string, make func(string) reflect.Value) object {
	var rules []any
	for _, name := range names {
		o := b.structure(make(name), false)
		properties := o["properties"].(object)
		properties[key] = object{"const": name}
		if base != nil {
			full := b.structure(reflect.Zero(base), false)
			for k, p := range full["properties"].(object) {
				if k != key {
					properties[k] = p
				}
			}
			o["required"] = full["required"]
		}
		def := key + "-" + name
		b.defs[def] = o
		rules = append(rules, object{
			"if":   object{"properties": object{key: object{"const": name}}, "required": []string{key}},
			"then": object{"$ref": "#/$defs/" + def},
		})
	}
	var o object
	if base == nil {
		o = b.schedules()
	} else {
		o = object{"type": "object", "required": required(base), "properties": object{key: object{"enum": names}}}
	}
	o["allOf"] = rules
	return o
}

// schedules returns the schema of a table with the keys of any schedule.
func (b schemaBuilder) schedules() object {
	o := b.union(reflect.ValueOf(struct{}{}), schedules.Names(), newSchedule)
	o["properties"].(object)["schedule"] = object{"type": "string", "enum": schedules.Names(), "description": "name of the schedule"}
	return o
}

// union returns the partial schema of a table with the keys of v and of all of make's structs.
func (b schemaBuilder) union(v reflect.Value, names []string, make func(string) reflect.Value) object {
	all := b.structure(v, true)
	properties := all["properties"].(object)
	for _, name := range names {
		for k, p := range b.structure(make(name), true)["properties"].(object) {
			if old, ok := properties[k]; ok && !reflect.DeepEqual(old, p) {
				p = object{"anyOf": []any{old, p}}
			}
			properties[k] = p
		}
	}
	return all
}
