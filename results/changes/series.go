package changes

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A Series is what one metric of a method was on every seed, at a few steps of its curve and at its end.
type Series struct {
	Method string   `json:"method"`
	Metric string   `json:"metric"`
	Single bool     `json:"single,omitempty"` // in single precision
	Seeds  []uint64 `json:"seeds"`
	Steps  []int    `json:"steps"`          // without the end, which is at another step for every seed if the data decide it
	Last   int      `json:"last,omitempty"` // step of the end, if nothing is random: the method is declared deterministic, or all seeds are equal
	Values Packed   `json:"values"`         // seed by seed, at Steps and last at the end: NaN where there is none, +Inf where it is not finite

	passed []int // indices of Steps that no seed evaluated, though one ran farther
}

// Sizes of a Series: its seeds suffice for the second look, and its places for the shape of a curve.
const (
	seriesSeeds  = 20
	seriesPlaces = 12 // with the end
)

// Places returns the number of places of a curve.
func (s Series) Places() int { return len(s.Steps) + 1 }

// of returns the values on the i-th seed.
func (s Series) of(i int) []float64 { return s.Values[i*s.Places() : (i+1)*s.Places()] }

// Valid says what is wrong with a series that was read.
func (s Series) Valid() error {
	if len(s.Values) != len(s.Seeds)*s.Places() || len(s.Seeds) == 0 {
		return fmt.Errorf("the curve of %q, metric %q, has %d values; want one for each of %d seeds at %d places", s.Method, s.Metric, len(s.Values), len(s.Seeds), s.Places())
	}
	if !slices.IsSorted(s.Steps) || len(slices.Compact(slices.Sorted(slices.Values(s.Seeds)))) < len(s.Seeds) {
		return fmt.Errorf("the curve of %q, metric %q, has a seed twice, or steps that fall", s.Method, s.Metric)
	}
	return nil
}

// takeSeries returns the series of records that are sorted by method and seed; see seriesOf.
func takeSeries(exp claims.Experiment, recs []*records.Record, like []Series) (all []Series) {
	for len(recs) > 0 {
		method := recs[0].Header.Method
		n := slices.IndexFunc(recs, func(r *records.Record) bool { return r.Header.Method != method })
		if n < 0 {
			n = len(recs)
		}
		all = append(all, seriesOf(recs[:n], like, declared(exp, method))...)
		recs = recs[n:]
	}
	return all
}

// seriesOf returns the series of all metrics that records of one method measure, sorted by seed, on the first seeds.
// Metrics that the clock decides have none. The steps are those of the series in like with the same method and metric, if there is one, and
// the record's own if the method is deterministic: its meshes may be others.
func seriesOf(recs []*records.Record, like []Series, deterministic bool) []Series {
	recs = recs[:min(len(recs), seriesSeeds)]
	metrics := map[string]bool{}
	for _, r := range recs {
		for _, p := range r.Points {
			for m := range p.Values {
				metrics[m] = metrics[m] || !records.Timed(m)
			}
		}
	}
	var all []Series
	for _, m := range slices.Sorted(maps.Keys(metrics)) {
		if metrics[m] {
			s, places := Series{Method: recs[0].Header.Method, Metric: m}, seriesPlaces
			i := slices.IndexFunc(like, s.same)
			if deterministic || (i < 0 || like[i].Last > 0) && allEqual(recs, m) {
				s.Last = lastStep(recs[0])
			}
			if deterministic {
				places = meshPlaces
			}
			if s.Steps = usualSteps(recs, m, places); i >= 0 && (s.Last == 0 || len(s.Steps) == places-1) {
				s.Steps = like[i].Steps
			}
			s.fill(recs)
			all = append(all, s)
		}
	}
	return all
}

// series returns the curves of the snapshot's cells, from the accepted state or from now: of those that are of its bits the one with
// more seeds.
func (s Snapshot) series(base, now Snapshot) (all []Series) {
	own := s.Cells.bits()
	for _, from := range []Snapshot{base, now} {
		bits := from.Cells.bits()
		for _, t := range from.Series {
			other := func(seed uint64) bool {
				c := cellKey{t.Method, seed}
				return own[c] == "" || own[c] != bits[c]
			}
			i := slices.IndexFunc(all, t.same)
			switch {
			case slices.ContainsFunc(t.Seeds, other):
			case i < 0:
				all = append(all, t)
			case len(t.Seeds) > len(all[i].Seeds):
				all[i] = t
			}
		}
	}
	place := map[string]int{}
	for i, c := range slices.Backward(s.Cells) {
		place[c.Method] = i
	}
	slices.SortStableFunc(all, func(a, b Series) int { return cmp.Or(place[a.Method]-place[b.Method], cmp.Compare(a.Metric, b.Metric)) })
	return all
}

// A cellKey names a cell of an experiment.
type cellKey struct {
	method string
	seed   uint64
}

func (c Cell) key() cellKey { return cellKey{c.Method, c.Seed} }

// bits returns the digests of settings and values.
func (all Cells) bits() map[cellKey]string {
	bits := map[cellKey]string{}
	for _, c := range all {
		bits[c.key()] = c.Settings + c.Values
	}
	return bits
}

// Replaces reports whether cells of a method are others than those of base.
func (s Snapshot) Replaces(base Snapshot, method string) bool {
	was := base.Cells.bits()
	for cell, bits := range s.Cells.bits() {
		if cell.method == method && was[cell] != bits {
			return true
		}
	}
	return false
}

// Bare lists the methods that have cells and no accepted curves: those accepted by an earlier version, and those that are new in now.
func (s Snapshot) Bare(now Snapshot) []string {
	var all []string
	if s.Experiment == "" {
		return nil
	}
	for _, c := range slices.Concat(s.Cells, now.Cells) {
		if !slices.Contains(all, c.Method) && !slices.ContainsFunc(s.Series, func(t Series) bool { return t.Method == c.Method }) {
			all = append(all, c.Method)
		}
	}
	return all
}

// same reports whether the series are of the same method and metric.
func (s Series) same(t Series) bool { return s.Method == t.Method && s.Metric == t.Metric }

// usualSteps returns the steps at which half of the records or more measure a metric before their end, thinned evenly to so many places with
// the end.
func usualSteps(recs []*records.Record, metric string, places int) (thin []int) {
	count := map[int]int{}
	for _, r := range recs {
		values := valuesByStep(r, metric)
		last := lastStep(r)
		for step := range values {
			if step < last {
				count[step]++
			}
		}
	}
	maps.DeleteFunc(count, func(_, n int) bool { return 2*n < len(recs) })
	all := slices.Sorted(maps.Keys(count))
	for _, i := range stats.Evenly(len(all), places-1) {
		thin = append(thin, all[i])
	}
	return thin
}

// allEqual reports whether two records or more have the same values of a metric: nothing of it is random.
func allEqual(recs []*records.Record, metric string) bool {
	first := valuesByStep(recs[0], metric)
	return len(recs) > 1 && !slices.ContainsFunc(recs, func(r *records.Record) bool { return !maps.Equal(valuesByStep(r, metric), first) })
}

func valuesByStep(r *records.Record, metric string) map[int]float64 {
	values := map[int]float64{}
	for _, p := range r.Points {
		if _, ok := p.Values[metric]; ok {
			values[p.Step], _ = p.Measure(metric)
		}
	}
	return values
}

func lastStep(r *records.Record) int {
	if len(r.Points) == 0 {
		return 0
	}
	return r.Points[len(r.Points)-1].Step
}

// Records returns the curves of the snapshot as records, at the steps that it keeps, each like the one of the same method and seed in now.
func (s Snapshot) Records(now []*records.Record) (all []*records.Record) {
	for _, r := range now {
		was := *r
		was.Points = nil
		for i, p := range r.Points {
			p.Values = map[string]*float64{}
			for _, c := range s.Series {
				k, at := slices.Index(c.Seeds, r.Header.Seed), slices.Index(c.Steps, p.Step)
				if i == len(r.Points)-1 {
					at = len(c.Steps)
				}
				if c.Method == r.Header.Method && k >= 0 && at >= 0 {
					p.Values[c.Metric] = records.Value(c.of(k)[at])
				}
			}
			if len(p.Values) > 0 {
				was.Points = append(was.Points, p)
			}
		}
		if len(was.Points) > 0 {
			all = append(all, &was)
		}
	}
	return all
}

// fill sets the seeds and the values.
func (s *Series) fill(recs []*records.Record) {
	evaluated, passed := map[int]bool{}, map[int]bool{}
	for _, r := range recs {
		values, last := valuesByStep(r, s.Metric), lastStep(r)
		s.Seeds, s.Single = append(s.Seeds, r.Header.Seed), s.Single || r.Single()
		for _, step := range s.Steps {
			v, ok := values[step]
			switch {
			case ok:
				evaluated[step] = true
			case step < last:
				v, passed[step] = math.NaN(), true
			case r.Status() == records.Diverged:
				v = math.Inf(1)
			default:
				v = math.NaN()
			}
			s.Values = append(s.Values, upper(v))
		}
		v, ok := r.MeasureAt(s.Metric, records.At{})
		if !ok {
			v = math.NaN()
		}
		s.Values = append(s.Values, upper(v))
	}
	for k, step := range s.Steps {
		if passed[step] && !evaluated[step] {
			s.passed = append(s.passed, k)
		}
	}
}

// packed is the largest relative error of Packed.
const packed = 0x1p-21

// Packed are numbers of which the upper 32 bits are kept: all exponents, and 20 bits of the mantissa, a relative error of 5e-7. As
// text they are base64.
type Packed []float64

// upper returns v rounded to what Packed keeps.
func upper(v float64) float64 {
	bits, half := math.Float64bits(v), uint64(1)<<31
	if r := math.Float64frombits((bits + half) &^ (2*half - 1)); !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return math.Float64frombits(bits &^ (2*half - 1))
}

// MarshalText implements encoding.TextMarshaler.
func (p Packed) MarshalText() ([]byte, error) {
	var b []byte
	for _, v := range p {
		b = binary.LittleEndian.AppendUint32(b, uint32(math.Float64bits(v)>>32))
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Packed) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.DecodeString(string(text))
	if err == nil && len(b)%4 != 0 {
		err = fmt.Errorf("a list of numbers has %d bytes, which is no multiple of 4", len(b))
	}
	if err != nil {
		return err
	}
	*p = make(Packed, 0, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		*p = append(*p, math.Float64frombits(uint64(binary.LittleEndian.Uint32(b))<<32))
	}
	return nil
}
