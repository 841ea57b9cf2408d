package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

func isSpec(arg string) bool { return strings.HasSuffix(arg, ".toml") }

// curvesSpec returns the spec among the arguments that reads curves, nil if none does; files of curves that no spec reads are proposed one.
func (r request) curvesSpec(t *terminal.Terminal, curves []string) (*experiments.Spec, error) {
	own := slices.DeleteFunc(slices.Clone(r.Args), func(arg string) bool { return !isSpec(arg) })
	if r.recorded || len(own) == 0 {
		if len(curves) > 0 && len(r.Args) > 0 {
			return nil, fmt.Errorf("judge: %s are curves, which a spec judges; leave out %s", printed.List(curves), printed.List(r.Args))
		}
		return nil, nil
	}
	choice := r.Choice
	choice.Args, choice.Profile = own, "paper" // a spec of curves has no other profile
	specs, err := choice.ToRun(t)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(specs, func(s *experiments.Spec) bool { return s.Curves.File != "" })
	switch {
	case i < 0 && len(curves) > 0:
		return nil, fmt.Errorf("%s: has no [curves], so there is nothing to take in; %s shows one for your file", specs[0].File, printed.Again("judge", curves...))
	case i < 0:
		return nil, nil
	}
	if others := slices.DeleteFunc(slices.Clone(r.Args), func(arg string) bool { return arg == specs[i].File }); len(others) > 0 {
		return nil, fmt.Errorf("judge: %s reads curves: judge it by itself, without %s", specs[i].File, printed.List(others))
	}
	return specs[i], nil
}

// judgeCurves takes the curves of a spec in, and judges them.
func judgeCurves(ctx context.Context, t *terminal.Terminal, s *experiments.Spec, curves []string, r request) error {
	r.Profile, r.Quiet = "paper", true
	specs := []*experiments.Spec{s}
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
	r.drawing.Elsewhere = flags.Elsewhere(r.Out)
	if _, err := findings.Write(r.Out, judged, store.Warnings, r.drawing); err != nil {
		return err
	}
	training.TellCells(t, all, nil)
	if err := t.Show(r.json, judged[0].Verdicts, func() {
		if r.report {
			findings.EndScreen(t.Stdout, judged, findings.Ending{Out: r.Out, Lines: r.verbose})
			return
		}
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

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// propose says what is in files with curves, and proposes a spec.
func propose(t *terminal.Terminal, curves []string, r request) error {
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
