package claims

import "repro/results/records"

// A Case is an experiment with the verdicts on its claims: what commands judge, reports show and exports describe.
type Case struct {
	Experiment
	Verdicts []Verdict // in the order of the claims
}

// NewCase judges the claims of an experiment from records, among which there may be those of others.
func NewCase(exp Experiment, recs []*records.Record) Case {
	return Case{Experiment: exp, Verdicts: Judge(exp, recs)}
}
