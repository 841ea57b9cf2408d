package runner

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"

	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
)

// A limitError is why a cell does not start: it would take more than [limits] allows.
type limitError ending

func (e *limitError) Error() string { return e.reason }

// within reports whether the limit that ended a cell has not grown since.
func within(c *experiments.Cell, end *records.End) bool {
	limit := c.Spec.Limits.Seconds
	if end.Status == records.Memory {
		limit = c.Spec.Limits.Memory
	}
	return limit > 0 && limit <= end.Limit
}

// planned returns a limitError if the cell is predicted to take more memory than it may.
func (x *cellRun) planned(ctx context.Context) error {
	most := x.cell.Spec.Limits.Memory
	if most == 0 {
		return nil
	}
	estimator := NewEstimator(x.threads, x.Library)
	defer estimator.Retire()
	e, err := estimator.Cell(ctx, x.cell)
	if err == nil && e.Bytes > most*(1<<30) {
		err = &limitError{records.Memory, fmt.Sprintf("needs %s as plan predicts, and limits.memory is %s GiB", printed.Bytes(e.Bytes), printed.Number(most)), most}
	}
	return err
}

// beyond returns how the cell ends because it has taken more than it may, nil if it has not.
func (x *cellRun) beyond() *ending {
	limits := x.cell.Spec.Limits
	if s := limits.Seconds; s > 0 && x.Setup+x.Train > s {
		return &ending{records.Timeout, fmt.Sprintf("has taken more than limits.seconds = %s, which must grow for it to go on", printed.Number(s)), s}
	}
	if m := limits.Memory; m > 0 && x.cell.Spec.Alone() && allocated() > m*(1<<30) {
		runtime.GC() // what nobody needs does not count
		if b := allocated(); b > m*(1<<30) {
			return &ending{records.Memory, fmt.Sprintf("the process has allocated %s, and limits.memory is %s GiB, which must grow for it to go on", printed.Bytes(b), printed.Number(m)), m}
		}
	}
	return nil
}

// allocated returns the bytes that this process has allocated, some of which may be garbage, but for the array that is never touched.
func allocated() float64 {
	all := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(all)
	return float64(all[0].Value.Uint64()) - float64(len(AllowGarbage()))
}
