package changes

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"
	"strconv"

	"repro/results/records"
)

// A Cell is what a snapshot keeps of a record.
type Cell struct {
	Cell     string
	Method   string
	Seed     uint64
	Status   records.Status
	Exempt   bool   // two runs may differ, because the budget is in seconds
	Settings string // digest of the settings without the seed
	Values   string // digest of the bits of all values, with their steps
	Counts   string // digest of the counted work at every point
	Work     Work   // at the last point
}

// Work is the counted work of a cell. It does not depend on the machine.
type Work struct {
	KernelEvals  int64 `json:"kernel_evals,omitempty"`
	FeatureEvals int64 `json:"feature_evals,omitempty"`
	Flops        int64 `json:"flops,omitempty"`
	Bytes        int64 `json:"bytes,omitempty"`
	Memory       int64 `json:"memory,omitempty"`
}

// cellOf returns what a snapshot keeps of a record.
func cellOf(r *records.Record) Cell {
	h := r.Header
	c := Cell{Cell: h.Cell, Method: h.Method, Seed: h.Seed, Status: r.Status(), Exempt: h.Provenance.Exempt != "", Settings: settingsDigest(h.Settings)}
	values, counts := sha256.New(), sha256.New()
	write(values, string(c.Status))
	for _, p := range r.Points {
		write(values, "point")
		number(values, uint64(p.Step), uint64(p.Seen))
		for _, m := range p.Metrics() {
			write(values, m)
			bits := math.Float64bits(math.NaN()) // not finite
			if v := p.Values[m]; v != nil {
				bits = math.Float64bits(*v)
			}
			number(values, bits)
		}
		w := Work(p.Counters)
		number(counts, uint64(p.Step), uint64(w.KernelEvals), uint64(w.FeatureEvals), uint64(w.Flops), uint64(w.Bytes), uint64(w.Memory))
		c.Work = w
	}
	c.Values, c.Counts = short(values), short(counts)
	return c
}

// settingsDigest returns the digest of the settings that the seeds of a method share.
func settingsDigest(settings map[string]any) string {
	shared := maps.Clone(settings)
	delete(shared, "seed")
	delete(shared, "time_of") // the digest of a cell of the same seed
	text, err := json.Marshal(shared)
	if err != nil {
		panic("changes: settings are not JSON: " + err.Error())
	}
	h := sha256.New()
	h.Write(text)
	return short(h)
}

// short returns 16 hexadecimal digits of a hash.
func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// write adds a text to a hash, after its length.
func write(h hash.Hash, s string) {
	number(h, uint64(len(s)))
	h.Write([]byte(s))
}

func number(h hash.Hash, all ...uint64) {
	for _, v := range all {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
}

// rounded returns v with six significant digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return r
}

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
