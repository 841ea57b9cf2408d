package changes

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"math"
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
