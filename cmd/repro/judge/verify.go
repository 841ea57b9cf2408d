package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/studies"
	"repro/cmd/repro/terminal"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A reference names the records to compare with and the folder to write new ones into.
type reference struct {
	dir       string
	tolerance float64
	write     string // folder to write the records into as a new baseline
}

// A verifyRequest is what the flags of verify say.
type verifyRequest struct {
	flags.Choice
	Out                 string
	base                reference
	trace               string
	gate, verbose, json bool
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
differ. --write-baseline writes the judged records into a folder for such comparisons, one file for each
experiment, without cells that were skipped or interrupted.

Given a bundle that repro bundle wrote, it checks the manifest and the checksums of all records, judges
every claim again from the bundle's records and specs, and lists how the bundled verdicts differ. It needs
no data. --trace prints the records that a number came from, with the value of each seed. The exit status is
1 if anything in the bundle does not fit together.

With --gate the exit status depends on the Verdicts: 0 if all claims are reproduced, 1 if a claim deviates
or a cell differs from the baseline, 3 if a claim is inconclusive, 4 if a claim was not run or cannot be
compared, 5 if a run failed. If several of these apply, the status is the first of 5, 1, 4, 3. Without
--gate it is 0. The status 2 means a mistake in the arguments, a spec or a file.`,
		Example: `  repro verify
  repro verify dai2014/ridge -v
  repro verify dai2014/ridge --json
  repro verify --gate --out paper
  repro verify results.zip
  repro verify results.zip --trace 'dai2014/ridge#*'
  repro verify --profile smoke --baseline results/baseline     in a checkout, after runs at profile smoke`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args
			file, err := studies.Argument(args)
			if err != nil {
				return err
			}
			var status, sound int
			switch {
			case file != "":
				status, sound, err = verifyBundle(t, r, file)
			case r.trace != "":
				return errors.New("verify: --trace is for bundles; make one with " + printed.Command("bundle"))
			default:
				status, err = verify(t, r)
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
		},
	}
	r.Choice.Flags(cmd, "")
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	f := cmd.Flags()
	f.BoolVarP(&r.verbose, "verbose", "v", false, "print the reason of every verdict")
	f.BoolVar(&r.gate, "gate", false, "set the exit status by the verdicts")
	f.StringVar(&r.base.dir, "baseline", "", "compare with the records in this folder")
	f.StringVar(&r.base.write, "write-baseline", "", "write the judged records into this folder, for a later --baseline")
	f.StringVar(&r.trace, "trace", "", "of a bundle: print the records behind the claims of this id or pattern")
	f.Float64Var(&r.base.tolerance, "baseline-tolerance", 1e-6, "largest relative difference from the baseline that is not reported")
	return cmd
}

// verify judges claims, compares with a baseline if one is named, and returns the status of a gate.
func verify(t *terminal.Terminal, r verifyRequest) (int, error) {
	store, err := flags.Open(t, r.Out)
	if errors.Is(err, fs.ErrNotExist) && len(r.Args) > 0 && r.gate {
		t.Note("%v", err)
		store, err = &records.Store{Dir: r.Out}, nil
	}
	if err != nil {
		return 0, err
	}
	all, err := r.Recorded(t, store)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, r.Nothing(r.Out, all)
	}
	var verified []claims.Case
	verdicts := []claims.Verdict{}
	for _, exp := range all {
		j := claims.NewCase(exp, store.Records)
		verified = append(verified, j)
		verdicts = append(verdicts, j.Verdicts...)
	}
	status := claims.Gate(verdicts)
	if r.json {
		err = terminal.PrintJSON(t.Stdout, verdicts)
	} else {
		findings.PrintVerdicts(t.Stdout, verified, r.verbose)
	}
	if err == nil && r.base.dir != "" {
		var drift int
		drift, err = drifts(t, r, all, store)
		status = claims.WorseStatus(status, drift)
	}
	if err == nil && r.base.write != "" {
		err = writeBaseline(t, r, all)
	}
	return status, err
}

// writeBaseline writes the records of experiments at their profiles into a folder, one file an experiment.
func writeBaseline(t *terminal.Terminal, r verifyRequest, all []claims.Experiment) error {
	profiles := map[string]string{}
	for _, exp := range all {
		profiles[exp.ID] = exp.Profile
	}
	left := map[records.Status]int{}
	n, err := records.Join(r.Out, r.base.write, func(rec *records.Record) bool {
		status := rec.Status()
		if profile, ok := profiles[rec.Header.Experiment]; !ok || profile != rec.Header.Profile {
			return false
		}
		if status == records.Skipped || status == records.Partial {
			left[status]++
			return false
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	t.Tell(r.json, "%s written to %s; left out: %d skipped, %d interrupted", printed.Count(n, "record"), r.base.write, left[records.Skipped], left[records.Partial])
	return nil
}

// drifts compares the records of experiments with a baseline, prints what differs, and returns the status of a gate.
func drifts(t *terminal.Terminal, r verifyRequest, all []claims.Experiment, store *records.Store) (int, error) {
	stored, err := records.Open(r.base.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("--baseline: there are no records in %s; name a folder with records", r.base.dir)
	}
	if err != nil {
		return 0, fmt.Errorf("--baseline: %w", err)
	}
	for _, w := range stored.Warnings {
		t.Note("warning: --baseline: %v", w)
	}
	wanted, got := &records.Store{Dir: r.base.dir}, &records.Store{Dir: store.Dir}
	for _, exp := range all {
		wanted.Records = append(wanted.Records, exp.Records(stored.Records)...)
		got.Records = append(got.Records, exp.Records(store.Records)...)
	}
	if len(wanted.Records) == 0 {
		t.Note("baseline %s: there are no records of these experiments at their profiles, so nothing was compared", r.base.dir)
		return int(exits.Incomplete), nil
	}
	status := 0
	counts := map[records.DriftState]int{}
	for _, d := range records.Compare(wanted, got, r.base.tolerance) {
		counts[d.State]++
		switch d.State {
		case records.Drifted:
			status = claims.WorseStatus(status, 1)
		case records.Missing, records.SettingsDiffer:
			status = claims.WorseStatus(status, int(exits.Incomplete))
		}
		if d.State != records.Same && d.State != records.Close {
			t.Tell(r.json, "%s %s at profile %s: %s: %s", d.Experiment, d.Cell, d.Profile, d.State, d.Reason)
		}
	}
	var words []string
	for _, s := range []records.DriftState{records.Same, records.Close, records.Drifted, records.Missing, records.SettingsDiffer, records.NotReproducible} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	t.Tell(r.json, "compared with baseline %s: %s", r.base.dir, strings.Join(words, ", "))
	return status, nil
}
