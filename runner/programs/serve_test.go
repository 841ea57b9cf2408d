package programs

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/experiments"
)

// A player replies to every request with what a function says.
type player struct {
	t     *testing.T
	lines chan string
	reply func(r request, a map[string]any)
}

func (p player) Write(line []byte) (int, error) {
	var r request
	require.NoError(p.t, json.Unmarshal(line, &r))
	a := map[string]any{"id": r.ID}
	p.reply(r, a)
	text, err := json.Marshal(a)
	p.lines <- string(text)
	return len(line), err
}

func (player) Close() error { return nil }

// play returns a served program that a function plays.
func play(t *testing.T, reply func(r request, a map[string]any)) *Served {
	lines := make(chan string, 1)
	return &Served{
		Program: &Program{method: &experiments.External{Timeout: 60}},
		process: &process{argv: []string{"played"}, stdin: player{t, lines, reply}, lines: lines},
		ctx:     t.Context(), atOnce: 1,
	}
}

// What a program says that it made counts, and what it was asked for only if it does not say.
func TestAdvanceCountsWhatWasMade(t *testing.T) {
	for name, c := range map[string]struct {
		reply map[string]any
		want  algos.Iterations
	}{
		"all":  {map[string]any{"seen": 12}, algos.Iterations{Made: 4, Progress: algos.Progress{Seen: 12}}},
		"some": {map[string]any{"made": 3, "seen": 7}, algos.Iterations{Made: 3, Progress: algos.Progress{Seen: 7}}},
		"none": {map[string]any{"made": 0, "done": true}, algos.Iterations{Progress: algos.Progress{Done: true}}},
	} {
		s := play(t, func(r request, a map[string]any) {
			assert.Equal(t, 4, r.N)
			for k, v := range c.reply {
				a[k] = v
			}
		})
		s.atOnce = 4
		got, _ := s.Advance(9)
		assert.Equal(t, c.want, got, name)
	}
}

// A program is asked for more and more steps while they are fast, and never for more than are wanted.
func TestAdvanceAsksForMore(t *testing.T) {
	var asked []int
	s := play(t, func(r request, _ map[string]any) { asked = append(asked, r.N) })
	for range 4 {
		_, _ = s.Advance(5)
	}
	assert.Equal(t, []int{1, 2, 4, 5}, asked)
}

// What a cell continues from is restored before its next step, once.
func TestStatesAreRestoredOnce(t *testing.T) {
	var asked []string
	s := play(t, func(r request, _ map[string]any) { asked = append(asked, r.Request) })
	s.dir, s.state = t.TempDir(), servedState{Saved: []byte("state")}
	_, _ = s.Advance(1)
	_, _ = s.Advance(1)
	assert.Equal(t, []string{"restore", "step", "step"}, asked)
	s.version, s.state = "b", servedState{"a", []byte("state")}
	assert.ErrorContains(t, s.Restored(), `was "a", and is now "b"`)
	s.state = servedState{"b", []byte("state")}
	assert.NoError(t, errors.Join(s.Restored(), s.Err()))
}
