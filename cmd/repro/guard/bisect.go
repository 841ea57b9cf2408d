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
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/files"
	"repro/results/printed"
)

// A bisection is a git bisect that checks one claim at every commit.
type bisection struct {
	*terminal.Terminal
	checkout
	baseline, build   string
	experiment, claim string   // the experiment by its id or the path of its spec
	flags             []string // further ones of check
	files             string   // folder with the baseline of the good commit, the program and the records
}

func newBisect(t *terminal.Terminal) *cobra.Command {
	b, good, bad := bisection{Terminal: t, checkout: checkout{"."}}, "", ""
	cmd := &cobra.Command{
		Use:   "bisect CLAIM --good COMMIT [--bad COMMIT] [-- FLAGS]",
		Short: "Find the commit at which a claim got worse",
		Long: `Bisect runs git bisect in the checkout, with repro check of the claim's experiment at every commit, against the baseline
that was accepted at the good commit. A commit that does not build, or that check cannot judge, is skipped. At the
end the branch is checked out again. Commit or stash your changes first, as for git bisect.

In a checkout of the Go module that this program is of, the program is built at every commit, and checks. Elsewhere,
as with methods in other languages, this program checks every commit. --build CMD runs a command of a shell instead;
it writes the program to {program}, or builds what the specs call. Flags after -- go to check.

A claim is experiment#claim, or has the path of a spec, as in mine.toml#rate. The exit status is 0 if the commit
was found, 3 if skipped commits hide it. For a command that is no check of a claim there is git bisect run.`,
		Example: `  repro bisect dai2014/ridge#rate --good v1.2 --bad HEAD
  repro bisect mine.toml#rate --good v1.2 --baseline accepted -- --allow-external
  repro bisect mine/rate#slope --good v1.2 --build 'go build -o {program} ./cmd/mine'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var ok bool
			if b.experiment, b.claim, ok = strings.Cut(args[0], "#"); !ok || good == "" {
				return fmt.Errorf("%s: want a claim, as in dai2014/rate#theta-3-optimal, and --good with a commit at which it was as accepted", args[0])
			}
			b.flags = args[1:]
			if b.files, err = files.MkdirTemp("repro-bisect-"); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(b.files)) }()
			return b.search(cmd.Context(), good, bad)
		},
	}
	cmd.Flags().StringVar(&good, "good", "", "`commit` at which the claim is as its baseline says")
	cmd.Flags().StringVar(&bad, "bad", "HEAD", "`commit` at which it is worse")
	cmd.Flags().StringVar(&b.baseline, "baseline", "", baselineUsage)
	cmd.Flags().StringVar(&b.build, "build", "", "`command` that builds a commit, instead of go build")
	return cmd
}

// search finds the first bad commit and prints it.
func (b *bisection) search(ctx context.Context, good, bad string) (err error) {
	top, err := b.git(ctx, "rev-parse", "--show-toplevel") // where git bisect works
	if err != nil {
		return err
	}
	b.dir = strings.TrimSpace(top)
	ends := []struct{ commit, word string }{{good, "good"}, {bad, "bad"}}
	for i := range ends {
		if ends[i].commit, err = b.commit(ctx, ends[i].commit); err != nil { // before git is at another commit
			return err
		}
	}
	if _, err := b.git(ctx, "bisect", "log"); err == nil {
		return errors.New("a git bisect is going on here; end it with git bisect reset")
	}
	if _, err := b.git(ctx, "bisect", "start"); err != nil {
		return err
	}
	defer func() {
		_, back := b.git(context.WithoutCancel(ctx), "bisect", "reset")
		err = errors.Join(err, back)
	}()
	for _, end := range ends {
		if err := b.end(ctx, end.commit, end.word); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	for checked := []string{ends[0].commit, ends[1].commit}; ; {
		at, err := b.commit(ctx, "HEAD")
		if err != nil {
			return err
		}
		if slices.Contains(checked, at) { // git has checked out no other commit
			return b.print(ctx)
		}
		checked = append(checked, at)
		word, _ := b.check(ctx, at)
		var hidden *exec.ExitError // status 2: all that are left are skipped
		if _, err := b.git(ctx, "bisect", word); err != nil && (!errors.As(err, &hidden) || hidden.ExitCode() != 2) {
			return cmp.Or(ctx.Err(), err)
		}
	}
}

// end checks that the good commit is good or the bad one bad, and keeps the baseline of the good one.
func (b *bisection) end(ctx context.Context, commit, want string) error {
	if _, err := b.git(ctx, "checkout", "--quiet", commit); err != nil {
		return err
	}
	if want == "good" {
		if err := os.CopyFS(filepath.Join(b.files, "accepted"), os.DirFS(cmp.Or(b.baseline, baseline.DefaultDir()))); err != nil {
			return fmt.Errorf("no accepted baseline at the good commit %.9s: %w", commit, err)
		}
	}
	if word, why := b.check(ctx, commit); word != want {
		return fmt.Errorf("the %s commit %.9s is not %[1]s: %[3]s", want, commit, why)
	}
	_, err := b.git(ctx, "bisect", want)
	return err
}

// print prints the first bad commit, or those of which one is it.
func (b *bisection) print(ctx context.Context) error {
	all, err := b.log(ctx, "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*")
	for _, r := range all {
		b.Stdout.Message("first bad commit: %s %s %s", r.Commit, r.Date, r.Subject)
	}
	if err == nil && len(all) > 1 {
		b.Note("it is one of these; the others cannot be checked")
		return exits.Undecided
	}
	return err
}

// check builds and checks the commit that is checked out. It returns good, bad or skip, and why.
func (b *bisection) check(ctx context.Context, commit string) (word, why string) {
	c, err := b.judge(ctx)
	switch word, why = "skip", fmt.Sprintf("%s is %s: %s", b.claim, c.State, printed.Maybe(c.Now)); {
	case err != nil:
		why = err.Error()
	case c.State == changes.Worse && len(c.Terms) == 0:
		word = "bad"
	case c.State == changes.Same || c.State == changes.Better:
		word = "good"
	}
	b.Note("%.9s %s: %s", commit, word, why)
	return word, why
}

// judge builds the commit and returns what check says of the claim: of several numbers the worst.
func (b *bisection) judge(ctx context.Context) (worst changes.Change, err error) {
	program, shell := filepath.Join(b.files, "program.exe"), []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	build := strings.ReplaceAll(b.build, "{program}", printed.ShellWord(program))
	if info, ok := debug.ReadBuildInfo(); ok && build == "" && builds.InCheckout() {
		build = "go build -o " + printed.ShellWord(program) + " " + info.Path
	}
	if build != "" {
		_ = os.Remove(program) // of another commit, if there is one
		if said, err := exec.CommandContext(ctx, shell[0], shell[1], build).CombinedOutput(); err != nil {
			return worst, fmt.Errorf("it does not build: %s", cmp.Or(lastLine(said), err.Error()))
		}
	}
	if _, err := os.Stat(program); err != nil { // this one checks what others wrote
		if program, err = os.Executable(); err != nil {
			return worst, err
		}
	}
	out := filepath.Join(b.files, "out")
	defer os.RemoveAll(out)
	run := exec.CommandContext(ctx, program, append([]string{"check", b.experiment, "--baseline", filepath.Join(b.files, "accepted"), "--out", out, "--json"}, b.flags...)...)
	var said bytes.Buffer
	run.Stderr = &said
	text, failed := run.Output()
	var found struct{ Changes []changes.Change }
	if err := json.Unmarshal(text, &found); err != nil {
		return worst, fmt.Errorf("check: %s", cmp.Or(lastLine(said.Bytes()), fmt.Sprint(failed)))
	}
	for _, c := range found.Changes {
		if c.Claim == b.claim && (worst.Claim == "" || slices.Index(changes.States, c.State) < slices.Index(changes.States, worst.State)) {
			worst = c
		}
	}
	if worst.Claim == "" {
		err = fmt.Errorf("check says nothing of %s", b.claim)
	}
	return worst, err
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
