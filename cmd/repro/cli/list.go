package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
)

// A listed is one experiment in `list --json`.
type listed struct {
	ID        string   `json:"id"`
	Paper     string   `json:"paper"`
	Row       string   `json:"row"` // of the scoreboard
	Title     string   `json:"title"`
	Source    string   `json:"source"`
	Data      string   `json:"data"`
	Available bool     `json:"available"` // needs no download
	Here      string   `json:"here"`      // yes, fetch, bring or part
	Reason    string   `json:"reason"`    // where the data is, or how to get it
	Claims    int      `json:"claims"`
	Profiles  []string `json:"profiles"`
	Citation  string   `json:"citation"`
	Auxiliary bool     `json:"auxiliary"` // serves other experiments; a run that names no experiment leaves it out

	PublishedSize claims.Tally `json:"published_size"` // shipped verdicts of the runs at profile paper
}

// vocabularies are the lists of names that list shows instead of experiments, by flag.
var vocabularies = []struct {
	flag, what string
	terms      func() []experiments.Term
}{
	{"algorithms", "algorithms", experiments.Algorithms},
	{"data", "data sets", experiments.DataSets},
	{"kernels", "kernels", experiments.Kernels},
	{"losses", "losses", experiments.Losses},
	{"metrics", "metrics", experiments.MetricTerms},
	{"schedules", "schedules of step sizes", experiments.Schedules},
}

func newList(a *app) *cobra.Command {
	var profile string
	asked := make([]bool, len(vocabularies))
	cmd := &cobra.Command{
		Use:   "list [ID...]",
		Short: "List the experiments, or the names that specs can use",
		Long: `List shows every experiment that comes with repro: its id, whether its data is on this machine, how many
of its claims were reproduced at the papers' size (see repro score), and the row of the scoreboard that it
belongs to. Your own specs are not listed; every command takes the path of a spec instead of an id.

The data of an experiment is here (yes: on this machine, or generated), can be downloaded (fetch: see
repro fetch), has to be brought by you (bring: repro run lists the files), or is here in part (part).

With a flag such as --algorithms, list shows the names that a spec can use and what they mean.`,
		Example: `  repro list
  repro list 'dai2014/*'
  repro list --profile ci             those that repro check runs
  repro list --json
  repro list --algorithms             the methods a spec can name`,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			for i, v := range vocabularies {
				if asked[i] {
					if len(args) > 0 {
						return fmt.Errorf("list: --%s lists all %s; leave out %s", v.flag, v.what, strings.Join(args, " "))
					}
					return a.listTerms(v.terms())
				}
			}
			return a.list(args, profile)
		},
	}
	var flags []string
	for i, v := range vocabularies {
		cmd.Flags().BoolVar(&asked[i], v.flag, false, "list the "+v.what+" that specs can name")
		flags = append(flags, v.flag)
	}
	cmd.Flags().StringVar(&profile, "profile", "", "list only the experiments that have this profile")
	register(cmd, "profile", completeProfiles)
	cmd.MarkFlagsMutuallyExclusive(append(flags, "profile")...)
	a.jsonFlag(cmd)
	return cmd
}

// list lists the experiments that the arguments name, of those that have the profile if it is not empty.
func (a *app) list(args []string, profile string) error {
	refs, err := experiments.Resolve(args)
	if err != nil {
		return err
	}
	entries, err := experiments.Catalog()
	if err != nil {
		return err
	}
	scores, err := shippedScores(staked(entries))
	if err != nil {
		return err
	}
	papers := map[string]claims.Paper{}
	wanted := map[string]bool{}
	for _, r := range refs {
		if r.Path != "" {
			return fmt.Errorf("%s: list shows the experiments of the catalog; for a file use %s", r.Path, printed.Command("show "+r.Path))
		}
		wanted[r.ID] = true
	}
	all, left := []listed{}, 0
	for _, e := range entries {
		if !wanted[e.ID] {
			continue
		}
		if profile != "" && !slices.Contains(e.Profiles, profile) {
			left++
			continue
		}
		ok, reason := a.library().Available(e.Data)
		all = append(all, listed{
			ID: e.ID, Paper: e.Paper.Key, Row: e.Paper.RowOf(e.ID).ID, Title: e.Title, Source: e.Source, Data: e.Data,
			Available: ok, Here: a.here(e.Data), Reason: reason, Claims: len(e.Claims), Profiles: e.Profiles, Citation: citation(e.Paper),
			Auxiliary: e.Auxiliary, PublishedSize: scores[e.ID],
		})
		papers[e.Paper.Key] = e.Paper
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, all)
	}
	a.printList(all, papers)
	if left > 0 {
		a.Stdout.Paragraph("%s without the profile %s left out.", printed.Count(left, "experiment"), profile)
	}
	return nil
}

// printList prints a table for each paper. On a wide terminal it has the titles, too.
func (a *app) printList(all []listed, papers map[string]claims.Paper) {
	rows := map[string]bool{}
	for first, n := 0, 0; first < len(all); first += n {
		paper := all[first].Paper
		for n = 1; first+n < len(all) && all[first+n].Paper == paper; n++ {
		}
		if first > 0 {
			fmt.Fprintln(a.Stdout)
		}
		a.Stdout.Paragraph("%s", heading(paper, papers[paper]))
		g := terminal.Table{Head: []string{"id", "data", "reproduced", "row"}, Right: []int{3}}
		for _, e := range all[first : first+n] {
			rows[paper+"/"+e.Row] = true
			reproduced, row := fmt.Sprintf("%d of %d", e.PublishedSize.Reproduced, e.Claims), e.Row
			if e.Auxiliary {
				reproduced, row = "-", row+" (aux)"
			}
			g.Rows = append(g.Rows, []string{e.ID, e.Here, reproduced, row})
		}
		if a.Stdout.Width >= wide {
			g.Head, g.Wrap = append(g.Head, "title"), 5
			for i, e := range all[first : first+n] {
				g.Rows[i] = append(g.Rows[i], e.Title)
			}
		}
		g.Paint = func(row, column int) terminal.Colour {
			switch e := all[first+row]; {
			case column == 1 && e.Here != datasets.Here:
				return terminal.Yellow
			case column == 2 && !e.Auxiliary && e.PublishedSize.Reproduced == e.Claims:
				return terminal.Green
			}
			return 0
		}
		a.Stdout.Table(g)
	}
	if len(all) > 1 {
		fmt.Fprintln(a.Stdout)
		a.Stdout.Paragraph("%s in %s of the scoreboard. %s prints what one does; %s counts the verdicts.", printed.Count(len(all), "experiment"), printed.Count(len(rows), "row"), printed.Command("show ID"), printed.Command("score"))
		a.Stdout.Paragraph("Data: yes, it is here; fetch, %s downloads it; bring, only you have it; part, some files are here. An auxiliary experiment (aux) runs only if it is named.", printed.Command("fetch"))
	}
}

// heading names a paper in a line.
func heading(key string, p claims.Paper) string {
	if p.Title == "" {
		return key
	}
	return fmt.Sprintf("%s: %s (%s %d)", key, p.Title, p.Venue, p.Year)
}

// wide is the width from which a terminal has room for titles.
const wide = 120

// listTerms lists names with a line each.
func (a *app) listTerms(terms []experiments.Term) error {
	if a.json {
		return terminal.PrintJSON(a.Stdout, terminal.OrEmpty(terms))
	}
	g := terminal.Table{Head: []string{"name", "what it is"}, Wrap: 2}
	for _, t := range terms {
		g.Rows = append(g.Rows, []string{t.Name, t.Doc})
	}
	a.Stdout.Table(g)
	return nil
}

// A shown is one experiment in `show --json`.
type shown struct {
	ID          string             `json:"id"`
	File        string             `json:"file"`
	Paper       claims.Paper       `json:"paper"`
	Title       string             `json:"title"`
	Source      string             `json:"source"`
	Notes       string             `json:"notes"`
	Profile     string             `json:"profile"`
	Profiles    []string           `json:"profiles"`
	Settings    map[string]any     `json:"settings"` // data, problem, budget, evaluate, precision
	Seeds       int                `json:"seeds"`
	Methods     []shownMethod      `json:"methods"`
	Claims      []claims.Claim     `json:"claims"`
	Figures     []claims.Figure    `json:"figures"`
	Tables      []claims.Table     `json:"tables"`
	Ambiguities []claims.Ambiguity `json:"ambiguities"`
}

type shownMethod struct {
	ID        string         `json:"id"`
	Label     string         `json:"label"`
	Algorithm string         `json:"algorithm"`
	Settings  map[string]any `json:"settings"`
	Budget    map[string]any `json:"budget"`
	Seeds     int            `json:"seeds"`
}

func newShow(a *app) *cobra.Command {
	var asTOML bool
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Show what an experiment claims and how it is set up",
		Long: `Show prints the paper, data, problem, methods, claims, figures and tables of an experiment, and what the
paper leaves open. It shows the values that a run at the profile would use, defaults included. --toml
prints the spec itself, to copy and change.`,
		Example: `  repro show dai2014/ridge
  repro show dai2014/ridge --profile paper
  repro show dai2014/ridge --toml > mine.toml`,
		Args:              needID,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			refs, err := experiments.Resolve(args)
			if err != nil {
				return err
			}
			if asTOML {
				return a.showTOML(refs)
			}
			return a.show(refs)
		},
	}
	a.specFlags(cmd, defaultProfile)
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&asTOML, "toml", false, "print the spec itself, laid out over its base if it has one")
	return cmd
}

// needID refuses to go on without an argument.
func needID(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: give the id of an experiment, see %s, or the path of a .toml file", cmd.Name(), printed.Command("list"))
	}
	return nil
}

// showTOML prints specs in full.
func (a *app) showTOML(refs []experiments.Ref) error {
	for _, ref := range refs {
		text, _, err := experiments.Written(ref)
		if err != nil {
			return err
		}
		if _, err := a.Stdout.Write(text); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) show(refs []experiments.Ref) error {
	specs, err := a.load(refs)
	if err != nil {
		return err
	}
	all := make([]shown, len(specs))
	for i, s := range specs {
		all[i] = describe(s)
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, all)
	}
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		a.showText(e, specs[i])
	}
	return nil
}

// describe returns what show prints of a spec. Settings are those of its cells.
func describe(s *experiments.Spec) shown {
	e := shown{
		ID: s.ID, File: s.File, Paper: s.PaperInfo(), Title: s.Title, Source: s.Source, Notes: strings.TrimSpace(s.Notes),
		Profile: s.Profile, Profiles: s.Profiles, Settings: map[string]any{}, Seeds: s.Repeat.Seeds,
		Claims: terminal.OrEmpty(s.Claims), Figures: terminal.OrEmpty(s.Figures), Tables: terminal.OrEmpty(s.Tables), Ambiguities: terminal.OrEmpty(s.Ambiguities),
	}
	for _, c := range s.Expand() {
		i := slices.IndexFunc(e.Methods, func(m shownMethod) bool { return m.ID == c.Method.ID })
		if i >= 0 {
			e.Methods[i].Seeds++
			continue
		}
		for _, key := range []string{"data", "problem", "evaluate", "precision"} {
			e.Settings[key] = c.Settings[key]
		}
		m := shownMethod{ID: c.Method.ID, Label: c.Method.Label, Algorithm: c.Method.Algorithm, Seeds: 1}
		m.Settings, _ = c.Settings["method"].(map[string]any)
		m.Budget, _ = c.Settings["budget"].(map[string]any)
		if need := c.Budget().TimeOf; need != "" {
			m.Budget["time_of"] = need // cells carry the digest of that cell here
		}
		e.Methods = append(e.Methods, m)
	}
	return e
}

// citation names a paper in a line.
func citation(p claims.Paper) string {
	if p.Title == "" {
		return p.Key
	}
	authors := strings.Join(p.Authors, ", ")
	if len(p.Authors) > 3 {
		authors = p.Authors[0] + " et al."
	}
	return fmt.Sprintf("%s: %s. %s %d", authors, p.Title, p.Venue, p.Year)
}

// showText prints an experiment for people.
func (a *app) showText(e shown, s *experiments.Spec) {
	out := a.Stdout
	fmt.Fprintf(out, "%s: %s\n\n", e.ID, e.Title)
	fact := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(out, "%-10s%s\n", name, strings.ReplaceAll(terminal.Filled(text, out.Width-10), "\n", "\n          "))
		}
	}
	fact("paper", "%s", citation(e.Paper))
	if e.Paper.URL != "" {
		fact("", "%s", e.Paper.URL)
	}
	fact("source", "%s", e.Source)
	fact("spec", "%s", e.File)
	fact("notes", "%s", e.Notes)
	fact("profile", "%s; there are %s", e.Profile, strings.Join(e.Profiles, ", "))
	for _, key := range []string{"data", "problem", "evaluate"} {
		m, _ := e.Settings[key].(map[string]any)
		fact(key, "%s", pairs(m))
		if d, err := datasets.Describe(s.Data.Name); err == nil && key == "data" {
			_, reason := a.library().Available(s.Data.Name)
			fact("", "%s", d.Title)
			fact("", "%s: %s", a.here(s.Data.Name), reason)
		}
	}
	fact("seeds", "%d", e.Seeds)
	if argument(s) == s.ID && len(e.Claims) > 0 { // of the catalog
		if scores, err := shippedScores([]claims.Stake{{Experiment: s.ID, Claims: len(s.Experiment().Original.Claims)}}); err == nil {
			fact("score", "%v, at the paper's size", scores[s.ID])
		}
	}

	g := terminal.Table{Head: []string{"id", "algorithm", "seeds", "budget", "settings"}, Right: []int{3}, Wrap: 5, Indent: "  "}
	for _, m := range e.Methods {
		g.Rows = append(g.Rows, []string{m.ID, m.Algorithm, fmt.Sprint(m.Seeds), pairs(m.Budget), pairs(m.Settings)})
	}
	a.section("methods", len(g.Rows), g)

	g = terminal.Table{Head: []string{"id", "kind", "published", "source", "statement"}, Wrap: 5, Indent: "  "}
	for _, c := range s.Experiment().Claims { // with their numbers in the units of verdicts
		number := c.Number()
		if number != "" {
			number += claims.UnitSign(c.Unit)
		}
		if c.Derived != "" {
			number += " (" + c.Origin() + ")"
		}
		g.Rows = append(g.Rows, []string{c.ID, c.Kind, terminal.OrDash(number), c.Source, c.Statement})
	}
	a.section("claims", len(g.Rows), g)

	g = terminal.Table{Head: []string{"id", "source", "title"}, Wrap: 3, Indent: "  "}
	for _, f := range e.Figures {
		g.Rows = append(g.Rows, []string{f.ID, terminal.OrDash(f.Source), f.Title})
	}
	for _, t := range e.Tables {
		g.Rows = append(g.Rows, []string{t.ID, terminal.OrDash(t.Source), t.Title})
	}
	a.section("figures and tables", len(g.Rows), g)

	if len(e.Ambiguities) > 0 {
		fmt.Fprintf(out, "\nwhat the paper leaves open\n")
	}
	for _, m := range e.Ambiguities {
		out.Message("  %s: %s", m.Item, m.Chosen)
		for _, alt := range m.Alternatives {
			out.Message("    or: %s", alt)
		}
		out.Message("    why: %s", m.Why)
	}
}

// section prints a titled table, or nothing if it has no rows.
func (a *app) section(title string, rows int, g terminal.Table) {
	if rows > 0 {
		fmt.Fprintf(a.Stdout, "\n%s\n", title)
		a.Stdout.Table(g)
	}
}

// inline writes settings as TOML on one line.
func inline(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + pairs(v) + " }"
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			items[i] = inline(e)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		return strconv.Quote(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(v)
}

// pairs writes the keys and values of a TOML table without its braces. The key that names a thing comes first. Keys without
// a value are left out.
func pairs(m map[string]any) string {
	var keys []string
	for k, v := range m {
		if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) {
			keys = append(keys, k)
		}
	}
	naming := []string{"schedule", "rule", "name"}
	slices.SortFunc(keys, func(a, b string) int {
		if d := slices.Index(naming, b) - slices.Index(naming, a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, k := range keys {
		keys[i] = k + " = " + inline(m[k])
	}
	return strings.Join(keys, ", ")
}

func newNew(a *app) *cobra.Command {
	base := ""
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a small spec to start from",
		Long: `New writes NAME.toml, a commented spec that compares two methods on generated data and runs in seconds.
With --base it writes five lines over an experiment of the catalog instead: they say what differs.
It does not overwrite a file. docs/spec.md explains every key of a spec.`,
		Example: `  repro new my
  repro new mine --base dai2014/ridge
  repro run my.toml
  repro list --algorithms             other methods that the spec can use`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s: give one name, as in %s; got %d", cmd.Name(), printed.Command("new my"), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return a.writeStarter(args[0], base) },
	}
	cmd.Flags().StringVar(&base, "base", "", "`id` of the experiment that the spec is laid over")
	return cmd
}

// writeStarter writes the starter spec to a new file, over the experiment base if it is not empty.
func (a *app) writeStarter(name, base string) error {
	name = strings.TrimSuffix(name, ".toml")
	file, text := name+".toml", experiments.Starter()
	if err := experiments.CheckFile(file); err != nil {
		return err
	}
	if base != "" {
		spec, err := experiments.Load(experiments.Ref{ID: base}, experiments.LoadOptions{})
		if err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		text = experiments.StarterOver(spec, filepath.Base(name))
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", file)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	a.Note("wrote %s; run it with: %s", file, printed.Command("run "+file))
	return nil
}

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, for editors",
		Long: `Schema prints the JSON Schema (draft 2020-12) of a spec. An editor uses it to complete the keys of a TOML
file and to mark mistakes. Save the schema, and name its file in the first line of the spec.`,
		Example: `  repro schema > schema.json
  # first line of a spec beside it:
  #   #:schema schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(experiments.Schema())
			return err
		},
	}
}
