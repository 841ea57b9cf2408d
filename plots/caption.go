package plots

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// A caption is put together from sentences.
type caption []string

func (c *caption) add(format string, args ...any) {
	if s := sentence(fmt.Sprintf(format, args...)); s != "" {
		*c = append(*c, s)
	}
}

func (c caption) String() string { return strings.Join(c, " ") }

// curvesCaption says what the figure shows: axes, seeds, bands, guides, published values, where runs
// diverged, the verdicts of its claims, and what is missing.
func (b *builder) curvesCaption(m *Curves, curves []stats.Curve) string {
	var c caption
	c.add("%s", b.fig.Caption)
	c.add("Horizontal: %s%s; vertical: %s%s", m.X.Label, logarithmic(m.X), m.Y.Label, logarithmic(m.Y))
	banded := slices.DeleteFunc(slices.Clone(curves), func(k stats.Curve) bool { return k.Statistic != "" })
	if len(banded) > 0 {
		c.add("%s", b.bandSentence(banded))
	}
	c.add("%s", statisticSentence(curves, len(banded) > 0))
	if len(m.Guides) > 0 {
		var slopes []string
		for _, g := range m.Guides {
			slopes = append(slopes, number(g.Slope))
		}
		c.add("Grey: guides of slope %s, not fits", strings.Join(slopes, " and "))
	}
	if len(m.Marks) > 0 {
		c.add("Dotted lines and rings are published values, with the interval of numbers that round to them")
	}
	if across := b.divergedSentence(curves); across != "" {
		c.add("%s", across)
	}
	b.endCaption(&c)
	return c.String()
}

func logarithmic(a Axis) string {
	if a.Log {
		return " (logarithmic)"
	}
	return ""
}

// statisticSentence says which statistics over seeds are drawn, beside medians with bands or alone.
func statisticSentence(curves []stats.Curve, beside bool) string {
	var names []string
	seeds := 0
	for _, k := range curves {
		if k.Statistic != "" {
			names, seeds = appendNew(names, stats.StatisticName(k.Statistic)), max(seeds, k.Seeds)
		}
	}
	list := strings.Join(names, " and the ")
	switch {
	case len(names) == 0:
		return ""
	case !beside:
		return fmt.Sprintf("Lines are the %s over %s", list, count(seeds, "seed"))
	case len(names) == 1:
		return fmt.Sprintf("The %s has no band", list)
	}
	return fmt.Sprintf("The %s have no band", list)
}

// bandSentence says what lines and bands are, and of which methods where they differ.
func (b *builder) bandSentence(curves []stats.Curve) string {
	var kinds []string
	of := map[string][]string{}
	for _, k := range curves {
		kind := k.Band
		if k.Seeds == 1 {
			kind = "no band, a single seed"
		}
		kinds = appendNew(kinds, kind)
		of[kind] = append(of[kind], b.label(k.Method))
	}
	if len(kinds) == 1 {
		if curves[0].Seeds == 1 {
			return "Every line is a single run of one seed, so there is no band"
		}
		return fmt.Sprintf("Lines are medians over %s; bands: %s", count(curves[0].Seeds, "seed"), kinds[0])
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s (%s)", kind, strings.Join(of[kind], ", "))
	}
	return "Lines are medians over seeds; bands: " + strings.Join(kinds, "; ")
}

// divergedSentence says which methods diverged.
func (b *builder) divergedSentence(curves []stats.Curve) string {
	var parts []string
	for _, k := range curves {
		if n := len(k.Diverged); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s of %s", n, count(k.Seeds, "seed"), b.label(k.Method)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "A cross marks where a run diverged: " + strings.Join(parts, ", ") + ". Diverged seeds count as infinite"
}

// heatCaption says what the panels show.
func (b *builder) heatCaption(h *Heat) string {
	var c caption
	c.add("%s", b.fig.Caption)
	c.add("Colour is f(x) over x_{1} (horizontal) and x_{2} (vertical), on one scale from %s to %s in all panels", number(h.Min), number(h.Max))
	c.add("Methods are shown as the first of their seeds learnt them")
	if h.clips() {
		c.add("Values beyond the scale have the colour of its end; grey is not finite")
	}
	b.endCaption(&c)
	return c.String()
}

// endCaption adds verdicts, profile and what is missing.
func (b *builder) endCaption(c *caption) {
	var numbers []claims.Verdict
	for _, id := range b.fig.Claims {
		for _, v := range b.verdicts {
			switch {
			case v.Claim != id:
			case v.Column != "":
				numbers = append(numbers, v)
			default:
				c.add("%s", verdictSentence(b.exp, v))
			}
		}
	}
	c.add("%s", columnsSentence(numbers))
	if reduced(b.exp) {
		c.add("Reduced profile %s: smaller than in the paper, so nothing here reproduces a published number", b.exp.Profile)
	}
	if s := b.partialSentence(); s != "" {
		c.add("%s", s)
	}
}

// columnsSentence counts the verdicts on numbers of whole columns of tables.
func columnsSentence(verdicts []claims.Verdict) string {
	var sources, parts []string
	for _, v := range verdicts {
		sources = appendNew(sources, v.Source)
	}
	for _, w := range verdictOrder {
		if n := len(slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.Verdict != w })); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", w, n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	s := "Verdicts on " + count(len(verdicts), "published number")
	if len(sources) > 0 {
		s += " (" + strings.Join(sources, ", ") + ")"
	}
	return s + ": " + strings.Join(parts, ", ")
}

// verdictSentence says a verdict as a caption does: what was measured, what is published, the word.
func verdictSentence(exp claims.Experiment, v claims.Verdict) string {
	s := "Claim " + v.Claim
	if v.Source != "" {
		s += " (" + v.Source + ")"
	}
	var parts []string
	if m := measured(v); m != "" {
		what := quantity(v)
		if what == quantityMetric {
			what = curveName(exp, v.Metric)
		}
		parts = append(parts, what+" "+m)
	}
	if p := published(v); p != "" {
		parts = append(parts, "published "+p)
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	s += ": " + string(v.Verdict)
	if v.AtSize != "" {
		s += fmt.Sprintf(" (at this size: %s)", v.AtSize)
	}
	return s
}

// partialSentence says which data is missing: planned cells without a record, and runs that were
// interrupted, failed or skipped.
func (b *builder) partialSentence() string {
	have := map[string]bool{}
	odd := map[records.Status]int{}
	for _, r := range b.recs {
		have[r.Header.Cell] = true
		switch s := r.Status(); s {
		case records.Partial, records.Timeout, records.Failed, records.Skipped:
			odd[s]++
		}
	}
	missing := 0
	for _, p := range b.exp.Expected {
		if !have[p.Cell] {
			missing++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without a record", missing, count(len(b.exp.Expected), "planned run")))
	}
	for _, s := range []records.Status{records.Partial, records.Timeout, records.Failed, records.Skipped} {
		if odd[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", odd[s], s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Partial data: " + strings.Join(parts, ", ")
}
