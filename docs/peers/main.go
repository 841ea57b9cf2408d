// Command peers compares repro with NumPy, LAPACK, SciPy, scikit-learn, pandas, PyTorch and LIBSVM on the machine it runs on:
// the same work on the same inputs, in turn, with the same number of threads, and a check that the results are the same. It
// prints the table of the README.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"time"

	"repro/algos/compute"
	"repro/datasets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// command is the program with these arguments.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	note := func(format string, a ...any) { fmt.Fprintf(stderr, format+"\n", a...) }
	o := Options{Library: datasets.NewLibrary()}
	o.Library.Log = note
	o.Progress = func(done, of int, next string) { note("%d of %d: %s", done+1, of, next) }
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.Threads, "threads", 0, "number of threads of each side; 0 means all processors")
	flags.StringVar(&o.Filter, "filter", "", "only work whose name, shape or peer contains this text")
	flags.BoolVar(&o.Quick, "quick", false, "one repetition")
	flags.StringVar(&o.Python, "python", "", "the Python interpreter; the first in PATH that has NumPy if left out")
	flags.Func("precision", "only this precision: float32 or float64; both if left out", func(name string) error {
		o.Precisions = []compute.Precision{compute.Precision(name)}
		if name != string(compute.Float32) && name != string(compute.Float64) {
			return errors.New("choose float32 or float64")
		}
		return nil
	})
	asJSON := flags.Bool("json", false, "print JSON in place of a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("peers takes no arguments, got %q; it has flags, see -help", flags.Arg(0))
	}
	if l := load(); l > 0.5 {
		note("the load average is %.1f: other programs are running, and the numbers are rough", l)
	}
	r, err := Run(ctx, o)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return errors.Join(err, r.print(stdout, note, *asJSON))
}

// print writes the report. It returns an error if the results of two sides differ.
func (r Report) print(w io.Writer, note func(format string, a ...any), asJSON bool) (err error) {
	if r.Missing != "" {
		note("%s", r.Missing)
	}
	if len(r.LeftOut) > 0 {
		note("left out: %s", strings.Join(r.LeftOut, "; "))
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else if len(r.Rows) > 0 {
		_, err = io.WriteString(w, r.markdown())
	}
	for _, row := range r.Rows {
		if !row.Same() {
			err = errors.Join(err, fmt.Errorf("%s %s, %s: the results differ by %.1e, more than %.0e, so the times are not comparable",
				row.Work, row.Shape, row.Peer, row.Difference, row.Tolerance))
		}
	}
	return err
}

// load returns the load average of the last minute; 0 where the system has none.
func load() (l float64) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(text), &l)
	}
	return l
}

// machine says what was compared: the processor, the versions and the BLAS with the core type that it chose.
func (r Report) machine() string {
	s := fmt.Sprintf("%s, vector code %s, threads on each side: %d", r.CPU, r.ISA, r.Threads)
	if r.Python.Version == "" {
		return s
	}
	s += "; Python " + r.Python.Version
	for _, l := range libraries {
		if v := r.Python.Packages[l.module].Version; v != "" {
			s += ", " + l.name + " " + v
		}
	}
	for _, b := range r.Python.BLAS {
		s += "; " + strings.TrimSpace("BLAS "+b.Name+" "+b.Version)
		if b.Core != "" {
			s += ", core type " + b.Core
		}
		if b.Threads > 0 {
			s += fmt.Sprintf(", threads: %d", b.Threads)
		}
	}
	return s
}

// markdown returns the table of the README.
func (r Report) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s.\n\n| Work | Peer | repro | Peer's | Ratio | Quartiles | Difference |\n|---|---|--:|--:|--:|--:|--:|\n", r.machine())
	for _, row := range r.Rows {
		work := fmt.Sprintf("%s, %s, %s", row.Work, row.Shape, row.Precision)
		if row.Note != "" {
			work += ", " + row.Note
		}
		ratio, quartiles := fmt.Sprintf("%.2f", row.Ratio), "-"
		if !row.Same() {
			ratio = "different results"
		} else if row.Repetitions > 1 {
			quartiles = fmt.Sprintf("%.2f–%.2f", row.Low, row.High)
		}
		fmt.Fprintf(&s, "| %s | %s | %v | %v | %s | %s | %.0e |\n", work, row.Peer, short(row.Seconds), short(row.PeerSeconds), ratio, quartiles, row.Difference)
	}
	return s.String()
}

// short rounds seconds to three digits.
func short(seconds float64) time.Duration {
	ns := 1e9 * seconds
	unit := math.Pow10(max(0, int(math.Floor(math.Log10(ns)))-2))
	return time.Duration(math.Round(ns/unit) * unit)
}
