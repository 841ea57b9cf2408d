package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/algos/compute"
	"repro/algos/compute/benchmark"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/docs"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// A checked is the outcome of one check in `doctor --json`.
type checked struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warn or fail
	Detail string `json:"detail"`
	Advice string `json:"advice"` // what to do; empty if it is ok
}

const (
	healthy = "ok"
	warning = "warn"
	failing = "fail"
)

func newDoctor(a *app) *cobra.Command {
	var clean bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine, the data and the output folder are ready",
		Long: `Doctor checks the processor, memory, the cache folder, every data set, the output folder and its records,
and prints advice for every problem. The exit status is 1 if a check fails, and 0 if there are only
warnings. With --clean it removes the temporary files that killed commands left in the output folder.`,
		Example: `  repro doctor
  repro doctor --out paper --json
  repro doctor --clean`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), clean) },
	}
	cmd.Flags().BoolVar(&clean, "clean", false, "remove the temporary files that killed commands left in the output folder")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) doctor(ctx context.Context, clean bool) error {
	all := []checked{
		{"version", healthy, version(), ""},
		checkProcessor(),
		checkMemory(),
		a.checkCache(),
	}
	all = append(all, a.checkSearchPath()...)
	all = append(all, a.checkDatasets(ctx)...)
	all = append(all, a.checkOut(), a.checkLeftovers(clean))
	all = append(all, a.checkRecords()...)
	failed := false
	for _, c := range all {
		failed = failed || c.State == failing
	}
	if a.json {
		if err := terminal.PrintJSON(a.Stdout, all); err != nil {
			return err
		}
	} else {
		for _, c := range all {
			a.printCheck(c)
		}
	}
	if failed {
		return exits.Unhealthy
	}
	return nil
}

// printCheck prints a check in the colour of its state, with the advice below it.
func (a *app) printCheck(c checked) {
	const indent = 24
	below := func(s string) string {
		return strings.ReplaceAll(terminal.Filled(s, a.Stdout.Width-indent), "\n", "\n"+strings.Repeat(" ", indent))
	}
	col := map[string]terminal.Colour{healthy: terminal.Green, warning: terminal.Yellow, failing: terminal.Red}[c.State]
	state := a.Stdout.Paint(col, c.State) + strings.Repeat(" ", 6-len(c.State))
	a.Stdout.Painted(strings.TrimRight(state+a.Stdout.Paint(0, fmt.Sprintf("%-17s %s", c.Check, below(c.Detail))), " "))
	if c.Advice != "" {
		a.Stdout.Painted(a.Stdout.Paint(0, strings.Repeat(" ", indent)+below("→ "+c.Advice)))
	}
}

func checkProcessor() checked {
	c := checked{"processor", healthy, fmt.Sprintf("%s, vector code %s", printed.Count(runtime.GOMAXPROCS(0), "processor"), compute.ISA()), ""}
	if compute.ISA() == "generic" {
		c.State = warning
		c.Advice = "the portable code is several times slower, with the same results; it is used if the processor has no AVX2 or REPRO_CPU=generic is set"
	}
	return c
}

// checkMemory warns if less than a gigabyte is free, because the published sizes need that much.
func checkMemory() checked {
	total, ok := datasets.MachineMemory()
	if !ok {
		return checked{"memory", healthy, "unknown on this system", ""}
	}
	free := datasets.FreeMemory()
	if free == 0 {
		return checked{"memory", healthy, printed.Bytes(float64(total)), ""}
	}
	c := checked{"memory", healthy, fmt.Sprintf("%s, %s free", printed.Bytes(float64(total)), printed.Bytes(free)), ""}
	if free < 1e9 {
		c.State = warning
		c.Advice = "close other programs, and check the memory that " + printed.Command("plan") + " shows before you run profile paper"
	}
	return c
}

// checkLeftovers looks for files that killed commands left in the output folder, and removes them if it is to clean.
func (a *app) checkLeftovers(clean bool) checked {
	c := checked{"left behind", healthy, "nothing", ""}
	left, err := files.Leftovers(a.out, nil)
	for i := 0; clean && err == nil && i < len(left); i++ {
		err = os.Remove(left[i])
	}
	switch {
	case err != nil:
		c.State, c.Detail = failing, err.Error()
		c.Advice = "make the folder and its files writable"
	case len(left) > 0 && clean:
		c.Detail = fmt.Sprintf("%s removed: %s", printed.Count(len(left), "temporary file"), printed.List(left))
	case len(left) > 0:
		c.State = warning
		c.Detail = fmt.Sprintf("%s of killed commands: %s", printed.Count(len(left), "temporary file"), printed.List(left))
		c.Advice = printed.Command("doctor --clean"+a.elsewhere()) + " removes them"
	}
	return c
}

func (a *app) checkCache() checked {
	dir := a.library().CacheDir
	c := checked{"cache folder", healthy, dir, ""}
	if err := files.Writable(dir); err != nil {
		c.State, c.Detail = failing, fmt.Sprintf("%s: %v", dir, err)
		c.Advice = "make it writable, or set REPRO_CACHE to a folder that is; without it data cannot be downloaded"
	}
	return c
}

func (a *app) checkSearchPath() []checked {
	dirs := a.library().SearchPath
	if len(dirs) == 0 {
		return []checked{{"REPRO_DATA", healthy, "not set; data comes from the cache folder", ""}}
	}
	var all []checked
	for _, dir := range dirs {
		c := checked{"REPRO_DATA", healthy, dir, ""}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			c.State, c.Detail = warning, dir+": there is no such folder"
			c.Advice = "set REPRO_DATA to folders that exist, or unset it"
		}
		all = append(all, c)
	}
	return all
}

// checkDatasets checks the data sets that are here, one by one, and lists the others together.
func (a *app) checkDatasets(ctx context.Context) []checked {
	var all []checked
	var fetch, bring []string
	for _, name := range datasets.Names() {
		if datasets.Generated(name) {
			continue
		}
		c := checked{"data " + name, healthy, "", ""}
		files, err := a.library().Locate(ctx, name)
		if err != nil {
			c.State, c.Detail = failing, err.Error()
		}
		var here, absent []string
		for _, f := range files {
			switch {
			case f.Path == "":
				absent = append(absent, f.Name)
			case f.Err != nil:
				c.State, c.Advice = failing, "remove the file, then run "+printed.Command("fetch "+name)
				if datasets.Brought(name) {
					c.Advice = "put the right file in its place"
				}
				here = append(here, f.Err.Error())
			default:
				here = append(here, f.Path)
			}
		}
		if len(here) == 0 && err == nil {
			if datasets.Brought(name) {
				bring = append(bring, name)
			} else {
				fetch = append(fetch, name)
			}
			continue
		}
		c.Detail += strings.Join(here, ", ")
		if len(absent) > 0 && c.State == healthy {
			c.State, c.Detail = warning, strings.Join(absent, ", ")+" not found"
			c.Advice = "run " + printed.Command("fetch "+name) + ", if you need it"
			if _, reason := a.library().Available(name); datasets.Brought(name) {
				c.Advice = reason
			}
		}
		all = append(all, c)
	}
	if len(fetch) > 0 {
		all = append(all, checked{"data to fetch", healthy, strings.Join(fetch, ", "), printed.Command("fetch NAME") + " downloads one of them, if you need it"})
	}
	if len(bring) > 0 {
		all = append(all, checked{"data to bring", healthy, strings.Join(bring, ", "), "nobody offers them for download; " + printed.Command("show ID") + " says which files an experiment needs, and where to put them"})
	}
	return all
}

func (a *app) checkOut() checked {
	c := checked{"output folder", healthy, a.out, ""}
	if err := files.Writable(a.out); err != nil {
		c.State, c.Detail = failing, fmt.Sprintf("%s: %v", a.out, err)
		c.Advice = "make it writable, or name another with --out"
	}
	return c
}

func (a *app) checkRecords() []checked {
	store, err := records.Open(a.out)
	if errors.Is(err, fs.ErrNotExist) {
		return []checked{{"records", healthy, "none yet", ""}}
	}
	if err != nil {
		return []checked{{"records", failing, err.Error(), "make the folder readable, or name another with --out"}}
	}
	partial := 0
	for _, r := range store.Records {
		if r.Status() == records.Partial {
			partial++
		}
	}
	c := checked{"records", healthy, fmt.Sprintf("%s of %s", printed.Count(len(store.Records), "cell"), printed.Count(len(store.Experiments()), "experiment")), ""}
	if partial > 0 {
		c.State, c.Detail = warning, fmt.Sprintf("%s, %d interrupted", c.Detail, partial)
		c.Advice = "run their experiments again to continue them"
	}
	all := []checked{c}
	for _, w := range store.Warnings {
		all = append(all, checked{"records", warning, w.Error(), "figures, tables and verdicts leave it out; run the cell again with --fresh"})
	}
	return all
}

func newVersion(a *app) *cobra.Command {
	var licences bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit it was built from",
		Example: "  repro version\n  repro version --licences",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if licences {
				return a.printTerms()
			}
			return a.printVersion()
		},
	}
	cmd.Flags().BoolVar(&licences, "licences", false, "print the terms of the software and fonts of others that repro contains")
	return cmd
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.Stdout, "repro", version())
	return err
}

// printTerms prints the terms of what the program has of others.
func (a *app) printTerms() error {
	terms, err := docs.Files.ReadFile("third-party.txt")
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(terms)
	return err
}

// version describes the build: version, commit, Go and platform.
func version() string {
	v, commit, dirty := runner.Version()
	if dirty {
		commit += ", with changes"
	}
	return fmt.Sprintf("%s (commit %s), %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// benchPrecisions are the values of bench's --precision.
var benchPrecisions = []compute.Precision{compute.Float32, compute.Float64}

func newBench(a *app) *cobra.Command {
	var o benchmark.Options
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
			if err == nil && a.threads < 0 {
				err = fmt.Errorf("--threads must be 1 or more, or 0 for all processors, got %d", a.threads)
			}
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.bench(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&precision, "precision", "", "only this precision: float32 or float64; both if left out")
	f.StringVar(&o.Filter, "filter", "", "only operations whose name or shape contains this text")
	f.BoolVar(&o.Quick, "quick", false, "fewer repetitions")
	a.threadsFlag(cmd)
	a.jsonFlag(cmd)
	register(cmd, "precision", cobra.FixedCompletions([]string{"float32", "float64"}, cobra.ShellCompDirectiveNoFileComp))
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

func (a *app) bench(ctx context.Context, o benchmark.Options) error {
	o.Threads = a.benchThreads()
	live := a.Live()
	if a.Interactive() {
		o.Progress = func(done, of int, next string) { live.Set(fmt.Sprintf("%d of %d: %s", done, of, next)) }
	}
	r, err := benchmark.Run(ctx, o)
	live.Close()
	if ctx.Err() != nil {
		a.Note("interrupted")
		return exits.Interrupted
	}
	if err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	if r.Unrest > 0.1 {
		a.Note("the peak varied by %.0f %% between measurements: the machine is busy, and the numbers are rough", 100*r.Unrest)
	}
	if len(r.LeftOut) > 0 {
		a.Note("left out, because one repetition takes too long here: %s; --filter measures them", strings.Join(r.LeftOut, "; "))
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, r.Measurements)
	}
	a.printBench(r.Measurements)
	return nil
}

// benchThreads returns the threads to use, and says so if they are fewer than asked for.
func (a *app) benchThreads() int {
	if p := runtime.GOMAXPROCS(0); a.threads > p {
		a.Note("--threads %d: this machine has %s, so bench uses that many threads", a.threads, printed.Count(p, "processor"))
	}
	return a.threads
}

func (a *app) printBench(all []benchmark.Measurement) {
	if len(all) > 0 {
		fmt.Fprintf(a.Stdout, "%s, vector code %s\n\n", all[0].CPU, all[0].ISA)
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
	a.Stdout.Table(g)
	fmt.Fprint(a.Stdout, `
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
