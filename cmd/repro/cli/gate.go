package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A gate compares claims with an accepted state: the flags of check and compare, and the outcome.
type gate struct {
	baseline string // folder of the accepted baseline; empty for the default
	junit    string // files to write; empty for none
	markdown string
	github   bool // print annotations for GitHub

	compared gated
	specs    map[string]*experiments.Spec // by id
}

// A gated is what a gate found, as --json prints it.
type gated struct {
	With    string               `json:"compared_with"`
	Commit  string               `json:"accepted_commit,omitempty"` // of the accepted state; empty if experiments have several
	Status  int                  `json:"status"`
	Changes []changes.Change     `json:"changes"`
	Work    []changes.WorkChange `json:"work"`
	Stale   []stale              `json:"stale"`
	LeftOut []string             `json:"left_out"` // experiments whose data is not here
	Cells   []string             `json:"cells"`    // that check ran, as experiment and cell
}

// A stale is an accepted entry that the experiment does not have.
type stale struct {
	Experiment string `json:"experiment"`
	Entry      string `json:"entry"`
}

func (g *gate) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.baseline, "baseline", "", "folder of the accepted baseline; "+baseline.DefaultDir+" if it is there, else the one that comes with repro")
	f.StringVar(&g.junit, "junit", "", "write the outcome as JUnit XML to this file")
	f.StringVar(&g.markdown, "markdown", "", "write the outcome as a Markdown table to this file")
	f.BoolVar(&g.github, "github", false, "print GitHub annotations at the lines of the claims; on where GITHUB_ACTIONS is set")
	a.jsonFlag(cmd)
}

// add compares an experiment and adds its changes, undecided, to the outcome.
func (g *gate) add(exp claims.Experiment, base, now changes.Snapshot, how changes.Options) {
	o := &g.compared
	if len(o.Changes) == 0 {
		o.Commit = base.Commit
	} else if o.Commit != base.Commit {
		o.Commit = ""
	}
	o.Changes = append(o.Changes, changes.Compare(exp, base, now, how)...)
	o.Work = append(o.Work, changes.WorkChanges(base, now)...)
	for _, entry := range changes.Stale(exp, base) {
		o.Stale = append(o.Stale, stale{exp.ID, entry})
	}
}

// conclude sets the status and prints the outcome.
func (a *app) conclude(g *gate) error {
	o := &g.compared
	o.Status = claims.WorseStatus(o.Status, changes.Status(o.Changes))
	if len(o.Stale) > 0 {
		o.Status = claims.WorseStatus(o.Status, statusIncomplete)
	}
	o.Changes, o.Work, o.Stale, o.LeftOut, o.Cells = orEmpty(o.Changes), orEmpty(o.Work), orEmpty(o.Stale), orEmpty(o.LeftOut), orEmpty(o.Cells)
	var errs []error
	if a.json {
		errs = append(errs, printJSON(a.stdout, o))
	} else {
		a.printChanges(*o)
	}
	if g.junit != "" {
		text, err := g.junitXML()
		errs = append(errs, err, os.WriteFile(g.junit, text, 0o644))
	}
	if g.markdown != "" {
		errs = append(errs, os.WriteFile(g.markdown, []byte(o.markdownTable()), 0o644))
	}
	if g.github || os.Getenv("GITHUB_ACTIONS") != "" {
		for _, line := range g.annotations() {
			a.note("%s", line)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if o.Status != 0 {
		return exit{o.Status}
	}
	return nil
}

// acceptedOf returns the accepted snapshot of an experiment, an empty one if there is none.
func acceptedOf(base baseline.Accepted, id string) (changes.Snapshot, error) {
	s, err := base.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return changes.Snapshot{}, nil
	}
	return s, err
}

// take returns the snapshot of an experiment's records in a store.
func take(exp claims.Experiment, store *records.Store) changes.Snapshot {
	return changes.Take(exp, store.Records)
}

// place returns the file and the line of a change's claim. The file of a registered spec is that of a checkout, if the current
// folder is one.
func (g *gate) place(c changes.Change) (file string, line int) {
	s := g.specs[c.Experiment]
	if s == nil {
		return "", 0
	}
	file = s.File
	if _, err := os.Stat(file); err != nil {
		if _, err := os.Stat("experiments/" + file); err == nil {
			file = "experiments/" + file
		}
	}
	return file, s.ClaimLine(c.Claim)
}

// claimName names the claim of a change, with its rival if it has several numbers.
func claimName(c changes.Change) string {
	if c.Rival == "" {
		return c.Claim
	}
	return c.Claim + " against " + c.Rival
}

// changeCells returns the cells of a table of changes: claim, accepted, now, difference, margin, p and what would be found.
func changeCells(c changes.Change) []string {
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return printed.Number(*v)
	}
	margin, p := "-", "-"
	if c.Tested() {
		margin, p = c.MarginText(), printed.Digits(*c.Holm, 2)
	}
	return []string{claimName(c), number(c.Accepted), number(c.Now), orDash(c.DifferenceText()), margin, p, orDash(c.DetectableText()), string(c.State)}
}

// changeHead heads the columns of changeCells.
var changeHead = []string{"claim", "accepted", "now", "difference [95 %]", "margin", "p (Holm)", "found from", "verdict"}

// unchangedText counts what a table leaves out.
func unchangedText(n map[changes.State]int) string {
	s := fmt.Sprintf("%s unchanged", printed.Number(float64(n[changes.Identical])))
	if k := n[changes.NotReproducible]; k > 0 {
		s += fmt.Sprintf(", %d left out because the clock decides them", k)
	}
	if k := n[changes.NotRun]; k > 0 {
		s += fmt.Sprintf(", %d not run on either side", k)
	}
	return s
}
