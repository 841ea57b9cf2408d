package judge

import (
	"errors"
	"io/fs"

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
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args
			return verifyAny(t, r)
		},
	}
	r.flags(cmd)
	return cmd
}

// verifyAny judges the records of a folder, or a bundle, and ends with the status of the gate if there is one.
func verifyAny(t *terminal.Terminal, r verifyRequest) error {
	file, err := studies.Argument(r.Args)
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
