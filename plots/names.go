package plots

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

// curveName returns the words for a metric or a cost of the experiment. A metric's words do not include its unit.
func curveName(exp claims.Experiment, name string) string {
	return inWords(exp.Metric(name).Words, name)
}

// inWords returns the words for the metric or the cost of the given name. words are those of the metric.
func inWords(words, name string) string {
	base, average := strings.CutSuffix(name, records.AverageSuffix)
	if words == "" {
		words = abscissaName(base)
	}
	if average {
		words += " of the averaged iterate"
	}
	return words
}

// abscissaName returns the words for an abscissa, with its unit, or for a key of a grid.
func abscissaName(x string) string {
	if a, ok := records.AbscissaOf(x); ok {
		return a.Label()
	}
	if words, ok := gridWords[x]; ok {
		return words
	}
	return strings.ReplaceAll(x, "-", " ")
}
