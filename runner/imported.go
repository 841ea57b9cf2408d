package runner

import (
	"errors"
	"fmt"

	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
)

// replay writes the record of a cell whose curve is in a file.
func (x *cellRun) replay() error {
	curve, table, err := x.cell.Curve()
	if touched := x.cell.Touched(); err == nil && len(touched) > 0 {
		err = fmt.Errorf("%s changed while the run was going on; run the same command again", printed.List(touched))
	}
	absent := errors.Is(err, experiments.ErrAbsent)
	if err != nil && !absent {
		return x.giveUp(err)
	}
	h := x.header()
	h.Provenance.Source = records.Imported
	for _, f := range table.Files {
		h.Provenance.Data = append(h.Provenance.Data, records.DataDigest{Name: f.Name, SHA256: f.SHA256, Rows: f.Rows})
	}
	h.Timing.CPU, h.Timing.ISA, h.Timing.Threads = "", "", 0 // of whoever ran it
	if err := x.create(h); err != nil {
		return err
	}
	if absent {
		return x.finish(ending{records.Skipped, err.Error(), 0})
	}
	x.tell(x.event(Started))
	for i := range curve.Points {
		p := table.Recorded(&curve.Points[i])
		x.Step = p.Step
		if err := x.record.Point(p); err != nil {
			return err
		}
	}
	end := ending{records.Done, "the file has no more points", 0}
	if curve.Again > 0 {
		end.reason += fmt.Sprintf("; of %s, the file has a later value at the same x, which is taken", printed.Count(curve.Again, "value"))
	}
	if curve.Broken != "" {
		end = ending{records.Diverged, curve.Broken, 0}
	}
	return x.finish(end)
}
