package records

import (
	"maps"
	"slices"

	"repro/results/printed"
)

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
