package audits

import (
	"bytes"
	"encoding/json"
	"fmt"

	"repro/datasets/regular"
	"repro/results/printed"
)

// largestLog bounds a log that somebody else wrote, in bytes.
const largestLog = 64 << 20

// ReadLog reads the audits of a log. It returns those before the first line that is none.
func ReadLog(path string) ([]Audit, error) {
	text, err := regular.Read(path, largestLog)
	if err != nil {
		return nil, err
	}
	var all []Audit
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var a Audit
		if err := json.Unmarshal(line, &a); err != nil {
			return all, fmt.Errorf("%s:%d: %s; it is not a line that %s wrote", path, n, printed.Visible(err.Error()), printed.Command("audit"))
		}
		a.Count() // of the outcomes, whatever the line says
		all = append(all, a)
	}
	return all, nil
}
