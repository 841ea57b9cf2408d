package figures

import (
	"fmt"
	"slices"
	"strings"

	"repro/results/claims"
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

// columnsSentence counts the verdicts on the numbers of whole columns of tables.
func columnsSentence(verdicts []claims.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	var sources, origins []string
	for _, v := range verdicts {
		sources, origins = AppendNew(sources, v.Source), AppendNew(origins, v.Origin())
	}
	s := "Verdicts on " + strings.Join(origins, " and ") + " numbers"
	if len(sources) > 0 {
		s += " (" + strings.Join(sources, ", ") + ")"
	}
	return s + ": " + claims.ScoreOf(verdicts).String()
}

// What the sentences of a caption on the axes and on a claim begin with.
const (
	AxesSentence  = "Horizontal: "
	ClaimSentence = "Claim "
)

// verdictSentence returns a verdict as a sentence: the measured and the published number, and the word.
func verdictSentence(exp claims.Experiment, v claims.Verdict) string {
	s := ClaimSentence + v.Claim
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

// gridWords names the keys of grids that figures can be drawn across.
var gridWords = map[string]string{
	"data.inputs": "input dimension d",
	"data.train":  "training examples n",
	"features":    "number of features or landmarks r",
	"batch":       "batch size B",
	"block":       "block size F",
	"step.gamma0": "step size γ",
}

// CurveName returns the words for a metric or a cost of the experiment. A metric's words do not include its unit.
func CurveName(exp claims.Experiment, name string) string {
	return InWords(exp.Metric(name).Words, name)
}

// InWords returns the words for the metric or the cost of the given name. words are those of the metric.
func InWords(words, name string) string {
	base, average := strings.CutSuffix(name, records.AverageSuffix)
	if words == "" {
		words = AbscissaName(base)
	}
	if average {
		words += " of the averaged iterate"
	}
	return words
}

// AbscissaName returns the words for an abscissa, with its unit, or for a key of a grid.
func AbscissaName(x string) string {
	if a, ok := records.AbscissaOf(x); ok {
		return a.Label()
	}
	if words, ok := gridWords[x]; ok {
		return words
	}
	return strings.ReplaceAll(x, "-", " ")
}
