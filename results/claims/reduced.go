package claims

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// valuesOf holds the values of settings, as JSON, by method or grid and by key.
type valuesOf map[string]map[string][]string

func (v valuesOf) add(method string, settings map[string]any) {
	grid, _, _ := strings.Cut(method, ",")
	if v[grid] == nil {
		v[grid] = map[string][]string{}
	}
	for _, d := range records.Differences(decisive(settings, nil), nil) {
		if !slices.Contains(v[grid][d.Key], d.Here) {
			v[grid][d.Key] = append(v[grid][d.Key], d.Here)
		}
	}
}

// Reduced says in a line, for a figure, in which settings the records that it draws differ from those at profile paper; it
// is empty where Departure is. Methods are taken together: of several numbers the line has the smallest and the largest.
func (e Experiment) Reduced(recs []*records.Record) string {
	departure := e.Departure(recs)
	if departure == "" {
		return ""
	}
	here, there := valuesOf{}, valuesOf{}
	for _, r := range recs {
		here.add(r.Header.Method, r.Header.Settings)
	}
	for method, settings := range e.Original.Settings {
		there.add(method, settings)
	}
	ours, papers := map[string][]string{}, map[string][]string{} // values of the keys that differ
	for grid, settings := range here {
		if there[grid] == nil {
			continue // the paper has no such method
		}
		keys := maps.Clone(there[grid])
		maps.Copy(keys, settings)
		for key := range keys {
			a, b := settings[key], there[grid][key]
			if len(a) != len(b) || slices.ContainsFunc(a, func(v string) bool { return !slices.Contains(b, v) }) {
				ours[key], papers[key] = append(ours[key], a...), append(papers[key], b...)
			}
		}
	}
	return "Profile " + e.Profile + ", " + cmp.Or(reducedIn(ours, papers), "with "+departure)
}

// reducedIn lists settings with the paper's, sizes first; it is empty if there is none.
func reducedIn(ours, papers map[string][]string) string {
	what := "settings"
	var parts []string
	for _, key := range slices.SortedFunc(maps.Keys(ours), dataFirst) {
		d := departure{name: strings.ReplaceAll(key[strings.LastIndexByte(key, '.')+1:], "_", " "), here: span(ours[key]), there: span(papers[key]), key: key}
		if key == "data.train" {
			d.name = "n"
		}
		if d.size() {
			what = "size"
		}
		parts = append(parts, d.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "not the paper's " + what + ": " + joined(parts, 5)
}

// span writes the values of a setting: numbers from the smallest to the largest.
func span(values []string) string {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	var numbers []float64
	for _, v := range values {
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			numbers = append(numbers, x)
		}
	}
	switch {
	case len(values) == 0:
		return records.Unset
	case len(numbers) < len(values):
		return strings.Join(values, ", ")
	case len(numbers) == 1:
		return short(numbers[0])
	}
	return short(slices.Min(numbers)) + " to " + short(slices.Max(numbers))
}

// short writes a whole number with all digits and another one with four.
func short(v float64) string {
	if v == math.Trunc(v) {
		return printed.Exact(v)
	}
	return printed.Number(v)
}
