// Package judge has the verbs that judge what was run, here (verify and report) or elsewhere (judge).
package judge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/plots"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newVerify(t), newReport(t), newJudge(t), newTrace(t)}
}

func newVerify(t *terminal.Terminal) *cobra.Command {
	var r verifyRequest
	cmd := &cobra.Command{
		Use:   "verify [ID... | FILE.zip]",
		Short: "Judge the claims of experiments from their records",
		Long: `Verify judges every claim of experiments from the records in the output folder. It prints the published
value, the measured value with its 95 % interval over seeds, and the verdict; with -v also the reason of
every verdict. It trains nothing. Without arguments it judges every experiment that has records.

--baseline also compares every cell with the records in another folder and lists the cells whose values
differ.

Given a bundle that repro bundle wrote, it checks the manifest and the checksums of all records, judges
every claim again from the bundle's records and specs, and lists how the bundled verdicts differ. It needs
no data. With --json every number has the records that it came from, with the value of each seed. The exit
status is 1 if anything in the bundle does not fit together.

With --gate the exit status depends on the verdicts: 0 if all claims are reproduced, 1 if a claim deviates,
3 if a claim is inconclusive, 4 if a claim was not run or cannot be compared, 5 if a run failed or a cell
differs from the baseline. If several of these apply, the status is the first of 5, 1, 4, 3. Without
--gate it is 0. The status 2 means a mistake in the arguments, a spec or a file.`,
		Example: `  repro verify
  repro verify dai2014/ridge -v
  repro verify dai2014/ridge --json
  repro verify --gate --out paper
  repro verify results.zip
  repro verify --profile smoke --baseline results/baseline     in a checkout, after runs at profile smoke`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args
			return verify(t, r)
		},
	}
	r.flags(cmd)
	return cmd
}

// verify judges the records of a folder, or a bundle, compares with a baseline if one is named, and ends with the status of the gate if
// there is one.
func verify(t *terminal.Terminal, r verifyRequest) error {
	file, err := flags.BundleOf(r.Args)
	if err != nil {
		return err
	}
	var cases []claims.Case
	sound := 0 // 1 if a bundle does not fit together
	if file != "" {
		cases, sound, err = verifyBundle(t, r, file)
	} else {
		cases, err = verifyRecords(t, r)
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

// verifyRecords judges the claims of experiments from their records, and prints the verdicts.
func verifyRecords(t *terminal.Terminal, r verifyRequest) ([]claims.Case, error) {
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

// A checkedBundle is `verify --json` of a bundle.
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

// verifyBundle checks a bundle, judges its claims again from its records, and prints the verdicts. Its second result is 1 if the bundle
// does not fit together.
func verifyBundle(t *terminal.Terminal, r verifyRequest, file string) (cases []claims.Case, sound int, err error) {
	if r.Changes() {
		return nil, 0, fmt.Errorf("verify: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set and --seeds", file)
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
		o.Message("            %s of cells that the specs do not plan; they count", printed.Count(c.Beyond, "record"))
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

// A verifyRequest is what the flags of verify say.
type verifyRequest struct {
	flags.Choice
	Out                 string
	base                string // folder of the records to compare with
	gate, verbose, json bool
}

func (r *verifyRequest) flags(cmd *cobra.Command) {
	r.SpecFlags(cmd, "")
	r.SeedsFlag(cmd)
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	f := cmd.Flags()
	f.BoolVarP(&r.verbose, "verbose", "v", false, "print the reason of every verdict")
	f.BoolVar(&r.gate, "gate", false, "set the exit status by the verdicts")
	f.StringVar(&r.base, "baseline", "", "compare with the records in this folder")
}

// sameEnough is the largest relative difference from a baseline that is not reported: other processors round differently.
const sameEnough = 1e-6

// drifts compares the records of experiments with a baseline, prints what differs, and returns the status of a gate.
func drifts(t *terminal.Terminal, r verifyRequest, cases []claims.Case) (int, error) {
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

// A reportRequest is what the flags of report say.
type reportRequest struct {
	flags.Choice
	Out     string
	other   string // folder of the runs to show beside; empty for none
	drawing plots.Output
}

func newReport(t *terminal.Terminal) *cobra.Command {
	var r reportRequest
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report from the records",
		Long: `Report writes figures, tables, verdicts.json, report.html and records.csv from the records in the output
folder. It trains nothing and reads no data. Beside every figure there is a .csv file with its points;
records.csv has a row for every metric at every evaluation of every run.

Without arguments it reports every experiment that comes with repro and has records; give the paths of your own
specs. If an experiment has records at several profiles, it takes the latest one; --profile chooses
another.

--compare shows the curves of the runs in another output folder in the same figures. It takes the latest profile there,
or that of --profile; repro compare lists the claims that differ.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml
  repro report --compare yesterday
  repro report --style slides --width 16cm --font 20pt --format pdf`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args
			return report(t, r)
		},
	}
	r.SpecFlags(cmd, "")
	r.SeedsFlag(cmd)
	flags.Out(cmd, &r.Out)
	drawingFlags(cmd, &r.drawing)
	cmd.Flags().StringVar(&r.other, "compare", "", "show the runs in this output folder beside these")
	cobra.CheckErr(cmd.MarkFlagDirname("compare"))
	return cmd
}

// report writes the report of the output folder, beside that of another folder if one is named.
func report(t *terminal.Terminal, r reportRequest) error {
	store, reported, err := findings.Recorded(t, r.Out, r.Choice)
	if err != nil {
		return err
	}
	if r.other != "" {
		other, beside, err := findings.Recorded(t, r.other, r.Choice)
		if other == nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there are no records in %s; name the output folder of a run", r.other)
		}
		if err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
		r.drawing.Beside = &plots.Run{Dir: other.Dir, Cases: beside}
	}
	r.drawing.Elsewhere = flags.Elsewhere(r.Out)
	paths, err := findings.Write(r.Out, reported, store.Warnings, r.drawing)
	if err != nil {
		return err
	}
	t.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), r.Out)
	findings.EndScreen(t.Stdout, reported, findings.Ending{Out: r.Out})
	return nil
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
