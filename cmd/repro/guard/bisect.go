package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/modules"
	"repro/cmd/repro/terminal"
	"repro/datasets/regular"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/printed"
)

// An outcome is what a commit says of the search.
type outcome int

const (
	good outcome = iota
	bad
	skipped // it does not build, or cannot be compared
)

// A bisection searches the first commit at which a claim regressed, in a worktree of its own.
type bisection struct {
	t                 *terminal.Terminal
	asked             string // the experiment as the user named it: its id, or the path of its spec
	experiment, claim string
	good, bad         string          // commits
	baseline          string          // folder of the accepted baseline; empty for the default
	build             string          // command that builds; empty to build the module's program
	flags             []string        // further ones of check
	dir               string          // holds the worktree, the accepted baseline and the program
	here              string          // the working directory
	tree              checkout        // the worktree
	work              checkout        // the folder of the worktree that stands for the working directory
	steps             map[string]step // what was found, by commit
}

// A step is what a bisection found at a commit.
type step struct {
	revision
	outcome  outcome
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

func newBisect(t *terminal.Terminal) *cobra.Command {
	b := bisection{t: t, steps: map[string]step{}}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bisect CLAIM --good COMMIT [--bad COMMIT] [-- FLAGS]",
		Short: "Find the commit at which a claim regressed",
		Long: `Bisect finds the first commit between two at which a claim regressed. At every step it checks out a commit, builds
the program of its Go module, and runs that program's check for the claim's experiment against the baseline that was
accepted at the good commit. A commit that does not build, has no check or has other settings than the accepted ones
is skipped.

The program is the main package that imports ` + builds.Repro() + `/cmd/repro/cli; where a commit has none, as with methods
in other languages, the program that runs bisect checks. --build CMD runs a command of a shell instead; it writes
the program to {program}, or builds what the specs call if {program} is not in it. It runs in the folder in which bisect runs,
which need not be the top of the repository. Flags after -- go to check.

It works in a git worktree of its own in a temporary folder, so that neither the files nor the branch of the
checkout change, and removes it at the end. The baseline of the good commit must have the claim.

A claim is experiment#claim, as in dai2014/rate#theta-3-optimal, or has the path of a spec, as in mine.toml#rate. The
exit status is 0 if the commit was found, 3 if skipped commits hide it.`,
		Example: `  repro bisect dai2014/ridge#rate --good v1.2 --bad HEAD
  repro bisect dai2014/rate#theta-3-optimal --good HEAD~40 --json
  repro bisect mine.toml#rate --good v1.2 --baseline accepted -- --allow-external
  repro bisect mine/rate#slope --good v1.2 --build 'go build -o {program} ./cmd/mine'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args = args[:n]
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b.flags = args[1:]
			if err := b.ask(args[0]); err != nil {
				return err
			}
			found, err := b.search(cmd.Context())
			if err != nil {
				return err
			}
			if err := t.Show(asJSON, found, func() { found.print(t.Stdout) }); err != nil {
				return err
			}
			if found.First == nil {
				return exits.Undecided
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.good, "good", "", "`commit` at which the claim is as its baseline says")
	f.StringVar(&b.bad, "bad", "HEAD", "`commit` at which it regressed")
	f.StringVar(&b.baseline, "baseline", "", baselineUsage)
	f.StringVar(&b.build, "build", "", "`command` that builds a commit, instead of go build")
	flags.JSON(cmd, &asJSON)
	return cmd
}

// ask takes the claim that a user named.
func (b *bisection) ask(claim string) (err error) {
	var ok bool
	if b.asked, b.claim, ok = strings.Cut(claim, "#"); !ok {
		return fmt.Errorf("%s: not a claim; want experiment#claim, as in dai2014/rate#theta-3-optimal", claim)
	}
	if b.good == "" {
		return errors.New("--good is missing; name a commit at which the claim was as accepted")
	}
	if b.experiment = b.asked; strings.HasSuffix(b.asked, ".toml") {
		spec, err := catalog.Load(catalog.Ref{Path: b.asked}, experiments.LoadOptions{})
		if err != nil {
			return err
		}
		b.experiment = spec.ID
	}
	b.here, err = os.Getwd()
	return err
}

// local returns the path of a file or a folder relative to the working directory, with slashes.
func (b *bisection) local(name string) (string, error) {
	if filepath.IsAbs(name) {
		var err error
		if name, err = filepath.Rel(b.here, name); err != nil {
			return "", err
		}
	}
	return filepath.ToSlash(name), nil
}

// search finds the first bad commit.
func (b *bisection) search(ctx context.Context) (found culprit, err error) {
	here := checkout{b.here}
	for _, end := range []*string{&b.good, &b.bad} {
		if *end, err = here.commit(ctx, *end); err != nil {
			return found, err
		}
	}
	if _, err := here.git(ctx, "merge-base", "--is-ancestor", b.good, b.bad); err != nil || b.good == b.bad {
		return found, fmt.Errorf("the good commit %.9s does not come before the bad commit %.9s", b.good, b.bad)
	}
	if b.asked, err = b.local(b.asked); err != nil {
		return found, err
	}
	if b.dir, err = regular.MkdirTemp("repro-bisect-"); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.reference(ctx, checkout{"."}, b.good); err != nil {
		return found, err
	}
	b.tree.dir = filepath.Join(b.dir, "tree")
	var remove func() error
	if b.work.dir, remove, err = here.worktree(ctx, b.tree.dir, b.bad); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := b.ends(ctx); err != nil {
		return found, err
	}
	return b.halve(ctx)
}

// reference writes the experiment's snapshot that was accepted at a commit into the folder that every step compares with.
func (b *bisection) reference(ctx context.Context, c checkout, commit string) error {
	dir, err := b.local(cmp.Or(b.baseline, baseline.DefaultDir()))
	if err != nil {
		return err
	}
	name := path.Join(dir, b.experiment) + ".json"
	text, err := c.git(ctx, "show", commit+":./"+name)
	if err != nil {
		return fmt.Errorf("%s is not in commit %.9s, so there is nothing to compare with; name a good commit that has an accepted baseline of %s, or its folder with --baseline", name, commit, b.experiment)
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
func (b *bisection) ends(ctx context.Context) error {
	for _, end := range []struct {
		commit, name string
		want         outcome
	}{{b.bad, "bad", bad}, {b.good, "good", good}} {
		s, err := b.at(ctx, end.commit)
		if err != nil {
			return err
		}
		if s.outcome != end.want {
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

// at returns what is found at a commit, and checks it if it has not been.
func (b *bisection) at(ctx context.Context, commit string) (step, error) {
	if s, known := b.steps[commit]; known {
		return s, nil
	}
	s := step{outcome: skipped}
	if _, err := b.tree.git(ctx, "checkout", "--quiet", "--detach", "--force", commit); err != nil {
		return s, err
	}
	all, err := b.tree.log(ctx, "-1", "HEAD")
	if err != nil {
		return s, err
	}
	s.revision = all[0]
	if err := b.check(ctx, &s); err != nil {
		s.Reason = err.Error()
	}
	if err := ctx.Err(); err != nil {
		return s, err
	}
	if s.outcome == skipped {
		b.t.Note("%s skipped: %s", s.short(), cmp.Or(s.Reason, string(s.State)))
	} else {
		b.t.Note("%s %s: %s", s.short(), s.State, printed.Maybe(s.Now))
	}
	b.steps[commit] = s
	return s, nil
}

// halve checks the commit in the middle of those that may be the first bad one, until one is left or all others are skipped.
func (b *bisection) halve(ctx context.Context) (culprit, error) {
	found := culprit{Claim: b.experiment + "#" + b.claim}
	firstBad, between := b.bad, []string{b.bad, "--not", b.good}
	for {
		out, err := b.tree.git(ctx, append([]string{"rev-list", "--bisect-all"}, between...)...)
		if err != nil {
			return found, err
		}
		next := ""
		lines := strings.Split(strings.TrimSpace(out), "\n") // commits with their distance from the ends, the middle first
		for _, line := range lines {
			commit, _, _ := strings.Cut(line, " ")
			if _, known := b.steps[commit]; !known {
				next = commit
				break
			}
		}
		if next == "" {
			break
		}
		s, err := b.at(ctx, next)
		switch {
		case err != nil:
			return found, err
		case s.outcome == bad:
			firstBad, between[0] = next, next
		case s.outcome == good:
			between = append(between, next)
		}
	}
	candidates, err := b.tree.log(ctx, between...)
	if err != nil {
		return found, err
	}
	if len(candidates) > 1 {
		found.Candidates = candidates
	} else {
		parent, err := b.tree.commit(ctx, firstBad+"^")
		if err != nil {
			return found, err
		}
		before, err := b.at(ctx, parent)
		if err != nil {
			return found, err
		}
		first := b.steps[firstBad]
		found.First, found.Before = &first, &before
	}
	for _, s := range b.steps {
		found.Checked++
		if s.outcome == skipped {
			found.Skipped++
		}
	}
	return found, nil
}

// program builds the program of the commit that is checked out, or what its specs call, and returns the program that checks.
func (b *bisection) program(ctx context.Context) (string, error) {
	program := programIn(b.dir)
	if err := modules.Move(ctx, b.work.dir, b.tree.dir, b.here); err != nil {
		return "", err
	}
	var build []string
	made := strings.Contains(b.build, "{program}")
	if b.build != "" {
		shell := []string{"sh", "-c"}
		if runtime.GOOS == "windows" {
			shell = []string{"cmd", "/C"}
		}
		build = append(shell, strings.ReplaceAll(b.build, "{program}", printed.ShellWord(program)))
	} else if main, err := modules.Program(ctx, b.work.dir); err != nil {
		return "", err
	} else if main != "" {
		made = true
		build = []string{"go", "build", "-o", program, main}
	}
	if made {
		if err := os.RemoveAll(program); err != nil { // of another commit
			return "", err
		}
	}
	if build != nil {
		if err := compile(ctx, b.work.dir, build...); err != nil {
			return "", err
		}
	}
	if !made {
		return os.Executable()
	}
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("%q wrote no {program}", b.build)
	}
	return program, nil
}

// check builds and checks one commit.
func (b *bisection) check(ctx context.Context, s *step) error {
	program, err := b.program(ctx)
	if err != nil {
		return err
	}
	out := filepath.Join(b.dir, "out")
	defer os.RemoveAll(out)
	args := append([]string{"check", b.asked, "--baseline", b.accepted(), "--out", out, "--json"}, b.flags...)
	run := exec.CommandContext(ctx, program, args...)
	run.Dir = b.work.dir
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
		s.outcome = good
	case changes.Regressed, changes.Failed:
		s.outcome = bad
	}
}

func (found culprit) print(o *terminal.Output) {
	tally := fmt.Sprintf("%s checked, %d of them skipped", printed.Count(found.Checked, "commit"), found.Skipped)
	if found.First == nil {
		o.Paragraph("%s: the first bad commit is one of %s, of which the others cannot be checked (%s):", found.Claim, printed.Count(len(found.Candidates), "commit"), tally)
		for _, r := range found.Candidates {
			o.Paragraph("  %s %s %s", r.short(), r.Date, r.Subject)
		}
		return
	}
	first, before := found.First, found.Before
	o.Paragraph("first bad commit: %s %s %s", first.Commit, first.Date, first.Subject)
	number := printed.Maybe(before.Now)
	if before.outcome == skipped {
		number = "unknown (its parent cannot be checked)"
	}
	o.Paragraph("%s: %s before, %s after; accepted %s (%s)", found.Claim, number, printed.Maybe(first.Now), printed.Maybe(first.Accepted), tally)
	if first.Reason != "" {
		o.Paragraph("%s", first.Reason)
	}
}
