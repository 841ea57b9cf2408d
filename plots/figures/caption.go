package figures

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A caption is a list of sentences.
type caption []string

func (c *caption) add(format string, args ...any) {
	if s := Sentence(fmt.Sprintf(format, args...)); s != "" {
		*c = append(*c, s)
	}
}

func (c caption) String() string { return strings.Join(c, " ") }

// Sentence ends a text with a full stop, unless it ends with one or is empty.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// AppendNew appends the values that are not empty and not there yet.
func AppendNew(list []string, values ...string) []string {
	for _, v := range values {
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// curvesCaption returns the caption of a figure of curves: axes, seeds, bands, guides, published values, runs that
// diverged, the verdicts on the figure's claims, and missing data.
func (b *builder) curvesCaption(m *Curves, curves []stats.Curve) string {
	var c caption
	c.add("%s", Typeset(b.fig.Caption))
	c.add("Horizontal: %s%s; vertical: %s%s", m.X.Label, logarithmic(m.X), m.Y.Label, logarithmic(m.Y))
	banded := slices.DeleteFunc(slices.Clone(curves), func(k stats.Curve) bool { return k.Statistic != "" })
	if len(banded) > 0 {
		c.add("%s", b.bandSentence(banded))
	}
	c.add("%s", statisticSentence(curves, len(banded) > 0))
	if len(m.Guides) > 0 {
		var slopes []string
		for _, g := range m.Guides {
			slopes = append(slopes, Number(g.Slope))
		}
		c.add("Grey lines are guides of slope %s; they are not fitted", strings.Join(slopes, " and "))
	}
	if len(m.Marks) > 0 {
		var origins []string
		for _, k := range m.Marks {
			origins = AppendNew(origins, k.Origin)
		}
		c.add("Dotted lines and rings mark %s values; their bars and bands show the interval of numbers that round to them", strings.Join(origins, " and "))
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

// statisticSentence names the statistics over seeds that are drawn. beside is true if medians with bands are drawn too.
func statisticSentence(curves []stats.Curve, beside bool) string {
	var names []string
	seeds := 0
	for _, k := range curves {
		if k.Statistic != "" {
			names, seeds = AppendNew(names, stats.StatisticName(k.Statistic)), max(seeds, k.Seeds)
		}
	}
	list := strings.Join(names, " and the ")
	switch {
	case len(names) == 0:
		return ""
	case !beside:
		return fmt.Sprintf("Lines are the %s over %s", list, printed.Count(seeds, "seed"))
	case len(names) == 1:
		return fmt.Sprintf("The %s has no band", list)
	}
	return fmt.Sprintf("The %s have no band", list)
}

// bandSentence says what lines and bands show. If bands differ between methods, it names the methods.
func (b *builder) bandSentence(curves []stats.Curve) string {
	var kinds []string
	of := map[string][]string{}
	for _, k := range curves {
		kind := k.Band
		if k.Seeds == 1 {
			kind = "none for a single seed"
		}
		kinds = AppendNew(kinds, kind)
		of[kind] = append(of[kind], b.label(k.Method))
	}
	if len(kinds) == 1 {
		if curves[0].Seeds == 1 {
			return "Every line is a single run, so there are no bands"
		}
		return fmt.Sprintf("Lines are medians over %s; bands: %s", printed.Count(curves[0].Seeds, "seed"), kinds[0])
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s (%s)", kind, strings.Join(of[kind], ", "))
	}
	return "Lines are medians over seeds; bands: " + strings.Join(kinds, "; ")
}

// divergedSentence names the methods that diverged, with the number of seeds.
func (b *builder) divergedSentence(curves []stats.Curve) string {
	var parts []string
	for _, k := range curves {
		if n := len(k.Diverged); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s of %s", n, printed.Count(k.Seeds, "seed"), b.label(k.Method)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "A cross marks where a run diverged: " + strings.Join(parts, ", ") + ". A seed that diverged counts as infinite from there on"
}

// heatCaption returns the caption of a row of heat maps.
func (b *builder) heatCaption(h *Heat) string {
	var c caption
	c.add("%s", Typeset(b.fig.Caption))
	if h.Classes != nil {
		c.add("Colour shows the class that f gives to x_{1} (horizontal) and x_{2} (vertical); lines are the boundaries between classes")
	} else {
		c.add("Colour shows %s over x_{1} (horizontal) and x_{2} (vertical), on the same scale from %s to %s in all panels", h.Label, Number(h.Min), Number(h.Max))
	}
	if len(h.Levels) > 0 {
		var levels []string
		for _, v := range h.Levels {
			levels = append(levels, Number(v))
		}
		c.add("The line is where %s is %s", h.Label, strings.Join(levels, " or "))
	}
	c.add("Each method is shown as its first seed learnt it")
	if h.clips() {
		c.add("Values beyond the scale have the colour of its end; grey marks values that are not finite")
	}
	b.endCaption(&c)
	return c.String()
}

// drawn returns the records of the methods that the figure draws.
func (b *builder) drawn() []*records.Record {
	var recs []*records.Record
	for _, s := range b.series() {
		for _, m := range append(slices.Clone(s.Members), s.Method) {
			recs = append(recs, records.Select(b.recs, m)...)
		}
	}
	return recs
}

// endCaption adds the verdicts on the figure's claims, how the runs differ from the paper's, and missing data.
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
	if s := b.exp.Departure(b.drawn()); s != "" {
		c.add("These runs have %s", s)
	}
	if s := b.partialSentence(); s != "" {
		c.add("%s", s)
	}
}

// columnsSentence counts the verdicts on the numbers of whole columns of tables.
func columnsSentence(verdicts []claims.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	var sources, origins []string
	for _, v := range verdicts {
		sources, origins = AppendNew(sources, v.Source), AppendNew(origins, v.Origin())
	}
	s := "Verdicts on " + printed.Count(len(verdicts), strings.Join(origins, " or ")+" number")
	if len(sources) > 0 {
		s += " (" + strings.Join(sources, ", ") + ")"
	}
	return s + ": " + claims.TallyOf(verdicts).String()
}

// verdictSentence returns a verdict as a sentence: the measured and the published number, and the word.
func verdictSentence(exp claims.Experiment, v claims.Verdict) string {
	s := "Claim " + v.Claim
	if v.Source != "" {
		s += " (" + v.Source + ")"
	}
	var parts []string
	if m := Measured(v); m != "" {
		what := string(v.Quantity())
		if what == "" {
			what = CurveName(exp, v.Metric)
		}
		parts = append(parts, what+" "+m)
	}
	if p := Published(v); p != "" {
		parts = append(parts, v.Origin()+" "+p)
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	return s + ": " + v.VerdictText()
}

// partialSentence counts the missing data: planned cells without a record, and runs that were interrupted, timed out,
// failed or were skipped.
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
		parts = append(parts, fmt.Sprintf("%d of %s without a record", missing, printed.Count(len(b.exp.Expected), "planned run")))
	}
	for _, s := range []records.Status{records.Partial, records.Timeout, records.Failed, records.Skipped} {
		if odd[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", odd[s], s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Data is incomplete: " + strings.Join(parts, ", ")
}
