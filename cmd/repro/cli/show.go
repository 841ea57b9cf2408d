package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/datasets"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
)

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
prints the spec file itself, to copy and change.`,
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
	cmd.Flags().BoolVar(&asTOML, "toml", false, "print the spec file itself")
	return cmd
}

// needID refuses to go on without an argument.
func needID(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: give the id of an experiment, see %s, or the path of a .toml file", cmd.Name(), printed.Command("list"))
	}
	return nil
}

// showTOML prints specs as they are written.
func (a *app) showTOML(refs []experiments.Ref) error {
	for _, ref := range refs {
		text, err := specText(ref)
		if err != nil {
			return err
		}
		if _, err := a.stdout.Write(text); err != nil {
			return err
		}
	}
	return nil
}

func specText(ref experiments.Ref) ([]byte, error) {
	if ref.Path != "" {
		return experiments.ReadFile(ref.Path)
	}
	return experiments.Text(ref.ID)
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
		return printJSON(a.stdout, all)
	}
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(a.stdout)
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
		Claims: orEmpty(s.Claims), Figures: orEmpty(s.Figures), Tables: orEmpty(s.Tables), Ambiguities: orEmpty(s.Ambiguities),
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
	out := a.stdout
	fmt.Fprintf(out, "%s: %s\n\n", e.ID, e.Title)
	fact := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(out, "%-10s%s\n", name, strings.ReplaceAll(filled(text, out.width-10), "\n", "\n          "))
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

	g := grid{head: []string{"id", "algorithm", "seeds", "budget", "settings"}, right: []int{3}, wrap: 5, indent: "  "}
	for _, m := range e.Methods {
		g.rows = append(g.rows, []string{m.ID, m.Algorithm, fmt.Sprint(m.Seeds), pairs(m.Budget), pairs(m.Settings)})
	}
	a.section("methods", len(g.rows), g)

	g = grid{head: []string{"id", "kind", "published", "source", "statement"}, wrap: 5, indent: "  "}
	for _, c := range s.Experiment().Claims { // with their numbers in the units of verdicts
		number := c.Number()
		if number != "" {
			number += claims.UnitSign(c.Unit)
		}
		if c.Derived != "" {
			number += " (" + c.Origin() + ")"
		}
		g.rows = append(g.rows, []string{c.ID, c.Kind, orDash(number), c.Source, c.Statement})
	}
	a.section("claims", len(g.rows), g)

	g = grid{head: []string{"id", "source", "title"}, wrap: 3, indent: "  "}
	for _, f := range e.Figures {
		g.rows = append(g.rows, []string{f.ID, orDash(f.Source), f.Title})
	}
	for _, t := range e.Tables {
		g.rows = append(g.rows, []string{t.ID, orDash(t.Source), t.Title})
	}
	a.section("figures and tables", len(g.rows), g)

	if len(e.Ambiguities) > 0 {
		fmt.Fprintf(out, "\nwhat the paper leaves open\n")
	}
	for _, m := range e.Ambiguities {
		out.message("  %s: %s", m.Item, m.Chosen)
		for _, alt := range m.Alternatives {
			out.message("    or: %s", alt)
		}
		out.message("    why: %s", m.Why)
	}
}

// section prints a titled table, or nothing if it has no rows.
func (a *app) section(title string, rows int, g grid) {
	if rows > 0 {
		fmt.Fprintf(a.stdout, "\n%s\n", title)
		a.print(g)
	}
}
