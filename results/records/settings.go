package records

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
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

// Alike reports whether two records have the same settings but for those that depend on the seed.
func Alike(a, b *Record) bool {
	return a.Header.Digest == b.Header.Digest || len(differ(nil, perSeed, "", a.Header.Settings, b.Header.Settings)) == 0
}

// differences returns the keys of the settings in which two records of different digests differ, except those of
// perSeed.
func differences(a, b Header) []string {
	if len(a.Settings) == 0 && len(b.Settings) == 0 {
		return []string{"digest"}
	}
	var keys []string
	for _, d := range differ(nil, perSeed, "", a.Settings, b.Settings) {
		keys = append(keys, d.Key)
	}
	slices.Sort(keys)
	return keys
}

// Unset is what a Difference has in place of the value of a key that a run lacks.
const Unset = "none"

// A Difference is a setting that two runs have not in common. Values are written as in specs.
type Difference struct{ Key, Here, There string }

// Differences returns in which settings here and there differ, by dotted key in the order of the alphabet.
func Differences(here, there map[string]any) []Difference {
	all := differ(nil, nil, "", here, there)
	slices.SortFunc(all, func(a, b Difference) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// differ appends the differences of two tables, whose keys get the prefix, without those of the keys in but.
func differ(all []Difference, but map[string]bool, prefix string, here, there map[string]any) []Difference {
	compare := func(k string) {
		if but[prefix+k] || same(here[k], there[k]) {
			return
		}
		x, a := entry(here, k)
		y, b := entry(there, k)
		if all = differ(all, but, prefix+k+".", x, y); a != b {
			all = append(all, Difference{prefix + k, strings.Trim(a, `"`), strings.Trim(b, `"`)})
		}
	}
	for k := range here {
		compare(k)
	}
	for k := range there {
		if _, both := here[k]; !both {
			compare(k)
		}
	}
	return all
}

// same reports whether two settings are equal. Those of many records are one table (decode.go), which it need not walk through.
func same(a, b any) bool {
	switch x := a.(type) {
	case string, float64, bool:
		return a == b
	case map[string]any:
		if y, ok := b.(map[string]any); ok && len(x) > 0 && reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer() {
			return true
		}
	}
	return reflect.DeepEqual(a, b)
}

// entry returns the table under a key or, if it holds a value, that as JSON.
func entry(settings map[string]any, key string) (table map[string]any, value string) {
	v, ok := settings[key]
	if table, isTable := v.(map[string]any); isTable || !ok {
		return table, Unset
	}
	return nil, asJSON(v)
}

func asJSON(v any) string {
	b, err := printed.JSON(v, "")
	if err != nil {
		b = fmt.Append(nil, v)
	}
	return strings.TrimSpace(string(b))
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
		_, value := entry(map[string]any{k: leaf(h.Settings, k)}, k)
		if x, err := strconv.ParseFloat(value, 64); err == nil {
			return x, nil
		}
		if value != "null" {
			return 0, fmt.Errorf("%s has no number as its setting %s, but %s", h.Cell, key, strings.Trim(value, `"`))
		}
	}
	if table, _, ok := strings.Cut(key, "."); ok && (table == "data" || table == "budget") || strings.TrimPrefix(key, "problem.") == "nu" {
		return 0, nil
	}
	return 0, fmt.Errorf("%s has no number as its setting %s", h.Cell, key)
}

// ContentKey is the key of the settings with the SHA-256 of the files that decide numbers, by name: the user's own data, and
// the files of an external method's commands in the spec's folder. Data sets with names have checksums of their own.
const ContentKey = "content"

// content returns the digests of the files on which a cell with these settings runs.
func content(settings map[string]any) map[string]any {
	m, _ := settings[ContentKey].(map[string]any)
	return m
}

// OtherContent lists the files of which the record had another content than the settings have.
func (h Header) OtherContent(settings map[string]any) (names []string) {
	own := content(h.Settings)
	for _, name := range slices.Sorted(maps.Keys(content(settings))) {
		if sum, ok := own[name]; ok && sum != content(settings)[name] {
			names = append(names, name)
		}
	}
	return names
}

// WithContent returns the settings with other digests of files, none if sums is nil.
func (h Header) WithContent(sums any) map[string]any {
	settings := maps.Clone(h.Settings)
	if delete(settings, ContentKey); sums != nil {
		settings[ContentKey] = sums
	}
	return settings
}

// WithoutCode returns the settings without the digests of an external program's files, which are its code, and of the files of imported
// curves, which are what the code made. What compares the code of two commits compares records of them; the files of the data stay.
func WithoutCode(settings map[string]any) map[string]any {
	if a := settings["algorithm"]; a != "external" && a != Imported {
		return settings
	}
	data, _ := settings["data"].(map[string]any)
	rest := maps.Clone(content(settings))
	maps.DeleteFunc(rest, func(name string, _ any) bool { return name != data["file"] && name != data["test_file"] })
	if settings = maps.Clone(settings); len(rest) == 0 {
		delete(settings, ContentKey)
	} else {
		settings[ContentKey] = rest
	}
	return settings
}

// MixedContent names the files of which records had different contents, "" if there are none.
func MixedContent(recs []*Record) string {
	first := map[string]any{}
	var names []string
	for _, r := range recs {
		for name, sum := range content(r.Header.Settings) {
			if _, ok := first[name]; !ok {
				first[name] = sum
			}
			if first[name] != sum && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "ran on different contents of " + printed.List(names)
}

// A LateSetting is a setting that was added to an algorithm after records without it had been stored. The settings of a
// cell leave it out if it has its default, so that the digests of those records stay valid.
type LateSetting struct {
	Algorithm string // name of the algorithm in specs
	Key       string // its key in the settings of a method
	Default   any    // the value with which the records without the key were made
	Since     string // date of the change
	Why       string
}

// LateSettings lists the late settings of all algorithms. Add an entry if you add a setting to an algorithm of which
// records are stored. Never remove an entry or change its default.
var LateSettings = []LateSetting{
	{"dsg", "keep", false, "2026-11-27", "predictions at training rows that are kept"},
	{"eigenpro", "decomposition", "rsvd", "2026-11-20", "Nyström's decomposition beside RSVD, ma2017 App. A"},
	{"eigenpro", "eta", 0.0, "2026-11-20", "the step sizes of ma2017's MNIST tables"},
	{"eigenpro-rf", "decomposition", "rsvd", "2026-11-20", "as eigenpro"},
	{"eigenpro-rf", "eta", 0.0, "2026-11-20", "as eigenpro"},
	{"falkon", "selection", "uniform", "2026-11-27", "landmarks by randomly pivoted Cholesky"},
	{"gd", "leap", false, "2026-11-21", "reach far iterates by powers of the iteration map"},
	{"ksvm", "bias", false, "2026-11-22", "the bias of LIBSVM's support vector machine"},
	{"n-pegasos", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-rbcd", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-sbmd", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-sdca", "selection", "uniform", "2026-11-27", "as falkon"},
	{"sgd-rf", "average", false, "2026-11-27", "the averaged iterate"},
	{"sgd-rf", "half_kernel", false, "2026-11-22", "the features of carratino2018, without √2"},
	{"sgd-rf", "sampling", "epochs", "2026-11-22", "sampling with replacement, carratino2018 eq. (3)"},
	{"spectral-sketch", "decomposition", "rsvd", "2026-11-20", "Nyström's decomposition beside RSVD, ma2017 App. A"},
	{"spectral-sketch", "subsample", 0, "2026-11-20", "eigenvectors from a subsample of the rows"},
}
