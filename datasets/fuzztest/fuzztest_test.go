package fuzztest

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type body = func(t *testing.T, data []byte, text string, n int, k uint8, yes bool)

func valuesOf(v ...any) (values []reflect.Value) {
	for _, v := range v {
		values = append(values, reflect.ValueOf(v))
	}
	return values
}

// A line of inputs is read as what was written.
func TestLines(t *testing.T) {
	want := []any{[]byte("\x00\t\n\xff\""), "a\tb\u2028é\xfe", -3, uint8(200), true}
	file := filepath.Join(t.TempDir(), "inputs")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(line(valuesOf(want...))+"\n", 2)), 0o666))
	assert.Equal(t, [][]any{want, want}, read(t, file, reflect.TypeFor[body]()))
	assert.Empty(t, read(t, file+"-not", reflect.TypeFor[body]()))
}

// Inputs change, in every value, stay short, and leave the pool as it was.
func TestChanges(t *testing.T) {
	pool := [][]reflect.Value{valuesOf([]byte("0123456789"), "abc", 7, uint8(9), false), valuesOf([]byte{}, "", 0, uint8(0), true)}
	before := line(pool[0]) + line(pool[1])
	m := newMutator("target", pool)
	seen := make([]map[string]bool, 5)
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	for range 20000 {
		values := m.next()
		assert.LessOrEqual(t, len(values[0].Bytes()), longest)
		assert.LessOrEqual(t, values[1].Len(), longest)
		for i, v := range values {
			seen[i][line([]reflect.Value{v})] = true
		}
	}
	assert.Equal(t, before, line(pool[0])+line(pool[1]))
	assert.Greater(t, len(seen[0]), 4000)
	assert.Greater(t, len(seen[1]), 2000)
	assert.Greater(t, len(seen[2]), 1000)
	assert.Len(t, seen[3], 256)
	assert.Len(t, seen[4], 2)
}

// FuzzMany fails at an input with two zeros, where it is run many times.
func FuzzMany(f *testing.F) {
	f.Add([]byte("10"))
	f.Add([]byte("x"))
	f.Fuzz(Many(f, func(t *testing.T, data []byte) {
		require.True(t, os.Getenv("REPRO_FUZZ_FAILS") == "" || strings.Count(string(data), "0") < 2, "two zeros")
	}))
}

// The loop makes as many executions as it is told, and writes the input at which the body fails for go test.
func TestMany(t *testing.T) {
	dir := t.TempDir()
	run := func(env ...string) (string, error) {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run", "^FuzzMany$", "-test.count", "2", "-test.v")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run(Number + "=5000")
	require.NoError(t, err, out)
	assert.Contains(t, out, "5000 executions in ")
	assert.NoDirExists(t, filepath.Join(dir, "testdata"))
	out, err = run(Number+"=5000", "REPRO_FUZZ_FAILS=1")
	require.Error(t, err)
	assert.Contains(t, out, "the failing input is testdata/fuzz/FuzzMany/")
	files, err := filepath.Glob(filepath.Join(dir, "testdata/fuzz/FuzzMany/*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	out, err = run(Number+"=", "REPRO_FUZZ_FAILS=1")
	require.Error(t, err)
	assert.Contains(t, out, "FAIL: FuzzMany/"+filepath.Base(files[0]), "go test finds it")
}
