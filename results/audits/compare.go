package audits

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// A State is the outcome of running a cell of a bundle again.
type State string

const (
	Same    State = "same"    // the same bits
	Close   State = "close"   // within the tolerance, where the processor may decide the last bits
	Differs State = "differs" // a value, a count or a setting is another one
	Failed  State = "failed"  // it did not end as the recorded run did, because it failed or was interrupted
)

// An Outcome is the comparison of a cell that ran again with its record.
type Outcome struct {
	Experiment string `json:"experiment"`
	Cell       string `json:"cell"`
	State      State  `json:"state"`
	Reason     string `json:"reason"`
}

// Compare compares a record with that of the same cell run again, which is nil if there is none. Everything that a verdict may
// use must be the same: values, statuses, counts, settings, data and what the data decided, but no times. If sameBits is
// false, the processor may decide the last bits, and numbers may differ by tolerance relative to the larger.
func Compare(recorded, again *records.Record, sameBits bool, tolerance float64) Outcome {
	h := recorded.Header
	o := Outcome{Experiment: h.Experiment, Cell: h.Cell}
	set := func(s State, format string, args ...any) Outcome {
		o.State, o.Reason = s, fmt.Sprintf(format, args...)
		return o
	}
	if again == nil {
		return set(Failed, "it left no record")
	}
	if s := again.Status(); s != recorded.Status() && !s.Complete() {
		return set(Failed, "it ended as %s, the recorded run as %s", again.Ending(), recorded.Ending())
	}
	if sameBits {
		tolerance = 0
	}
	if why := headers(h, again.Header, tolerance); why != "" {
		return set(Differs, "%s", why)
	}
	d := records.Compare(&records.Store{Records: []*records.Record{recorded}}, &records.Store{Records: []*records.Record{again}}, tolerance)[0]
	if d.State != records.Same && d.State != records.Close {
		return set(Differs, "%s", strings.ReplaceAll(d.Reason, "the baseline", "the record"))
	}
	if why := counts(recorded, again); why != "" {
		return set(Differs, "%s", why)
	}
	if sameBits && !maps.Equal(recorded.End.Files, again.End.Files) {
		return set(Differs, "its files of predictions have other bytes than the record says")
	}
	if d.State == records.Close {
		return set(Close, "%s", d.Reason)
	}
	return set(Same, "%s", d.Reason)
}

// headers returns what two headers of one cell differ in, empty if nothing that a verdict may use does.
func headers(a, b records.Header, tolerance float64) string {
	if all := records.Differences(a.Settings, b.Settings); len(all) > 0 {
		d := all[0]
		return fmt.Sprintf("its setting %s is %s in the record, and %s in the spec", d.Key, d.Here, d.There)
	}
	p, q := a.Provenance, b.Provenance
	switch {
	case !slices.Equal(p.Data, q.Data):
		return fmt.Sprintf("ran on %s, the record names %s", dataNames(q.Data), dataNames(p.Data))
	case p.Substitute != q.Substitute:
		return fmt.Sprintf("the record says of its data %q, this run %q", p.Substitute, q.Substitute)
	case p.Precision != q.Precision || p.Timed != q.Timed || p.Exempt != q.Exempt || a.Algorithm != b.Algorithm || a.Method != b.Method || a.Seed != b.Seed:
		return "the record names another method, seed, precision, budget or timing than its spec"
	}
	for _, key := range slices.Sorted(maps.Keys(b.Resolved)) {
		x, ok := a.Resolved[key]
		if y := b.Resolved[key]; !ok || math.Abs(x-y) > tolerance*max(math.Abs(x), math.Abs(y)) {
			return fmt.Sprintf("its %s is %s, in the record %s", key, printed.Digits(y, 17), printed.Digits(x, 17))
		}
	}
	if len(a.Resolved) != len(b.Resolved) {
		return "the record has values that follow from the data and that this run does not have"
	}
	return ""
}

func dataNames(all []records.DataDigest) string {
	var names []string
	for _, d := range all {
		names = append(names, fmt.Sprintf("%s (%d rows, SHA-256 %.12s…)", d.Name, d.Rows, d.SHA256))
	}
	return printed.List(names)
}

// counts returns what two curves with the same steps differ in besides their values, empty if nothing does.
func counts(a, b *records.Record) string {
	for i, p := range a.Points {
		q := b.Points[i]
		if p.Seen != q.Seen || p.Epoch != q.Epoch {
			return fmt.Sprintf("has seen %d examples at step %d, the record says %d", q.Seen, q.Step, p.Seen)
		}
		if p.Counters != q.Counters {
			return fmt.Sprintf("its counters at step %d are %+v, in the record %+v", q.Step, q.Counters, p.Counters)
		}
		for m := range p.Values {
			if _, ok := q.Values[m]; !ok {
				return fmt.Sprintf("the record has a %s at step %d, which this run did not measure", m, p.Step)
			}
		}
	}
	if a.End.Steps != b.End.Steps {
		return fmt.Sprintf("took %d steps, the record says %d", b.End.Steps, a.End.Steps)
	}
	return ""
}

// SameBits reports whether a run of this program on the given host and instruction set must give the bits of a record: on the
// same architecture, with vector code if the record was made with it and with portable code if not. A record that does not
// name its instruction set counts as made with vector code on amd64, where every processor since 2013 has it. host is the
// operating system and the architecture, as in records.
func SameBits(recorded records.HeaderTiming, host, isa string) bool {
	_, a, _ := strings.Cut(recorded.Host, "/")
	_, b, _ := strings.Cut(host, "/")
	const portable = "generic"
	return a == b && (recorded.ISA == portable || recorded.ISA == "" && a != "amd64") == (isa == portable)
}
