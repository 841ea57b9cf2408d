package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/algos/compute"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// An auditOrder is what the flags of audit say.
type auditOrder struct {
	runner.Options
	json   bool
	sample int
	seed   uint64
	dir    string
}

func newAudit(t *terminal.Terminal) *cobra.Command {
	var o auditOrder
	cmd := &cobra.Command{
		Use:   "audit FILE.zip",
		Short: "Run a random sample of a bundle's runs again and compare bit for bit",
		Long: `Audit draws a random sample of the runs of a bundle, repeats them from the bundled specs, and compares
every recorded number bit for bit. Every run that can be repeated is equally likely to be drawn. Those that cannot
are counted with the reason: a budget in seconds, data that is not here (repro fetch), programs that are not allowed.

Where the processor decides the last bits (another architecture, or portable code on one side only), numbers
may differ by 1e-6 of the larger, and such runs are counted apart.

Exit status: 0 all runs are the same; 1 a record or an entry of the bundle is damaged; 2 a mistake in the
arguments or the bundle; 4 nothing could be audited; 5 a run differs or failed.`,
		Example: `  repro audit results.zip
  repro audit results.zip --seed 17      draw the sample of an earlier audit again`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.sample < 1 {
				return fmt.Errorf("--sample must be 1 or more, got %d", o.sample)
			} else if !cmd.Flags().Changed("seed") {
				o.seed = rand.Uint64() >> 11 // what a float64 holds, as readers of JSON want it
			}
			return audit(cmd.Context(), t, args[0], o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.sample, "sample", 30, "largest number of runs to repeat")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the draw; a random one if left out")
	f.StringVar(&o.dir, "dir", ".", "folder that the files of your own specs are relative to")
	flags.External(cmd, &o.AllowExternal, "the bundle has, or its specs name, as external methods")
	o.Library = flags.Library(t)
	flags.JSON(cmd, &o.json)
	return cmd
}

// An auditResult is `audit --json`.
type auditResult struct {
	Bundle         string          `json:"bundle"`
	SHA256         string          `json:"sha256"` // of the bundle
	builds.Program                 // that ran the cells again
	Host           string          `json:"host"`
	ISA            string          `json:"isa"`
	Seed           uint64          `json:"seed"`     // of the draw
	Faults         int             `json:"faults"`   // damaged records, and entries that are not those of the manifest
	Cells          int             `json:"cells"`    // that could be drawn
	Same           int             `json:"same"`     // of those drawn
	Close          int             `json:"close"`    // likewise: the processor may decide the last bits, and they are within the tolerance
	Differs        int             `json:"differs"`  // likewise: another number, or it failed
	LeftOut        map[string]int  `json:"left_out"` // cells that could not be drawn, by reason
	Outcomes       []records.Drift `json:"outcomes"` // of those drawn
}

// audit runs a sample of a bundle again, compares it and prints the outcome.
func audit(ctx context.Context, t *terminal.Terminal, file string, o auditOrder) error {
	b, err := flags.ReadBundle(file, o.dir)
	if err != nil {
		return err
	}
	r := auditResult{Bundle: file, SHA256: b.SHA256, Program: builds.This(), Host: runtime.GOOS + "/" + runtime.GOARCH, ISA: compute.ISA(),
		Seed: o.seed, Faults: len(b.Faults), LeftOut: map[string]int{}, Outcomes: []records.Drift{}}
	if r.Faults > 0 {
		t.Note("%v; %s lists all that is wrong with the bundle", b.Faults[0], printed.Command("judge "+printed.ShellWord(file)))
	}
	if other := b.Program.Other(); other != "" {
		t.Note("warning: %s: %s", file, other)
	} else if !r.Program.Same(b.Program) {
		t.Note("the bundle was made by commit %s, and this is %v: a difference may be one of the code", b.Program.Commit, r.Program)
	}
	dir, err := files.MkdirTemp("repro-audit-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.Out = filepath.Join(dir, "out")
	if err := o.unpackPrograms(b, filepath.Join(dir, "programs")); err != nil {
		return err
	}
	if err := o.run(ctx, t, b, &r); err != nil {
		return err
	}
	if err := t.Show(o.json, r, func() { r.print(t.Stdout) }); err != nil {
		return err
	}
	switch {
	case r.Differs > 0:
		return exits.Failed
	case r.Faults > 0:
		return exits.No
	case r.Cells == 0:
		return exits.Incomplete
	}
	return nil
}

// unpackPrograms writes the programs of a bundle below a folder, with links to the data files that are in --dir, and lays out their
// specs again there. It does nothing without --allow-external.
func (o auditOrder) unpackPrograms(b *flags.Bundle, folder string) (err error) {
	for i, e := range b.Experiments {
		if len(e.Programs) == 0 || !o.AllowExternal {
			continue
		}
		dir := filepath.Join(folder, strconv.Itoa(i))
		place := func(name string, put func(path string) error) {
			if path := filepath.Join(dir, filepath.FromSlash(name)); err == nil && filepath.IsLocal(filepath.FromSlash(name)) {
				err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), put(path))
			}
		}
		for name, text := range e.Programs {
			place(name, func(path string) error { return os.WriteFile(path, text, 0o700) })
		}
		for _, c := range b.Specs[i].Expand() {
			for name, from := range c.Data().OwnFiles(o.dir) {
				place(name, func(path string) error {
					from, err := filepath.Abs(from)
					if _, there := os.Lstat(path); err == nil && there != nil {
						err = os.Symlink(from, path)
					}
					return err
				})
			}
		}
		if err == nil {
			b.Specs[i], err = flags.Layout(e, dir)
		}
	}
	return err
}

// repeatable returns the cells that can run again, with their records. It counts the others by reason.
func (o auditOrder) repeatable(b *flags.Bundle, r *auditResult) (cells []experiments.Cell, recorded []*records.Record) {
	store, planned := b.Store(), 0
	for _, spec := range b.Specs {
		stored := store.Of(spec.ID)
		for _, c := range spec.Expand() {
			i := slices.IndexFunc(stored, func(r *records.Record) bool { return r.Header.Cell == c.Name })
			if i < 0 {
				continue
			}
			planned++
			if why := o.unrepeatable(&c, stored[i]); why != "" {
				r.LeftOut[why]++
			} else {
				cells, recorded = append(cells, c), append(recorded, stored[i])
			}
		}
	}
	if n := len(store.Records) - planned; n > 0 {
		r.LeftOut["their specs do not plan them"] = n
	}
	return cells, recorded
}

// run draws a sample of the cells that can run again, runs it and compares it.
func (o auditOrder) run(ctx context.Context, t *terminal.Terminal, b *flags.Bundle, r *auditResult) error {
	cells, recorded := o.repeatable(b, r)
	if r.Cells = len(cells); r.Cells == 0 {
		return nil
	}
	drawn := rand.New(rand.NewPCG(o.seed, 0)).Perm(r.Cells)[:min(o.sample, r.Cells)]
	slices.Sort(drawn)
	var sample []experiments.Cell
	for _, i := range drawn {
		sample = append(sample, cells[i])
	}
	var plan *runner.Plan
	if err := training.OrLeave(ctx, func() (err error) {
		if plan, err = runner.NewPlan(ctx, sample, o.Options); err == nil {
			err = plan.Fits(flags.MemoryBound(o.Library))
		}
		return err
	}); err != nil {
		return err
	}
	t.Note("repeating %d of %s, drawn with --seed %d; about %s", len(sample), printed.Count(r.Cells, "run"), o.seed, printed.Duration(plan.Cost().Seconds))
	w := training.NewWatch(t, plan, false, "")
	defer w.Close()
	o.Observe = w.Observe
	if _, err := runner.Run(ctx, sample, o.Options); ctx.Err() != nil {
		t.Note("interrupted; --seed %d draws the same runs again", o.seed)
		return exits.Interrupted
	} else if err != nil {
		return err
	}
	for _, i := range drawn {
		again := records.Find(o.Out, cells[i].Experiment, cells[i].Name, nil).Whole()
		d := runAgain(recorded[i], again, sameBits(recorded[i].Header.Timing, r.Host, r.ISA))
		switch {
		case d.State != records.Same:
			r.Differs++
		case d.Difference != nil:
			r.Close++
		default:
			r.Same++
		}
		r.Outcomes = append(r.Outcomes, d)
	}
	return nil
}

// unrepeatable returns why a cell cannot be run again and compared, empty if it can. It asks the spec, not the record, where
// both know.
func (o auditOrder) unrepeatable(c *experiments.Cell, r *records.Record) string {
	_, program := c.Method.Configured.(*experiments.External)
	_, imported := c.Method.Configured.(*experiments.Imported)
	switch budget := c.Budget(); {
	case imported:
		return "they were imported: the runs behind them are not known here, and only their claims can be judged again"
	case budget.Seconds > 0 || budget.TimeOf != "":
		return "their budget is in seconds, so that two runs differ"
	case !r.Status().Complete():
		return "they did not end: failed, skipped or interrupted"
	case program && !o.AllowExternal:
		return "they run programs; --allow-external allows it"
	}
	for _, path := range c.Programs() {
		if _, err := os.Stat(path); err != nil {
			return "their program is not in the bundle, nor in the folder of --dir: " + filepath.Base(path)
		}
	}
	if here, why := o.Library.Ready(c.Data(), c.Spec.Dir()); !here {
		return "their data is not here: " + why
	}
	if !c.Ran(r.Header) && len(r.Header.OtherContent(c.Settings)) == 0 { // a run on another file says that it differs
		return "their settings are not those of the spec"
	}
	return ""
}

// lastBits is by how much numbers may differ, relative to the larger, where the processor decides the last bits.
const lastBits = 1e-6

// runAgain compares a record with that of the same cell run again, nil if there is none. Everything that a verdict may use must be the
// same, but no times. If equal is false, the processor may decide the last bits of numbers.
func runAgain(recorded, again *records.Record, equal bool) records.Drift {
	tolerance, got := lastBits, &records.Store{}
	if equal {
		tolerance = 0
	}
	if again != nil {
		r := *again
		r.Header.Profile = recorded.Header.Profile
		got.Records = append(got.Records, &r)
	}
	d := records.Compare(&records.Store{Records: []*records.Record{recorded}}, got, tolerance)[0]
	d.Reason = strings.ReplaceAll(d.Reason, "the baseline", "the record")
	if again == nil || again.Status() != recorded.Status() {
		return d
	}
	worse := func(what, here, there string) {
		d.State, d.Reason = records.Worse, fmt.Sprintf("its %s is %s in the record, and %s in this run", what, here, there)
	}
	if d.State == records.Same && equal && !maps.Equal(recorded.End.Files, again.End.Files) {
		d.State, d.Reason = records.Worse, "its files of predictions have other bytes than the record says"
	}
	for key, x := range recorded.Header.Resolved {
		if y := again.Header.Resolved[key]; math.Abs(x-y) > tolerance*max(math.Abs(x), math.Abs(y)) {
			worse(key, printed.Digits(x, 17), printed.Digits(y, 17))
		}
	}
	if all := records.Differences(besides(recorded), besides(again)); len(all) > 0 {
		worse(all[0].Key, all[0].Here, all[0].There)
	}
	return d
}

// besides returns what a verdict may use besides values: settings, data, counted work and memory, examples seen.
func besides(r *records.Record) map[string]any {
	h, p := r.Header, r.Header.Provenance
	all := map[string]any{
		"settings": h.Settings, "algorithm": h.Algorithm, "method": h.Method, "seed": h.Seed, "resolved": slices.Sorted(maps.Keys(h.Resolved)),
		"data": p.Data, "substitute": p.Substitute, "precision": p.Precision, "timed": p.Timed, "exempt": p.Exempt, "steps": r.End.Steps,
	}
	for _, q := range r.Points {
		all[fmt.Sprintf("step %d", q.Step)] = map[string]any{"seen": q.Seen, "epoch": q.Epoch, "counters": q.Counters, "metrics": q.Metrics()}
	}
	return all
}

// sameBits reports whether a run on a host and an instruction set must give the bits of a record: on the same architecture, both with
// vector code or both with portable code. A record that does not name its instruction set counts as made with vector code on amd64,
// where every processor since 2013 has it.
func sameBits(recorded records.HeaderTiming, host, isa string) bool {
	_, a, _ := strings.Cut(recorded.Host, "/")
	_, b, _ := strings.Cut(host, "/")
	const portable = "generic"
	return a == b && (recorded.ISA == portable || recorded.ISA == "" && a != "amd64") == (isa == portable)
}

// print prints the cells that are not as recorded, a line on all, and why others could not be drawn.
func (r *auditResult) print(o *terminal.Output) {
	for _, d := range r.Outcomes {
		if d.State != records.Same {
			o.Message("%s %s: %s: %s", d.Experiment, d.Cell, d.State, d.Reason)
		}
	}
	var words []string
	for i, n := range []int{r.Same, r.Close, r.Differs, r.Faults} {
		if n > 0 {
			words = append(words, fmt.Sprint(n, " ", []string{"with the same bits", "within the tolerance, where the processor decides the last bits", "not as recorded", "faults of the bundle"}[i]))
		}
	}
	if r.Cells == 0 {
		words = append(words, "nothing could be audited")
	}
	o.Message("%s: %d of %s repeated: %s", r.Bundle, len(r.Outcomes), printed.Count(r.Cells, "run"), strings.Join(words, ", "))
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		o.Message("  not among them: %s: %s", printed.Count(r.LeftOut[why], "run"), why)
	}
}
