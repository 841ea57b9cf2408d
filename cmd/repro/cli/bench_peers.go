package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"repro/algos/compute/peers"
)

// benchPeers prints how fast repro is compared with other libraries.
func (a *app) benchPeers(ctx context.Context, o peers.Options, markdown bool) error {
	o.Threads, o.Library = a.benchThreads(), a.library()
	if l, ok := load(); ok && l > 0.5 {
		a.note("the load average is %.1f: other programs are running, and the numbers are rough", l)
	}
	progress, clear := a.benchProgress()
	o.Progress = progress
	r, err := peers.Run(ctx, o)
	clear()
	if ctx.Err() != nil {
		a.note("interrupted")
		return exit{statusInterrupted}
	}
	return errors.Join(err, a.showPeers(r, markdown))
}

// showPeers prints a report. It returns an error if the results of two sides differ.
func (a *app) showPeers(r peers.Report, markdown bool) error {
	for _, line := range r.Missing {
		a.note("%s", line)
	}
	if len(r.LeftOut) > 0 {
		a.note("left out: %s", strings.Join(r.LeftOut, "; "))
	}
	switch {
	case a.json:
		if err := printJSON(a.stdout, r); err != nil {
			return err
		}
	case len(r.Rows) == 0:
	case markdown:
		fmt.Fprint(a.stdout, peersMarkdown(r))
	default:
		a.printPeers(r)
	}
	var errs []error
	for _, row := range r.Rows {
		if !row.Same() {
			errs = append(errs, fmt.Errorf("%s %s, %s: the results differ by %.1e, more than %.0e, so the times are not comparable",
				row.Work, row.Shape, row.Peer, row.Difference, row.Tolerance))
		}
	}
	return errors.Join(errs...)
}

// load returns the load average of the last minute, where the system has one.
func load() (float64, bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	l, err := strconv.ParseFloat(first, 64)
	return l, err == nil
}

// peersMachine says what was compared: the processor, the versions and the BLAS with the core type that it chose.
func peersMachine(r peers.Report) string {
	s := fmt.Sprintf("%s, vector code %s, %s on each side", r.CPU, r.ISA, count(r.Threads, "thread"))
	if r.Python.Version == "" {
		return s
	}
	s += "; Python " + r.Python.Version
	for _, p := range []struct{ key, name string }{{"numpy", "NumPy"}, {"scipy", "SciPy"}, {"sklearn", "scikit-learn"}, {"pandas", "pandas"}, {"torch", "PyTorch"}} {
		if v := r.Python.Packages[p.key].Version; v != "" {
			s += ", " + p.name + " " + v
		}
	}
	for _, b := range r.Python.BLAS {
		s += "; " + strings.TrimSpace("BLAS "+b.Name+" "+b.Version)
		if b.Core != "" {
			s += ", core type " + b.Core
		}
		if b.Threads > 0 {
			s += ", " + count(b.Threads, "thread")
		}
	}
	return s
}

// peersCells returns the cells of a row.
func peersCells(r peers.Row) []string {
	ratio, quartiles := fmt.Sprintf("%.2f", r.Ratio), "-"
	if !r.Same() {
		ratio = "different results"
	} else if r.Repetitions > 1 {
		quartiles = fmt.Sprintf("%.2f–%.2f", r.Low, r.High)
	}
	return []string{
		r.Work, r.Shape, string(r.Precision), r.Peer, shortTime(r.Seconds), shortTime(r.PeerSeconds), ratio, quartiles,
		fmt.Sprint(r.Repetitions), fmt.Sprintf("%.0e", r.Difference), r.Note,
	}
}

var peersHead = []string{"work", "shape", "precision", "peer", "repro", "peer's", "ratio", "quartiles", "runs", "difference", "note"}

const peersLegend = `RATIO is repro's time over the peer's, the median over the RUNS: below 1, repro is faster. Both sides ran in
turn, on the same inputs. DIFFERENCE is that of their results, relative, in the Frobenius norm.
`

func (a *app) printPeers(r peers.Report) {
	fmt.Fprintf(a.stdout, "%s\n\n", strings.ReplaceAll(peersMachine(r), "; ", "\n"))
	g := grid{head: peersHead, right: []int{5, 6, 7, 8, 9, 10}}
	for _, row := range r.Rows {
		g.rows = append(g.rows, peersCells(row))
	}
	a.print(g)
	fmt.Fprint(a.stdout, "\n"+peersLegend)
}

// peersMarkdown returns the table of the README.
func peersMarkdown(r peers.Report) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s.\n\n| Work | Peer | repro | Peer's | Ratio | Quartiles | Difference |\n|---|---|--:|--:|--:|--:|--:|\n", peersMachine(r))
	for _, row := range r.Rows {
		c := peersCells(row)
		work := fmt.Sprintf("%s, %s, %s", c[0], c[1], c[2])
		if row.Note != "" {
			work += ", " + row.Note
		}
		fmt.Fprintf(&s, "| %s | %s | %s | %s | %s | %s | %s |\n", work, c[3], c[4], c[5], c[6], c[7], c[9])
	}
	return s.String()
}
