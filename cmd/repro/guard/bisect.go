package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A bisection is a git bisect that checks one claim at every commit.
type bisection struct {
	*terminal.Terminal
	checkout
	good, baseline, build    string
	experiment, claim, files string   // by its id or the path of its spec; files is a folder for the good baseline, programs and records
	flags                    []string // further ones of check
	json                     bool
}

func newBisect(t *terminal.Terminal) *cobra.Command {
	b := bisection{Terminal: t, checkout: checkout{"."}}
	cmd := &cobra.Command{
		Use:   "bisect CLAIM --good COMMIT [-- FLAGS]",
		Short: "Find the commit at which a claim got worse",
		Long: `Bisect runs git bisect from the good commit to that which is checked out, with repro check of the claim's experiment at
each, against the baseline that was accepted at the good commit. A commit that does not build, or that check cannot
judge, is skipped. Commit or stash your changes first. In a checkout of the module that this program is of, the program is
built at every commit; elsewhere this one checks. Flags after -- go to check. The exit status is 3 if skipped commits hide the first bad one.`,
		Example: `  repro bisect dai2014/ridge#rate --good v1.2
  repro bisect mine.toml#rate --good v1.2 --build make -- --allow-external`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if b.experiment, b.claim, _ = strings.Cut(args[0], "#"); b.claim == "" || b.good == "" {
				return fmt.Errorf("%s: want a claim, as in dai2014/rate#theta-3-optimal, and --good with a commit at which it was as accepted", args[0])
			}
			b.flags = args[1:]
			if b.files, err = files.MkdirTemp("repro-bisect-"); err == nil {
				err = errors.Join(b.search(cmd.Context()), os.RemoveAll(b.files))
			}
			return err
		},
	}
	flags.JSON(cmd, &b.json)
	cmd.Flags().StringVar(&b.good, "good", "", "`commit` at which the claim is as its baseline says")
	cmd.Flags().StringVar(&b.baseline, "baseline", "", baselineUsage)
	cmd.Flags().StringVar(&b.build, "build", "", "`command` of a shell that builds a commit, instead of go build: the program goes to {program}")
	return cmd
}

// search checks the good commit, the one that is checked out, and those that git chooses between them, and prints the first bad one.
func (b *bisection) search(ctx context.Context) (err error) {
	top, none := b.git(ctx, "rev-parse", "--show-toplevel")
	at, wrong := b.commit(ctx, b.good)
	bad, err := b.commit(ctx, "HEAD")
	if err = cmp.Or(none, wrong, err); err != nil {
		return err
	}
	b.dir = strings.TrimSpace(top) // where git bisect works
	if _, err := b.git(ctx, "bisect", "log"); err == nil {
		return errors.New("a git bisect is going on here; end it with git bisect reset")
	}
	if _, err := b.git(ctx, "bisect", "start"); err != nil {
		return err
	}
	defer func() {
		_, back := b.git(context.WithoutCancel(ctx), "bisect", "reset")
		err = errors.Join(cmp.Or(ctx.Err(), err), back)
	}()
	if _, err := b.git(ctx, "checkout", "--quiet", at); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(b.files, "accepted"), os.DirFS(cmp.Or(b.baseline, baseline.DefaultDir()))); err != nil {
		return fmt.Errorf("no reference results at the good commit %.9s: %w", at, err)
	}
	for checked, ends := []string{}, []string{"good", "bad"}; len(checked) < len(ends) || !slices.Contains(checked, at); { // else git has checked out no other commit
		word, why := b.check(ctx)
		b.Note("%.9s %s: %s", at, word, why)
		if k := len(checked); k < len(ends) && word != ends[k] {
			return fmt.Errorf("the %s commit %.9s is not %[1]s: %[3]s", ends[k], at, why)
		}
		var hidden *exec.ExitError // status 2: all that are left are skipped
		if _, err := b.git(ctx, "bisect", word); err != nil && (!errors.As(err, &hidden) || hidden.ExitCode() != 2) {
			return err
		}
		if checked = append(checked, at); len(checked) == 1 {
			_, err = b.git(ctx, "checkout", "--quiet", bad)
		}
		if at, wrong = b.commit(ctx, "HEAD"); err != nil || wrong != nil {
			return cmp.Or(err, wrong)
		}
	}
	all, err := b.log(ctx, "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*") // those that may be it
	if err != nil {
		return err
	}
	if err := b.Show(b.json, all, func() {
		for _, r := range all {
			b.Stdout.Message("first bad commit: %s %s %s", r.Commit, r.Date, r.Subject)
		}
	}); err != nil {
		return err
	}
	if len(all) > 1 {
		b.Note("it is one of these; the others cannot be checked")
		return exits.Undecided
	}
	return nil
}

// check builds and checks the commit that is checked out. It returns good, bad or skip, and why: of several numbers of the worst.
func (b *bisection) check(ctx context.Context) (word, why string) {
	folder, _ := os.MkdirTemp(b.files, "")
	program, build := filepath.Join(folder, "program.exe"), b.build
	shell := map[bool][]string{false: {"sh", "-c"}, true: {"cmd", "/C"}}[runtime.GOOS == "windows"]
	if build == "" && builds.InCheckout() {
		build = "go build -o {program} " + cmp.Or(builds.This().Package, "repro/cmd/repro")
	}
	if build != "" {
		build = strings.ReplaceAll(build, "{program}", printed.ShellWord(program))
		if _, err := output(exec.CommandContext(ctx, shell[0], shell[1], build)); err != nil {
			return "skip", "it does not build: " + lastLine(err)
		}
	}
	if _, err := os.Stat(program); err != nil { // this one checks what others wrote
		program, _ = os.Executable()
	}
	args := []string{"check", b.experiment, "--baseline", filepath.Join(b.files, "accepted"), "--out", filepath.Join(folder, "out"), "--json"}
	text, failed := output(exec.CommandContext(ctx, program, append(args, b.flags...)...))
	var found changes.Outcome
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return "skip", "check: " + lastLine(cmp.Or(failed, err))
	}
	for _, state := range records.Matches { // the worst first
		for _, c := range found.Changes {
			if c.Claim == b.claim && c.State == state {
				word = map[records.Match]string{records.Worse: "bad", records.Same: "good", records.Better: "good"}[state]
				return cmp.Or(word, "skip"), fmt.Sprintf("%s is %s: %s", b.claim, state, printed.Maybe(c.Now))
			}
		}
	}
	return "skip", "check says nothing of " + b.claim
}
