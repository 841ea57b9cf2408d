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
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A past is the history of a claim's number: what was accepted by which commit.
type past struct {
	Claim    string    `json:"claim"` // without the experiment; with the method that it is compared with, if there are several
	Versions []version `json:"versions"`
	Gone     *revision `json:"gone,omitempty"` // the commit that removed it
}

// A version is what a commit accepted. A number that does not exist is nil.
type version struct {
	revision
	Verdict claims.Word `json:"verdict"`
	Value   *float64    `json:"value"`
	Low     *float64    `json:"low"` // 95 % interval over seeds
	High    *float64    `json:"high"`
	Seeds   int         `json:"seeds"`
	Terms   string      `json:"-"` // what the claim said
}

func newHistory(t *terminal.Terminal) *cobra.Command {
	var dir, figure string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show which commits accepted which numbers of an experiment",
		Long: `History reads the accepted baselines of an experiment from the commits of the checkout. It lists, for each claim, the commits
that changed its verdict, its number or its definition. Of a merge it lists the merge. It runs nothing.`,
		Example: `  repro history dai2014/rate
  repro history dai2014/rate --figure rate.svg
  repro history mine/optimisers --baseline accepted`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, commits, err := readHistory(cmd.Context(), checkout{cmp.Or(dir, baseline.DefaultDir())}, args[0])
			if err != nil {
				return err
			}
			if figure != "" {
				picture, err := drawings.Render(historyFigure(args[0], all, commits))
				if err != nil {
					return err
				}
				if err := os.WriteFile(figure, picture.Files[0].Data, 0o644); err != nil {
					return err
				}
			}
			return t.Show(asJSON, all, func() { printHistory(t.Stdout, all) })
		},
		ValidArgsFunction: flags.IDs,
	}
	cmd.Flags().StringVar(&dir, "baseline", "", baselineUsage)
	cmd.Flags().StringVar(&figure, "figure", "", "draw the numbers over the commits into this SVG `file`")
	flags.JSON(cmd, &asJSON)
	return cmd
}

// readHistory returns the histories of the claims of an experiment in alphabetical order, and the commits that changed them, the
// oldest first.
func readHistory(ctx context.Context, c checkout, id string) (all []*past, commits []revision, err error) {
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("there is no folder %s; run at the top of a module that has an accepted baseline, or name its folder with --baseline", c.dir)
	}
	file := filepath.ToSlash(id) + ".json"
	commits, err = c.log(ctx, "--first-parent", "--reverse", "--", file)
	if err != nil {
		return nil, nil, err
	}
	if len(commits) == 0 {
		return nil, nil, fmt.Errorf("no commit has an accepted baseline of %s below %s", id, c.dir)
	}
	for _, r := range commits {
		var s changes.Snapshot
		if text, err := c.git(ctx, "show", r.Commit+":./"+file); err == nil { // else the commit removed it
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				return nil, nil, fmt.Errorf("%s at commit %s: %w", file, r.short(), err)
			}
		}
		now := versions(s, r)
		for claim, v := range now {
			i := slices.IndexFunc(all, func(p *past) bool { return p.Claim == claim })
			if i < 0 {
				i, all = len(all), append(all, &past{Claim: claim})
			}
			p := all[i]
			if n := len(p.Versions); n == 0 || p.Gone != nil || v.changed(p.Versions[n-1]) != "" {
				p.Versions = append(p.Versions, v)
			}
			p.Gone = nil
		}
		for _, p := range all {
			if _, there := now[p.Claim]; !there && p.Gone == nil {
				p.Gone = &r
			}
		}
	}
	slices.SortFunc(all, func(a, b *past) int { return strings.Compare(a.Claim, b.Claim) })
	return all, commits, nil
}

// versions returns what a snapshot says of each claim, without the numbers of early looks.
func versions(s changes.Snapshot, r revision) map[string]version {
	all := map[string]version{}
	for claim, n := range s.Whole() {
		v := version{revision: r, Verdict: n.Word, Value: n.Mean, Seeds: len(n.Values), Terms: claims.TextOf(s.Claims[n.Claim])}
		if v.Seeds > 0 {
			e := n.Interval()
			v.Low, v.High = records.Value(e.Low), records.Value(e.High)
		}
		all[claim] = v
	}
	return all
}

// changed says what differs from the version before; nothing is an empty text.
func (v version) changed(before version) string {
	var parts []string
	for _, p := range []struct {
		what    string
		changed bool
	}{
		{"claim", before.Terms != v.Terms}, {"seeds", before.Seeds != v.Seeds}, {"verdict", before.Verdict != v.Verdict},
		{"number", printed.Maybe(before.Value) != printed.Maybe(v.Value) || printed.Maybe(before.Low) != printed.Maybe(v.Low)},
	} {
		if p.changed {
			parts = append(parts, p.what)
		}
	}
	return strings.Join(parts, ", ")
}

func printHistory(o *terminal.Output, all []*past) {
	g := terminal.Table{Head: []string{"claim", "commit", "date", "verdict", "number", "95 % interval", "seeds", "changed", "subject"}, Right: []int{7}, Wrap: 9}
	var words []claims.Word
	for _, p := range all {
		for i, v := range p.Versions {
			name, changed := p.Claim, ""
			if i > 0 {
				name, changed = "", v.changed(p.Versions[i-1])
			}
			interval := ""
			if v.Low != nil && v.High != nil {
				interval = "[" + printed.Maybe(v.Low) + ", " + printed.Maybe(v.High) + "]"
			}
			g.Rows = append(g.Rows, []string{name, v.short(), v.Date, string(v.Verdict), printed.Maybe(v.Value), interval, fmt.Sprint(v.Seeds), changed, v.Subject})
			words = append(words, v.Verdict)
		}
		if r := p.Gone; r != nil {
			g.Rows, words = append(g.Rows, []string{"", r.short(), r.Date, "removed", "", "", "", "", r.Subject}), append(words, "")
		}
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column == 3 {
			return findings.Colour(words[row])
		}
		return 0
	}
	o.Table(g)
}

// historyFigure draws the numbers over the commits, counted from 1, with their intervals as bands.
func historyFigure(id string, all []*past, commits []revision) figures.Figure {
	c := figures.Curves{X: figures.Axis{Label: "commit that changed the baseline", Min: 0.5, Max: float64(len(commits)) + 0.5}, Y: figures.Axis{Label: "number of the claim"}}
	c.Y.Log = true
	for i, p := range all {
		line := figures.Line{Label: p.Claim, Style: i}
		for _, v := range p.Versions {
			if v.Value == nil {
				continue
			}
			low, high := *v.Value, *v.Value
			if v.Low != nil && v.High != nil {
				low, high = *v.Low, *v.High
			}
			line.X, line.Y = append(line.X, float64(1+slices.Index(commits, v.revision))), append(line.Y, *v.Value)
			line.Low, line.High = append(line.Low, low), append(line.High, high)
			c.Y.Log = c.Y.Log && low > 0
		}
		if len(line.X) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	return figures.Figure{ID: "history", Title: "Accepted numbers of " + id, Curves: &c}
}

// A checkout is a folder of a git working tree.
type checkout struct{ dir string }

// A revision is a commit.
type revision struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the committer, as in 2026-11-22
	Subject string `json:"subject"`
}

// short returns the first characters of the commit's hash.
func (r revision) short() string { return r.Commit[:min(len(r.Commit), 9)] }

// git runs a git command in the folder and returns its standard output.
func (c checkout) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	out, err := output(cmd)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed; history and bisect need it")
	case err != nil && strings.Contains(err.Error(), "not a git repository"):
		return "", fmt.Errorf("%s is not in a git repository; history and bisect read its commits", c.dir)
	case err != nil:
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// output runs a command and returns its standard output. Its error ends with what it wrote to standard error.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// lastLine returns the last line of an error.
func lastLine(err error) string { return err.Error()[strings.LastIndexByte(err.Error(), '\n')+1:] }

// commit returns the full hash of a commit that a user named.
func (c checkout) commit(ctx context.Context, name string) (string, error) {
	out, err := c.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if _, outside := c.git(ctx, "rev-parse", "--git-dir"); outside != nil {
		return "", outside
	}
	if err != nil {
		return "", fmt.Errorf("%s: no such commit in %s", name, c.dir)
	}
	return strings.TrimSpace(out), nil
}

// log lists the commits that git log lists with the given arguments.
func (c checkout) log(ctx context.Context, args ...string) ([]revision, error) {
	out, err := c.git(ctx, append([]string{"log", "--format=%H%x09%cs%x09%s"}, args...)...)
	var all []revision
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			all = append(all, revision{f[0], f[1], f[2]})
		}
	}
	return all, err
}

// A bisection is a git bisect that checks one claim at every commit.
type bisection struct {
	*terminal.Terminal
	checkout
	good, baseline, build    string
	experiment, claim, files string   // by its id or the path of its spec; files is a folder for the good baseline, programs and records
	flags                    []string // further ones of check
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
		return fmt.Errorf("no accepted baseline at the good commit %.9s: %w", at, err)
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
	for _, r := range all {
		b.Stdout.Message("first bad commit: %s %s %s", r.Commit, r.Date, r.Subject)
	}
	if err == nil && len(all) > 1 {
		b.Note("it is one of these; the others cannot be checked")
		err = exits.Undecided
	}
	return err
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
