// Package recordstest makes records for tests and reads what two runs of a cell must agree in.
package recordstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/results/builds"
	"repro/results/printed"
	"repro/results/records"
)

// Record returns a complete record at profile paper whose metric "error" takes the given values at
// steps 1, 2, 4, 8, ...; NaN becomes null.
func Record(method string, seed uint64, values ...float64) *records.Record {
	r := &records.Record{
		Header: records.Header{
			Line: "header", Schema: records.Schema, Experiment: "paper1999/demo", Cell: fmt.Sprintf("%s-%d", method, seed),
			Method: method, Label: "The " + method, Algorithm: method, Seed: seed, Profile: "paper", Digest: "d-" + method,
			Provenance: records.Provenance{Program: builds.Program{Commit: "c0ffee"}, Precision: "float64", Timed: true},
			Timing:     records.HeaderTiming{CPU: "a cpu", Threads: 2},
		},
		End: &records.End{Line: "end", Status: records.Budget, Reason: "1 epoch"},
	}
	for i, v := range values {
		r.Points = append(r.Points, Point(1<<i, v))
	}
	return r
}

// Point returns an evaluation at which ten examples, a quarter of a second and a hundred kernel
// evaluations have gone into every step.
func Point(step int, v float64) records.Point {
	return records.Point{
		Line: "point", Step: step, Seen: int64(10 * step), Epoch: float64(step) / 10,
		Counters: records.Counters{KernelEvals: int64(100 * step), Memory: 1 << 20},
		Values:   map[string]*float64{"error": records.Value(v)},
		Timing:   records.PointTiming{Setup: 1, Train: 0.25 * float64(step)},
	}
}

// Ended returns r with another status, without an end line for Partial.
func Ended(r *records.Record, s records.Status) *records.Record {
	r.End = &records.End{Line: "end", Status: s, Reason: "because"}
	if s == records.Partial {
		r.End = nil
	}
	return r
}

// With returns r after a change.
func With(r *records.Record, change func(*records.Record)) *records.Record {
	change(r)
	return r
}

// Flat returns one record a value, seeds counted from 1, that ends at the value.
func Flat(method string, values ...float64) []*records.Record {
	var recs []*records.Record
	for i, v := range values {
		recs = append(recs, Record(method, uint64(i+1), 9, v))
	}
	return recs
}

// Power returns a record with error = c·step^slope at 20 steps 1, 2, 4, ….
func Power(method string, seed uint64, c, slope float64) *records.Record {
	values := make([]float64, 20)
	for i := range values {
		values[i] = c * math.Pow(float64(int(1)<<i), slope)
	}
	return Record(method, seed, values...)
}

// Along returns a record whose error at steps 10, 20, ..., 400 is of(step).
func Along(method string, seed uint64, of func(t float64) float64) *records.Record {
	r := Record(method, seed)
	for step := 10; step <= 400; step += 10 {
		r.Points = append(r.Points, Point(step, of(float64(step))))
	}
	return r
}

// Geometric returns a record with error = c·ρ^step at steps 10, 20, ..., 400.
func Geometric(method string, seed uint64, c, rho float64) *records.Record {
	return Along(method, seed, func(t float64) float64 { return c * math.Pow(rho, t) })
}

// Sized returns a record of a grid over data.inputs whose metric ends at the value.
func Sized(seed uint64, inputs int, value float64) *records.Record {
	return With(Record("a,inputs="+printed.Number(float64(inputs)), seed, 9, value), func(r *records.Record) {
		r.Header.Settings = map[string]any{
			"data": map[string]any{"inputs": float64(inputs)}, "method": map[string]any{"features": float64(2 * inputs)},
		}
	})
}

// Join returns the records of all groups.
func Join(groups ...[]*records.Record) []*records.Record {
	var all []*records.Record
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// Write puts a record on disk and returns its path.
func Write(t testing.TB, dir string, r *records.Record) string {
	t.Helper()
	path := records.Path(dir, r.Header.Experiment, r.Header.Cell)
	w, err := records.Create(path, r.Header)
	require.NoError(t, err)
	for _, p := range r.Points {
		require.NoError(t, w.Point(p))
	}
	if r.End != nil {
		require.NoError(t, w.End(*r.End))
	}
	require.NoError(t, w.Close())
	return path
}

// Sealed returns the lines of a record, written without checksums, with them. None may be an end line, whose checksum is longer.
func Sealed(lines string) string {
	var b strings.Builder
	h := sha256.New()
	for line := range strings.Lines(lines) {
		body := strings.TrimSuffix(line, "}\n")
		io.WriteString(h, body)
		sum := fmt.Sprintf(",\"sum\":\"%x\"}\n", h.Sum(nil)[:8])
		io.WriteString(h, sum)
		b.WriteString(body + sum)
	}
	return b.String()
}

// Canonical returns the record at path without the keys of records.Varying, the keys of every line sorted and a cut
// last line left out: two runs of one cell must agree in it byte for byte.
func Canonical(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, err := records.Read(path); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		var fields map[string]json.RawMessage
		if line[len(line)-1] != '\n' || json.Unmarshal(line, &fields) != nil {
			break
		}
		for _, key := range records.Varying {
			delete(fields, key)
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(fields); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
