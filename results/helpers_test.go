package results

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// record returns a complete record at profile paper whose metric "error" takes the given values at
// steps 1, 2, 4, 8, ...; NaN becomes null.
func record(method string, seed uint64, values ...float64) *Record {
	r := &Record{
		Header: Header{
			Line: "header", Schema: Schema, Experiment: "paper1999/demo", Cell: fmt.Sprintf("%s-%d", method, seed),
			Method: method, Label: "The " + method, Algorithm: method, Seed: seed, Profile: "paper", Digest: "d-" + method,
			Provenance: Provenance{Commit: "c0ffee", Precision: "float64", Timed: true},
			Timing:     HeaderTiming{CPU: "a cpu", Threads: 2},
		},
		End: &End{Line: "end", Status: Budget, Reason: "1 epoch"},
	}
	for i, v := range values {
		r.Points = append(r.Points, point(1<<i, v))
	}
	return r
}

// point returns an evaluation at which ten examples, a quarter of a second and a hundred kernel
// evaluations have gone into every step.
func point(step int, v float64) Point {
	return Point{
		Line: "point", Step: step, Seen: int64(10 * step), Epoch: float64(step) / 10,
		Counters: Counters{KernelEvals: int64(100 * step), Memory: 1 << 20},
		Values:   map[string]*float64{"error": Value(v)},
		Timing:   PointTiming{Setup: 1, Train: 0.25 * float64(step)},
	}
}

// ended returns r with another status, without an end line for Partial.
func ended(r *Record, s Status) *Record {
	r.End = &End{Line: "end", Status: s, Reason: "because"}
	if s == Partial {
		r.End = nil
	}
	return r
}

// with returns r after a change.
func with(r *Record, change func(*Record)) *Record {
	change(r)
	return r
}

// flat returns one record a value, seeds counted from 1, that ends at the value.
func flat(method string, values ...float64) []*Record {
	var recs []*Record
	for i, v := range values {
		recs = append(recs, record(method, uint64(i+1), 9, v))
	}
	return recs
}

// power returns a record with error = c·step^slope at 20 steps 1, 2, 4, ….
func power(method string, seed uint64, c, slope float64) *Record {
	values := make([]float64, 20)
	for i := range values {
		values[i] = c * math.Pow(float64(int(1)<<i), slope)
	}
	return record(method, seed, values...)
}

func join(groups ...[]*Record) []*Record {
	var all []*Record
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// experiment returns one with methods a, b and c and the given claims.
func experiment(claims ...Claim) Experiment {
	return Experiment{
		ID: "paper1999/demo", Profile: "paper", Claims: claims,
		Methods: []Method{{"a", "Method A"}, {"b", "Method B"}, {"c", "Method C"}},
	}
}
