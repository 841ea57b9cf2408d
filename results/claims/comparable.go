package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// An Original is what a spec says at profile paper, with which runs at another profile or of an edited spec are compared.
type Original struct {
	Settings map[string]map[string]any // of the cells of every method, as in the headers of their records but without the seed
	Claims   []Claim
}

// claim returns the claim of that id.
func (o Original) claim(id string) (Claim, bool) {
	i := slices.IndexFunc(o.Claims, func(c Claim) bool { return c.ID == id })
	if i < 0 {
		return Claim{}, false
	}
	return o.Claims[i], true
}

// A departure is a setting in which runs differ from those of the same method at profile paper.
type departure struct {
	name, here, there string // there is empty if name is a sentence
	key               string // of the setting, by which departures are ordered
}

func (d departure) String() string {
	if d.there == "" {
		return d.name
	}
	return fmt.Sprintf("%s %s, not %s", d.name, d.value(d.here), d.value(d.there))
}

// value returns a value in words: without a number of rows all are taken.
func (d departure) value(v string) string {
	if v == records.Unset && (d.key == "data.train" || d.key == "data.test") {
		return "all"
	}
	return v
}

// sizes are the settings that a claim which holds at any size leaves open, beside the budget: numbers of rows, of points from which an
// adversary searches and of features, in all and of one iteration, and the precision, whose default depends on the number of rows.
var sizes = []string{"data.train", "data.test", "data.starts", "method.features", "method.landmarks", "method.batch", "method.block", "precision"}

// size reports whether the setting is a size of the experiment.
func (d departure) size() bool {
	return slices.Contains(sizes, d.key) || strings.HasPrefix(d.key, "budget.")
}

// smaller reports whether the size is below that at profile paper. There, no number is all rows. Of a grid the last sizes count, which
// are its largest.
func (d departure) smaller() bool {
	last := func(list string) string { return list[strings.LastIndexByte(list, ' ')+1:] }
	here, err := strconv.ParseFloat(last(d.here), 64)
	there, all := strconv.ParseFloat(last(d.there), 64)
	return d.size() && err == nil && (here < there || all != nil)
}

// Departure says in words in which settings records differ from those of the same methods at profile paper. It is empty
// if they differ in no more than where the curve is evaluated, the seeds and the memory that a cell may use.
func (e Experiment) Departure(recs []*records.Record) string {
	return inWords(e.departures(recs, nil, nil))
}

// inWords lists departures, which start with the data.
func inWords(all []departure) string {
	if len(all) == 0 {
		return ""
	}
	what := "other settings than the paper's: "
	if slices.ContainsFunc(all, departure.size) {
		what = "another size than the paper's: "
	}
	parts := printed.Each(all, departure.String)
	return what + joined(parts, 6)
}

// joined lists at most so many parts, the last of which counts those that it leaves out.
func joined(parts []string, most int) string {
	if n := len(parts); n > most {
		parts = append(parts[:most-1], fmt.Sprintf("and %d others", n-most+1))
	}
	return strings.Join(parts, "; ")
}

// departures returns in which settings records differ from those at profile paper. The combinations of a grid, members,
// are compared in their order with those that the grid has at profile paper, original.
func (e Experiment) departures(recs []*records.Record, members, original []string) []departure {
	type pair struct{ here, there string }
	methods := slices.Clone(members)
	var keys []string
	found := map[string]map[string]pair{} // by key and method
	var all []departure
	var without []string
	for _, r := range distinct(recs) {
		m := r.Header.Method
		if !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
		there, ok := e.Original.Settings[m]
		if i := slices.Index(members, m); i >= 0 && len(members) == len(original) {
			there, ok = e.Original.Settings[original[i]]
		}
		if !ok {
			without = append(without, m)
			continue
		}
		for _, d := range records.Differences(decisive(r.Header.Settings, there), decisive(there, r.Header.Settings)) {
			if found[d.Key] == nil {
				found[d.Key] = map[string]pair{}
				keys = append(keys, d.Key)
			}
			found[d.Key][m] = pair{d.Here, d.There}
		}
	}
	if n := len(slices.Compact(without)); n > 0 && members == nil { // of a grid, its sizes are compared
		what := "no method " + without[0]
		if n > 1 {
			what = fmt.Sprintf("none of %d methods, such as %s,", n, without[0])
		}
		all = append(all, departure{name: "the spec has " + what + " at profile paper"})
	}
	slices.SortFunc(keys, dataFirst)
	for _, k := range keys {
		var same []pair
		for _, m := range methods {
			if p, ok := found[k][m]; ok && !slices.Contains(same, p) {
				same = append(same, p)
			}
		}
		own := strings.HasPrefix(k, "method.") || k == "algorithm"
		switch {
		case len(members) > 0:
			var here, there []string
			for _, p := range same {
				here, there = append(here, p.here), append(there, p.there)
			}
			all = append(all, departure{strings.TrimPrefix(k, "method."), strings.Join(slices.Compact(here), ", "), strings.Join(slices.Compact(there), ", "), k})
		case len(same) == 1 && len(found[k]) == len(methods) && !own:
			all = append(all, departure{k, same[0].here, same[0].there, k})
		default:
			for _, m := range methods {
				if p, ok := found[k][m]; ok {
					all = append(all, departure{"method." + m + "." + strings.TrimPrefix(k, "method."), p.here, p.there, k})
				}
			}
		}
	}
	return all
}

// dataFirst orders settings in the reasons of verdicts: first the data, then how long is trained, then the rest.
func dataFirst(a, b string) int {
	rank := func(key string) int {
		return slices.IndexFunc([]string{"data.train", "data.", "budget.", ""}, func(s string) bool { return strings.HasPrefix(key, s) })
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// distinct leaves out records that differ from the one before of their method in the seed only.
func distinct(recs []*records.Record) (kept []*records.Record) {
	last := map[string]*records.Record{}
	for _, r := range recs {
		m := r.Header.Method
		if before := last[m]; before == nil || !records.Alike(before, r) {
			kept = append(kept, r)
		}
		last[m] = r
	}
	return kept
}

// decisive returns the settings of a cell that make another experiment if they are not those of other. Where the curve is
// evaluated, the seed and the memory do not. The reference with which predictions are compared counts if both have one.
func decisive(settings, other map[string]any) map[string]any {
	kept := map[string]any{}
	own, _ := settings["evaluate"].(map[string]any)
	others, _ := other["evaluate"].(map[string]any)
	if own["reference"] != nil && others["reference"] != nil {
		kept["evaluate"] = map[string]any{"reference": own["reference"]}
	}
	for _, k := range []string{"data", "problem", "budget", "precision", "algorithm", "method"} {
		if v, ok := settings[k]; ok {
			kept[k] = v
		}
	}
	return kept
}

// another says in words how the claim differs from that of the same id at profile paper; it is empty if the same is
// claimed. A claim that holds at any size may have another window.
func (e Experiment) another(c Claim) string {
	original, ok := e.Original.claim(c.ID)
	if !ok {
		return "the spec has no such claim at profile paper"
	}
	if c.Holds != "" {
		c.Window, original.Window = [2]float64{}, [2]float64{}
	}
	var parts []string
	for _, d := range records.Differences(content(c), content(original)) {
		parts = append(parts, departure{d.Key, d.Here, d.There, ""}.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "another claim than the paper's: " + strings.Join(parts, "; ")
}

// content returns the keys of a claim that say what is claimed, without those that say how it counts.
func content(c Claim) map[string]any {
	m := c.Definition().without("ours", "members", "description", "same_as", "fitted", "counts_as")
	m["holds"] = c.Holds != "" // for whatever reason
	return m
}

// unmet says in words why the condition of a claim that holds at any size is not met; it is empty if it is.
func (c Claim) unmet(recs []*records.Record) string {
	for _, r := range recs {
		h := r.Header
		if n := h.Resolved["train"]; n < float64(c.MinRows) {
			return fmt.Sprintf("it holds from %s on, and %s has %s", printed.Count(c.MinRows, "training row"), h.Method, printed.Number(n))
		}
		steps := 0
		if k := len(r.Points); k > 0 {
			steps = r.Points[k-1].Step
		}
		if steps < c.MinSteps {
			return fmt.Sprintf("it holds from %s on, and %s has %s", printed.Count(c.MinSteps, "iteration"), h.Method, printed.Number(float64(steps)))
		}
	}
	return ""
}

// departed returns why the runs that a claim needs are not those of the paper, which is empty if they can be compared, and whether
// they are smaller. leaders are the records of methods whose time others take.
func (e Experiment) departed(c Claim, recs, leaders []*records.Record) (reasons []string, smaller bool) {
	original, _ := e.Original.claim(c.ID)
	all := e.departures(recs, c.Members, original.Members)
	all = append(all, e.departures(leaders, nil, nil)...)
	if c.Holds != "" {
		all = slices.DeleteFunc(all, departure.size)
		if why := c.unmet(recs); why != "" {
			reasons, smaller = append(reasons, why), true
		}
	}
	smaller = smaller || slices.ContainsFunc(all, departure.smaller)
	if here, there := len(c.Members), len(original.Members); here != there && c.Holds == "" {
		smaller = smaller || here < there
		reasons = append(reasons, fmt.Sprintf("the grid of %s has %s, not %d", c.Method, printed.Count(here, "combination"), there))
	}
	for _, why := range []string{e.another(c), inWords(all)} {
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	return reasons, smaller
}

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
	for _, r := range distinct(recs) {
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
