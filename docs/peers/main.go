// Command peers compares repro with NumPy, LAPACK, SciPy, scikit-learn, pandas, PyTorch and LIBSVM on the machine it runs on:
// the same work on the same inputs, in turn, with the same number of threads, and a check that the results are the same. It
// prints the table docs/data/peers.tsv.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"repro/algos/compute"
	"repro/datasets"
	"repro/results/files"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr, reportSizes); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// command is the program with these arguments, and work of these sizes. Everything takes about fifteen minutes and 12 GB, a third of the
// time with -quick. Nothing else should run on the machine at the same time. If Python ends early, the rows before are printed.
func command(ctx context.Context, args []string, stdout, stderr io.Writer, z sizes) (err error) {
	note := func(format string, a ...any) { fmt.Fprintf(stderr, format+"\n", a...) }
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	threads := flags.Int("threads", runtime.GOMAXPROCS(0), "number of threads of each side")
	filter := flags.String("filter", "", "only work whose name, shape, precision or peer contains this text")
	quick := flags.Bool("quick", false, "one repetition")
	python := flags.String("python", "python3", "the Python interpreter")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("peers takes no arguments, got %q; it has flags, see -help", flags.Arg(0))
	}
	if l := load(); l > 0.5 {
		note("the load average is %.1f: other programs are running, and the numbers are rough", l)
	}
	dir, err := files.MkdirTemp("repro-peers-") // for the files that both sides read
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	library := datasets.NewLibrary()
	library.Log = note
	chosen, err := choose(works(ctx, *threads, library, dir, z), *filter)
	if err != nil {
		return err
	}
	s, err := startPython(ctx, *python, *threads)
	if err != nil {
		return fmt.Errorf("-python %s: %w", *python, err)
	}
	defer s.close()
	often := thorough
	if *quick {
		often = schedule{pause: thorough.pause, least: 1}
	}
	var rows []row
	for i, w := range chosen {
		note("%d of %d: %s", i+1, len(chosen), w.title())
		more, failed := compare(s, dir, w, often, note)
		rows = append(rows, more...)
		if err = failed; err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return errors.Join(err, printRows(stdout, fmt.Sprintf("%s, vector code %s, threads on each side: %d; %s", compute.Processor(), compute.ISA(), *threads, s), rows))
}

// choose returns the work that the filter leaves, with the peers that it leaves.
func choose(all []work, filter string) (chosen []work, err error) {
	var names []string
	for _, w := range all {
		names = append(names, w.name)
		var peers []candidate
		for _, c := range w.peers {
			if strings.Contains(strings.ToLower(w.title()+" "+c.label), strings.ToLower(filter)) {
				peers = append(peers, c)
			}
		}
		if w.peers = peers; len(peers) > 0 {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-filter: no work matches %q; choose a part of one of %s, or of a peer's name", filter, strings.Join(names, ", "))
	}
	return chosen, nil
}

// load returns the load average of the last minute; 0 where the system has none.
func load() (l float64) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(text), &l)
	}
	return l
}

// printRows writes the table of the report. It returns an error if the results of two sides differ.
func printRows(w io.Writer, machine string, rows []row) (err error) {
	if len(rows) == 0 {
		return nil
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\nwork\tpeer\trepro\tpeer's\tratio\tquartiles\tdifference\n", machine)
	for _, r := range rows {
		ratio, quartiles := fmt.Sprintf("%.2f", r.ratio), "-"
		if !(r.difference <= r.tolerance) {
			ratio = "different results"
			err = errors.Join(err, fmt.Errorf("%s, %s: the results differ by %.1e, more than %.0e, so the times are not comparable", r.work, r.peer, r.difference, r.tolerance))
		} else if r.repetitions > 1 {
			quartiles = fmt.Sprintf("%.2f–%.2f", r.low, r.high)
		}
		fmt.Fprintf(&s, "%s\t%s\t%v\t%v\t%s\t%s\t%.0e\n", r.work, r.peer, short(r.seconds), short(r.peerSeconds), ratio, quartiles, r.difference)
	}
	_, failed := io.WriteString(w, s.String())
	return errors.Join(failed, err)
}

// short rounds seconds to three digits.
func short(seconds float64) time.Duration {
	ns := 1e9 * seconds
	unit := math.Pow10(max(0, int(math.Floor(math.Log10(ns)))-2))
	return time.Duration(math.Round(ns/unit) * unit)
}
