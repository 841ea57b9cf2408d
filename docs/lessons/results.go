package lessons

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
	Output  string `json:"output,omitempty"`
	TaskID  int    `json:"task_id"`
	Code    string `json:"test_code"` // what was asked
}

// Statuses of Results and Test.
const (
	pass   = "pass"
	fail   = "fail"
	failed = "error"
)

// newResults returns the results of tests: pass only if there are some and all passed, and the message of the last error.
func newResults(tests []Test) *Results {
	r := &Results{Version: 3, Status: pass, Tests: tests}
	if len(tests) == 0 {
		r.Status = fail
	}
	for _, t := range tests {
		switch {
		case t.Status == failed:
			r.Status, r.Message = failed, t.Message
		case t.Status == fail && r.Status == pass:
			r.Status = fail
		}
	}
	return r
}
