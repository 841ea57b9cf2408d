package runner

import (
	"math"

	"repro/results/records"
)

// replay writes the record of a cell whose curve is in a file.
func (x *cellRun) replay() error {
	curve, table, err := x.cell.Curve()
	if err != nil {
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
	x.tell(x.event(Started))
	for _, p := range curve.Points {
		values := map[string]*float64{}
		for i, m := range table.Metrics {
			if v := p.Values[i]; p.Has(i) {
				if values[m.Name] = nil; !math.IsNaN(v) && !math.IsInf(v, 0) {
					values[m.Name] = &v
				}
			}
		}
		x.Step = p.Step
		if err := x.record.Point(records.Point{Step: p.Step, Epoch: p.Epoch, Values: values, Timing: records.PointTiming{Train: p.Seconds}}); err != nil {
			return err
		}
	}
	end := ending{records.Done, "the file has no more points"}
	if curve.Broken != "" {
		end = ending{records.Diverged, curve.Broken}
	}
	return x.finish(end)
}
