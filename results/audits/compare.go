package audits

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"repro/results/builds"
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

// An Audit is one line of the log of audits.
type Audit struct {
	Time           string    `json:"time"` // RFC 3339
	Bundle         string    `json:"bundle"`
	SHA256         string    `json:"sha256"`            // of the bundle
	Made           string    `json:"made"`              // commit of the program that made the bundle
	MadeIn         string    `json:"made_in,omitempty"` // module of that program, if it is not repro itself
	builds.Program           // that ran the cells again
	Host           string    `json:"host"`
	CPU            string    `json:"cpu"`
	ISA            string    `json:"isa"`
	Seed           uint64    `json:"seed"`     // of the draw
	Budget         float64   `json:"budget"`   // seconds, 0 for none
	Predicted      float64   `json:"seconds"`  // that the sample was to take
	Records        int       `json:"records"`  // in the bundle
	Faults         int       `json:"faults"`   // of the bundle: damaged records, and entries that are not those of its manifest
	Cells          int       `json:"cells"`    // that could be drawn
	Sample         int       `json:"sample"`   // that were drawn
	Same           int       `json:"same"`     // of the sample
	Close          int       `json:"close"`    // likewise
	Differs        int       `json:"differs"`  // likewise
	Failed         int       `json:"failed"`   // likewise
	LeftOut        []LeftOut `json:"left_out"` // cells that could not be drawn, by reason
	Chances        []Chance  `json:"chances"`
	Outcomes       []Outcome `json:"outcomes"`
	Before         string    `json:"before,omitempty"` // SHA-256 of the line before in the log, of nothing in the first; empty in lines of older programs
}

// A LeftOut counts cells that an audit cannot run again.
type LeftOut struct {
	Reason string `json:"reason"`
	Cells  int    `json:"cells"`
}

// A Chance says how likely a sample was to find wrong cells, had there been some.
type Chance struct {
	Fraction float64 `json:"fraction"` // of the cells that could be drawn
	Wrong    int     `json:"wrong"`    // that many cells
	Random   float64 `json:"random"`   // if any set of cells is as likely to be wrong as any other
	Least    float64 `json:"least"`    // if a forger chose the cells that are drawn most rarely
}

// Fractions are the fractions of wrong cells whose chances an audit prints.
var Fractions = []float64{0.01, 0.05, 0.1}

// Chances returns the chances of a design.
func (d *Design) Chances() []Chance {
	var all []Chance
	for _, f := range Fractions {
		wrong := Wrong(f, d.Cells)
		random, least := d.Detection(wrong)
		all = append(all, Chance{f, wrong, random, least})
	}
	return all
}

// Count adds up the outcomes.
func (a *Audit) Count() {
	a.Same, a.Close, a.Differs, a.Failed = 0, 0, 0, 0
	for _, o := range a.Outcomes {
		switch o.State {
		case Same:
			a.Same++
		case Close:
			a.Close++
		case Differs:
			a.Differs++
		case Failed:
			a.Failed++
		}
	}
}

// Status returns the exit status of an audit: 0 if all cells are the same or close, 1 if one differs or the bundle has faults,
// 4 if there are none, 5 if a run failed.
func (a *Audit) Status() int {
	switch {
	case a.Failed > 0:
		return 5
	case a.Differs > 0, a.Faults > 0:
		return 1
	case len(a.Outcomes) == 0:
		return 4
	}
	return 0
}
