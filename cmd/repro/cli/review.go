package cli

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/results/changes"
	"repro/results/printed"
)

func newReview(a *app) *cobra.Command {
	var how acceptance
	var out *string
	cmd := &cobra.Command{
		Use:   "review [ID...]",
		Short: "Walk through the changes of the last check, and accept or skip each",
		Long: `Review shows the changes of the last check one after the other: the accepted curve and the new one, the numbers
and the verdicts. Claims that need the same changed cells come together. Answer a to accept, which asks for
the reason, s to skip, q to stop.`,
		Example: `  repro baseline review
  repro baseline review dai2014/ridge --out new`,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			a.out = *out
			if a.stdin == nil {
				return errors.New("there is nobody to ask: review needs a terminal; use " + printed.Command("baseline accept"))
			}
			return a.review(args, how)
		},
	}
	out = a.acceptFlags(cmd, &how)
	return cmd
}

func (a *app) review(args []string, how acceptance) error {
	all, err := a.pending(args, how)
	if err != nil {
		return err
	}
	answers := bufio.NewScanner(a.stdin)
	ask := func(question string) (string, bool) {
		a.note("%s", question)
		ok := answers.Scan()
		return strings.TrimSpace(answers.Text()), ok
	}
	shown := 0
	for _, p := range all {
		for _, bundle := range inseparable(p) {
			shown++
			a.showBundle(p, bundle)
			answer, ok := ask("accept, skip or quit? [a/s/q]")
			switch {
			case !ok || strings.HasPrefix(answer, "q"):
				return nil
			case !strings.HasPrefix(answer, "a"):
				continue
			}
			how.reason, _ = ask("why are the new numbers right?")
			how.claims = nil
			for _, c := range bundle {
				how.claims = append(how.claims, p.exp.ID+"#"+c.Claim)
			}
			if err := how.check(); err != nil {
				return err
			}
			if _, err := p.accept(how, a.note); err != nil {
				return err
			}
			if p.base, err = p.accepted.Read(p.exp.ID); err != nil {
				return err
			}
		}
		for _, s := range p.stale {
			a.note("%s: the accepted baseline has %s, which the spec does not have; %s removes it", p.exp.ID, s, printed.Command("baseline accept"))
		}
	}
	if shown == 0 {
		a.note("nothing to review: no claim in %s changed", a.out)
	}
	return nil
}

// inseparable splits the changes of an experiment into those that must be accepted together, because they need cells of the same
// changed methods. Equivalent changes are left out if nothing else is in their bundle.
func inseparable(p pending) [][]changes.Change {
	var all [][]changes.Change
	needs := map[string][]string{}
	for _, c := range p.exp.Claims {
		needs[c.ID] = c.Methods()
	}
	shares := func(c, d changes.Change) bool {
		return slices.ContainsFunc(needs[c.Claim], func(m string) bool { return slices.Contains(needs[d.Claim], m) })
	}
	for _, c := range p.changes {
		if c.Unchanged() {
			continue
		}
		joined := []changes.Change{c}
		all = slices.DeleteFunc(all, func(b []changes.Change) bool {
			if !slices.ContainsFunc(b, func(d changes.Change) bool { return shares(c, d) }) {
				return false
			}
			joined = append(slices.Clone(b), joined...)
			return true
		})
		all = append(all, joined)
	}
	return all
}

// showBundle prints changes with the curves of their methods.
func (a *app) showBundle(p pending, bundle []changes.Change) {
	a.stdout.message("%s", p.exp.ID)
	g := grid{head: changeHead, right: []int{2, 3}, indent: "  "}
	for _, c := range bundle {
		g.rows = append(g.rows, changeCells(c))
	}
	a.print(g)
	for _, c := range bundle {
		a.stdout.message("  %s: %s%s", claimName(c), c.Reason, newWord(c))
		before, after := sparklines(c.Before, c.After)
		if after != "" {
			a.stdout.message("    accepted %s  now %s", orDash(before), after)
		}
	}
	fmt.Fprintln(a.stdout)
}

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparklines draws two curves on one scale, logarithmic if all values are positive. A curve that is nil is empty.
func sparklines(before, after *changes.Curve) (b, a string) {
	var values []float64
	for _, c := range []*changes.Curve{before, after} {
		if c != nil {
			values = append(values, c.Y...)
		}
	}
	if len(values) == 0 {
		return "", ""
	}
	of := func(v float64) float64 { return v }
	if slices.Min(values) > 0 {
		of = math.Log
	}
	low, high := of(slices.Min(values)), of(slices.Max(values))
	draw := func(c *changes.Curve) string {
		if c == nil {
			return ""
		}
		var line []rune
		for _, v := range c.Y {
			k := 0
			if high > low {
				k = int(math.Round((of(v) - low) / (high - low) * float64(len(sparks)-1)))
			}
			line = append(line, sparks[k])
		}
		return string(line)
	}
	return draw(before), draw(after)
}
