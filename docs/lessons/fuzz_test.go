package lessons

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/fuzztest"
)

// FuzzAnswers reads any text as a file of answers: it is refused, or can be written and read again as the same, and every answer to a
// question of lesson 3 can be judged.
func FuzzAnswers(f *testing.F) {
	all, err := Read()
	require.NoError(f, err)
	l := all[2]
	keys := map[string]*Key{} // whatever was measured
	for _, q := range l.Predictions() {
		k := &Key{Choice: 1, Low: 1, High: 2, Says: make([]string, 9)}
		for i := range q.Items {
			k.Order, k.items = append(k.Order, i+1), append(k.items, float64(i))
		}
		for range q.At {
			k.Draw = append(k.Draw, 1)
		}
		keys[q.ID] = k
	}
	name := l.Name
	f.Add([]byte(`{"schema": 2, "name": "Ada", "class": "c", "signature": "00", "lessons": {"` + name + `": {"exercise": "x", "log": [{"what": "answer", "id": "late", "answer": {"choice": 2, "why": "w"}, "seconds": 1}, {"at": "2026-01-01T00:00:00Z", "what": "outcome", "id": "late", "part": 0.5}]}}}`))
	f.Add([]byte(`{"schema": 2, "lessons": {"` + name + `": {"log": [{"what": "answer", "id": "curve", "answer": {"draw": [1, 0.6, 1e-300, 1e308, 0.1]}}, {"what": "answer", "id": "early", "answer": {"order": [3, 1, 2]}}]}}}`))
	f.Add([]byte(`{"schema": 1, "class": "c", "lessons": {"` + name + `": {"answers": {"late": {"choice": 1, "question": "", "judged": true, "part": 7}}, "hints": 3, "tries": 2, "solved": true}}}`))
	f.Fuzz(fuzztest.Corpus(f, func(t *testing.T, text []byte) {
		s, err := ReadState(text)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		s.Signed(Secret{})
		written, err := s.Encode()
		require.NoError(t, err)
		again, err := ReadState(written)
		require.NoError(t, err)
		twice, err := again.Encode()
		require.NoError(t, err)
		require.True(t, bytes.Equal(written, twice))
		for _, l := range all {
			s.Summary(l)
		}
		p := s.Lessons[l.Name]
		if p == nil {
			return
		}
		rooms := map[string]*Room{}
		for _, q := range l.Predictions() {
			rooms[q.ID] = &Room{Kind: q.Kind, Predict: q, Key: keys[q.ID]}
		}
		taken := (&Student{Name: "x", state: s}).take(l, rooms)
		require.GreaterOrEqual(t, taken.Asked, taken.Predicted)
	}))
}
