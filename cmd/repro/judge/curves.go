package judge

import (
	"context"
	"errors"
	"fmt"
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
	"repro/experiments"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/imports"
	"repro/results/printed"
	"repro/results/records"
)

// A curvesRequest is what the arguments and flags of judge say.
type curvesRequest struct {
	training.Order
	write         string // file for the proposed spec; empty to print it
	gate, verbose bool
	json          bool
}

func newJudge(t *terminal.Terminal) *cobra.Command {
	var r curvesRequest
	cmd := &cobra.Command{
		Use:   "judge FILE|FOLDER... [SPEC.toml]",
		Short: "Judge curves that are there already: a CSV file, or an export of a tracker",
		Long: `Judge reads curves from files and judges what a spec claims of them. It writes records, figures, verdicts and
the report into the output folder, as run does, so that verify, report, compare, check and bundle take them.

Without a spec it says what is in the files: methods, seeds, metrics, and the rate at which each metric falls, with
its 95 % interval over seeds. The rate is the slope of its logarithm against that of x or, where a line against x
fits better, the factor of a geometric decay. Its misfit is the share of the variance of the logarithm that the line
leaves; that of the other law stands in brackets. EARLY and LATE are the rates in both halves of the range: where the
interval of LATE excludes the rate, the law may be another. Then it proposes a spec, which --write puts into a file.

In a mesh study, a table with a column h, dx, dt, tol, N, ndofs, cells or degree, the rows of a curve are its meshes:
the rate is the order in that column, with the range of orders that the observed ones between successive meshes agree
with, EARLY and LATE are the first and the last of these, and the spec claims the nearest multiple of 1/2.

Files are CSV, JSON lines, or exports of TensorBoard, W&B, MLflow, benchopt or IOHanalyzer; docs/curves.md has
the formats. Several files of one kind, a folder of them, or a pattern such as 'runs/*/*.csv', are one table, with a
method for each.

Exit status: 0 done; 2 a mistake in the arguments, a spec or a file; 5 a curve is missing; with --gate also
those of verify --gate.`,
		Example: `  repro judge curves.csv                     what is in it, and a spec to edit
  repro judge curves.csv --write my.toml
  repro judge curves.csv my.toml             the verdicts
  repro judge my.toml --gate
  repro judge runs --write my.toml           a method for each file in a folder`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return !strings.HasSuffix(a, ".toml") })
			curves := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasSuffix(a, ".toml") })
			curves, err := imports.Expand(curves)
			switch {
			case err != nil:
				return err
			case len(specs) > 1:
				return fmt.Errorf("judge: %s are %d specs; judge them one at a time", printed.List(specs), len(specs))
			case len(specs) == 0:
				return propose(t, curves, r)
			case r.write != "":
				return errors.New("judge: --write is for a proposed spec, and there is one already; leave out one of them")
			}
			r.Args = specs
			return judgeCurves(cmd.Context(), t, curves, r)
		},
	}
	flags.Out(cmd, &r.Out)
	r.Library = flags.Library(t)
	flags.JSON(cmd, &r.json)
	f := cmd.Flags()
	f.StringVar(&r.write, "write", "", "write the proposed spec to this new file")
	f.BoolVar(&r.gate, "gate", false, "exit with a status that depends on the verdicts, as verify --gate does")
	f.BoolVarP(&r.verbose, "verbose", "v", false, "print the reason of every verdict")
	return cmd
}

// judgeCurves takes the curves of a spec in, and judges them.
func judgeCurves(ctx context.Context, t *terminal.Terminal, curves []string, r curvesRequest) error {
	r.Profile, r.Quiet = "paper", true
	specs, err := r.ToRun(t)
	if err != nil {
		return err
	}
	s := specs[0]
	if s.Curves.File == "" {
		return fmt.Errorf("%s: has no [curves], so there is nothing to take in; %s", s.File, withCurves(s, curves))
	}
	own, err := s.CurveFiles()
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	for _, file := range curves {
		if !slices.ContainsFunc(own, func(other string) bool { return same(file, other) }) {
			return fmt.Errorf("%s: reads %s, and not %s; correct curves.file, or leave out that argument", s.File, printed.Quote(s.Curves.File), printed.Quote(file))
		}
	}
	if err := files.Writable(r.Out); err != nil {
		return fmt.Errorf("cannot write to the output folder %s: %w; choose another with --out", r.Out, err)
	}
	all, err := r.Train(ctx, t, specs, training.Expand(specs))
	if err != nil {
		return err
	}
	store, err := flags.Open(t, r.Out)
	if err != nil {
		return err
	}
	exp := s.Experiment()
	planned := printed.Each(exp.Expected, func(p claims.Planned) string { return p.Cell })
	store.Records = slices.DeleteFunc(store.Records, func(r *records.Record) bool {
		return r.Header.Experiment == exp.ID && !slices.Contains(planned, r.Header.Cell)
	})
	judged, err := baseline.Judge([]claims.Experiment{exp}, store.Records)
	if err != nil {
		return err
	}
	if _, err := findings.Write(r.Out, judged, store.Warnings, plots.Output{Elsewhere: flags.Elsewhere(r.Out)}); err != nil {
		return err
	}
	training.TellCells(t, all, nil)
	if err := t.Show(r.json, judged[0].Verdicts, func() {
		findings.PrintVerdicts(t.Stdout, judged, r.verbose)
		t.Note("report: %s", filepath.Join(r.Out, "report.html"))
	}); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(r training.Ran) bool { return r.Status == records.Failed }) {
		return exits.Failed
	}
	if r.gate {
		return exits.With(claims.Gate(judged[0].Verdicts))
	}
	return nil
}

// withCurves says what to do with a spec that names no curves.
func withCurves(s *experiments.Spec, curves []string) string {
	if len(curves) == 0 {
		return s.Experiment().Command(printed.Again, "run") + " runs it"
	}
	return printed.Again("judge", curves...) + " shows one for your file"
}

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// propose says what is in files with curves, and proposes a spec.
func propose(t *terminal.Terminal, curves []string, r curvesRequest) error {
	if r.gate || r.json {
		return errors.New("judge: --gate and --json are for verdicts; add a spec, or make one with --write")
	}
	dir := "."
	if r.write != "" {
		if err := experiments.CheckFile(r.write); err != nil || !strings.HasSuffix(r.write, ".toml") {
			return errors.Join(err, fmt.Errorf("--write: %s is no name of a spec; end it with .toml", printed.Quote(r.write)))
		}
		dir = filepath.Dir(r.write)
	}
	p, err := experiments.Propose(curves, dir)
	if err != nil {
		return err
	}
	printProposal(t, p)
	if r.write == "" {
		t.Stdout.Message("")
		_, err := fmt.Fprint(t.Stdout, p.Text)
		t.Note("%s writes this spec; then: %s", printed.Again("judge", append(curves, "--write", "my.toml")...), printed.Again("judge", "my.toml"))
		return err
	}
	if err := files.New(r.write, []byte(p.Text), 0o666); err != nil {
		return err
	}
	t.Note("wrote %s; correct it, and judge it with: %s", r.write, printed.Again("judge", r.write))
	return nil
}

// printProposal prints what is in a table of curves.
func printProposal(t *terminal.Terminal, p *experiments.Proposal) {
	rows := 0
	for _, f := range p.Table.Files {
		rows += f.Rows
	}
	rate, against := "rate in "+p.X, ""
	if p.Mesh { // the head is in capitals, and H is another mesh width
		rate, against = "order", " against "+p.X
	}
	t.Stdout.Message("%s in %s: %s of %s%s", printed.Count(rows, "row"), printed.Count(len(p.Table.Files), "file"),
		printed.Count(len(p.Table.Curves), "curve"), printed.Count(len(p.Table.Methods()), "method"), against)
	g := terminal.Table{Head: []string{"method", "metric", "seeds", "points", "first", "last", rate, "early", "late", "fit"}, Right: []int{3, 4, 5, 6}, Wrap: 10}
	const most = 40
	for i, f := range p.Fits {
		if i == most {
			t.Note("and %d more", len(p.Fits)-most)
			break
		}
		row := []string{printed.OrDash(printed.Visible(f.Method)), f.Metric, fmt.Sprint(f.Seeds), fmt.Sprint(f.Points), printed.Number(f.First), printed.Number(f.Last), "-", "-", "-", ""}
		switch {
		case f.Err != nil:
			row[9] = "no rate: " + f.Err.Error()
		case f.Orders != nil:
			if o := f.Orders; o.Why == "" {
				row[6] = fmt.Sprintf("%s [%s, %s]", printed.Number(o.Mean), printed.Number(o.Low), printed.Number(o.High))
			}
			if all := f.Orders.Observed; len(all) > 0 {
				row[7], row[8] = printed.Digits(all[0].Order, 3), printed.Digits(all[len(all)-1].Order, 3)
			}
			row[9] = f.Words()
		case f.Rate.Bounded():
			row[6] = fmt.Sprintf("%s [%s, %s]", printed.Number(f.Rate.Mean), printed.Number(f.Rate.Low), printed.Number(f.Rate.High))
			row[9] = f.Words()
		default:
			row[6], row[9] = printed.Number(f.Rate.Mean), f.Words()
		}
		for j, h := range f.Rate.Halves {
			row[7+j] = printed.Number(h.Slope)
		}
		g.Rows = append(g.Rows, row)
	}
	t.Stdout.Table(g)
	t.Notes(p.Notes)
}
