// Package machine has the verbs about data and this machine: doctor, bench and fetch.
package machine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/algos/compute"
	"repro/algos/compute/benchmark"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newDoctor(t), newBench(t), newFetch(t)}
}

// benchPrecisions are the values of bench's --precision.
var benchPrecisions = []compute.Precision{compute.Float32, compute.Float64}

func newBench(t *terminal.Terminal) *cobra.Command {
	var o benchmark.Options
	var asJSON bool
	var precision string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of the compute core on this machine",
		Long: `Bench measures the peak speed of this processor and of its memory, then the speed of each operation of
the compute core, at the papers' shapes, as a fraction of that peak. It measures the peak again before
and after every repetition. It takes about 40 seconds, or 8 with --quick. Run nothing else meanwhile.

The environment variable REPRO_CPU chooses the instruction set: avx512, avx2 or generic.`,
		Example: `  repro bench
  repro bench --quick --threads 1 --precision float32
  repro bench --filter features       only operations on random features
  repro bench --json`,
		Args: cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) (err error) {
			o.Precisions, err = parsePrecision(precision)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := bench(cmd.Context(), t, o)
			if err != nil {
				return err
			}
			return t.Show(asJSON, all, func() { printBench(t.Stdout, all) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&precision, "precision", "", "only this precision: float32 or float64; both if left out")
	f.StringVar(&o.Filter, "filter", "", "only operations whose name or shape contains this text")
	f.BoolVar(&o.Quick, "quick", false, "fewer repetitions")
	flags.Threads(cmd.Flags(), &o.Threads)
	flags.JSON(cmd, &asJSON)
	flags.Complete(cmd, "precision", cobra.FixedCompletions([]string{"float32", "float64"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parsePrecision returns the precision of the given name, or both if the name is empty.
func parsePrecision(name string) ([]compute.Precision, error) {
	p := compute.Precision(name)
	switch {
	case name == "":
		return benchPrecisions, nil
	case slices.Contains(benchPrecisions, p):
		return []compute.Precision{p}, nil
	}
	return nil, fmt.Errorf("--precision: unknown precision %q; choose float32 or float64, or leave it out for both", name)
}

// bench measures, and notes what makes the numbers doubtful.
func bench(ctx context.Context, t *terminal.Terminal, o benchmark.Options) ([]benchmark.Measurement, error) {
	if p := runtime.GOMAXPROCS(0); o.Threads > p {
		t.Note("--threads %d: this machine has %s, so bench uses that many threads", o.Threads, printed.Count(p, "processor"))
	}
	live := t.Live()
	if t.Interactive() {
		o.Progress = func(done, of int, next string) { live.Set(fmt.Sprintf("%d of %d: %s", done, of, next)) }
	}
	r, err := benchmark.Run(ctx, o)
	live.Close()
	if ctx.Err() != nil {
		t.Note("interrupted")
		return nil, exits.Interrupted
	}
	if err != nil {
		return nil, fmt.Errorf("--filter: %w", err)
	}
	if r.Unrest > 0.1 {
		t.Note("the peak varied by %.0f %% between measurements: the machine is busy, and the numbers are rough", 100*r.Unrest)
	}
	if len(r.LeftOut) > 0 {
		t.Note("left out, because one repetition takes too long here: %s; --filter measures them", strings.Join(r.LeftOut, "; "))
	}
	return r.Measurements, nil
}

func printBench(o *terminal.Output, all []benchmark.Measurement) {
	if len(all) > 0 {
		fmt.Fprintf(o, "%s, vector code %s\n\n", all[0].CPU, all[0].ISA)
	}
	g := terminal.Table{
		Head:  []string{"operation", "shape", "precision", "threads", "time", "Gflop/s", "of peak", "quartiles", "also"},
		Right: []int{4, 5, 6, 7, 8},
	}
	for _, m := range all {
		row := []string{m.Operation, m.Shape, string(m.Precision), fmt.Sprint(m.Threads), shortTime(m.Seconds), "-", "-", "-", also(m)}
		if m.GFlops != nil {
			row[5] = fmt.Sprintf("%.1f", *m.GFlops)
			row[6] = fmt.Sprintf("%.1f %%", 100**m.Fraction)
			row[7] = fmt.Sprintf("%.1f–%.1f %%", 100**m.Low, 100**m.High)
		}
		g.Rows = append(g.Rows, row)
	}
	o.Table(g)
	fmt.Fprint(o, `
TIME is the median over repetitions. OF PEAK is the median of the speed divided by the peak of the same
number of threads, with its QUARTILES. The peak is that of fused multiply-adds on registers, measured
before and after each repetition. GFLOP/S counts multiplications and additions, 2nD(d + columns) for
features and kernels, but not cosines, exponentials and the drawing of frequencies. Of a symmetric result
it counts half the entries. An online round is a prediction and an update of φ̃-AWV with r features; two
passes read r(r+1)/2 numbers twice, from memory, or from a cache if they stay in one; one thread as well.
`)
}

// also returns what else was measured, as text.
func also(m benchmark.Measurement) string {
	switch {
	case m.GBytes != nil:
		return fmt.Sprintf("%.1f GB/s", *m.GBytes)
	case m.Nanoseconds != nil:
		return fmt.Sprintf("%.3f ns a value", *m.Nanoseconds)
	case m.OfTwoPasses != nil:
		return fmt.Sprintf("%.2f × two passes over memory, %.2f × over a cache", *m.OfTwoPasses, *m.OfCachedPasses)
	case m.Speedup != nil:
		return fmt.Sprintf("%.2f times one thread", *m.Speedup)
	}
	return ""
}

// shortTime writes seconds with three digits.
func shortTime(s float64) string {
	units := []string{"s", "ms", "µs", "ns"}
	for s < 0.9995 && len(units) > 1 {
		s, units = 1000*s, units[1:]
	}
	digits := 2
	for v := s; v >= 9.995 && digits > 0; v /= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f %s", digits, s, units[0])
}
