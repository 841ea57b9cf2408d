package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repro/algos/compute"
	"repro/datasets/alloctest"

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
		alloctest.Within(t, 1<<20+64*uint64(len(data))+8*uint64(rows)*uint64(out), func() { p, err = r.file(path) })
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
		took := alloctest.Bytes(func() { _, err = predictionReader{rows: n, out: c.out}.file(path) }) - uint64(8*n*c.out)
		require.NoError(t, err)
		t.Logf("%s: %d bytes: %.1f bytes are allocated for each", c.name, len(text), float64(took)/float64(len(text)))
		assert.LessOrEqual(t, took, uint64(1<<20+64*len(text)))
	}
}
