package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
)

// What one process measures, the next one knows: unless the file is old, damaged, or of another program or machine.
func TestMeasuredSpeedsAreKept(t *testing.T) {
	library := &datasets.Library{CacheDir: filepath.Join(t.TempDir(), "not yet there")}
	file := NewEstimator(1, library).speedsFile()
	flop, step := gauge{What: "flop"}, gauge{What: "step"}
	ask := func(of gauge, found float64) (got float64, measured bool) {
		e := NewEstimator(1, library)
		defer e.Retire()
		return e.measured(of, 0, func() float64 { measured = true; return found }), measured
	}
	expect := func(want float64, measured bool, of gauge, found float64) {
		t.Helper()
		got, did := ask(of, found)
		assert.Equal(t, want, got)
		assert.Equal(t, measured, did)
	}
	change := func(how func(*keptSpeeds)) {
		var k keptSpeeds
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &k))
		how(&k)
		text, err = json.Marshal(k)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o666))
	}

	expect(0.5, true, flop, 0.5)
	expect(0.5, false, flop, 1)
	expect(0.25, true, step, 0.25) // added
	expect(0.5, false, flop, 1)
	expect(0.25, false, step, 1)

	change(func(k *keptSpeeds) { k.Of += "!" })
	expect(2, true, flop, 2)
	change(func(k *keptSpeeds) { k.At = k.At.Add(-keptFor + time.Hour) })
	expect(2, false, flop, 3)
	expect(4, true, step, 4) // does not make the older one younger
	change(func(k *keptSpeeds) { k.At = k.At.Add(-time.Hour) })
	expect(3, true, flop, 3)
	change(func(k *keptSpeeds) { k.Gauges[0].Seconds = -1 })
	expect(5, true, flop, 5)
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o666))
	expect(6, true, flop, 6)

	other := filepath.Join(library.CacheDir, "speeds-0.json")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	expect(6, false, flop, 6)
	require.FileExists(t, other)
	require.NoError(t, os.Chtimes(other, time.Time{}, time.Now().Add(-keptFor-time.Hour)))
	expect(7, true, gauge{What: "eigen"}, 7)
	require.NoFileExists(t, other)

	library.CacheDir = ""
	expect(7, true, flop, 7)
	expect(8, true, flop, 8)
	library.CacheDir = filepath.Join(file, "below a file")
	expect(9, true, flop, 9)
}
