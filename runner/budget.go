package runner

import (
	"fmt"

	"repro/results/records"
)

// timeOf returns the seconds that the cell named by budget.time_of spent inside Step.
func (x *cellRun) timeOf() (float64, error) {
	if len(x.cell.Needs) == 0 {
		return 0, fmt.Errorf("budget.time_of: the plan has no cell of method %s with seed %d; run it too", x.budget.TimeOf, x.cell.Seed)
	}
	f := records.Find(x.Out, x.cell.Experiment, x.cell.Needs[0], nil)
	if !f.Complete() || len(f.Points) == 0 {
		path := records.Path(x.Out, x.cell.Experiment, x.cell.Needs[0])
		return 0, fmt.Errorf("budget.time_of: %s is not complete, so its time is unknown; run method %s too", path, x.budget.TimeOf)
	}
	return f.Points[len(f.Points)-1].Timing.Train, nil
}
