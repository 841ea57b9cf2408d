package recordstest

import (
	"bytes"
	"encoding/json"
	"os"

	"repro/results/records"
)

// Canonical returns the record at path without the keys of records.Varying, the keys of every line sorted and a cut
// last line left out: two runs of one cell must agree in it byte for byte.
func Canonical(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, err := records.Read(path); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		var fields map[string]json.RawMessage
		if line[len(line)-1] != '\n' || json.Unmarshal(line, &fields) != nil {
			break
		}
		for _, key := range records.Varying {
			delete(fields, key)
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(fields); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
