// Package records holds the record of every cell, one file or a part of a pack, a run of a method at a seed: its format, the writer and
// the reader, what an output folder has of a cell (Find), the store of an output folder, and the comparison of two stores. It
// also says what the points of a record can be read against (Abscissae) and where (At).
//
// A record is JSON Lines: a header, points, and an end line with a status in words. Without an end line it is partial: that
// is what a killed run leaves, and its last line may be cut. What may differ between two runs of one cell (times, threads,
// processor) is inside objects called timing (Varying); without them and the checksums the bytes are equal. The counters are
// those of training.
//
// Every line ends with a checksum, its key sum: the first 16 hexadecimal digits of the SHA-256 of the record up to there,
// all 64 in the end line. A line that was edited, deleted, doubled, swapped or inserted does not match, nor do the lines
// after it. Such a record is an error with file and line: run computes its cell again; judge and doctor leave it
// out with a warning. A reader allocates at most 96 times the bytes it reads, plus a mebibyte. Checksums show faults of disks
// and hands, not forgery: anyone can compute them.
//
// Package files reads and writes the files.
package records

import "repro/results/builds"

// Status says how a cell ended. A missing, killed or diverged run is a status, never a number and
// never a pass.
type Status string

const (
	Done     Status = "done"     // the method had nothing more to do
	Budget   Status = "budget"   // the budget was spent
	Diverged Status = "diverged" // the iterate left the finite numbers
	Timeout  Status = "timeout"  // a time limit other than the experiment's budget was hit
	Memory   Status = "memory"   // a limit of memory was hit
	Failed   Status = "failed"   // an error; see End.Reason
	Skipped  Status = "skipped"  // the method does not apply, or its data is absent
	Partial  Status = "partial"  // no end line: interrupted, or still running. Never written.
)

// Complete reports whether a cell that ended with this status needs no further run. Cells that failed, were
// skipped or hit a time limit run again.
func (s Status) Complete() bool { return s == Done || s == Budget || s == Diverged }

// Schema is the version of the record format. Every line ends with a checksum, its key "sum", of which only the writer and the
// reader know; no field of Header, Point and End holds it.
const Schema = 2

// A Header is the first line of a record: what ran.
type Header struct {
	Line       string             `json:"line"` // "header"
	Schema     int                `json:"schema"`
	Experiment string             `json:"experiment"` // paper/name
	Cell       string             `json:"cell"`       // method and seed, unique in the experiment
	Method     string             `json:"method"`     // id of the method in the spec
	Label      string             `json:"label"`      // its name in figures
	Algorithm  string             `json:"algorithm"`
	Seed       uint64             `json:"seed"`
	Profile    string             `json:"profile"`
	Settings   map[string]any     `json:"settings"`           // everything that decides the numbers, with defaults resolved
	Digest     string             `json:"digest"`             // SHA-256 of Settings; records with the same digest ran the same thing
	Resolved   map[string]float64 `json:"resolved,omitempty"` // what the data decided: n, d, nu, sigma, total steps
	Provenance Provenance         `json:"provenance"`
	Timing     HeaderTiming       `json:"timing"`
}

// Provenance says where the numbers come from, except how fast the machine was.
type Provenance struct {
	builds.Program
	Precision  string       `json:"precision"`
	Data       []DataDigest `json:"data"`
	Substitute string       `json:"substitute,omitempty"` // why the data is not the paper's, if it is not
	Timed      bool         `json:"timed"`                // the cell ran alone on the machine, so that its seconds can be compared
	Exempt     string       `json:"exempt,omitempty"`     // why a second run may differ (a budget in seconds)
	Source     string       `json:"source,omitempty"`     // Imported, empty if the runner ran the method
	External   *External    `json:"external,omitempty"`   // the program that ran, if the method is one
}

// Imported is the source of a record whose points were read from a file, which is the only one of its data. Nothing is known of
// the run behind it, and it cannot run again.
const Imported = "imported"

// External describes a program that ran as a method. Its commands keep the placeholders {dir}, for the spec's folder,
// and {threads} as the spec writes them, because their values depend on the machine.
type External struct {
	Train   []string `json:"train,omitempty"`
	Predict []string `json:"predict,omitempty"`
	Serve   []string `json:"serve,omitempty"`
	Run     []string `json:"run,omitempty"`
	Version string   `json:"version,omitempty"` // as the program says it, or why it is unknown
	Clock   string   `json:"clock,omitempty"`   // whose the seconds are, if not the runner's
}

// A DataDigest names one input file, or one generator with its parameters.
type DataDigest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of the uncompressed content, or of the generator's description
	Rows   int    `json:"rows"`

	Differs string `json:"differs,omitempty"` // how the file is known to differ from the published one
}

// HeaderTiming holds the fields of a header in which two runs of one cell may differ.
type HeaderTiming struct {
	Started string `json:"started"` // RFC 3339
	Host    string `json:"host"`    // operating system and architecture
	CPU     string `json:"cpu"`
	ISA     string `json:"isa,omitempty"` // instruction set of the compute core: avx512, avx2 or generic; older records have none
	Threads int    `json:"threads"`
}

// A Point is one evaluation.
type Point struct {
	Line     string              `json:"line"` // "point"
	Step     int                 `json:"step"`
	Seen     int64               `json:"seen"`  // training examples used so far, repeats counted
	Epoch    float64             `json:"epoch"` // Seen over the training set's size
	Counters Counters            `json:"counters"`
	Values   map[string]*float64 `json:"values"` // by metric; null where not finite
	Timing   PointTiming         `json:"timing"`
}

// Counters are the costs of training that do not depend on the machine.
type Counters struct {
	KernelEvals  int64 `json:"kernel_evals"`
	FeatureEvals int64 `json:"feature_evals"`
	Flops        int64 `json:"flops"`
	Bytes        int64 `json:"bytes"`  // bytes that the operators moved
	Memory       int64 `json:"memory"` // bytes that the predictor needs
}

// PointTiming holds seconds inside Start and Step only.
type PointTiming struct {
	Setup float64 `json:"setup_seconds"`
	Train float64 `json:"train_seconds"` // of all steps, without Setup
}

// An End is the last line of a record.
type End struct {
	Line   string            `json:"line"` // "end"
	Status Status            `json:"status"`
	Reason string            `json:"reason"` // with the number that triggered it
	Steps  int               `json:"steps"`
	Limit  float64           `json:"limit,omitempty"` // of [limits], which ended the cell: seconds, or GiB of memory
	Files  map[string]string `json:"files,omitempty"` // SHA-256 of what the cell wrote to predictions/<experiment>, by name
	Timing EndTiming         `json:"timing"`
}

// EndTiming holds the fields of an end line in which two runs of one cell may differ.
type EndTiming struct {
	Finished string  `json:"finished"` // RFC 3339
	Wall     float64 `json:"wall_seconds"`
}

// A Record is what one cell's run wrote. End is nil if the run was interrupted; the points before that are usable. Records that were
// read share the tables of their headers: nobody may change these.
type Record struct {
	Header Header
	Points []Point
	End    *End
}

// Status returns how the cell ended, Partial if it has no end line.
func (r *Record) Status() Status {
	if r.End == nil {
		return Partial
	}
	return r.End.Status
}

// Ending returns the status in words, followed by the reason if there is one.
func (r *Record) Ending() string {
	s := string(r.Status())
	if r.End != nil && r.End.Reason != "" {
		s += ": " + r.End.Reason
	}
	return s
}

// Absent reports whether the record says that the file of an imported method has no curve of a seed.
func (r *Record) Absent() bool {
	return r.Header.Provenance.Source == Imported && r.Status() == Skipped
}
