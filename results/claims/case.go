package claims

import "repro/results/records"

// A Case is an experiment with all that is known of it: what commands judge, reports show and exports describe.
type Case struct {
	Experiment
	Records  []*records.Record // those that belong to the experiment
	Verdicts []Verdict         // on its claims, in their order
	Shipped  []Verdict         // those of the program's own runs at the papers' sizes; nil if nobody asked
}

// NewCase judges the claims of an experiment from records, among which there may be those of others.
func NewCase(exp Experiment, recs []*records.Record) Case {
	return Case{Experiment: exp, Records: exp.Records(recs), Verdicts: Judge(exp, recs)}
}
