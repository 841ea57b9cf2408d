// Package judge has the verbs that judge what was run, here or elsewhere, and that read published curves.
package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	verify := former(newJudge(t, request{recorded: true}), t, "verify", "judge")
	report := former(newJudge(t, request{recorded: true, report: true}), t, "report", "judge --report")
	return []*cobra.Command{newJudge(t, request{}), newTrace(t), verify, report}
}

// former returns a command under the name that it had: no help lists it, and it says what to write instead.
func former(cmd *cobra.Command, t *terminal.Terminal, name, now string) *cobra.Command {
	cmd.Use, cmd.Hidden = name, true
	cmd.PreRun = func(*cobra.Command, []string) {
		t.Note("note: %s is now %s", printed.Command(name), printed.Command(now))
	}
	return cmd
}

// A request is what the arguments and flags of judge say.
type request struct {
	training.Order
	write               string // file for the proposed spec; empty to print it
	base                string // folder of the records to compare with
	other               string // folder of the runs to show beside; empty for none
	drawing             plots.Output
	gate, verbose, json bool
	report              bool // write the report
	recorded            bool // take in no curves
}

func newJudge(t *terminal.Terminal, r request) *cobra.Command {
	r.Library = flags.Library(t)
	cmd := &cobra.Command{
		Use:   "judge [ID... | SPEC.toml... | FILE.zip | CURVES... [SPEC.toml]]",
		Short: "Judge the claims of runs, of a bundle, or of curves in a CSV file or a tracker's export",
		Long: `Judge judges every claim from the records in the output folder: it prints the published value, the measured
value with its 95 % interval over seeds, and the verdict; with -v also the reason of every verdict. It trains
nothing. Without arguments it judges every experiment that has records, at the profile of the latest.

--report writes figures, tables, verdicts.json, report.html and records.csv into the output folder; beside every
figure there is a .csv file with its points. --style, --width, --font and --format say how figures are drawn.
--compare shows the curves of the runs in another output folder in the same figures.

--baseline compares every run with the records in another folder and lists those whose values differ.

Given a bundle that repro bundle wrote, it checks the manifest and the checksums of all records, judges
every claim again from the bundle's records and specs, and lists how the bundled verdicts differ. It needs
no data. With --json every number has the records that it came from, with the value of each seed. The exit
status is 1 if anything in the bundle does not fit together.

Given files of curves, or a spec that names some, it writes their records and the report into the output folder, as
run does, and judges them. Without a spec it says what is in the files: methods, seeds, metrics, and the rate at which
each metric falls, with its 95 % interval over seeds. The rate is the slope of its logarithm against that of x or,
where a line against x fits better, the factor of a geometric decay. Its misfit is the share of the variance of the
logarithm that the line leaves; that of the other law stands in brackets. EARLY and LATE are the rates in both halves
of the range: where the interval of LATE excludes the rate, the law may be another. Then it proposes a spec, which
--write puts into a file.

In a mesh study, a table with a column h, dx, dt, tol, N, ndofs, cells or degree, the rows of a curve are its meshes:
the rate is the order in that column, with the range of orders that the observed ones between successive meshes agree
with, EARLY and LATE are the first and the last of these, and the spec claims the nearest multiple of 1/2.

Files of curves are CSV, JSON lines, or exports of TensorBoard, W&B, MLflow, benchopt or IOHanalyzer; docs/curves.md
has the formats. Several files of one kind, a folder of them, or a pattern such as 'runs/*/*.csv', are one table, with a
method for each.

With --gate the exit status depends on the verdicts: 0 if all claims are reproduced, 1 if a claim deviates,
3 if a claim is inconclusive, 4 if a claim was not run or cannot be compared, 5 if a run failed or differs from
the baseline. If several of these apply, it is the first of 5, 1, 4, 3. Without --gate it is 0, or 5 if a curve is
missing. 2 means a mistake in the arguments, a spec or a file.`,
		Example: `  repro judge -v
  repro judge dai2014/ridge --json
  repro judge --gate --out paper
  repro judge results.zip
  repro judge --report --style slides --width 16cm --font 20pt --format pdf
  repro judge --report --compare yesterday
  repro judge curves.csv                     what is in it, and a spec to edit
  repro judge curves.csv --write my.toml
  repro judge curves.csv my.toml             the verdicts
  repro judge runs --write my.toml           a method for each file in a folder`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return judge(cmd.Context(), t, r, args)
		},
	}
	r.SpecFlags(cmd, "")
	r.SeedsFlag(cmd)
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	f := cmd.Flags()
	f.BoolVarP(&r.verbose, "verbose", "v", false, "print the reason of every verdict")
	f.BoolVar(&r.gate, "gate", false, "set the exit status by the verdicts")
	f.BoolVar(&r.report, "report", r.report, "write figures, tables and the report")
	f.StringVar(&r.base, "baseline", "", "compare with the records in this folder")
	f.StringVar(&r.other, "compare", "", "show the runs in this output folder beside these in the report")
	f.StringVar(&r.write, "write", "", "write the spec proposed for curves to this new file")
	cobra.CheckErr(cmd.MarkFlagDirname("compare"))
	drawingFlags(cmd, &r.drawing)
	return cmd
}

// judge judges what the arguments name: curves, a bundle, or the records of experiments.
func judge(ctx context.Context, t *terminal.Terminal, r request, args []string) error {
	var curves []string
	for _, arg := range args {
		if r.recorded || flags.IsBundle(arg) || !isCurves(arg) {
			r.Args = append(r.Args, arg)
		} else {
			curves = append(curves, arg)
		}
	}
	curves, err := imports.Expand(curves)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	for _, file := range curves {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("judge: %s: no such file; give the path of a file of curves, or an id of %s", file, printed.Command("list"))
		}
	}
	r.report = r.report || r.other != "" || r.drawing.Formats != nil || r.drawing.Style != (figures.Style{})
	switch spec, err := r.curvesSpec(t, curves); {
	case err != nil:
		return err
	case r.write != "" && slices.ContainsFunc(r.Args, isSpec):
		return errors.New("judge: --write is for a proposed spec, and there is one already; leave out one of them")
	case spec != nil:
		return judgeCurves(ctx, t, spec, curves, r)
	case len(curves) > 0:
		return propose(t, curves, r)
	case r.write != "":
		return errors.New("judge: --write is for the spec that is proposed for curves; give their file")
	}
	return judgeRecorded(t, r)
}

// isCurves reports whether an argument is a file of curves: no id or pattern of experiments, and no spec.
func isCurves(arg string) bool {
	if isSpec(arg) {
		return false
	}
	if _, err := catalog.Resolve([]string{arg}); err == nil {
		return false
	}
	found, err := filepath.Glob(arg)
	return err == nil && len(found) > 0 || filepath.Ext(arg) != ""
}

// judgeRecorded judges the records of a folder, or a bundle, compares with a baseline if one is named, and ends with the status of the gate
// if there is one.
func judgeRecorded(t *terminal.Terminal, r request) error {
	file, err := flags.BundleOf(r.Args)
	if err != nil {
		return err
	}
	var cases []claims.Case
	sound := 0 // 1 if a bundle does not fit together
	if file != "" {
		cases, sound, err = judgeBundle(t, r, file)
	} else {
		cases, err = judgeRecords(t, r)
	}
	status := claims.Gate(claims.Verdicts(cases))
	if err == nil && r.base != "" {
		var drift int
		drift, err = drifts(t, r, cases)
		status = claims.WorseStatus(status, drift)
	}
	if r.gate && errors.Is(err, fs.ErrNotExist) {
		t.Note("%v", err)
		return exits.Incomplete
	}
	if err != nil {
		return err
	}
	if !r.gate {
		status = 0
	}
	return exits.With(claims.WorseStatus(status, sound))
}

// judgeRecords judges the claims of experiments from their records, and prints the verdicts or, with a report, what was found.
func judgeRecords(t *terminal.Terminal, r request) ([]claims.Case, error) {
	if r.report {
		cases, err := report(t, r)
		if err != nil {
			return nil, err
		}
		return cases, t.Show(r.json, claims.Verdicts(cases), func() {
			findings.EndScreen(t.Stdout, cases, findings.Ending{Out: r.Out, Lines: r.verbose})
		})
	}
	if _, err := catalog.Resolve(r.Args); err != nil {
		return nil, err
	}
	store, err := flags.Open(t, r.Out)
	if errors.Is(err, fs.ErrNotExist) && len(r.Args) > 0 && r.gate {
		t.Note("%v", err)
		store, err = &records.Store{Dir: r.Out}, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := r.Recorded(t, store)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, r.Nothing(r.Out, all)
	}
	cases, err := baseline.Judge(all, store.Records)
	if err != nil {
		return nil, err
	}
	return cases, t.Show(r.json, claims.Verdicts(cases), func() { findings.PrintVerdicts(t.Stdout, cases, r.verbose) })
}

// A checkedBundle is `judge --json` of a bundle.
type checkedBundle struct {
	Bundle  string            `json:"bundle"`
	SHA256  string            `json:"sha256"`
	Program builds.Program    `json:"program"`           // that made it
	Faults  []string          `json:"faults"`            // entries that are not those of the manifest, damaged records
	Edited  []string          `json:"edited_specs"`      // experiments whose specs are not those of this program
	Own     []string          `json:"own_specs"`         // experiments that do not come with this program
	Beyond  int               `json:"unplanned_records"` // records that count and that the specs do not plan
	Claims  []bundles.Checked `json:"claims"`
}

// judgeBundle checks a bundle, judges its claims again from its records, and prints the verdicts. Its second result is 1 if the bundle
// does not fit together.
func judgeBundle(t *terminal.Terminal, r request, file string) (cases []claims.Case, sound int, err error) {
	if r.report {
		return nil, 0, fmt.Errorf("judge: %s has a report of its own, report.html; leave out --report and the flags of figures", file)
	}
	if r.Changes() {
		return nil, 0, fmt.Errorf("judge: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set and --seeds", file)
	}
	b, err := flags.ReadBundle(file, "")
	if err != nil {
		return nil, 0, err
	}
	c := checkBundle(file, b)
	missing := bundles.Differ(c.Claims, b.Verdicts)
	if len(c.Faults)+len(missing) > 0 || slices.ContainsFunc(c.Claims, func(c bundles.Checked) bool { return len(c.Differences) > 0 }) {
		sound = 1
	}
	if r.json {
		c.Faults = append(c.Faults, missing...)
	}
	return b.Cases, sound, t.Show(r.json, c, func() {
		printBundle(t.Stdout, b, c, missing)
		findings.PrintVerdicts(t.Stdout, b.Cases, r.verbose)
	})
}

// checkBundle judges the claims of a bundle again.
func checkBundle(file string, b *flags.Bundle) checkedBundle {
	c := checkedBundle{Bundle: file, SHA256: b.SHA256, Program: b.Program, Faults: []string{}, Edited: []string{}, Own: []string{}, Claims: []bundles.Checked{}}
	for _, e := range b.Experiments {
		if text, _, err := catalog.Written(catalog.Ref{ID: e.ID}); err != nil {
			c.Own = append(c.Own, e.ID)
		} else if !bytes.Equal(text, e.Text) {
			c.Edited = append(c.Edited, e.ID)
		}
	}
	for _, fault := range b.Faults {
		c.Faults = append(c.Faults, fault.Error())
	}
	for _, j := range b.Cases {
		c.Beyond += len(j.Unplanned(j.Records))
		for i, v := range j.Verdicts {
			c.Claims = append(c.Claims, bundles.Checked{Verdict: v, Differences: []string{}, Seeds: bundles.SeedValues(j, j.Claims[i], b.Sums)})
		}
	}
	return c
}

// printBundle prints what each layer of a bundle shows, and every fault.
func printBundle(o *terminal.Output, b *flags.Bundle, c checkedBundle, missing []string) {
	p := b.Program
	o.Message("%s: %s of %s, made by %s %v", c.Bundle, printed.Count(len(b.Records), "record"), printed.Count(len(b.Experiments), "experiment"), p.Name(), p)
	o.Message("  SHA-256   %s", c.SHA256)
	if len(b.Faults) == 0 {
		o.Message("  manifest  every entry is the one that it lists")
		o.Message("  records   all have the right checksums")
	}
	if len(c.Faults) > 0 {
		o.Message("  faults    %d: entries that are not those of the manifest, damaged records", len(c.Faults))
	}
	for _, f := range c.Faults {
		o.Message("    %s", f)
	}
	if c.Beyond > 0 {
		o.Message("            %s of runs that the specs do not plan; they count", printed.Count(c.Beyond, "record"))
	}
	var specs []string
	if n := len(b.Experiments) - len(c.Edited) - len(c.Own); n > 0 {
		specs = append(specs, fmt.Sprintf("%d as %s has them", n, printed.Name()))
	}
	if len(c.Edited) > 0 {
		specs = append(specs, "not as "+printed.Name()+" has them: "+printed.List(c.Edited))
	}
	if len(c.Own) > 0 {
		specs = append(specs, "unknown to "+printed.Name()+": "+printed.List(c.Own))
	}
	o.Message("  specs     %s", strings.Join(specs, "; "))
	different := len(missing)
	for _, claim := range c.Claims {
		if len(claim.Differences) > 0 {
			different++
		}
	}
	if different == 0 {
		o.Message("  verdicts  all %d are those that the records give\n", len(c.Claims))
	} else {
		o.Message("  verdicts  %d of %d are not those that the records give", different, len(c.Claims))
		for _, m := range missing {
			o.Message("    %s", m)
		}
		for _, claim := range c.Claims {
			for _, d := range claim.Differences {
				o.Message("    %s#%s: %s", claim.Verdict.Experiment, claim.Verdict.Claim, d)
			}
		}
		if now := builds.This(); !now.Same(p) {
			o.Message("    this is %s %v: a difference may be one of the rule of judgement", printed.Name(), now)
		}
		o.Message("")
	}
}

// sameEnough is the largest relative difference from a baseline that is not reported: other processors round differently.
const sameEnough = 1e-6

// drifts compares the records of experiments with a baseline, prints what differs, and returns the status of a gate.
func drifts(t *terminal.Terminal, r request, cases []claims.Case) (int, error) {
	stored, err := records.Open(r.base)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("--baseline: there are no records in %s; name a folder with records", r.base)
	}
	if err != nil {
		return 0, fmt.Errorf("--baseline: %w", err)
	}
	for _, w := range stored.Warnings {
		t.Note("warning: --baseline: %v", w)
	}
	wanted, got := &records.Store{Dir: r.base}, &records.Store{}
	for _, j := range cases {
		wanted.Records = append(wanted.Records, j.Own(stored.Records)...)
		got.Records = append(got.Records, j.Records...)
	}
	if len(wanted.Records) == 0 {
		t.Note("baseline %s: there are no records of these experiments at their profiles, so nothing was compared", r.base)
		return int(exits.Incomplete), nil
	}
	status := 0
	counts := map[records.Match]int{}
	for _, d := range records.Compare(wanted, got, sameEnough) {
		counts[d.State]++
		switch {
		case d.State == records.Worse:
			status = claims.WorseStatus(status, int(exits.Failed))
		case d.State == records.NotComparable && d.LeftOut == "":
			status = claims.WorseStatus(status, int(exits.Incomplete))
		}
		if d.State != records.Same {
			t.Tell(r.json, "%s %s at profile %s: %s: %s", d.Experiment, d.Cell, d.Profile, d.State, d.Reason)
		}
	}
	var words []string
	for _, s := range records.Matches {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	t.Tell(r.json, "compared with baseline %s: %s", r.base, strings.Join(words, ", "))
	return status, nil
}

// report writes the report of the output folder, beside that of another folder if one is named, and returns what it is about.
func report(t *terminal.Terminal, r request) ([]claims.Case, error) {
	store, reported, err := findings.Recorded(t, r.Out, r.Choice)
	if err != nil {
		return nil, err
	}
	if r.other != "" {
		other, beside, err := findings.Recorded(t, r.other, r.Choice)
		if other == nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there are no records in %s; name the output folder of a run", r.other)
		}
		if err != nil {
			return nil, fmt.Errorf("--compare: %w", err)
		}
		r.drawing.Beside = &plots.Run{Dir: other.Dir, Cases: beside}
	}
	r.drawing.Elsewhere = flags.Elsewhere(r.Out)
	paths, err := findings.Write(r.Out, reported, store.Warnings, r.drawing)
	if err != nil {
		return nil, err
	}
	t.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), r.Out)
	return reported, nil
}

// drawingFlags adds the flags that say how figures are drawn.
func drawingFlags(cmd *cobra.Command, d *plots.Output) {
	f := cmd.Flags()
	styles, formats := strings.Join(figures.StyleNames, "|"), strings.Join(drawings.Formats, ",")
	f.Func("style", "draw all figures for `"+styles+"`: 8.4 cm wide with 8 pt labels, 25.4 cm with 18 pt labels, or light on dark", func(s string) (err error) {
		if !slices.Contains(figures.StyleNames, s) {
			err = fmt.Errorf("want %s, got %q", strings.Join(figures.StyleNames, ", "), s)
		}
		d.Style.Name = s
		return err
	})
	f.Func("width", "`width` of all figures, such as 16cm", func(s string) (err error) {
		d.Style.Width, err = drawings.ParseWidth(s)
		return err
	})
	f.Func("font", "`size` of axis labels in all figures, such as 20pt", func(s string) (err error) {
		d.Style.Font, err = drawings.ParseFont(s)
		return err
	})
	f.Func("format", "draw figures as `format`, some of "+formats+" (default svg)", func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if !slices.Contains(drawings.Formats, name) {
				return fmt.Errorf("want some of %s, separated by commas, got %q", formats, s)
			}
			d.Formats = append(d.Formats, name)
		}
		return nil
	})
	for name, words := range map[string][]string{"style": figures.StyleNames, "format": drawings.Formats} {
		flags.Complete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}
