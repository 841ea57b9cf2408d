package changes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"repro/results/records"
)

// Cells are the cells of a snapshot. JSON has them as Runs, which are much shorter.
type Cells []Cell

// Runs are the cells of a method that differ in nothing but their seeds and values.
type Runs struct {
	Method   string         `json:"method"`
	Status   records.Status `json:"status"`
	Exempt   bool           `json:"exempt,omitempty"`
	Settings string         `json:"settings"`
	Counts   string         `json:"counts"`
	Work     Work           `json:"work"`
	Seeds    []uint64       `json:"seeds"`
	Values   []string       `json:"values"`          // digests, in the order of the seeds
	Names    []string       `json:"cells,omitempty"` // of the cells, if they are not those of nameOf
}

// nameOf returns the name of a cell, as experiments give it.
func nameOf(method string, seed uint64) string { return fmt.Sprintf("%s-seed%d", method, seed) }

// Runs groups the cells, in the order of the first of each group.
func (all Cells) Runs() []Runs {
	var groups []Runs
	for _, c := range all {
		i := slices.IndexFunc(groups, func(r Runs) bool {
			return r.Method == c.Method && r.Status == c.Status && r.Exempt == c.Exempt && r.Settings == c.Settings && r.Counts == c.Counts && r.Work == c.Work
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, Runs{Method: c.Method, Status: c.Status, Exempt: c.Exempt, Settings: c.Settings, Counts: c.Counts, Work: c.Work})
		}
		r := &groups[i]
		r.Seeds, r.Values, r.Names = append(r.Seeds, c.Seed), append(r.Values, c.Values), append(r.Names, c.Cell)
	}
	for i := range groups {
		r := &groups[i]
		usual := true
		for k, name := range r.Names {
			usual = usual && name == nameOf(r.Method, r.Seeds[k])
		}
		if usual {
			r.Names = nil
		}
	}
	return groups
}

// Cells returns the cells of a group. The lists must be of one length.
func (r Runs) Cells() (Cells, error) {
	if len(r.Seeds) != len(r.Values) || r.Names != nil && len(r.Names) != len(r.Seeds) {
		return nil, fmt.Errorf("method %q has %d values and %d names for %d seeds", r.Method, len(r.Values), len(r.Names), len(r.Seeds))
	}
	var all Cells
	for i, seed := range r.Seeds {
		c := Cell{nameOf(r.Method, seed), r.Method, seed, r.Status, r.Exempt, r.Settings, r.Values[i], r.Counts, r.Work}
		if r.Names != nil {
			c.Cell = r.Names[i]
		}
		all = append(all, c)
	}
	return all, nil
}

// Sort orders cells by the first appearance of their method, and by seed.
func (all Cells) Sort() {
	place := map[string]int{}
	for _, c := range all {
		if _, ok := place[c.Method]; !ok {
			place[c.Method] = len(place)
		}
	}
	slices.SortStableFunc(all, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(place[a.Method], place[b.Method]), cmp.Compare(a.Seed, b.Seed))
	})
}

// MarshalJSON implements json.Marshaler.
func (all Cells) MarshalJSON() ([]byte, error) { return json.Marshal(all.Runs()) }

// UnmarshalJSON implements json.Unmarshaler.
func (all *Cells) UnmarshalJSON(text []byte) error {
	var groups []Runs
	if err := json.Unmarshal(text, &groups); err != nil {
		return err
	}
	*all = nil
	for _, r := range groups {
		cells, err := r.Cells()
		if err != nil {
			return err
		}
		*all = append(*all, cells...)
	}
	all.Sort()
	return nil
}
