package claims

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGate(t *testing.T) {
	tests := []struct {
		words string
		want  int
	}{
		{"reproduced", 0}, {"reproduced,reproduced", 0}, {"deviates", 1}, {"inconclusive", 3},
		{"not comparable", 4}, {"not run", 4}, {"failed", 5}, {"", 4},
		{"reproduced,inconclusive", 3}, {"inconclusive,not run", 4}, {"not comparable,deviates", 1},
		{"deviates,failed,not run", 5}, {"reproduced,not comparable,inconclusive", 4},
	}
	for _, test := range tests {
		t.Run(test.words, func(t *testing.T) {
			var verdicts []Verdict
			for _, w := range strings.FieldsFunc(test.words, func(r rune) bool { return r == ',' }) {
				verdicts = append(verdicts, Verdict{Verdict: Word(w)})
			}
			assert.Equal(t, test.want, Gate(verdicts))
		})
	}
	assert.Panics(t, func() { Gate([]Verdict{{Verdict: "fine"}}) })
}
