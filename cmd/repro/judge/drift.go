package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/claims"
	"repro/results/records"
)

// A reference names the records to compare with and the folder to write new ones into.
type reference struct {
	dir       string
	tolerance float64
}

// A verifyRequest is what the flags of verify say.
type verifyRequest struct {
	flags.Choice
	Out                 string
	base                reference
	trace, key          string
	gate, verbose, json bool
}

func (r *verifyRequest) flags(cmd *cobra.Command) {
	r.Choice.Flags(cmd, "")
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	f := cmd.Flags()
	f.BoolVarP(&r.verbose, "verbose", "v", false, "print the reason of every verdict")
	f.BoolVar(&r.gate, "gate", false, "set the exit status by the verdicts")
	f.StringVar(&r.base.dir, "baseline", "", "compare with the records in this folder")
	f.StringVar(&r.trace, "trace", "", "of a bundle: print the records behind the claims of this id or pattern")
	f.StringVar(&r.key, "key", "", "of a bundle: the public key that must have signed it, a file of minisign or its second line")
	f.Float64Var(&r.base.tolerance, "baseline-tolerance", 1e-6, "largest relative difference from the baseline that is not reported")
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
