package guard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// An acceptance is what `baseline accept` and `baseline review` were asked for.
type acceptance struct {
	Out     string   // of the check
	args    []string // that name experiments
	claims  []string // patterns CLAIM or EXPERIMENT#CLAIM
	reason  string
	dir     string // the reference results
	log     string // the file of reasons
	profile string
}

// resultsLog is the file to which acceptances are added.
const resultsLog = "docs/data/results-log.tsv"

func newBaseline(t *terminal.Terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Accept changes of what claims measure",
		Long: `Baseline changes the reference results, with which repro check compares: one file for each experiment
in the folder ci of the module's results: baseline beside its go.mod, unless the module has chosen another
(results/baseline in repro), and baseline in the current folder where there is no go.mod. Nothing is accepted
without a reason, which goes to ` + resultsLog + ` beside go.mod.`,
		Example: `  repro baseline review
  repro baseline accept --claim 'dai2014/ridge#*' --reason "step sizes of the revised proof"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAccept(t), newReview(t), newShip(t))
	return cmd
}

func newAccept(t *terminal.Terminal) *cobra.Command {
	var how acceptance
	cmd := &cobra.Command{
		Use:   "accept [ID...]",
		Short: "Take numbers of the last check over into the reference results",
		Long: `Accept takes the numbers of claims that changed, and the runs they were measured from, from the output folder
into the reference results, and adds rows with the reason to the results log. A pattern CLAIM is of
the claims of all experiments, EXPERIMENT#CLAIM of those of one. It refuses to accept a claim without
another that changed with it, because both need the same cells.

It also removes what the baseline has of claims and methods that the spec no longer has. It does not run where CI is
set: a machine does not accept.`,
		Example: `  repro check --seeds 40 --out new && repro baseline accept --out new --claim '*' --reason "first baseline"
  repro baseline accept --claim 'dai2014/ridge#rate' --reason "theorem 4 as corrected in the journal version"`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			how.args = args
			return accept(t, how)
		},
	}
	how.flags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&how.claims, "claim", nil, "claims to accept: a pattern, or EXPERIMENT#CLAIM; may be repeated")
	f.StringVar(&how.reason, "reason", "", "why the new numbers are right or, of claims that are not reproduced or cannot decide, why you guard them all the same")
	return cmd
}

func (how *acceptance) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&how.dir, "baseline", "", baselineUsage)
	f.StringVar(&how.log, "log", "", "file to which the reason is added; "+resultsLog+" beside go.mod if left out")
	f.StringVar(&how.profile, "profile", experiments.CI, "profile of the records")
	checkOut(cmd, &how.Out)
}

func (h acceptance) matches(experiment, claim string) bool {
	return slices.ContainsFunc(h.claims, func(pattern string) bool { return claims.Named(pattern, experiment, claim) })
}

func (h acceptance) check() error {
	switch ci := os.Getenv("CI"); {
	case ci != "" && ci != "0" && ci != "false":
		return errors.New("CI is set, and a machine does not accept; accept it yourself and commit what it writes")
	case strings.TrimSpace(h.reason) == "":
		return errors.New(`give the reason, why what you accept is right, with --reason "..."`)
	case len(h.claims) == 0:
		return errors.New("say which claims with --claim; '*' stands for all")
	}
	return nil
}

func accept(t *terminal.Terminal, how acceptance) error {
	if err := how.check(); err != nil {
		return err
	}
	all, err := findPending(t, how)
	if err != nil {
		return err
	}
	var errs []error
	n := 0
	for _, p := range all {
		took, err := p.accept(how, t.Note)
		n += took
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("no claim that %s changed in %s", strings.Join(how.claims, " or "), how.Out)
	}
	return nil
}

// A pending is an experiment with the changes of its claims.
type pending struct {
	exp       claims.Experiment
	accepted  baseline.Accepted
	base, now changes.Snapshot
	changes   []changes.Change
	shifts    []changes.Shift
	stale     []string
}

// accepting returns the command that accepts what the records of the arguments say.
func accepting(args []string, words ...string) string {
	return printed.Again("baseline accept", slices.Concat(args, words, []string{"--claim", "*", "--reason", "..."})...)
}

// explicit returns an error if claims that guard little are chosen by a pattern only, with the command that names them.
func (p pending) explicit(how acceptance, doubts []changes.Doubt) error {
	var texts []string
	words, named := slices.Clone(how.args), slices.Clone(how.claims)
	for _, d := range doubts {
		id := p.exp.ID + "#" + d.Claim
		if slices.Contains(how.claims, d.Claim) || slices.Contains(how.claims, id) {
			continue
		}
		if texts = append(texts, id+strings.TrimPrefix(d.Text, d.Claim)); !slices.Contains(named, id) {
			named = append(named, id)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	for _, c := range named {
		words = append(words, "--claim", c)
	}
	return fmt.Errorf("%s\n%s: nothing is accepted; mend what is named above or, if it is to be guarded as it is, name it and say why: %s", strings.Join(texts, "\n"),
		p.exp.ID, printed.Again("baseline accept", append(words, "--reason", "...")...))
}

// findPending compares the records of the last check in the output folder with the reference results.
func findPending(t *terminal.Terminal, how acceptance) ([]pending, error) {
	accepted, err := baseline.OpenAccepted(how.dir)
	if err != nil {
		return nil, err
	}
	store, err := flags.Open(t, how.Out)
	if err != nil {
		return nil, err
	}
	if store.Records, err = lastCheck(how.Out, store.Records); err != nil {
		return nil, err
	}
	exps, err := flags.Choice{Args: how.args, Profile: how.profile}.Recorded(t, store)
	if err != nil {
		return nil, err
	}
	var all []pending
	for _, exp := range exps {
		p := pending{exp: exp, accepted: accepted, now: changes.Take(exp, store.Records)}
		if p.base, err = accepted.Read(exp.ID); err != nil {
			return nil, err
		}
		retaken := p.base.Retake(exp, store.Records)
		p.changes, p.stale = changes.Compare(exp, p.base, retaken, changes.Options{}), changes.Stale(exp, p.base)
		p.shifts = changes.Shifts(exp, p.base, retaken, changes.Options{})
		changes.Decide(p.changes, changes.Level(changes.Alpha))
		changes.DecideShifts(p.shifts)
		all = append(all, p)
	}
	return all, nil
}

// lastCheck returns the records that the last check into the folder made: its further seeds may be older. If no check
// wrote into it, these are all.
func lastCheck(out string, recs []*records.Record) ([]*records.Record, error) {
	text, err := files.Read(filepath.Join(out, checkFile))
	if errors.Is(err, fs.ErrNotExist) {
		return recs, nil
	}
	var g changes.Outcome
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; run %s again", filepath.Join(out, checkFile), err, printed.Command("check"))
	}
	return ran(g.Cells, recs), nil
}

// ran returns the records of cells, which are named by experiment and cell.
func ran(cells []string, recs []*records.Record) []*records.Record {
	return slices.DeleteFunc(slices.Clone(recs), func(r *records.Record) bool {
		return !slices.Contains(cells, r.Header.Experiment+" "+r.Header.Cell)
	})
}

// chosen returns a line of the log for each thing that is accepted, and the names of the claims and curves.
func (p pending) chosen(how acceptance) (lines, names []string, err error) {
	for _, c := range p.changes {
		switch {
		case !how.matches(p.exp.ID, c.Claim) || c.Identical() || c.LeftOut == changes.NotRun:
		case c.Failed || p.now.Lacks(c.Claim):
			return nil, nil, fmt.Errorf("%s %s: %s; a run that is not there is not accepted", p.exp.ID, c.Claim, c.Reason)
		default:
			lines = append(lines, logEntry(c))
			if !slices.Contains(names, c.Claim) {
				names = append(names, c.Claim)
			}
		}
	}
	for _, s := range p.shifts {
		if s.Layer == changes.OfClaims && how.matches(p.exp.ID, s.Claim) && !slices.Contains(names, s.Claim) {
			lines, names = append(lines, s.Claim+": "+s.Reason), append(names, s.Claim)
		}
	}
	for _, s := range p.stale {
		id, isClaim := strings.CutPrefix(s, "claim ")
		id, _, _ = strings.Cut(id, " against ")
		if !isClaim || how.matches(p.exp.ID, id) {
			lines, names = append(lines, s+" removed"), append(names, id)
		}
	}
	if bare := p.bare(how); bare > 0 {
		lines, names = append(lines, "curves of "+printed.Count(bare, "method")), append(names, "curves")
	}
	return lines, names, nil
}

// accept writes the chosen claims and the reason, and returns the number of claims.
func (p pending) accept(how acceptance, note func(string, ...any)) (int, error) {
	lines, names, err := p.chosen(how)
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, nil
	}
	chosen := func(claim string) bool { return slices.Contains(names, claim) }
	doubts := changes.Doubts(p.exp, p.now, chosen)
	if err := p.explicit(how, doubts); err != nil {
		return 0, err
	}
	if p.base.Experiment == "" {
		lines = []string{"the experiment is new, with " + printed.Count(len(lines), "number")}
	}
	next, err := changes.Accept(p.exp, p.base, p.now, p.changes, func(claim string) bool { return how.matches(p.exp.ID, claim) })
	if err != nil {
		return 0, err
	}
	for _, d := range doubts {
		lines = append(lines, "all the same: "+d.Text)
		note("%s#%s", p.exp.ID, d.Text)
	}
	lines = append(lines, p.shiftEntries(next)...)
	if err := p.write(how, next, lines); err != nil {
		return 0, err
	}
	words := p.now.WordsText(chosen)
	if words != "" {
		words = ": " + words
	}
	note("%s: accepted %s%s", p.exp.ID, printed.List(names), words)
	return len(names), nil
}

// write writes what changed to the results log, and then the accepted state: no number is accepted without its reason.
func (p pending) write(how acceptance, next changes.Snapshot, lines []string) error {
	seal, err := baseline.Seal(next)
	if err == nil {
		err = addToLog(how, p.exp.ID, next.Commit, seal, lines)
	}
	if err != nil {
		return err
	}
	return p.accepted.Write(next)
}

// bare returns how many methods have no accepted curves, if a claim of the experiment is chosen.
func (p pending) bare(how acceptance) int {
	if !slices.ContainsFunc(p.exp.Claims, func(c claims.Claim) bool { return how.matches(p.exp.ID, c.ID) }) {
		return 0
	}
	return len(p.base.Bare(p.now))
}

// shiftEntries says in lines of the log which shifts are accepted with the methods that next replaces.
func (p pending) shiftEntries(next changes.Snapshot) (lines []string) {
	for _, s := range p.shifts {
		if (s.State != records.Same || s.Moved) && s.Part != changes.OfBits && next.Replaces(p.base, s.Method) {
			lines = append(lines, fmt.Sprintf("%s: %s, %s", s.Label(), s.Word(), s.Reason))
		}
	}
	return lines
}

// logHeader is the first line of a results log, a table with tabs: a row for each change.
const logHeader = "date\texperiment\tcommit\tseal\tchange\treason\n"

// addToLog adds an acceptance to the results log, unless its rows are the last: an earlier command was stopped after it.
func addToLog(how acceptance, experiment, commit, seal string, lines []string) error {
	if how.log == "" {
		root, _ := builds.Checkout()
		how.log = filepath.Join(root, resultsLog)
	}
	text, err := os.ReadFile(how.log)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(logHeader)
	case err != nil:
		return err
	case !bytes.HasPrefix(text, []byte(logHeader)):
		return fmt.Errorf("%s:1: this is no results log: the first line is not %q; name another file with --log", how.log, logHeader)
	}
	cell := func(s string) string { return printed.Visible(strings.Join(strings.Fields(s), " ")) }
	rows := make([]string, len(lines))
	for i, l := range lines {
		rows[i] = strings.Join([]string{"", experiment, printed.OrDash(commit), seal, cell(l), cell(how.reason)}, "\t") + "\n"
	}
	last := slices.Collect(strings.Lines(string(text)))
	last = last[max(0, len(last)-len(rows)):]
	for i, l := range last {
		last[i] = l[max(0, strings.IndexByte(l, '\t')):] // without the date
	}
	if !slices.Equal(last, rows) {
		today := time.Now().UTC().Format(time.DateOnly)
		text = append(text, today+strings.Join(rows, today)...)
	}
	return files.Keep(filepath.Dir(how.log), how.log, text)
}

// logEntry says in a row of the log what changed.
func logEntry(c changes.Change) string {
	s := fmt.Sprintf("%s: %s", c.Label(), c.Word())
	if len(c.Terms) > 0 {
		s = c.Label() + ": " + changes.TermsText(c.Terms) + "; by the accepted definition " + string(c.ByNumber)
	}
	if c.Accepted != nil && c.Now != nil {
		s += fmt.Sprintf(", %s → %s", printed.Number(*c.Accepted), printed.Number(*c.Now))
	} else if c.Now != nil {
		s = fmt.Sprintf("%s: new, %s", c.Label(), printed.Number(*c.Now))
	}
	return s + c.NewWord()
}

func newReview(t *terminal.Terminal) *cobra.Command {
	var how acceptance
	cmd := &cobra.Command{
		Use:   "review [ID...]",
		Short: "Walk through the changes of the last check, and accept or skip each",
		Long: `Review shows the changes of the last check one after the other: the accepted numbers, the new ones
and the verdicts. Claims that need the same changed cells come together. Answer a to accept, which asks for
the reason, s to skip, q to stop.`,
		Example: `  repro baseline review
  repro baseline review dai2014/ridge --out new`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			if t.Stdin == nil {
				return errors.New("there is nobody to ask: review needs a terminal; use " + accepting(args))
			}
			how.args = args
			return review(t, how)
		},
	}
	how.flags(cmd)
	return cmd
}

func review(t *terminal.Terminal, how acceptance) error {
	all, err := findPending(t, how)
	if err != nil {
		return err
	}
	answers := bufio.NewScanner(t.Stdin)
	ask := func(question string) (string, bool) {
		t.Note("%s", question)
		ok := answers.Scan()
		return strings.TrimSpace(answers.Text()), ok
	}
	shown := 0
	for _, p := range all {
		for _, bundle := range inseparable(p) {
			shown++
			t.Stdout.Message("%s", p.exp.ID)
			printTable(t.Stdout, bundle)
			in := func(claim string) bool {
				return slices.ContainsFunc(bundle, func(c changes.Change) bool { return c.Claim == claim })
			}
			for _, d := range changes.Doubts(p.exp, p.now, in) {
				t.Note("%s", d.Text)
			}
			answer, ok := ask("accept, skip or quit? [a/s/q]")
			switch {
			case !ok || strings.HasPrefix(answer, "q"):
				return nil
			case !strings.HasPrefix(answer, "a"):
				continue
			}
			how.reason, _ = ask("why are the new numbers right?")
			how.claims = nil
			for _, c := range bundle {
				how.claims = append(how.claims, p.exp.ID+"#"+c.Claim)
			}
			if err := how.check(); err != nil {
				return err
			}
			if _, err := p.accept(how, t.Note); err != nil {
				return err
			}
			if p.base, err = p.accepted.Read(p.exp.ID); err != nil {
				return err
			}
		}
		for _, s := range p.stale {
			t.Note("%s: the reference results have %s, which the spec does not have; %s removes it", p.exp.ID, s, accepting(how.args))
		}
	}
	if shown == 0 {
		t.Note("nothing to review: no claim in %s changed", how.Out)
	}
	return nil
}

// inseparable splits the changes of an experiment into those that must be accepted together, because they need cells of the same
// changed methods. Those that are the same are left out if nothing else is in their bundle.
func inseparable(p pending) [][]changes.Change {
	var all [][]changes.Change
	needs := map[string][]string{}
	for _, c := range p.exp.Claims {
		needs[c.ID] = c.Methods()
	}
	shares := func(c, d changes.Change) bool {
		return slices.ContainsFunc(needs[c.Claim], func(m string) bool { return slices.Contains(needs[d.Claim], m) })
	}
	for _, c := range p.changes {
		if c.Unchanged() {
			continue
		}
		joined := []changes.Change{c}
		all = slices.DeleteFunc(all, func(b []changes.Change) bool {
			if !slices.ContainsFunc(b, func(d changes.Change) bool { return shares(c, d) }) {
				return false
			}
			joined = append(slices.Clone(b), joined...)
			return true
		})
		all = append(all, joined)
	}
	return all
}

// checkFile is the file of the output folder that holds what the last check found.
const checkFile = "check.json"

// checkOut adds the flag of the output folder of checks, apart from that of runs, whose records check would replace.
func checkOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", filepath.Join("out", "check"), "output folder of the check")
}

func newShip(t *terminal.Terminal) *cobra.Command {
	choice := flags.Choice{Profile: "paper"}
	var out string
	cmd := &cobra.Command{
		Use:   "ship [ID...]",
		Short: "Take verdicts at the published size over into what the module ships",
		Long: `Ship judges the runs at profile paper in the output folder and writes their verdicts into the folder paper
of the module's results, in place of those on the same experiments. Once the program is built again, score,
list, show and the report have them as the verdicts at the published size. Without arguments it is about
all of the module's own experiments with records.`,
		Example: `  repro run my/rates --profile paper --out paper
  repro baseline ship --out paper`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			choice.Args = args
			return ship(t, choice, out)
		},
	}
	flags.Out(cmd, &out)
	return cmd
}

func ship(t *terminal.Terminal, choice flags.Choice, out string) error {
	store, err := flags.Open(t, out)
	if err != nil {
		return err
	}
	all, err := choice.Recorded(t, store)
	if err != nil {
		return err
	}
	var fresh []claims.Verdict
	for _, exp := range all {
		j := claims.Judge(exp, store.Records)
		switch {
		case !catalog.Own(exp.ID) && len(choice.Args) > 0:
			return fmt.Errorf("%s does not come with module %s, which ships verdicts on its own experiments", exp.ID, builds.Main())
		case catalog.Own(exp.ID) && len(j.Records) > 0:
			fresh = append(fresh, j.Verdicts...)
			t.Note("%s: %s", j.ID, claims.ScoreOf(j.Verdicts))
		}
	}
	if len(fresh) == 0 {
		return choice.Nothing(out, all)
	}
	files, err := baseline.Ship(fresh)
	if err == nil {
		t.Note("written: %s", printed.List(files))
	}
	return err
}
