package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

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

func newVerify(a *app) *cobra.Command {
	var gate bool
	var base reference
	var trace string
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

With --gate the exit status depends on the verdicts: 0 if all claims are reproduced, 1 if a claim deviates
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
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := bundleArgument(args)
			if err != nil {
				return err
			}
			var status, sound int
			switch {
			case file != "":
				status, sound, err = a.verifyBundle(file, base, trace)
			case trace != "":
				return errors.New("verify: --trace is for bundles; make one with " + printed.Command("bundle"))
			default:
				status, err = a.verify(args, base, gate)
			}
			if gate && errors.Is(err, fs.ErrNotExist) {
				a.note("%v", err)
				return exit{statusIncomplete}
			}
			if err != nil {
				return err
			}
			if !gate {
				status = 0
			}
			if status = claims.WorseStatus(status, sound); status != 0 {
				return exit{status}
			}
			return nil
		},
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	f := cmd.Flags()
	f.BoolVarP(&a.verbose, "verbose", "v", false, "print the reason of every verdict")
	f.BoolVar(&gate, "gate", false, "set the exit status by the verdicts")
	f.StringVar(&base.dir, "baseline", "", "compare with the records in this folder")
	f.StringVar(&base.write, "write-baseline", "", "write the judged records into this folder, for a later --baseline")
	f.StringVar(&trace, "trace", "", "of a bundle: print the records behind the claims of this id or pattern")
	f.Float64Var(&base.tolerance, "baseline-tolerance", 1e-6, "largest relative difference from the baseline that is not reported")
	return cmd
}

// verify judges claims, compares with a baseline if one is named, and returns the status of a gate.
func (a *app) verify(args []string, base reference, gate bool) (int, error) {
	store, err := a.open()
	if errors.Is(err, fs.ErrNotExist) && len(args) > 0 && gate {
		a.note("%v", err)
		store, err = &records.Store{Dir: a.out}, nil
	}
	if err != nil {
		return 0, err
	}
	all, err := a.recorded(args, store)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, a.nothing(all)
	}
	var verified []judged
	verdicts := []claims.Verdict{}
	for _, exp := range all {
		j := judge(exp, store)
		verified = append(verified, j)
		verdicts = append(verdicts, j.verdicts...)
	}
	status := claims.Gate(verdicts)
	if a.json {
		err = printJSON(a.stdout, verdicts)
	} else {
		a.printVerdicts(verified, a.verbose)
	}
	if err == nil && base.dir != "" {
		var drift int
		drift, err = a.drifts(all, store, base)
		status = claims.WorseStatus(status, drift)
	}
	if err == nil && base.write != "" {
		err = a.writeBaseline(all, base.write)
	}
	return status, err
}

// writeBaseline writes the records of experiments at their profiles into a folder, one file an experiment.
func (a *app) writeBaseline(all []claims.Experiment, dir string) error {
	profiles := map[string]string{}
	for _, exp := range all {
		profiles[exp.ID] = exp.Profile
	}
	left := map[records.Status]int{}
	n, err := records.Join(a.out, dir, func(r *records.Record) bool {
		status := r.Status()
		if profile, ok := profiles[r.Header.Experiment]; !ok || profile != r.Header.Profile {
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
	a.tell("%s written to %s; left out: %d skipped, %d interrupted", printed.Count(n, "record"), dir, left[records.Skipped], left[records.Partial])
	return nil
}

// drifts compares the records of experiments with a baseline, prints what differs, and returns the status of a gate.
func (a *app) drifts(all []claims.Experiment, store *records.Store, base reference) (int, error) {
	stored, err := records.Open(base.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("--baseline: there are no records in %s; name a folder with records", base.dir)
	}
	if err != nil {
		return 0, fmt.Errorf("--baseline: %w", err)
	}
	for _, w := range stored.Warnings {
		a.note("warning: --baseline: %v", w)
	}
	wanted, got := &records.Store{Dir: base.dir}, &records.Store{Dir: store.Dir}
	for _, exp := range all {
		wanted.Records = append(wanted.Records, exp.Records(stored.Records)...)
		got.Records = append(got.Records, exp.Records(store.Records)...)
	}
	if len(wanted.Records) == 0 {
		a.note("baseline %s: there are no records of these experiments at their profiles, so nothing was compared", base.dir)
		return statusIncomplete, nil
	}
	status := 0
	counts := map[records.DriftState]int{}
	for _, d := range records.Compare(wanted, got, base.tolerance) {
		counts[d.State]++
		switch d.State {
		case records.Drifted:
			status = claims.WorseStatus(status, 1)
		case records.Missing, records.SettingsDiffer:
			status = claims.WorseStatus(status, statusIncomplete)
		}
		if d.State != records.Same && d.State != records.Close {
			a.tell("%s %s at profile %s: %s: %s", d.Experiment, d.Cell, d.Profile, d.State, d.Reason)
		}
	}
	var words []string
	for _, s := range []records.DriftState{records.Same, records.Close, records.Drifted, records.Missing, records.SettingsDiffer, records.NotReproducible} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	a.tell("compared with baseline %s: %s", base.dir, strings.Join(words, ", "))
	return status, nil
}
