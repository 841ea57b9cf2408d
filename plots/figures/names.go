package figures

import (
	"strings"

	"repro/results/claims"
	"repro/results/records"
)

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
