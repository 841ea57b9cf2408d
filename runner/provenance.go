package runner

import (
	"fmt"
	"runtime"

	"repro/algos/compute"
	"repro/results/builds"
	"repro/results/records"
)

// header returns the header of the cell's record. If the cell did not start, it leaves out what is not known then.
func (x *cellRun) header() records.Header {
	c := x.cell
	h := records.Header{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Label: c.Method.Label,
		Algorithm: c.Method.Algorithm, Seed: c.Seed, Profile: c.Spec.Profile, Settings: c.Settings, Digest: c.Digest,
		Provenance: records.Provenance{Program: builds.This()},
		Timing: records.HeaderTiming{
			Started: now(), Host: runtime.GOOS + "/" + runtime.GOARCH, CPU: compute.Processor(), ISA: compute.ISA(), Threads: x.threads,
		},
	}
	h.Provenance.Precision, h.Provenance.Timed = string(x.engine.Precision()), c.Spec.Repeat.Timed
	if x.seconds > 0 {
		h.Provenance.Exempt = fmt.Sprintf("a budget of %.6g seconds ends it", x.seconds)
	}
	if x.prog != nil {
		h.Provenance.External = x.prog.record
	}
	if x.instance != nil {
		h.Resolved = x.instance.resolved
		h.Provenance.Substitute = x.instance.data.Substitute
		for _, f := range x.instance.data.Files {
			h.Provenance.Data = append(h.Provenance.Data, records.DataDigest{Name: f.Name, SHA256: f.SHA256, Rows: f.Rows})
		}
	}
	return h
}
