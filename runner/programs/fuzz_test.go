package programs

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"repro/algos/compute"
	"repro/datasets/memorytest"
	"repro/experiments"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzPredictions reads what an external program may write. The rows and outputs are those of the test set, so that they
// are no part of what is read; beside them a reader may allocate 1 MiB and 64 bytes for each of the file.
func FuzzPredictions(f *testing.F) {
	for _, s := range []string{"1\n-1\n1\n", "0.25,1e-3\n1 2\n-inf nan\n", "3\n1\n2\n", "", "\n\n\n", strings.Repeat("1", 4096), "1,\t2\r\n", "1\n2\n3\n4\n"} {
		f.Add([]byte(s), uint8(3), uint8(1), false, uint8(0))
		f.Add([]byte(s), uint8(2), uint8(2), false, uint8(0))
		f.Add([]byte(s), uint8(3), uint8(3), true, uint8(3))
		f.Add([]byte(s), uint8(3), uint8(1), true, uint8(0))
	}
	path := filepath.Join(f.TempDir(), "predictions")
	f.Fuzz(func(t *testing.T, data []byte, rows, out uint8, labels bool, classes uint8) {
		if labels && classes > 0 {
			out = classes
		}
		if out == 0 {
			return
		}
		require.NoError(t, os.WriteFile(path, data, 0o644))
		r := predictionReader{rows: int(rows), out: int(out), labels: labels, classes: int(classes)}
		var p compute.Matrix
		var err error
		memorytest.Within(t, 1<<20+64*uint64(len(data))+8*uint64(rows)*uint64(out), func() { p, err = r.file(path) })
		if err != nil {
			assert.Contains(t, err.Error(), "predictions")
			return
		}
		require.Equal(t, [2]int{int(rows), int(out)}, [2]int{p.Rows, p.Cols})
		if labels {
			for _, v := range p.Data {
				if v != 1 && v != -1 && v != 0 {
					t.Fatalf("a label became %v", v)
				}
			}
		}
	})
}

// TestPredictionMemory measures what reading predictions allocates beside them.
func TestPredictionMemory(t *testing.T) {
	for _, c := range []struct {
		name, line string
		out        int
	}{{"short lines", "1\n", 1}, {"words of one character", strings.Repeat("1 ", 256) + "\n", 256}} {
		n := (1 << 20) / len(c.line)
		text := strings.Repeat(c.line, n)
		path := filepath.Join(t.TempDir(), "predictions")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		var err error
		took := memorytest.Bytes(func() { _, err = predictionReader{rows: n, out: c.out}.file(path) }) - uint64(8*n*c.out)
		require.NoError(t, err)
		t.Logf("%s: %d bytes: %.1f bytes are allocated for each", c.name, len(text), float64(took)/float64(len(text)))
		assert.LessOrEqual(t, took, uint64(1<<20+64*len(text)))
	}
}

// played is a process that has written a file and ended.
func played(t testing.TB, path string, data []byte) *process {
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	q := &process{argv: []string{"/usr/bin/optimiser"}, stdin: nowhere{io.Discard}, output: f, lines: make(chan string), drop: make(chan struct{}), ended: make(chan struct{})}
	close(q.ended)
	go q.read(longestLine)
	return q
}

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// sentence requires an error to be one line that names the program and what was asked.
func sentence(t testing.TB, err error, asked string) {
	text := err.Error()
	require.Regexp(t, regexp.MustCompile("^optimiser: "+asked), text)
	require.Less(t, len(text), 1500)
	require.Equal(t, -1, strings.IndexFunc(text, unicode.IsControl), "%q", text)
}

// converse asks a served program for everything, until it fails.
func converse(s *Served, x compute.Matrix) error {
	err := s.greet()
	if err == nil {
		_, err = s.ask(request{Request: "start", Start: &Start{Seed: 1}})
	}
	for range 3 {
		if err != nil {
			return err
		}
		i, _ := s.Advance(100)
		s.Report()
		p := s.Predict(x)
		s.Save(func() {})
		if err = s.Err(); err == nil && (i.Made < 0 || i.Made > 100 || i.Progress.Seen < 0 || p.Rows != x.Rows) {
			panic("a reply that cannot be was taken")
		}
	}
	return err
}

// repliesFor is how many bytes a reader of replies and points may allocate for each byte of them.
const repliesFor = 128

// FuzzReplies reads whatever a served program may write as replies. Only the first line of the file of predictions is the program's.
func FuzzReplies(f *testing.F) {
	good := `{"id":1,"protocol":1,"name":"x","version":"1","save":true}
{"id":2}
{"id":3,"made":1,"seen":2,"done":false}
{"id":4,"values":{"gap":NaN,"x":-Infinity,"y":null,"z":"1e999"}}
{"id":5,"base64":"AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/"}
{"id":6}
`
	for _, s := range []string{good, "", "\n", "{", "null\n", "[1]\n", `{"id":1}{"id":2}`, `{"id":1e400}`, `{"id":-1,"error":"\u001b[31m\n"}`,
		strings.ReplaceAll(good, `"base64":"AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/"`, `"file":"predictions.txt"`), strings.ReplaceAll(good, `"made":1`, `"made":-9223372036854775808`),
		strings.ReplaceAll(good, `"protocol":1`, `"protocol":2`), strings.Repeat("[", 20000), strings.Repeat(`{"values":`, 5000), `{"id":1,"values":{` + strings.Repeat(`"a":1,`, 1000) + `}}`} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	require.NoError(f, os.WriteFile(filepath.Join(dir, stateFile), []byte("state"), 0o600))
	rows := Rows{Train: drawn(3), Test: drawn(3).X}
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		memorytest.Within(t, 1<<20+repliesFor*uint64(len(data)), func() {
			s := &Served{Program: &Program{method: &experiments.External{Format: "csv", Timeout: 60}, rows: rows}, session: &session{dir: dir}, ctx: t.Context(), atOnce: 1}
			s.process = played(t, filepath.Join(dir, "output"), data)
			err = converse(s, rows.Test)
			s.kill()
		})
		if err != nil {
			sentence(t, err, "(hello|start|step|value|predict|save): ")
		}
	})
}

// FuzzPoints reads whatever a program may print as its points.
func FuzzPoints(f *testing.F) {
	for _, s := range []string{`{"step": 1, "seconds": 0.01, "gap": 0.5}` + "\n\n" + `{"step": 2, "gap": NaN}`, "step,seconds,gap\n1,0.01,0.5\n2,nan,inf\n", "\"step\"\n1\n", "step,step\n1,2\n",
		"step\n1\n1\n", "step\n9007199254740993\n", "step\n1e300\n", "", "\n", "0\n", "step", strings.Repeat(",", 5000) + "step\n", "{}\n", `{"step":` + strings.Repeat("[", 20000)} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		memorytest.Within(t, 1<<20+repliesFor*uint64(len(data)), func() {
			s := &Points{Program: &Program{method: &experiments.External{Timeout: 60}}, ends: time.Now().Add(time.Minute)}
			s.process = played(t, filepath.Join(dir, "output"), data)
			defer s.kill()
			before := Point{Seconds: math.Inf(-1)}
			for last := false; !last; {
				var p Point
				var err error
				if p, last, err = s.Next(t.Context()); err != nil {
					sentence(t, err, "(line [0-9]+ of its output|a line of its output|ended without a point)")
					return
				}
				if !(p.Step > before.Step) || p.Seconds < before.Seconds || math.IsInf(p.Seconds, 0) {
					t.Fatalf("%v follows %v", p, before)
				}
				before = p
			}
		})
	})
}

// Lines that take the most memory for their length are within the bound, which the lines of FuzzReplies are too short to reach.
func TestMemoryOfReplies(t *testing.T) {
	for name, line := range map[string]string{
		"names":    `{"id":1,"values":{` + strings.Repeat(`"":1,`, 200_000) + `"a":NaN}}`,
		"distinct": `{"id":1,"values":{"a":NaN` + numbered(90_000) + `}}`,
		"nesting":  strings.Repeat("[", longestLine-1),
		"quotes":   strings.Repeat(`"`, longestLine-1),
		"NaN":      `{"id":1,"values":[` + strings.Repeat("NaN,", 250_000) + `0]}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, len(line), longestLine)
			if raced() {
				t.Skip("the race detector allocates, too")
			}
			s := &Served{Program: &Program{method: &experiments.External{Format: "csv", Timeout: 60}}, session: &session{}, ctx: t.Context()}
			took := memorytest.Bytes(func() {
				s.process = played(t, filepath.Join(t.TempDir(), "output"), []byte(line+"\n"))
				err := s.greet()
				sentence(t, err, "hello: ")
			})
			t.Logf("%d bytes: %.1f bytes are allocated for each", len(line), float64(took)/float64(len(line)))
			assert.LessOrEqual(t, took, uint64(1<<20+repliesFor*len(line)))
		})
	}
}

// numbered returns so many members of a JSON object.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%x":0`, i)
	}
	return b.String()
}

// raced reports whether the race detector runs, which allocates beside the code.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
