package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/results/records"
)

// digest returns the SHA-256 of settings as JSON with sorted keys.
func digest(settings map[string]any) string {
	text, err := json.Marshal(settings)
	if err != nil {
		panic("experiments: settings are not JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// encodeMethod returns the settings of a method that decide its numbers. It leaves out late settings at their
// defaults, as the records from before those settings do.
func encodeMethod(method Method) map[string]any {
	m := encodeAll(reflect.ValueOf(method.Configured).Elem())
	if _, ok := method.Configured.(*External); ok {
		maps.DeleteFunc(m, func(key string, _ any) bool { return slices.Contains(undecided, key) })
	}
	for _, late := range records.LateSettings {
		if v, ok := m[late.Key]; ok && late.Algorithm == method.Algorithm && v == late.Default {
			delete(m, late.Key)
		}
	}
	return m
}

// encodeSet returns the keys of a struct that are set, with their values.
func encodeSet(set any) map[string]any {
	m := encodeAll(reflect.ValueOf(set))
	maps.DeleteFunc(m, func(_ string, e any) bool {
		v := reflect.ValueOf(e)
		return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	})
	return m
}

// encodeAll returns all keys of a struct with their values.
func encodeAll(v reflect.Value) map[string]any {
	m := map[string]any{}
	for _, f := range fields(v.Type()) {
		m[f.key] = encode(v.FieldByIndex(f.index))
	}
	return m
}

func encode(v reflect.Value) any {
	if v.Type() == bandwidthType {
		if b := v.Interface().(kernels.Bandwidth); b.Rule == "" {
			return b.Value
		}
		return encodeSet(v.Interface())
	}
	if v.Type() == lossType {
		return encodeLoss(v.Interface().(losses.Config))
	}
	if s, ok := v.Interface().(datasets.Scale); ok {
		if s.Divide == 0 {
			return s.Rule
		}
		return encodeSet(s)
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if s, ok := v.Interface().(schedules.Schedule); ok {
			m := encodeAll(reflect.Indirect(reflect.ValueOf(s)))
			m["schedule"] = scheduleName(s)
			return m
		}
		return encode(v.Elem())
	case reflect.Struct:
		m := encodeAll(v)
		if v.Type() == kernelType {
			own := kernels.Keys(m["name"].(string))
			maps.DeleteFunc(m, func(key string, _ any) bool { return !slices.Contains(own, key) })
		}
		return m
	case reflect.Slice, reflect.Array:
		s := make([]any, v.Len())
		zero := true
		for i := range s {
			s[i] = encode(v.Index(i))
			zero = zero && v.Index(i).IsZero()
		}
		if v.Kind() == reflect.Array && zero {
			return []any{}
		}
		return s
	default:
		return v.Interface()
	}
}

// encodeLoss returns a loss as specs write it: its name, or a table if it has parameters.
func encodeLoss(c losses.Config) any {
	own := losses.Keys(c.Name)
	if len(own) == 1 {
		return c.Name
	}
	m := map[string]any{}
	for _, f := range fields(lossType) {
		if slices.Contains(own, f.key) {
			m[f.key] = reflect.ValueOf(c).FieldByIndex(f.index).Interface()
		}
	}
	return m
}

// scheduleName returns the name of a schedule in specs.
func scheduleName(s schedules.Schedule) string {
	i := slices.IndexFunc(schedules.Names(), func(name string) bool {
		made, err := schedules.New(name)
		return err == nil && reflect.Indirect(reflect.ValueOf(made)).Type() == reflect.Indirect(reflect.ValueOf(s)).Type()
	})
	if i < 0 {
		panic(fmt.Sprintf("experiments: schedule %T has no name", s))
	}
	return schedules.Names()[i]
}
