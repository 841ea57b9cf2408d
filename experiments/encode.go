package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"repro/experiments/strict"
	"repro/results/files"
	"repro/results/records"
)

// digest returns the SHA-256 of settings as JSON with sorted keys.
func digest(settings map[string]any) string {
	sum := sha256.Sum256(encoded(settings))
	return hex.EncodeToString(sum[:])
}

// A digester makes the digests of settings most of which it has encoded: JSON by key.
type digester map[string][]byte

func digesterOf(settings map[string]any) digester {
	d := digester{}
	for key, v := range settings {
		d[key] = encoded(v)
	}
	return d
}

// of is digest for the settings of the digester and those that it lacks.
func (d digester) of(settings map[string]any) string {
	text := []byte{}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		part, known := d[key]
		if !known {
			part = encoded(settings[key])
		}
		text = append(append(append(append(text, ',', '"'), key...), '"', ':'), part...)
	}
	text[0] = '{'
	sum := sha256.Sum256(append(text, '}'))
	return hex.EncodeToString(sum[:])
}

// encoded returns a value of settings as JSON.
func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("experiments: settings are not JSON: " + err.Error())
	}
	return text
}

// A sharing holds the settings that methods without such keys of their own have in common. Nobody may change them.
type sharing map[string]map[string]any

// of returns the settings under a key, which encode makes, once for all methods without their own.
func (x sharing) of(key string, own bool, encode func() map[string]any) map[string]any {
	if own {
		return encode()
	}
	if x[key] == nil {
		x[key] = encode()
	}
	return x[key]
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

// content returns the digests of a method's files. It leaves out those that cannot be read, and reports whether there are any.
func (e effective) content() (sums map[string]any, unread bool) {
	paths := e.data().OwnFiles(e.spec.Dir())
	if program, ok := e.method.Configured.(*External); ok {
		maps.Copy(paths, program.watch(e.spec.Dir()).paths)
	}
	if e.method.imported() {
		maps.Copy(paths, e.spec.curveFiles())
	}
	sums = map[string]any{}
	for name, path := range paths {
		sum, err := checksums.Of(path, files.Sum)
		if err != nil {
			unread = true
			continue
		}
		sums[name] = sum
	}
	return sums, unread
}

// checksums holds the SHA-256 of files in hexadecimal.
var checksums files.Cache[string]
