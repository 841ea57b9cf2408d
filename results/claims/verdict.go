package claims

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Word says whether a claim holds.
type Word string

const (
	Reproduced    Word = "reproduced"     // the interval lies inside the accepted region
	Deviates      Word = "deviates"       // the interval lies outside
	Inconclusive  Word = "inconclusive"   // the interval straddles an edge of the region, or there is only one seed
	NotComparable Word = "not comparable" // ran at a reduced profile, on substitute data or, for seconds, on other hardware
	NotRun        Word = "not run"        // a run that the claim needs is missing
	Failed        Word = "failed"         // a run that the claim needs failed or diverged
)

// Words are the verdicts in the order in which they are counted.
var Words = []Word{Reproduced, Deviates, Inconclusive, NotComparable, NotRun, Failed}

// A Verdict is the outcome of one claim. Low and High bound the 95 % interval over seeds. A number is nil if there is
// none.
type Verdict struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Kind       string   `json:"kind"`
	Statement  string   `json:"statement"`
	Source     string   `json:"source"`
	Method     string   `json:"method"`
	Against    []string `json:"against,omitempty"`
	Metric     string   `json:"metric"`
	Unit       string   `json:"unit,omitempty"`
	Column     string   `json:"column,omitempty"` // the claim of kind values whose column holds the number

	Published     string      `json:"published"`
	PublishedLow  *float64    `json:"published_low"` // of its rounding interval
	PublishedHigh *float64    `json:"published_high"`
	Measured      *float64    `json:"measured"`
	Low           *float64    `json:"low"`
	High          *float64    `json:"high"`
	Tolerance     float64     `json:"tolerance"`
	Accept        [2]*float64 `json:"accept"` // the accepted region, in which the measured interval must lie; nil is unbounded

	Verdict Word   `json:"verdict"`
	AtSize  Word   `json:"at_this_size,omitempty"` // the word that the numbers alone would give, if Verdict is NotComparable
	Profile string `json:"profile"`
	Seeds   int    `json:"seeds"`
	Reason  string `json:"reason"`

	OneRun      *[2]float64         `json:"one_run,omitempty"`     // 95 % prediction interval of one more run, for a printed number
	Window      *[2]float64         `json:"window,omitempty"`      // x range a rate was fitted on
	Sensitivity []stats.Sensitivity `json:"sensitivity,omitempty"` // the rate in other windows
	Warnings    []string            `json:"warnings,omitempty"`
}

// WithinOneRun reports whether the published number lies within the 95 % prediction interval of one run. A paper prints
// one run, not a mean over seeds.
func (v *Verdict) WithinOneRun() bool {
	return v.OneRun != nil && *v.PublishedLow <= v.OneRun[1] && *v.PublishedHigh >= v.OneRun[0]
}

// newVerdict returns a verdict with the fields that it takes from its claim.
func newVerdict(exp Experiment, c Claim) Verdict {
	v := Verdict{
		Experiment: exp.ID, Claim: c.ID, Kind: c.Kind, Statement: c.Statement, Source: c.Source,
		Method: c.Method, Against: c.Against, Metric: c.Metric, Unit: c.Unit, Column: c.Column,
		Published: c.Number(), Tolerance: c.Tolerance, Profile: exp.Profile,
	}
	if v.Published != "" {
		if _, low, high, err := printed.Parse(v.Published); err == nil {
			v.PublishedLow, v.PublishedHigh = &low, &high
		}
	}
	return v
}

// outdate makes a verdict not comparable if the records of some methods have other settings than the plan.
func (v *Verdict) outdate(methods []string) {
	if len(methods) == 0 || v.Verdict == NotRun {
		return
	}
	if v.Verdict != NotComparable {
		v.AtSize = v.Verdict
	}
	v.Verdict = NotComparable
	v.Reason = fmt.Sprintf("the records of %s have other settings than the spec has now; run it again; %s", printed.List(methods), v.Reason)
}

// accept writes the accepted region into the verdict.
func (v *Verdict) accept(a region) {
	v.Accept = [2]*float64{records.Value(a.low), records.Value(a.high)}
}

// conclude writes the estimate into the verdict, compares it with the accepted region, and returns the word and reason.
func (v *Verdict) conclude(what string, e stats.Estimate, a region, unit string) (Word, string) {
	v.Measured, v.Low, v.High, v.Seeds = records.Value(e.Mean), records.Value(e.Low), records.Value(e.High), e.N
	v.accept(a)
	if !e.Bounded() {
		return Inconclusive, fmt.Sprintf("%s is %s%s on one seed, which has no interval; run with --seeds 2 or more; accepted is %s",
			what, printed.Number(e.Mean), unit, a)
	}
	word := a.place(e)
	return word, fmt.Sprintf("%s is %s%s, 95 %% interval %s to %s over %d seeds, which %s",
		what, printed.Number(e.Mean), unit, printed.Number(e.Low), printed.Number(e.High), e.N, a.relation(word))
}

// ReadVerdicts reads verdicts as WriteVerdicts writes them.
func ReadVerdicts(r io.Reader) ([]Verdict, error) {
	var verdicts []Verdict
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&verdicts); err != nil {
		return nil, err
	}
	for _, v := range verdicts {
		if !slices.Contains(Words, v.Verdict) {
			return nil, fmt.Errorf("%s, claim %s: unknown verdict %q; choose one of %q", v.Experiment, v.Claim, v.Verdict, Words)
		}
	}
	return verdicts, nil
}

// WriteVerdicts writes the verdicts as one JSON array to the file at path and replaces what it held.
func WriteVerdicts(path string, verdicts []Verdict) error {
	if verdicts == nil {
		verdicts = []Verdict{}
	}
	b, err := json.MarshalIndent(verdicts, "", "  ")
	if err != nil {
		return err
	}
	return records.WriteFile(path, append(b, '\n'))
}
