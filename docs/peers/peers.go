package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"repro/algos/compute"
)

// A row compares repro with one peer on one work.
type row struct {
	work, peer           string
	repetitions          int
	seconds, peerSeconds float64 // medians
	ratio, low, high     float64 // median and quartiles of our time over the peer's, repetition by repetition
	difference           float64 // Frobenius norm of the difference of the results over that of the peer's
	tolerance            float64 // what the difference may be
}

// A side computes the work. result belongs to the last run, and is asked for once.
type side interface {
	run() (seconds float64, err error)
	result() (compute.Matrix, error)
}

// A schedule says how often both sides run.
type schedule struct {
	pause time.Duration // between two runs
	least int           // repetitions at least
	limit float64       // seconds of all sides, after which no repetition begins
}

// The pause is longer than the threads of the side before spin: those of OpenBLAS for 2^26 ticks by default, ours for 0.5 ms.
var thorough = schedule{pause: 100 * time.Millisecond, least: 3, limit: 10}

// compare prepares a work and measures it. Peers that are not installed, or fail, are left out, with a note.
func compare(s *session, dir string, w work, often schedule, note func(format string, a ...any)) (rows []row, err error) {
	var peers []candidate
	for _, c := range w.peers {
		if missing := s.missing(c.needs); len(missing) > 0 {
			note("left out: %s, %s (no %s)", w.title(), c.label, strings.Join(missing, ", no "))
		} else {
			peers = append(peers, c)
		}
	}
	if len(peers) == 0 {
		return nil, nil
	}
	t, err := w.setup()
	if err != nil {
		return nil, err
	}
	defer func() {
		_, dropped := s.ask(request{Do: "drop"})
		err = errors.Join(err, dropped, empty(dir))
		debug.FreeOSMemory()
	}()
	arrays, err := writeArrays(dir, t.arrays)
	if err != nil {
		return nil, err
	}
	var sides []side
	var labels []string
	for _, c := range peers {
		p, err := s.load(c.op, dir, arrays, t)
		if err == nil {
			_, err = p.run()
		}
		var failed peerError
		if errors.As(err, &failed) {
			note("left out: %s, %s (%v)", w.title(), c.label, failed)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.title(), err)
		}
		sides, labels = append(sides, p), append(labels, c.label)
	}
	if len(sides) == 0 {
		return nil, nil
	}
	rows, err = measure(t, sides, often)
	for i := range rows {
		rows[i].work, rows[i].peer, rows[i].tolerance = fmt.Sprintf("%s, %s, %s", w.name, w.shape, w.precision), labels[i], w.tolerance
		if t.note != "" {
			rows[i].work += ", " + t.note
		}
	}
	return rows, err
}

// measure lets the peers and our side run in turn. Each peer has run once, as a warm-up; the results of those runs are compared.
func measure(t *task, peers []side, often schedule) ([]row, error) {
	results := make([]compute.Matrix, len(peers))
	for i, p := range peers {
		var err error
		if results[i], err = p.result(); err != nil {
			return nil, err
		}
	}
	ours := t.ours(results)
	if _, err := ours.run(); err != nil {
		return nil, err
	}
	own, err := ours.result()
	if err != nil {
		return nil, err
	}
	sides, seconds := append([]side{ours}, peers...), make([][]float64, 1+len(peers))
	for total := 0.0; len(seconds[0]) < often.least || total < often.limit; {
		for i, p := range sides {
			runtime.GC()
			time.Sleep(often.pause)
			s, err := p.run()
			if err != nil {
				return nil, err
			}
			seconds[i] = append(seconds[i], s)
			total += s
		}
	}
	rows := make([]row, len(peers))
	for i, r := range results {
		if t.comparable != nil {
			r = t.comparable(r)
		}
		ratios := slices.Clone(seconds[0])
		for k := range ratios {
			ratios[k] /= seconds[1+i][k]
		}
		rows[i] = row{
			repetitions: len(ratios), seconds: quantile(seconds[0], 0.5), peerSeconds: quantile(seconds[1+i], 0.5),
			ratio: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75), difference: difference(own, r),
		}
	}
	return rows, nil
}

// quantile returns the q-quantile of x, linearly interpolated.
func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	i, f := math.Modf(q * float64(len(x)-1))
	next := x[min(int(i)+1, len(x)-1)]
	return x[int(i)] + f*(next-x[int(i)])
}

// difference returns ‖a - b‖/‖b‖ in the Frobenius norm; +Inf if the shapes differ or a number is not finite.
func difference(a, b compute.Matrix) float64 {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return math.Inf(1)
	}
	above, below := 0.0, 0.0
	for i := range a.Rows {
		x, y := a.Row(i), b.Row(i)
		for j := range x {
			above += (x[j] - y[j]) * (x[j] - y[j])
			below += y[j] * y[j]
		}
	}
	if above == 0 {
		return 0
	}
	if d := math.Sqrt(above / below); !math.IsNaN(d) {
		return d
	}
	return math.Inf(1)
}

// empty removes the files in a folder.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
	}
	return err
}
