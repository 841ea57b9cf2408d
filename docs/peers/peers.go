package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"repro/algos/compute"
	"repro/datasets"
	"repro/results/files"
)

// Options select what Run compares.
type Options struct {
	Threads    int                 // of both sides; at most GOMAXPROCS, which 0 means
	Precisions []compute.Precision // none means both
	Filter     string              // compare only work whose name, shape or peer contains it; case-insensitive
	Quick      bool                // one repetition
	Python     string              // the interpreter; "" for the first in PATH that has NumPy
	Library    *datasets.Library   // finds a9a; nil or without it, the SVM is fitted to generated rows
	// Progress, if not nil, is called before each work; done of of are finished.
	Progress func(done, of int, next string)

	sizes sizes // zero for those of the report
}

// A Row compares repro with one peer on one work.
type Row struct {
	Work        string            `json:"work"`
	Shape       string            `json:"shape"`
	Precision   compute.Precision `json:"precision"`
	Peer        string            `json:"peer"`
	Repetitions int               `json:"repetitions"`
	Seconds     float64           `json:"seconds"`      // median of repro
	PeerSeconds float64           `json:"peer_seconds"` // median of the peer
	Ratio       float64           `json:"ratio"`        // median of repro's time over the peer's, repetition by repetition
	Low         float64           `json:"low"`          // lower quartile of the ratio
	High        float64           `json:"high"`         // upper quartile of the ratio
	Difference  float64           `json:"difference"`   // Frobenius norm of the difference of the results over that of the peer's
	Tolerance   float64           `json:"tolerance"`    // what the difference may be
	Note        string            `json:"note,omitempty"`
}

// Same reports whether both sides computed the same.
func (r Row) Same() bool { return r.Difference <= r.Tolerance }

// A Report is the result of Run.
type Report struct {
	CPU     string `json:"cpu"`
	ISA     string `json:"isa"`
	Threads int    `json:"threads"` // of each side, except where the name of a peer says otherwise
	Python  Python `json:"python"`
	Rows    []Row  `json:"rows"`
	// Missing says which Python packages are not here, and how to install them. LeftOut says which rows were left out, and why.
	Missing string   `json:"missing,omitempty"`
	LeftOut []string `json:"left_out"`
}

// Python is an interpreter and what it can import.
type Python struct {
	Path     string             `json:"path"` // "" if there is none
	Version  string             `json:"version"`
	Packages map[string]Package `json:"packages"`
	BLAS     []BLAS             `json:"blas"`
}

// A Package has a version, or the error of its import.
type Package struct {
	Version string `json:"version,omitempty"`
	Error   string `json:"error,omitempty"`
}

// BLAS is a library that NumPy or SciPy calls. Core is the processor type whose routines OpenBLAS chose. All but the name are
// unknown without threadpoolctl, which scikit-learn brings along.
type BLAS struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Core    string `json:"core,omitempty"`
	Threads int    `json:"threads,omitempty"`
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
var (
	thorough = schedule{pause: 100 * time.Millisecond, least: 3, limit: 10}
	quick    = schedule{pause: 100 * time.Millisecond, least: 1}
)

// Run compares all work that the filter and the precisions leave and whose peers are installed: everything takes about fifteen
// minutes and 12 GB, a third of the time with o.Quick. Nothing else should run on the machine at the same time. If ctx is done Run
// returns its error. If Python ends early, the report has the rows before.
func Run(ctx context.Context, o Options) (r Report, err error) {
	processors := runtime.GOMAXPROCS(0)
	if o.Threads <= 0 || o.Threads > processors {
		o.Threads = processors
	}
	if o.sizes == (sizes{}) {
		o.sizes = reportSizes
	}
	chosen, err := o.choose(works(o))
	if err != nil {
		return Report{}, err
	}
	dir, err := files.MkdirTemp("repro-peers-")
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	r = Report{CPU: compute.Processor(), ISA: compute.ISA(), Threads: o.Threads, Rows: []Row{}, LeftOut: []string{}}
	here := installed{dir: dir}
	if here.session, err = findPython(ctx, o.Python, o.Threads); err != nil {
		return Report{}, err
	}
	defer here.session.close()
	r.Python = here.session.Python
	absent := map[string]bool{}
	for i, w := range chosen {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		peers := here.candidates(w, absent, &r)
		if len(peers) == 0 {
			continue
		}
		if o.Progress != nil {
			o.Progress(i, len(chosen), w.title())
		}
		rows, leftOut, err := here.compare(ctx, w, peers, o.schedule())
		if ctx.Err() != nil {
			return Report{}, ctx.Err()
		}
		r.Rows, r.LeftOut = append(r.Rows, rows...), append(r.LeftOut, leftOut...)
		if err != nil {
			return r, fmt.Errorf("%s: %w", w.title(), err)
		}
	}
	r.Missing = howToInstall(absent, r.Python)
	return r, nil
}

// candidates returns the peers of a work that are installed, none if the machine has too little memory. It adds to the report
// which rows are left out, and why, and to absent the names of what is not installed.
func (h *installed) candidates(w work, absent map[string]bool, r *Report) []candidate {
	var peers []candidate
	for _, c := range w.peers {
		missing := h.missing(c)
		for _, name := range missing {
			absent[name] = true
		}
		if len(missing) > 0 {
			r.LeftOut = append(r.LeftOut, fmt.Sprintf("%s, %s (no %s)", w.title(), c.label, strings.Join(missing, ", no ")))
			continue
		}
		peers = append(peers, c)
	}
	if all, known := datasets.MachineMemory(); len(peers) > 0 && known && w.bytes > 0.9*float64(all) {
		r.LeftOut = append(r.LeftOut, fmt.Sprintf("%s (needs %.1f GB of memory, this machine has %.1f)", w.title(), w.bytes/1e9, float64(all)/1e9))
		return nil
	}
	return peers
}

func (o Options) schedule() schedule {
	if o.Quick {
		return quick
	}
	return thorough
}

// choose returns the work that the filter and the precisions leave, with the peers that they leave.
func (o Options) choose(all []work) (chosen []work, err error) {
	var names []string
	for _, w := range all {
		if !slices.Contains(names, w.name) {
			names = append(names, w.name)
		}
		if len(o.Precisions) > 0 && !slices.Contains(o.Precisions, w.precision) {
			continue
		}
		w.peers = slices.DeleteFunc(w.peers, func(c candidate) bool {
			return !strings.Contains(strings.ToLower(w.title()+" "+c.label), strings.ToLower(o.Filter))
		})
		if len(w.peers) > 0 {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-filter: no work with these precisions matches %q; choose a part of one of %s, or of a peer's name", o.Filter, strings.Join(names, ", "))
	}
	return chosen, nil
}

// installed is what this machine has.
type installed struct {
	dir     string // for the files that both sides read
	session *session
}

// missing returns the Python packages that a peer needs and that are not here.
func (h *installed) missing(c candidate) (names []string) {
	for _, name := range c.needs {
		if h.session.Packages[name].Version == "" {
			names = append(names, name)
		}
	}
	return names
}

// compare prepares a work and measures it. A peer that fails is left out.
func (h *installed) compare(ctx context.Context, w work, peers []candidate, s schedule) (rows []Row, leftOut []string, err error) {
	t, err := w.setup(ctx, h.dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		err = errors.Join(err, h.session.drop(), empty(h.dir))
		debug.FreeOSMemory()
	}()
	files, err := writeArrays(h.dir, t.arrays)
	if err != nil {
		return nil, nil, err
	}
	var sides []side
	var labels []string
	for _, c := range peers {
		p, err := h.session.load(c.op, h.dir, files, t)
		if err == nil {
			_, err = p.run()
		}
		var failed peerError
		if errors.As(err, &failed) {
			leftOut = append(leftOut, fmt.Sprintf("%s, %s (%v)", w.title(), c.label, failed))
			continue
		}
		if err != nil {
			return nil, leftOut, err
		}
		sides, labels = append(sides, p), append(labels, c.label)
	}
	if len(sides) == 0 {
		return nil, leftOut, nil
	}
	m, err := measure(t, sides, s)
	if err != nil {
		return nil, leftOut, err
	}
	for i, label := range labels {
		row := m.row(i)
		row.Work, row.Shape, row.Precision, row.Peer, row.Tolerance, row.Note = w.name, w.shape, w.precision, label, w.tolerance, t.note
		rows = append(rows, row)
	}
	return rows, leftOut, nil
}

// samples are the seconds of the repetitions, and the relative differences of the results.
type samples struct {
	ours        []float64
	peers       [][]float64 // by peer
	differences []float64   // by peer
}

// measure lets the peers and our side run in turn. Each peer has run once, as a warm-up; the results of those runs are compared.
func measure(t *task, peers []side, s schedule) (m samples, err error) {
	results := make([]compute.Matrix, len(peers))
	for i, p := range peers {
		if results[i], err = p.result(); err != nil {
			return m, err
		}
	}
	ours := t.ours(results)
	if _, err := ours.run(); err != nil {
		return m, err
	}
	own, err := ours.result()
	if err != nil {
		return m, err
	}
	for _, r := range results {
		if t.comparable != nil {
			r = t.comparable(r)
		}
		m.differences = append(m.differences, difference(own, r))
	}
	m.peers = make([][]float64, len(peers))
	timed := func(p side, to *[]float64) (float64, error) {
		runtime.GC()
		time.Sleep(s.pause)
		seconds, err := p.run()
		*to = append(*to, seconds)
		return seconds, err
	}
	for total := 0.0; len(m.ours) < s.least || total < s.limit; {
		seconds, err := timed(ours, &m.ours)
		if err != nil {
			return m, err
		}
		total += seconds
		for i, p := range peers {
			if seconds, err = timed(p, &m.peers[i]); err != nil {
				return m, err
			}
			total += seconds
		}
	}
	return m, nil
}

// row returns the medians and the quartiles of a peer.
func (m samples) row(peer int) Row {
	ratios := make([]float64, len(m.ours))
	for i, seconds := range m.ours {
		ratios[i] = seconds / m.peers[peer][i]
	}
	return Row{
		Repetitions: len(m.ours), Seconds: quantile(m.ours, 0.5), PeerSeconds: quantile(m.peers[peer], 0.5),
		Ratio: quantile(ratios, 0.5), Low: quantile(ratios, 0.25), High: quantile(ratios, 0.75), Difference: m.differences[peer],
	}
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
