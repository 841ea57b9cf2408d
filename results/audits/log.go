package audits

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"repro/datasets/regular"
)

// An Audit is one line of the log of audits.
type Audit struct {
	Time      string    `json:"time"` // RFC 3339
	Bundle    string    `json:"bundle"`
	SHA256    string    `json:"sha256"`  // of the bundle
	Made      string    `json:"made"`    // commit of the program that made the bundle
	Commit    string    `json:"commit"`  // of the program that ran the cells again
	Dirty     bool      `json:"dirty"`   // its files differ from the commit
	Version   string    `json:"version"` // of the program
	Go        string    `json:"go"`
	Host      string    `json:"host"`
	CPU       string    `json:"cpu"`
	ISA       string    `json:"isa"`
	Seed      uint64    `json:"seed"`     // of the draw
	Budget    float64   `json:"budget"`   // seconds, 0 for none
	Predicted float64   `json:"seconds"`  // that the sample was to take
	Records   int       `json:"records"`  // in the bundle
	Faults    int       `json:"faults"`   // of the bundle: damaged records, and entries that are not those of its manifest
	Cells     int       `json:"cells"`    // that could be drawn
	Sample    int       `json:"sample"`   // that were drawn
	Same      int       `json:"same"`     // of the sample
	Close     int       `json:"close"`    // likewise
	Differs   int       `json:"differs"`  // likewise
	Failed    int       `json:"failed"`   // likewise
	LeftOut   []LeftOut `json:"left_out"` // cells that could not be drawn, by reason
	Chances   []Chance  `json:"chances"`
	Outcomes  []Outcome `json:"outcomes"`
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

// Append adds the audit as a line of JSON to the log at path, which it makes if there is none.
func (a *Audit) Append(path string) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		if err := regular.Check(path, info); err != nil {
			return fmt.Errorf("cannot write the log of audits: %w; name another with --log", err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|regular.Nonblocking, 0o644)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write the log of audits: %w; name another with --log", err)
	}
	return nil
}
