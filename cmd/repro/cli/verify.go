package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/bundles"
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
				a.Note("%v", err)
				return exits.Incomplete
			}
			if err != nil {
				return err
			}
			if !gate {
				status = 0
			}
			if status = claims.WorseStatus(status, sound); status != 0 {
				return exits.Status(status)
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
		a.Note("%v", err)
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
	var verified []claims.Case
	verdicts := []claims.Verdict{}
	for _, exp := range all {
		j := claims.NewCase(exp, store.Records)
		verified = append(verified, j)
		verdicts = append(verdicts, j.Verdicts...)
	}
	status := claims.Gate(verdicts)
	if a.json {
		err = terminal.PrintJSON(a.Stdout, verdicts)
	} else {
		findings.PrintVerdicts(a.Stdout, verified, a.verbose)
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
	a.Tell(a.json, "%s written to %s; left out: %d skipped, %d interrupted", printed.Count(n, "record"), dir, left[records.Skipped], left[records.Partial])
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
		a.Note("warning: --baseline: %v", w)
	}
	wanted, got := &records.Store{Dir: base.dir}, &records.Store{Dir: store.Dir}
	for _, exp := range all {
		wanted.Records = append(wanted.Records, exp.Records(stored.Records)...)
		got.Records = append(got.Records, exp.Records(store.Records)...)
	}
	if len(wanted.Records) == 0 {
		a.Note("baseline %s: there are no records of these experiments at their profiles, so nothing was compared", base.dir)
		return int(exits.Incomplete), nil
	}
	status := 0
	counts := map[records.DriftState]int{}
	for _, d := range records.Compare(wanted, got, base.tolerance) {
		counts[d.State]++
		switch d.State {
		case records.Drifted:
			status = claims.WorseStatus(status, 1)
		case records.Missing, records.SettingsDiffer:
			status = claims.WorseStatus(status, int(exits.Incomplete))
		}
		if d.State != records.Same && d.State != records.Close {
			a.Tell(a.json, "%s %s at profile %s: %s: %s", d.Experiment, d.Cell, d.Profile, d.State, d.Reason)
		}
	}
	var words []string
	for _, s := range []records.DriftState{records.Same, records.Close, records.Drifted, records.Missing, records.SettingsDiffer, records.NotReproducible} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	a.Tell(a.json, "compared with baseline %s: %s", base.dir, strings.Join(words, ", "))
	return status, nil
}

// A checkedBundle is `verify --json` of a bundle.
type checkedBundle struct {
	Bundle  string          `json:"bundle"`
	SHA256  string          `json:"sha256"`
	Program bundles.Program `json:"program"`           // that made it
	Faults  []string        `json:"faults"`            // entries that are not those of the manifest, and damaged records
	Edited  []string        `json:"edited_specs"`      // experiments whose specs are not those of this program
	Own     []string        `json:"own_specs"`         // experiments that do not come with this program
	Beyond  int             `json:"unplanned_records"` // records that count and that the specs do not plan
	Claims  []checkedClaim  `json:"claims"`
}

// A checkedClaim is a claim of a bundle: its verdict as judged now, how the bundled one differs, and its records.
type checkedClaim struct {
	Verdict     claims.Verdict `json:"verdict"`
	Differences []string       `json:"differences"` // key: bundled → judged now
	Seeds       []seedValue    `json:"seeds"`
}

// A seedValue is the number that the records of one seed give for a claim.
type seedValue struct {
	Seed    uint64       `json:"seed"`
	Against string       `json:"against,omitempty"` // the rival, if the claim has several
	Value   *float64     `json:"value"`
	Records []recordName `json:"records"`
}

// A recordName names a record of a bundle.
type recordName struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// verifyBundle checks a bundle and judges its claims again from its records, and returns the status of a gate. Its second
// result is 1 if the bundle does not fit together.
func (a *app) verifyBundle(file string, base reference, traced string) (gate, sound int, err error) {
	if a.profile != "" || len(a.set)+len(a.methods) > 0 || a.seeds > 0 || base.write != "" {
		return 0, 0, fmt.Errorf("verify: %s says itself at which profile and with which settings its experiments are judged; leave out --profile, --set, --method, --seeds and --write-baseline", file)
	}
	b, s, err := a.unpack(file)
	if err != nil {
		return 0, 0, err
	}
	c := checkedBundle{Bundle: file, SHA256: b.SHA256, Program: b.Program, Faults: []string{}, Edited: []string{}, Own: []string{}, Claims: []checkedClaim{}}
	for _, e := range b.Experiments {
		if text, _, err := experiments.Written(experiments.Ref{ID: e.ID}); err != nil {
			c.Own = append(c.Own, e.ID)
		} else if !bytes.Equal(text, e.Text) {
			c.Edited = append(c.Edited, e.ID)
		}
	}
	for _, fault := range b.Faults {
		c.Faults = append(c.Faults, fault.Error())
	}
	var now []claims.Verdict
	matched := 0
	for _, j := range s.judged {
		c.Beyond += unplanned(j.Experiment, s.store)
		now = append(now, j.Verdicts...)
		for i, v := range j.Verdicts {
			one := checkedClaim{Verdict: v, Differences: []string{}, Seeds: []seedValue{}}
			wanted := traced != "" && claims.Named(traced, v.Experiment, v.Claim)
			if wanted || a.json {
				one.Seeds = seedValues(j.Experiment, j.Claims[i], s.store, b.Sums)
			}
			if wanted {
				matched++
			}
			c.Claims = append(c.Claims, one)
		}
	}
	if traced != "" && matched == 0 {
		return 0, 0, fmt.Errorf("--trace: no claim of %s is called %s; give its id, experiment#id, or a pattern, as in --trace 'dai2014/ridge#*'", file, traced)
	}
	missing := differ(c.Claims, b.Verdicts)
	if len(c.Faults)+len(missing) > 0 || slices.ContainsFunc(c.Claims, func(c checkedClaim) bool { return len(c.Differences) > 0 }) {
		sound = 1
	}
	if a.json {
		c.Faults = append(c.Faults, missing...)
		err = terminal.PrintJSON(a.Stdout, c)
	} else {
		a.printBundle(b, c, missing)
		findings.PrintVerdicts(a.Stdout, s.judged, a.verbose)
		a.printTraces(c.Claims, traced)
	}
	gate = claims.Gate(now)
	if err == nil && base.dir != "" {
		var all []claims.Experiment
		for _, j := range s.judged {
			all = append(all, j.Experiment)
		}
		var drift int
		drift, err = a.drifts(all, s.store, base)
		gate = claims.WorseStatus(gate, drift)
	}
	return gate, sound, err
}

// unplanned counts the records of an experiment whose cells its spec does not plan, such as those of further seeds.
func unplanned(exp claims.Experiment, store *records.Store) int {
	planned := map[string]bool{}
	for _, p := range exp.Expected {
		planned[p.Cell] = true
	}
	n := 0
	for _, r := range exp.Records(store.Records) {
		if !planned[r.Header.Cell] {
			n++
		}
	}
	return n
}

// differ writes into claims how the bundled verdicts differ, and returns which claims only one side has.
func differ(now []checkedClaim, bundled []claims.Verdict) (missing []string) {
	key := func(v claims.Verdict) string { return v.Experiment + "#" + v.Claim }
	old := map[string]claims.Verdict{}
	for _, v := range bundled {
		if _, twice := old[key(v)]; twice {
			missing = append(missing, key(v)+": the bundle has two verdicts on it")
		}
		old[key(v)] = v
	}
	for i := range now {
		v := now[i].Verdict
		before, ok := old[key(v)]
		if !ok {
			missing = append(missing, key(v)+": the bundle has no verdict on it")
			continue
		}
		delete(old, key(v))
		now[i].Differences = append(now[i].Differences, differences(before, v)...)
	}
	for _, k := range slices.Sorted(maps.Keys(old)) {
		missing = append(missing, k+": the bundle has a verdict on it, and its specs have no such claim")
	}
	return missing
}

// agreement is the relative difference up to which a number that is computed again is the same: logarithms and sums may
// round differently on another processor.
const agreement = 1e-9

// differences lists the keys in which two verdicts differ, with both values.
func differences(bundled, now claims.Verdict) []string {
	x, y := fields(bundled), fields(now)
	keys := slices.Collect(maps.Keys(x))
	for k := range y {
		if _, ok := x[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var all []string
	for _, k := range keys {
		if !agree(x[k], y[k]) {
			all = append(all, fmt.Sprintf("%s: bundled %s, the records give %s", k, inJSON(x[k]), inJSON(y[k])))
		}
	}
	return all
}

// fields returns a verdict as JSON has it.
func fields(v claims.Verdict) (m map[string]any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		panic("repro: a verdict is no JSON: " + err.Error())
	}
	return m
}

// agree reports whether two values of JSON are the same, numbers up to agreement.
func agree(x, y any) bool {
	switch x := x.(type) {
	case float64:
		y, ok := y.(float64)
		return ok && math.Abs(x-y) <= agreement*max(math.Abs(x), math.Abs(y))
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, agree)
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && maps.EqualFunc(x, y, agree)
	}
	return x == y
}

func inJSON(v any) string {
	if v == nil {
		return "none"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// seedValues returns the number of every seed of a claim with its records: the claim is judged on the records of the seed
// alone, against each rival alone.
func seedValues(exp claims.Experiment, c claims.Claim, store *records.Store, sums map[string]string) []seedValue {
	rivals := [][]string{c.Against}
	if len(c.Against) > 1 {
		rivals = nil
		for _, r := range c.Against {
			rivals = append(rivals, []string{r})
		}
	}
	all := []seedValue{}
	for _, against := range rivals {
		one := c
		one.Against = against
		bySeed := map[uint64][]*records.Record{}
		for _, r := range exp.Records(store.Records) {
			if slices.Contains(one.Methods(), r.Header.Method) {
				bySeed[r.Header.Seed] = append(bySeed[r.Header.Seed], r)
			}
		}
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			v := seedValue{Seed: seed, Value: judgeSeed(exp, one, bySeed[seed])}
			if len(rivals) > 1 {
				v.Against = against[0]
			}
			for _, r := range bySeed[seed] {
				p := bundles.RecordPath(r.Header)
				v.Records = append(v.Records, recordName{p, sums[p]})
			}
			all = append(all, v)
		}
	}
	return all
}

// judgeSeed returns the number that the records of one seed give for a claim, nil if they give none.
func judgeSeed(exp claims.Experiment, c claims.Claim, recs []*records.Record) *float64 {
	exp.Claims = []claims.Claim{c}
	exp.Expected = slices.DeleteFunc(slices.Clone(exp.Expected), func(p claims.Planned) bool {
		return !slices.ContainsFunc(recs, func(r *records.Record) bool { return r.Header.Cell == p.Cell })
	})
	return claims.Judge(exp, recs)[0].Measured
}

// printBundle prints what each layer of a bundle shows, and every fault.
func (a *app) printBundle(b *bundles.Bundle, c checkedBundle, missing []string) {
	p := b.Program
	a.Stdout.Message("%s: %s of %s, made by repro %s, commit %s", c.Bundle, printed.Count(len(b.Records), "record"), printed.Count(len(b.Experiments), "experiment"),
		p.Version, cmp.Or(p.Commit, "unknown"))
	a.Stdout.Message("  SHA-256   %s", c.SHA256)
	if len(b.Faults) == 0 {
		a.Stdout.Message("  manifest  every entry is the one that it lists")
		a.Stdout.Message("  records   all have the right checksums")
	} else {
		a.Stdout.Message("  faults    %d: entries that are not those of the manifest, and damaged records", len(b.Faults))
	}
	for _, f := range c.Faults {
		a.Stdout.Message("    %s", f)
	}
	if c.Beyond > 0 {
		a.Stdout.Message("            %s of cells that the specs do not plan; they count", printed.Count(c.Beyond, "record"))
	}
	var specs []string
	if n := len(b.Experiments) - len(c.Edited) - len(c.Own); n > 0 {
		specs = append(specs, fmt.Sprintf("%d as this repro has them", n))
	}
	if len(c.Edited) > 0 {
		specs = append(specs, "not as this repro has them: "+printed.List(c.Edited))
	}
	if len(c.Own) > 0 {
		specs = append(specs, "unknown to this repro: "+printed.List(c.Own))
	}
	a.Stdout.Message("  specs     %s", strings.Join(specs, "; "))
	different := len(missing)
	for _, claim := range c.Claims {
		if len(claim.Differences) > 0 {
			different++
		}
	}
	if different == 0 {
		a.Stdout.Message("  verdicts  all %d are those that the records give\n", len(c.Claims))
	} else {
		a.Stdout.Message("  verdicts  %d of %d are not those that the records give", different, len(c.Claims))
		for _, m := range missing {
			a.Stdout.Message("    %s", m)
		}
		for _, claim := range c.Claims {
			for _, d := range claim.Differences {
				a.Stdout.Message("    %s#%s: %s", claim.Verdict.Experiment, claim.Verdict.Claim, d)
			}
		}
		if now := findings.Program(); now.Commit != p.Commit || now.Dirty || p.Dirty {
			a.Stdout.Message("    this is repro of commit %s: a difference may be one of the rule of judgement", now.Commit)
		}
		a.Stdout.Message("")
	}
}

// printTraces prints the records behind the claims that a pattern names.
func (a *app) printTraces(all []checkedClaim, pattern string) {
	for _, c := range all {
		if pattern == "" || !claims.Named(pattern, c.Verdict.Experiment, c.Verdict.Claim) {
			continue
		}
		v := c.Verdict
		a.Stdout.Message("%s#%s: %s", v.Experiment, v.Claim, findings.Measured(v))
		g := terminal.Table{Head: []string{"seed", "value", "record", "SHA-256"}, Right: []int{1, 2}, Indent: "  "}
		for _, s := range c.Seeds {
			value := "-"
			if s.Value != nil {
				value = printed.Digits(*s.Value, 10)
			}
			if s.Against != "" {
				value += " against " + s.Against
			}
			for i, r := range s.Records {
				row := []string{fmt.Sprint(s.Seed), value, r.Path, r.SHA256[:min(16, len(r.SHA256))]}
				if i > 0 {
					row[0], row[1] = "", ""
				}
				g.Rows = append(g.Rows, row)
			}
		}
		a.Stdout.Table(g)
		if !single(c) {
			a.Stdout.Message("  the measured number is one of all seeds together, not the mean of these")
		}
		a.Stdout.Message("")
	}
}

// single reports whether the values of a verdict are those of the seeds.
func single(c checkedClaim) bool {
	for _, v := range c.Verdict.Values {
		if !slices.ContainsFunc(c.Seeds, func(s seedValue) bool { return s.Value != nil && agree(*s.Value, v) }) {
			return false
		}
	}
	return true
}
