package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/datasets/regular"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/printed"
)

// Exit statuses that git bisect run understands.
const (
	bisectGood = 0
	bisectBad  = 1
	bisectSkip = 125
)

// A bisection searches the first commit at which a claim regressed, in a worktree of its own.
type bisection struct {
	*app
	experiment, claim string
	dir               string   // holds the worktree, the accepted baseline, the programs and what the steps found
	tree              checkout // the worktree
}

// A step is what a bisection found at a commit.
type step struct {
	revision
	Status   int           `json:"status"` // for git bisect run
	State    changes.State `json:"state,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Accepted *float64      `json:"accepted"` // at the good commit
	Now      *float64      `json:"now"`
}

// A culprit is the outcome of a bisection.
type culprit struct {
	Claim      string     `json:"claim"`
	First      *step      `json:"first_bad"`            // nil if commits that cannot be checked hide it
	Before     *step      `json:"before"`               // at its parent
	Candidates []revision `json:"candidates,omitempty"` // one of them is the first bad commit
	Checked    int        `json:"checked"`
	Skipped    int        `json:"skipped"`
}

func newBisect(a *app) *cobra.Command {
	var good, bad, stepDir string
	cmd := &cobra.Command{
		Use:   "bisect CLAIM --good COMMIT [--bad COMMIT]",
		Short: "Find the commit at which a claim regressed",
		Long: `Bisect finds the first commit between two at which a claim regressed. It drives git bisect run: at every step
it builds ./cmd/repro of that commit and runs its repro check for the claim's experiment against the baseline
that was accepted at the good commit. A commit that does not build, has no repro check or has other settings
than the accepted ones is skipped.

It works in a git worktree of its own in a temporary folder, so that neither the files nor the branch of the
checkout change, and removes it at the end. The baseline of the good commit must have the claim.

A claim is experiment#claim, as in dai2014/rate#theta-3-optimal. The exit status is 0 if the commit was found, 3
if skipped commits hide it.`,
		Example: `  repro bisect dai2014/ridge#rate --good v1.2 --bad HEAD
  repro bisect dai2014/rate#theta-3-optimal --good HEAD~40 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			experiment, claim, ok := strings.Cut(args[0], "#")
			if !ok {
				return fmt.Errorf("%s: not a claim; want experiment#claim, as in dai2014/rate#theta-3-optimal", args[0])
			}
			b := bisection{app: a, experiment: experiment, claim: claim, dir: stepDir}
			if stepDir != "" {
				b.tree = checkout{"."}
				return exits.Status(b.step(cmd.Context()))
			}
			if good == "" {
				return errors.New("--good is missing; name a commit at which the claim was as accepted")
			}
			return b.search(cmd.Context(), good, bad)
		},
	}
	f := cmd.Flags()
	f.StringVar(&good, "good", "", "`commit` at which the claim is as its baseline says")
	f.StringVar(&bad, "bad", "HEAD", "`commit` at which it regressed")
	f.StringVar(&stepDir, "step", "", "check the current commit, for git bisect run")
	if err := f.MarkHidden("step"); err != nil {
		panic("repro: " + err.Error())
	}
	a.jsonFlag(cmd)
	return cmd
}

// search finds the first bad commit and prints it.
func (b *bisection) search(ctx context.Context, good, bad string) (err error) {
	here := checkout{"."}
	top, err := here.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	here.dir = strings.TrimSpace(top)
	if good, err = here.commit(ctx, good); err != nil {
		return err
	}
	if bad, err = here.commit(ctx, bad); err != nil {
		return err
	}
	if _, err := here.git(ctx, "merge-base", "--is-ancestor", good, bad); err != nil || good == bad {
		return fmt.Errorf("the good commit %.9s does not come before the bad commit %.9s", good, bad)
	}
	if b.dir, err = regular.MkdirTemp("repro-bisect-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.reference(ctx, here, good); err != nil {
		return err
	}
	b.tree.dir = filepath.Join(b.dir, "tree")
	if _, err := here.git(ctx, "worktree", "add", "--quiet", "--detach", b.tree.dir, bad); err != nil {
		return err
	}
	defer func() {
		_, gone := here.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", b.tree.dir)
		err = errors.Join(err, gone)
	}()
	if err := b.ends(ctx, good, bad); err != nil {
		return err
	}
	found, err := b.run(ctx, good, bad)
	if err != nil {
		return err
	}
	if b.json {
		err = terminal.PrintJSON(b.Stdout, found)
	} else {
		b.print(found)
	}
	if err == nil && found.First == nil {
		err = exits.Hidden
	}
	return err
}

// reference writes the experiment's snapshot that was accepted at a commit into the folder that every step compares with.
func (b *bisection) reference(ctx context.Context, c checkout, commit string) error {
	name := path.Join(baseline.DefaultDir, b.experiment) + ".json"
	text, err := c.git(ctx, "show", commit+":"+name)
	if err != nil {
		return fmt.Errorf("%s is not in commit %.9s, so there is nothing to compare with; name a good commit that has an accepted baseline of %s", name, commit, b.experiment)
	}
	var s changes.Snapshot
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("%s at commit %.9s: %w", name, commit, err)
	}
	if !slices.ContainsFunc(s.Numbers, func(n changes.Number) bool { return n.Claim == b.claim }) {
		return fmt.Errorf("%s at commit %.9s has no claim %s", name, commit, b.claim)
	}
	file := filepath.Join(b.accepted(), filepath.FromSlash(b.experiment)+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// accepted is the folder of the baseline that every step compares with.
func (b *bisection) accepted() string { return filepath.Join(b.dir, "accepted") }

// ends checks that the good commit is good and the bad one bad.
func (b *bisection) ends(ctx context.Context, good, bad string) error {
	for _, end := range []struct {
		commit, name string
		want         int
	}{{bad, "bad", bisectBad}, {good, "good", bisectGood}} {
		s, err := b.at(ctx, end.commit)
		if err != nil {
			return err
		}
		if s.Status != end.want {
			return fmt.Errorf("the %s commit %s is not %[1]s: %[3]s is %[4]s there%s", end.name, s.short(), b.claim, cmp.Or(string(s.State), "not checked"), because(s.Reason))
		}
	}
	return nil
}

// because writes a reason after a comma, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ", " + reason
}

// at returns what is found at a commit, and checks it if no step has.
func (b *bisection) at(ctx context.Context, commit string) (step, error) {
	if s, err := b.found(commit); err == nil {
		return s, nil
	}
	if _, err := b.tree.git(ctx, "checkout", "--quiet", "--detach", "--force", commit); err != nil {
		return step{}, err
	}
	b.step(ctx)
	if err := ctx.Err(); err != nil {
		return step{}, err
	}
	return b.found(commit)
}

// found reads what a step found at a commit.
func (b *bisection) found(commit string) (step, error) {
	var s step
	text, err := os.ReadFile(b.file(commit, ".json"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// file names a file of the bisection's folder for a commit.
func (b *bisection) file(commit, suffix string) string { return filepath.Join(b.dir, commit+suffix) }

// run drives git bisect run between two commits that were checked.
func (b *bisection) run(ctx context.Context, good, bad string) (culprit, error) {
	found := culprit{Claim: b.experiment + "#" + b.claim}
	self, err := os.Executable()
	if err != nil {
		return found, err
	}
	if _, err := b.tree.git(ctx, "bisect", "start", bad, good); err != nil {
		return found, err
	}
	cmd := exec.CommandContext(ctx, "git", "bisect", "run", self, "bisect", found.Claim, "--step", b.dir)
	cmd.Dir = b.tree.dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, io.MultiWriter(&said, b.Stderr)
	err = cmd.Run()
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	skipped := strings.Contains(said.String(), "only 'skip'ped commits left")
	if err != nil && !skipped {
		return found, fmt.Errorf("git bisect run: %w: %s", err, lastLine(said.String()))
	}
	if err := b.count(&found); err != nil {
		return found, err
	}
	if skipped {
		found.Candidates, err = b.candidates(ctx)
		return found, err
	}
	first, err := b.tree.commit(ctx, "refs/bisect/bad")
	if err != nil {
		return found, err
	}
	parent, err := b.tree.commit(ctx, first+"^")
	if err != nil {
		return found, err
	}
	s, err := b.at(ctx, first)
	if err != nil {
		return found, err
	}
	before, err := b.at(ctx, parent)
	found.First, found.Before = &s, &before
	return found, err
}

// count counts the commits that were checked and those that were skipped.
func (b *bisection) count(found *culprit) error {
	files, err := filepath.Glob(b.file("*", ".json"))
	for _, f := range files {
		s, err := b.found(strings.TrimSuffix(filepath.Base(f), ".json"))
		if err != nil {
			return err
		}
		found.Checked++
		if s.Status == bisectSkip {
			found.Skipped++
		}
	}
	return err
}

// candidates lists the commits one of which is the first bad one.
func (b *bisection) candidates(ctx context.Context) ([]revision, error) {
	refs, err := b.tree.git(ctx, "for-each-ref", "--format=%(refname)", "refs/bisect")
	if err != nil {
		return nil, err
	}
	args := []string{"refs/bisect/bad", "--not"}
	for _, r := range strings.Fields(refs) {
		if strings.HasPrefix(r, "refs/bisect/good-") {
			args = append(args, r)
		}
	}
	return b.tree.log(ctx, args...)
}

// step builds the program at the worktree's commit, runs its check of the experiment, keeps what it found and returns the status
// for git bisect run.
func (b *bisection) step(ctx context.Context) int {
	s := step{Status: bisectSkip}
	all, err := b.tree.log(ctx, "-1", "HEAD")
	if err == nil {
		s.revision = all[0]
		err = b.check(ctx, &s)
	}
	if err != nil {
		s.Status, s.Reason = bisectSkip, err.Error()
	}
	switch {
	case s.Status == bisectSkip:
		b.Note("%s skipped: %s", s.short(), cmp.Or(s.Reason, string(s.State)))
	default:
		b.Note("%s %s: %s", s.short(), s.State, maybe(s.Now))
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(b.file(s.Commit, ".json"), text, 0o644)
	}
	if err != nil {
		b.Note("%v", err)
		return bisectSkip
	}
	return s.Status
}

// check builds and checks one commit.
func (b *bisection) check(ctx context.Context, s *step) error {
	program := b.file(s.Commit, "")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	defer os.Remove(program)
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/repro")
	build.Dir = b.tree.dir
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("it does not build: %s", cmp.Or(lastLine(string(said)), err.Error()))
	}
	out := b.file(s.Commit, "-out")
	defer os.RemoveAll(out)
	run := exec.CommandContext(ctx, program, "check", b.experiment, "--baseline", b.accepted(), "--out", out, "--json")
	run.Dir = b.tree.dir
	var found, said bytes.Buffer
	run.Stdout, run.Stderr = &found, &said
	failed := run.Run()
	var outcome struct {
		Changes []changes.Change `json:"changes"`
	}
	if err := json.Unmarshal(found.Bytes(), &outcome); err != nil {
		return fmt.Errorf("check: %s", cmp.Or(lastLine(said.String()), fmt.Sprint(failed)))
	}
	s.judge(outcome.Changes, b.claim)
	return nil
}

// judge takes the worst of the claim's changes.
func (s *step) judge(all []changes.Change, claim string) {
	worst := -1
	for i, c := range all {
		if c.Claim == claim && (worst < 0 || slices.Index(changes.States, c.State) < slices.Index(changes.States, all[worst].State)) {
			worst = i
		}
	}
	if worst < 0 {
		s.Reason = "check says nothing of the claim"
		return
	}
	c := all[worst]
	s.State, s.Reason, s.Accepted, s.Now = c.State, c.Reason, c.Accepted, c.Now
	switch c.State {
	case changes.Identical, changes.Equivalent, changes.Improved:
		s.Status = bisectGood
	case changes.Regressed, changes.Failed:
		s.Status = bisectBad
	}
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// print prints the outcome.
func (b *bisection) print(found culprit) {
	tally := fmt.Sprintf("%s checked, %d of them skipped", printed.Count(found.Checked, "commit"), found.Skipped)
	if found.First == nil {
		b.Stdout.Paragraph("%s: the first bad commit is one of %s, of which the others cannot be checked (%s):", found.Claim, printed.Count(len(found.Candidates), "commit"), tally)
		for _, r := range found.Candidates {
			b.Stdout.Paragraph("  %s %s %s", r.short(), r.Date, r.Subject)
		}
		return
	}
	first, before := found.First, found.Before
	b.Stdout.Paragraph("first bad commit: %s %s %s", first.Commit, first.Date, first.Subject)
	number := maybe(before.Now)
	if before.Status == bisectSkip {
		number = "unknown (its parent cannot be checked)"
	}
	b.Stdout.Paragraph("%s: %s before, %s after; accepted %s (%s)", found.Claim, number, maybe(first.Now), maybe(first.Accepted), tally)
	if first.Reason != "" {
		b.Stdout.Paragraph("%s", first.Reason)
	}
}
