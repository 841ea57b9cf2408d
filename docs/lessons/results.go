package lessons

import (
	"strings"

	"repro/results/printed"
)

// Results are those of Exercism's results.json, version 3: what any grader of that interface reads.
type Results struct {
	Version int    `json:"version"`
	Status  string `json:"status"` // pass, fail or error
	Message string `json:"message,omitempty"`
	Tests   []Test `json:"tests"`
}

// Passed reports whether every test passed.
func (r *Results) Passed() bool { return r.Status == pass }

// A Test is one prediction, or the exercise.
type Test struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Output  string `json:"output,omitempty"` // at most 500 characters
	TaskID  int    `json:"task_id"`
	Code    string `json:"test_code"` // what was asked
}

// Statuses of Results and Test.
const (
	pass   = "pass"
	fail   = "fail"
	failed = "error"
)

// newResults returns the results of tests: pass only if there are some and all passed.
func newResults(tests []Test) *Results {
	r := &Results{Version: 3, Status: pass, Tests: tests}
	if len(tests) == 0 {
		r.Status = fail
	}
	for i := range tests {
		tests[i].Output = short(tests[i].Output)
		switch {
		case tests[i].Status == failed:
			r.Status = failed
		case tests[i].Status == fail && r.Status == pass:
			r.Status = fail
		}
	}
	if r.Status == failed {
		for _, t := range tests {
			if t.Status == failed {
				r.Message = t.Message
			}
		}
	}
	return r
}

// outputLimit is how many characters of output Exercism shows.
const outputLimit = 500

// short cuts a text to the limit of results.json.
func short(s string) string {
	s = printed.Visible(strings.TrimSpace(s))
	if r := []rune(s); len(r) > outputLimit {
		return string(r[:outputLimit-1]) + "…"
	}
	return s
}
