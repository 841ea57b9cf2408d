package figures

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A Caption is a list of sentences.
type Caption []string

// Add adds a sentence, unless it is empty. It ends it with a full stop if it has no end.
func (c *Caption) Add(format string, args ...any) {
	if s := Sentence(fmt.Sprintf(format, args...)); s != "" {
		*c = append(*c, s)
	}
}

// String returns the sentences as a paragraph.
func (c Caption) String() string { return strings.Join(c, " ") }

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

// drawn returns the records of the methods that the figure draws.
func (b *Builder) drawn() []*records.Record {
	var recs []*records.Record
	for _, s := range b.Series() {
		for _, m := range append(slices.Clone(s.Members), s.Method) {
			recs = append(recs, records.Select(b.Records, m)...)
		}
	}
	return recs
}

// endCaption adds the verdicts on the figure's claims, how the runs differ from the paper's, and missing data.
func (b *Builder) endCaption(c *Caption) {
	var numbers []claims.Verdict
	for _, id := range b.Spec.Claims {
		for _, v := range b.Verdicts {
			switch {
			case v.Claim != id:
			case v.Column != "":
				numbers = append(numbers, v)
			default:
				c.Add("%s", verdictSentence(b.Experiment, v))
			}
		}
	}
	c.Add("%s", columnsSentence(numbers))
	if s := b.Experiment.Departure(b.drawn()); s != "" {
		c.Add("These runs have %s", s)
	}
	if s := b.partialSentence(); s != "" {
		c.Add("%s", s)
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
func (b *Builder) partialSentence() string {
	have := map[string]bool{}
	odd := map[records.Status]int{}
	for _, r := range b.Records {
		have[r.Header.Cell] = true
		switch s := r.Status(); s {
		case records.Partial, records.Timeout, records.Failed, records.Skipped:
			odd[s]++
		}
	}
	missing := 0
	for _, p := range b.Experiment.Expected {
		if !have[p.Cell] {
			missing++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without a record", missing, printed.Count(len(b.Experiment.Expected), "planned run")))
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
