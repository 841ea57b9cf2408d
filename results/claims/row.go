package claims

import (
	"path"
	"slices"
	"strings"
)

// A Row is one line of the scoreboard: a table, figure, theorem or section of a paper, and the experiments that reproduce
// it. Experiments are named without their paper. Each belongs to the one row that names it, and its claims count there,
// unless another row takes them.
type Row struct {
	ID          string   `toml:"id" json:"id" must:"yes" doc:"short name, unique in the paper"`
	Source      string   `toml:"source" json:"source" must:"yes" doc:"where it is in the paper"`
	What        string   `toml:"what" json:"what" must:"yes" doc:"what is compared"`
	Experiments []string `toml:"experiments" json:"experiments,omitempty" doc:"names of the experiments, or patterns such as losses-*"`
	Takes       []string `toml:"takes" json:"takes,omitempty" doc:"claims of experiments of other rows, as patterns such as nets-*#*-final"`
	Extension   bool     `toml:"extension" json:"extension,omitempty" doc:"the paper does not have it"`
}

// Has reports whether an experiment, named without its paper, belongs to the row.
func (r Row) Has(experiment string) bool {
	return slices.ContainsFunc(r.Experiments, func(pattern string) bool { return matches(pattern, experiment) })
}

// Named reports whether a pattern names a claim: EXPERIMENT#CLAIM, or CLAIM for that of any experiment. Both parts may have *
// and ?.
func Named(pattern, experiment, claim string) bool {
	e, c, ok := strings.Cut(pattern, "#")
	if !ok {
		return matches(pattern, claim)
	}
	return matches(e, experiment) && matches(c, claim)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// RowOf returns the row of an experiment, paper/name. If the paper has none for it, the experiment is a row of its own.
func (p Paper) RowOf(experiment string) Row {
	name := path.Base(experiment)
	for _, r := range p.Rows {
		if r.Has(name) {
			return r
		}
	}
	return Row{ID: name, Experiments: []string{name}}
}

// rowOfClaim returns the row in which a claim counts.
func (p Paper) rowOfClaim(experiment, claim string) Row {
	takes := func(pattern string) bool { return Named(pattern, path.Base(experiment), claim) }
	for _, r := range p.Rows {
		if slices.ContainsFunc(r.Takes, takes) {
			return r
		}
	}
	return p.RowOf(experiment)
}

// A RowVerdicts is a row with the verdicts that count in it.
type RowVerdicts struct {
	Row
	Verdicts []Verdict
}

// ByRow groups verdicts on claims of the paper by its rows: in the order of the rows, then those of experiments without a
// row. Rows without a verdict are left out.
func (p Paper) ByRow(verdicts []Verdict) []RowVerdicts {
	var groups []RowVerdicts
	for _, r := range p.Rows {
		groups = append(groups, RowVerdicts{Row: r})
	}
	for _, v := range verdicts {
		row := p.rowOfClaim(v.Experiment, v.Claim)
		i := slices.IndexFunc(groups, func(g RowVerdicts) bool { return g.ID == row.ID })
		if i < 0 {
			i = len(groups)
			groups = append(groups, RowVerdicts{Row: row})
		}
		groups[i].Verdicts = append(groups[i].Verdicts, v)
	}
	return slices.DeleteFunc(groups, func(g RowVerdicts) bool { return len(g.Verdicts) == 0 })
}
