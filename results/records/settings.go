package records

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Mixtures returns a warning if records of one method, which a curve or a table summarises, differ in more than their seed.
func Mixtures(recs []*Record) []error {
	varied := append(VariedSettings(recs), VariedRuns(recs)...)
	if len(varied) == 0 {
		return nil
	}
	return []error{errors.New("mixes runs that vary in " + strings.Join(varied, ", "))}
}

// VariedRuns returns which of profile, commit and precision differ between records.
func VariedRuns(recs []*Record) []string {
	var varied []string
	for _, f := range []struct {
		name string
		of   func(Header) string
	}{
		{"profile", func(h Header) string { return h.Profile }},
		{"commit", func(h Header) string { return fmt.Sprint(h.Provenance.Commit, h.Provenance.Dirty) }},
		{"precision", func(h Header) string { return h.Provenance.Precision }},
	} {
		if slices.ContainsFunc(recs, func(r *Record) bool { return f.of(r.Header) != f.of(recs[0].Header) }) {
			varied = append(varied, f.name)
		}
	}
	return varied
}

// VariedSettings returns the dotted keys of the settings in which records of one method differ, except the seed.
func VariedSettings(recs []*Record) []string {
	var varied []string
	for i := 1; i < len(recs); i++ {
		a, b := recs[0].Header, recs[i].Header
		if a.Method != b.Method {
			varied = append(varied, "method")
		}
		if a.Digest != b.Digest {
			varied = append(varied, differences(a, b)...)
		}
	}
	slices.Sort(varied)
	return slices.Compact(varied)
}

// perSeed are the settings that depend on the seed: the seed itself, and the cell of the same seed whose time a budget
// takes.
var perSeed = map[string]bool{"seed": true, "time_of": true}

// differences returns the keys of the settings in which two records of different digests differ, except those of
// perSeed.
func differences(a, b Header) []string {
	if len(a.Settings) == 0 && len(b.Settings) == 0 {
		return []string{"digest"}
	}
	var keys []string
	for _, d := range Differences(a.Settings, b.Settings) {
		if !perSeed[d.Key] {
			keys = append(keys, d.Key)
		}
	}
	return keys
}

// Unset is what a Difference has in place of the value of a key that a run lacks.
const Unset = "none"

// A Difference is a setting that two runs have not in common. Values are written as in specs.
type Difference struct{ Key, Here, There string }

// Differences returns in which settings here and there differ, by dotted key in the order of the alphabet.
func Differences(here, there map[string]any) []Difference {
	x, y := map[string]string{}, map[string]string{}
	flattenUnequal(x, y, "", here, there)
	keys := slices.Collect(maps.Keys(x))
	for k := range y {
		if _, ok := x[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var all []Difference
	for _, k := range keys {
		if x[k] != y[k] {
			all = append(all, Difference{k, written(x[k]), written(y[k])})
		}
	}
	return all
}

// written returns a value, given as JSON, without quotation marks.
func written(value string) string {
	if value == "" {
		return Unset
	}
	return strings.Trim(value, `"`)
}

// flatten writes the leaves of settings into m by dotted key, as JSON.
func flatten(m map[string]string, prefix string, v any) {
	if t, ok := v.(map[string]any); ok {
		for k, v := range t {
			flatten(m, strings.TrimPrefix(prefix+"."+k, "."), v)
		}
		return
	}
	b, err := marshal(v)
	if err != nil {
		b = fmt.Append(nil, v)
	}
	m[prefix] = strings.TrimSpace(string(b))
}

// flattenUnequal writes the leaves in which here and there differ into x and y, and some of those in which they do not.
func flattenUnequal(x, y map[string]string, prefix string, here, there map[string]any) {
	for k, a := range here {
		key := prefix + k
		b, both := there[k]
		deeper, isTable := a.(map[string]any)
		other, areTables := b.(map[string]any)
		switch {
		case isTable && areTables:
			flattenUnequal(x, y, key+".", deeper, other)
		case !both:
			flatten(x, key, a)
		case !reflect.DeepEqual(a, b):
			flatten(x, key, a)
			flatten(y, key, b)
		}
	}
	for k, b := range there {
		if _, both := here[k]; !both {
			flatten(y, prefix+k, b)
		}
	}
}

// leaf returns the value under a dotted key, nil if there is none.
func leaf(settings map[string]any, key string) any {
	for {
		if v, ok := settings[key]; ok {
			return v
		}
		table, rest, deeper := strings.Cut(key, ".")
		inner, ok := settings[table].(map[string]any)
		if !deeper || !ok {
			return nil
		}
		settings, key = inner, rest
	}
}

// Setting returns the number under a grid's key in the record's settings: a setting of the method, of its data or budget, or of
// its problem, whose keys a method has without the name of the table. A number that these tables leave out is 0.
func (h Header) Setting(key string) (float64, error) {
	for _, k := range []string{"method." + key, "problem." + key, key} {
		m := map[string]string{}
		v := leaf(h.Settings, k)
		flatten(m, k, v)
		if x, err := strconv.ParseFloat(m[k], 64); err == nil {
			return x, nil
		}
		if v != nil {
			return 0, fmt.Errorf("%s has no number as its setting %s, but %s", h.Cell, key, written(m[k]))
		}
	}
	if table, _, ok := strings.Cut(key, "."); ok && (table == "data" || table == "budget") || strings.TrimPrefix(key, "problem.") == "nu" {
		return 0, nil
	}
	return 0, fmt.Errorf("%s has no number as its setting %s", h.Cell, key)
}
