package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"repro/experiments/strict"
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
	m := strict.EncodeAll(reflect.ValueOf(method.Configured).Elem())
	if e, ok := method.Configured.(*External); ok {
		maps.DeleteFunc(m, func(key string, _ any) bool { return slices.Contains(undecided, key) })
		command := m["command"].(map[string]any)
		for key, args := range map[string][]string{"serve": e.Command.Serve, "run": e.Command.Run} { // they are younger than records
			if len(args) == 0 {
				delete(command, key)
			}
		}
	}
	for _, late := range records.LateSettings {
		if v, ok := m[late.Key]; ok && late.Algorithm == method.Algorithm && v == late.Default {
			delete(m, late.Key)
		}
	}
	return m
}
