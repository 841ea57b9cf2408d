package programs

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets/transforms"
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
	lines, ended := make(chan string, 1), make(chan struct{})
	close(ended)
	return &Served{
		Program: &Program{method: &experiments.External{Timeout: 60}},
		session: &session{process: &process{argv: []string{"played"}, stdin: player{t, lines, reply}, lines: lines, drop: make(chan struct{}), ended: ended}},
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
	for _, wrong := range []map[string]any{{"made": 5}, {"made": 0}, {"made": -1, "done": true}, {"seen": -1}} {
		s := play(t, func(_ request, a map[string]any) { maps.Copy(a, wrong) })
		s.atOnce = 4
		i, _ := s.Advance(4)
		assert.ErrorContains(t, i.Err, "step: it says that it made", "%v", wrong)
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
	synctest.Test(t, func(t *testing.T) {
		var asked []int
		var took time.Duration
		s := play(t, func(r request, _ map[string]any) {
			asked = append(asked, r.N)
			time.Sleep(took)
		})
		const slow, middling = atMost * 3 / 2, atMost / 2
		for i, wanted := range []int{1, 1, 1, 9, 9, 9, 9, 9, 9} {
			took = []time.Duration{0, 0, 0, 0, slow, slow, slow, middling, middling}[i]
			_, seconds := s.Advance(wanted)
			assert.Equal(t, took.Seconds(), seconds)
		}
		assert.Equal(t, []int{1, 1, 1, 2, 4, 2, 1, 1, 1}, asked)
	})
}

// What a program says of itself is recorded, its start is timed, and what is no reply to a request is refused.
func TestGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, speaks := range []int{0, protocol, protocol + 1} {
			s := play(t, func(r request, a map[string]any) {
				if r.Request == "start" {
					time.Sleep(3 * time.Second)
					return
				}
				time.Sleep(time.Second)
				a["protocol"], a["name"], a["version"], a["again"] = speaks, "toy", "1.2", true
			})
			err := s.greet()
			if speaks != protocol {
				require.ErrorContains(t, err, fmt.Sprintf(`hello: the program speaks protocol %d, and repro 1; write "protocol": 1`, speaks))
				continue
			}
			require.NoError(t, err)
			seconds, err := s.begin(Start{})
			require.NoError(t, err)
			assert.Equal(t, 3.0, seconds)
			assert.Equal(t, "toy 1.2", s.calls)
			assert.True(t, s.again)
		}
		s := play(t, func(r request, a map[string]any) { a["id"] = r.ID - 1 })
		_, err := s.ask(request{Request: "value"})
		require.ErrorContains(t, err, "is the reply to request 0, and this is request 1")
		_, err = play(t, func(_ request, a map[string]any) { a["mode"] = 3 }).ask(request{Request: "value"})
		require.ErrorContains(t, err, `unknown field "mode"`)
		_, err = play(t, func(_ request, a map[string]any) { a["values"] = map[string]any{"gap": "small"} }).ask(request{Request: "value"})
		require.ErrorContains(t, err, `want a number, got "small"`)
		s = play(t, func(_ request, a map[string]any) { a["values"] = map[string]any{"gap": nil} })
		assert.True(t, math.IsNaN(s.Report()["gap"]))

		began := time.Now()
		_, err = (&process{lines: make(chan string)}).next(t.Context(), time.Minute)
		require.ErrorIs(t, err, errLate)
		assert.Equal(t, time.Minute, time.Since(began))

		var notes []string
		q := &process{of: &Program{method: &experiments.External{}, rows: Rows{Folder: &Folder{}}, Note: func(text string) { notes = append(notes, text) }}, argv: []string{"/bin/toy"}, lines: make(chan string)}
		for range 2 {
			_, _ = q.next(t.Context(), time.Minute)
		}
		assert.Equal(t, []string{"toy has printed nothing for 10s: " + silence}, notes, "once")
	})
}

// Rows that are not the test rows are in a file of their own, and predictions are read once. A line has room for all of them.
func TestPredictionsOfOtherRows(t *testing.T) {
	rows, dir, text, named := Rows{Train: drawn(3), Test: drawn(3).X}, t.TempDir(), "1\n2\n3\n", predictionsFile
	var asked []string
	s := play(t, func(r request, a map[string]any) {
		asked = append(asked, r.Rows)
		if a["file"] = named; text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, predictionsFile), []byte(text), 0o600))
		}
	})
	s.dir, s.rows, s.method.Format = dir, rows, "csv"
	for _, x := range []compute.Matrix{rows.Test, rows.Test.Clone(), rows.Test.Clone()} {
		assert.Equal(t, []float64{1, 2, 3}, s.Predict(x).Data)
	}
	assert.Equal(t, []string{"test.csv", "rows1.csv", "rows2.csv"}, asked)
	text = ""
	for file, want := range map[string]string{predictionsFile: "did not write this file", "../x": `the reply has no "base64", and its "file" is "../x", not predictions.npy or predictions.txt`} {
		s.err, named = nil, file
		s.Predict(rows.Test)
		assert.ErrorContains(t, s.Err(), want)
	}

	many := transforms.InMemory{X: compute.Matrix{Rows: 2 * surfaceRows}, Y: compute.Matrix{Cols: 1}}
	for _, rows := range []Rows{{Train: drawn(3)}, {Train: many}, {Train: drawn(3), Test: compute.Matrix{Rows: 2 * surfaceRows}}} {
		most := max(rows.Train.Len(), rows.Test.Rows, surfaceRows)
		assert.Greater(t, rows.longestReply(), base64.StdEncoding.EncodedLen(8*most)+longestLine/2)
	}
}

// What a cell continues from is restored before its next step, once.
func TestStatesAreRestoredOnce(t *testing.T) {
	var asked []string
	s := play(t, func(r request, _ map[string]any) { asked = append(asked, r.Request) })
	s.dir, s.state = t.TempDir(), servedState{Saved: []byte("state")}
	_, _ = s.Advance(1)
	_, _ = s.Advance(1)
	assert.Equal(t, []string{"restore", "step", "step"}, asked)
	s.calls, s.state = "b", servedState{"a", []byte("state")}
	assert.ErrorContains(t, s.Restored(), `was "a", and is now "b"`)
	s.state = servedState{"b", []byte("state")}
	assert.NoError(t, errors.Join(s.Restored(), s.Err()))

	dir, kept := t.TempDir(), servedState{}
	s = play(t, func(r request, _ map[string]any) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, r.File), []byte("two"), 0o600))
	})
	s.dir, s.calls = dir, "b"
	s.Save(func() { kept = s.state })
	assert.NoError(t, s.Err())
	assert.Equal(t, servedState{"b", []byte("two")}, kept)
	assert.Nil(t, s.state.Saved)
}

// The end of what a program wrote is kept, however it came.
func TestTail(t *testing.T) {
	var once, often tail
	text := strings.Repeat("a", 3*maxTail) + "end"
	_, _ = once.Write([]byte(text))
	for i := range text {
		_, _ = often.Write([]byte(text[i : i+1]))
	}
	want := "… " + text[len(text)-maxTail:]
	assert.Equal(t, []string{want, want}, []string{once.words(false), often.words(false)})
}

// Programs get the variables that are passed on, and those that their method names, before which the folder of the run is home.
func TestEnvironment(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "1")
	t.Setenv("HOME", "/home/me")
	t.Setenv("SECRET", "s")
	for _, named := range [][]string{nil, {"HOME", "UNSET"}} {
		cmd, _, err := (&Program{env: environment(2, named)}).prepare(t.Context(), "/work", []string{"/bin/true"})
		require.NoError(t, err)
		home := "/work"
		if named != nil {
			home = "/home/me"
		}
		env := cmd.Environ()
		assert.Subset(t, env, []string{"HOME=" + home, "TMPDIR=/work", "CUDA_VISIBLE_DEVICES=1", "OMP_NUM_THREADS=2"})
		assert.NotContains(t, strings.Join(env, " "), "SECRET")
		assert.NotContains(t, strings.Join(env, " "), "UNSET")
	}
}

// Of a traceback in Python, the reason of a cell has what was raised.
func TestTracebacks(t *testing.T) {
	const trace = "Traceback (most recent call last):\n  File \"a.py\", line 6, in <module>\n    import nosuchmodule\n"
	for text, want := range map[string]string{
		trace + "ModuleNotFoundError: No module named 'nosuchmodule'\n":                                          "ModuleNotFoundError: No module named 'nosuchmodule'",
		trace + "A: 1\n\nDuring handling of the above exception, another occurred:\n\n" + trace + "B: 2\nmore\n": "B: 2 | more",
		"  File \"a.py\", line 3\n    def f(\n         ^\nSyntaxError: '(' was never closed\n":                   "File \"a.py\", line 3 | def f( | ^ | SyntaxError: '(' was never closed",
		trace:                    "Traceback (most recent call last): | File \"a.py\", line 6, in <module> | import nosuchmodule",
		"step 1\nstep 2\nkilled": "step 1 | step 2 | killed",
	} {
		var said speech
		_, _ = said.Write([]byte(text))
		assert.Equal(t, want, said.words(true))
	}
}
