package lessons

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	f.Add([]byte(`{"schema": 3, "lessons": {"` + name + `": {"exercise": "x", "solved": true, "answers": {"late": {"choice": 2, "why": "w", "right": true, "part": 0.5}, "theta": {"choice": 1, "question": "0123"}}}}}`))
	f.Add([]byte(`{"schema": 3, "lessons": {"` + name + `": {"answers": {"curve": {"draw": [1, 0.6, 1e-300, 1e308, 0.1]}, "early": {"order": [3, 1, 2]}}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadState(text)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		written, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := ReadState(written)
		require.NoError(t, err)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.True(t, bytes.Equal(written, twice))
		for _, l := range all {
			s.Summary(l)
		}
		p := s.Lessons[l.Name]
		if p == nil {
			return
		}
		for _, q := range l.Predictions() {
			if g := p.given(q); g != nil {
				q.Score(*keys[q.ID], g.Answer)
			}
		}
	})
}
