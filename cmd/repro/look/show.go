package look

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
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

	spec *experiments.Spec
}

type shownMethod struct {
	ID        string         `json:"id"`
	Label     string         `json:"label"`
	Algorithm string         `json:"algorithm"`
	Settings  map[string]any `json:"settings"`
	Budget    map[string]any `json:"budget"`
	Seeds     int            `json:"seeds"`
}

// A showRequest is what the flags of show say.
type showRequest struct {
	flags.Choice
	asTOML, json, schema bool
}

func newShow(t *terminal.Terminal) *cobra.Command {
	var r showRequest
	lib := flags.Library(t)
	cmd := &cobra.Command{
		Use:   "show ID... | show --schema",
		Short: "Show what an experiment claims and how it is set up",
		Long: `Show prints the paper, data, problem, methods, claims, figures and tables of an experiment, and what the
paper leaves open. It shows the values that a run at the profile would use, defaults included. --toml
prints the spec itself, to copy and change.

--schema prints the JSON Schema (draft 2020-12) of all specs, with which an editor completes keys and marks mistakes: save it, and
name its file in the first line of a spec, as in "#:schema schema.json".`,
		Example: `  repro show dai2014/ridge
  repro show dai2014/ridge --profile paper
  repro show dai2014/ridge --toml > mine.toml
  repro show --schema > schema.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if r.schema {
				return cobra.NoArgs(cmd, args)
			}
			return needID(cmd, args)
		},
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			if r.schema {
				_, err := t.Stdout.Write(experiments.Schema())
				return err
			}
			refs, err := catalog.Resolve(args)
			if err != nil {
				return err
			}
			if r.asTOML {
				return showTOML(t.Stdout, refs)
			}
			all, err := show(r.Choice, refs)
			if err != nil {
				return err
			}
			return t.Show(r.json, all, func() {
				for i, e := range all {
					if i > 0 {
						fmt.Fprintln(t.Stdout)
					}
					e.print(t.Stdout, lib)
				}
			})
		},
	}
	r.SpecFlags(cmd, flags.Usual)
	flags.JSON(cmd, &r.json)
	cmd.Flags().BoolVar(&r.schema, "schema", false, "print the JSON Schema of specs, for editors")
	cmd.Flags().BoolVar(&r.asTOML, "toml", false, "print the spec itself, laid out over its base if it has one")
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
func showTOML(o *terminal.Output, refs []catalog.Ref) error {
	for _, ref := range refs {
		text, _, err := catalog.Written(ref)
		if err != nil {
			return err
		}
		if _, err := o.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// show describes the specs that references name.
func show(c flags.Choice, refs []catalog.Ref) ([]shown, error) {
	specs, err := c.LoadSpecs(refs)
	if err != nil {
		return nil, err
	}
	all := make([]shown, len(specs))
	for i, s := range specs {
		all[i] = describe(s)
	}
	return all, nil
}

// describe returns what show prints of a spec. Settings are those of its cells.
func describe(s *experiments.Spec) shown {
	e := shown{
		ID: s.ID, File: s.File, Paper: s.PaperInfo, Title: s.Title, Source: s.Source, Notes: strings.TrimSpace(s.Notes),
		spec: s, Profile: s.Profile, Profiles: s.Profiles, Settings: map[string]any{}, Seeds: s.Repeat.Seeds,
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

// print prints an experiment for people.
func (e shown) print(o *terminal.Output, lib *datasets.Library) {
	e.printFacts(o, lib)
	e.printTables(o)
	e.printOpen(o)
}

// printFacts prints what there is one of in an experiment.
func (e shown) printFacts(o *terminal.Output, lib *datasets.Library) {
	fmt.Fprintf(o, "%s: %s\n\n", e.ID, e.Title)
	fact := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(o, "%-10s%s\n", name, strings.ReplaceAll(terminal.Filled(text, o.Width-10), "\n", "\n          "))
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
		if d, err := datasets.Describe(e.spec.Data.Name); err == nil && key == "data" {
			_, reason := lib.Available(e.spec.Data.Name)
			fact("", "%s", d.Title)
			fact("", "%s: %s", lib.Whereabouts(e.spec.Data.Name), reason)
		}
	}
	fact("seeds", "%d", e.Seeds)
	if e.spec.Argument() == e.ID && len(e.Claims) > 0 { // of the catalog
		exp := e.spec.Experiment()
		exp.Claims = exp.Original.Claims
		if verdicts, err := baseline.Verdicts(); err == nil {
			fact("score", "%v, at the paper's size", claims.ScoreOf(claims.Complete(exp, verdicts).Verdicts))
		}
	}
}

// printTables prints the methods, claims, figures and tables.
func (e shown) printTables(o *terminal.Output) {
	g := terminal.Table{Head: []string{"id", "algorithm", "seeds", "budget", "settings"}, Right: []int{3}, Wrap: 5, Indent: "  "}
	for _, m := range e.Methods {
		g.Rows = append(g.Rows, []string{m.ID, m.Algorithm, fmt.Sprint(m.Seeds), pairs(m.Budget), pairs(m.Settings)})
	}
	section(o, "methods", len(g.Rows), g)

	g = terminal.Table{Head: []string{"id", "kind", "published", "source", "statement"}, Wrap: 5, Indent: "  "}
	for _, c := range e.spec.Experiment().Claims { // with their numbers in the units of verdicts
		number := c.Number()
		if number != "" {
			number += claims.UnitSign(c.Unit)
		}
		if c.Derived != "" {
			number += " (" + claims.ByUs + ")"
		}
		g.Rows = append(g.Rows, []string{c.ID, c.Kind, printed.OrDash(number), c.Source, reading(c)})
	}
	section(o, "claims", len(g.Rows), g)

	g = terminal.Table{Head: []string{"id", "source", "title"}, Wrap: 3, Indent: "  "}
	for _, f := range e.Figures {
		g.Rows = append(g.Rows, []string{f.ID, printed.OrDash(f.Source), f.Title})
	}
	for _, t := range e.Tables {
		g.Rows = append(g.Rows, []string{t.ID, printed.OrDash(t.Source), t.Title})
	}
	section(o, "figures and tables", len(g.Rows), g)
}

// reading returns what a claim says, after the paper's words or what else it stands on.
func reading(c claims.Claim) string {
	switch {
	case c.Words != "":
		return fmt.Sprintf("the paper says \"%s\"; we read: %s", c.Words, c.Statement)
	case c.Drawn != "":
		return fmt.Sprintf("the figure shows: %s; we read: %s", c.Drawn, c.Statement)
	case c.Ours != "":
		return fmt.Sprintf("ours: %s; because: %s", c.Statement, c.Ours)
	case c.Derivation != "":
		return fmt.Sprintf("%s; %s: %s", c.Statement, claims.ByUs, c.Derivation)
	}
	return c.Statement
}

// printOpen prints what the paper leaves open.
func (e shown) printOpen(o *terminal.Output) {
	if len(e.Ambiguities) > 0 {
		fmt.Fprintf(o, "\nwhat the paper leaves open\n")
	}
	for _, m := range e.Ambiguities {
		o.Message("  %s: %s", m.Item, m.Chosen)
		for _, alt := range m.Alternatives {
			o.Message("    or: %s", alt)
		}
		o.Message("    why: %s", m.Why)
	}
}

// section prints a titled table, or nothing if it has no rows.
func section(o *terminal.Output, title string, rows int, g terminal.Table) {
	if rows > 0 {
		fmt.Fprintf(o, "\n%s\n", title)
		o.Table(g)
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
		items := printed.Each(v, inline)
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
