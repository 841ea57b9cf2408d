package metrics

import "repro/algos"

var _ = Register(Metric{
	Name: "duality-gap", Words: "relative duality gap", Symbol: "(P - D)/|P|", Better: Smaller,
	Needs: Can[algos.Certifier]("knows its duality gap"),
	Doc:   "(P - D)/|P|, P the regularised objective over the training rows and D the dual objective: a bound of how far P is from its minimum; the largest over all outputs",
	Value: func(e *Evaluation) (float64, error) { return e.Fit.(algos.Certifier).RelativeGap(), nil },
})
