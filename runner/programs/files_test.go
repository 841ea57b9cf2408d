package programs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/datasets"
	"repro/datasets/transforms"
	"repro/experiments"
)

// drawn returns n random rows with one target.
func drawn(n int) transforms.InMemory {
	rows := transforms.InMemory{X: compute.NewMatrix(n, 2), Y: compute.NewMatrix(n, 1)}
	s := compute.NewStream(1, "test", 0)
	for i := range n {
		s.Row(2*i, rows.X.Row(i))
		s.Row(2*i+1, rows.Y.Row(i))
	}
	return rows
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// TestExportReadsBack exports rows and reads them with the readers of package datasets.
func TestExportReadsBack(t *testing.T) {
	const n = 1500 // more rows than are gathered at a time
	rows := Rows{Train: drawn(n), Test: drawn(100).X}
	wantX, wantY := algos.Between(rows.Train, 0, n)
	cases := []struct {
		format string
		o      datasets.Options
	}{
		{"csv", datasets.Options{Header: true, Target: "y"}},
		{"libsvm", datasets.Options{Format: "libsvm"}},
		{"npy", datasets.Options{Target: "1"}},
	}
	for _, c := range cases {
		t.Run(c.format, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, rows.export(t.Context(), dir, c.format))
			c.o.File, c.o.Order, c.o.Rows, c.o.TestRows = "train."+c.format, "file", []int{1, 1499}, []int{1500, 1500}
			got, err := datasets.NewLibrary().Open(t.Context(), c.o, "regression", 1, dir)
			require.NoError(t, err)
			gotX, gotY := algos.Between(got.Train, 0, 1499)
			for i := range 1499 { // bit for bit
				require.Equal(t, wantX.Row(i), gotX.Row(i))
				require.Equal(t, wantY.Row(i), gotY.Row(i))
			}
			assert.Equal(t, wantX.Row(1499), got.TestX.Row(0))
		})
	}
	t.Run("test rows have no targets", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, rows.export(t.Context(), dir, "csv"))
		lines := readLines(t, filepath.Join(dir, "test.csv"))
		assert.Len(t, lines, 101)
		assert.Equal(t, "x1,x2", lines[0])
		assert.Equal(t, fmt.Sprintf("%v,%v", rows.Test.At(7, 0), rows.Test.At(7, 1)), lines[8])
		require.NoError(t, rows.export(t.Context(), dir, "libsvm"))
		for _, l := range readLines(t, filepath.Join(dir, "test.libsvm")) {
			require.True(t, strings.HasPrefix(l, "0 1:"), l)
		}
	})
}

func TestExportOfRows(t *testing.T) {
	cases := []struct {
		name, format string
		y, x         []float64
		want         string
	}{
		{"zeros left out", "libsvm", []float64{-1}, []float64{0, 0.1, 0, 3}, "-1 2:0.1 4:3\n"},
		{"all zeros", "libsvm", []float64{1}, []float64{0, 0}, "1\n"},
		{"two targets", "csv", []float64{1, 2}, []float64{3}, "y1,y2,x1\n1,2,3\n"},
		{"no target", "csv", nil, []float64{1e-300, -2}, "x1,x2\n1e-300,-2\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows")
			require.NoError(t, writeRows(path, c.format, 1, len(c.y), len(c.x), func(e *exporter) error {
				e.row(c.y, c.x)
				return nil
			}))
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(b))
		})
	}
	assert.Equal(t, []float64{2}, target([]float64{0, 1, 0}, 1), "a class by its number")
	assert.Equal(t, []float64{0, 1, 0}, target([]float64{0, 1, 0}, 3))
}

func TestPredictionsOfSeveralOutputs(t *testing.T) {
	cases := []struct {
		name, text string
		r          predictionReader
		want       []float64
		wrong      string
	}{
		{"blanks, commas, tabs, carriage returns", "1 2\r\n3,\t4\n", predictionReader{rows: 2, out: 2}, []float64{1, 2, 3, 4}, ""},
		{"no newline at the end", "1\n2", predictionReader{rows: 2, out: 1}, []float64{1, 2}, ""},
		{"a row too few", "1\n2\n", predictionReader{rows: 3, out: 1}, nil, "p.txt:3: the file ends here, after 2 predictions for 3 test rows"},
		{"out of range", "1e999\n-1e999\n", predictionReader{rows: 2, out: 1}, []float64{math.Inf(1), math.Inf(-1)}, ""},
		{"long numbers", strings.Repeat("0", 74) + "1 " + strings.Repeat("0", 74) + "2\n", predictionReader{rows: 1, out: 2}, []float64{1, 2}, ""},
		{"too few numbers", "1 2\n3\n", predictionReader{rows: 2, out: 2}, nil, `p.txt:2: want 2 numbers, got "3"`},
		{"classes", "3\n1.0\n", predictionReader{rows: 2, out: 3, labels: true, classes: 3}, []float64{0, 0, 1, 1, 0, 0}, ""},
		{"no such class", "3\n4\n", predictionReader{rows: 2, out: 3, labels: true, classes: 3}, nil, `p.txt:2: want a label, 1 to 3, got "4"`},
		{"half a class", "1.5\n", predictionReader{rows: 1, out: 3, labels: true, classes: 3}, nil, `p.txt:1: want a label, 1 to 3, got "1.5"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.txt")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			p, err := c.r.file(path)
			if c.wrong != "" {
				require.EqualError(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, p.Data)
		})
	}
	r, path := predictionReader{rows: 2, out: 1}, filepath.Join(t.TempDir(), arrayFile)
	_, err := r.base64(base64.StdEncoding.EncodeToString(make([]byte, 24)))
	require.ErrorContains(t, err, "24 bytes are not 2 rows of a number")
	for _, x := range []compute.Matrix{compute.NewMatrix(3, 1), compute.NewMatrix(1, 2)} {
		require.NoError(t, exportInputs(t.Context(), path, "npy", x))
		_, err := r.npy(path)
		require.ErrorContains(t, err, "is not that of 2 rows of a number")
	}
}

// Points come in the order of their steps and of their times; those of step 0 are left out.
func TestPointsComeInOrder(t *testing.T) {
	for text, want := range map[string]string{
		"step,seconds\n0,0\n1,1\n2,1\n": "", "step\n1\n2\n2\n": "step 2 follows step 2", "step,seconds\n1,1\n2,2\n3,1\n": "1 seconds follow 2",
		"step\n1\n2\n2.5\n": `it has no whole number "step"`, "step\n1\n2\n" + strings.Repeat("\n", mostPoints) + "3\n": "there are more than 100000 points",
	} {
		s := &Points{Program: &Program{method: &experiments.External{Timeout: 60}}, ends: time.Now().Add(time.Minute)}
		s.process = played(t, filepath.Join(t.TempDir(), "output"), []byte(text))
		var steps []int
		var err error
		for last := false; !last && err == nil; {
			var p Point
			if p, last, err = s.Next(t.Context()); err == nil {
				steps = append(steps, p.Step)
			}
		}
		s.kill()
		assert.Equal(t, []int{1, 2}, steps)
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

// Programs of one run that read other formats have files of their own, and so have training rows, test rows and training inputs.
func TestSharedRowsByFormat(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rows := Rows{Train: drawn(3), Test: drawn(3).X, Folder: &Folder{}, Key: "the same rows"}
	first := map[string]string{}
	for _, format := range []string{"csv", "libsvm", "npy", "csv"} {
		dir, err := rows.Folder.place()
		require.NoError(t, err)
		require.NoError(t, rows.export(t.Context(), dir, format))
		require.NoError(t, rows.exportFitted(t.Context(), dir, "fitted", format))
		for _, name := range []string{"train", "test", "fitted"} {
			first[format+" "+name] = readLines(t, filepath.Join(dir, name+"."+format))[0]
		}
	}
	assert.Equal(t, "y,x1,x2", first["csv train"])
	assert.Equal(t, "x1,x2", first["csv test"])
	assert.Equal(t, "x1,x2", first["csv fitted"])
	assert.Contains(t, first["libsvm train"], " 1:")
	assert.Contains(t, first["libsvm fitted"], "0 1:")
	assert.Contains(t, first["npy train"], "NUMPY")
	assert.Len(t, rows.Folder.rows, 9, "the second program that reads csv has those of the first")
	require.NoError(t, rows.Folder.Close())
}

// Rows are written once for all programs with the same key, and whoever changed them is told on.
func TestSharedRows(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, written := &Folder{}, 0
	share := func(key, path string) error {
		return f.share(key, path, func(path string) error {
			written++
			return os.WriteFile(path, []byte(key), 0o600)
		})
	}
	dir, err := f.place()
	require.NoError(t, err)
	for i := range 3 {
		for _, key := range []string{"a", "b"} {
			path := filepath.Join(dir, fmt.Sprint(key, i))
			require.NoError(t, share(key, path))
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, key, string(b))
		}
	}
	assert.Equal(t, 2, written)
	for i := range 3 * KeptRows {
		require.NoError(t, share(fmt.Sprint("more", i), filepath.Join(dir, fmt.Sprint("more", i))))
	}
	assert.Len(t, f.rows, 3*KeptRows)
	assert.FileExists(t, filepath.Join(dir, "a0"), "who has a link reads on")
	written = 0
	require.NoError(t, share("a", filepath.Join(dir, "again")))
	assert.Equal(t, 1, written, "what is not kept is written again")
	for text, after := range map[string]time.Duration{"z": time.Second, "changed": 0} { // of the same size, and of the same time
		again := filepath.Join(dir, "again, "+text)
		require.NoError(t, share("a", again))
		info, err := os.Stat(again)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(again, 0o600))
		require.NoError(t, os.WriteFile(again, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(again, time.Time{}, info.ModTime().Add(after)))
		assert.EqualError(t, share("a", filepath.Join(dir, "late")), "late: a program changed this file of rows, which others read, too; let it copy the file first")
	}
	require.NoError(t, share("a", filepath.Join(dir, "late")), "the next one gets a new file")
	for _, method := range []*experiments.External{{}, {}} {
		found := 0
		for range 2 {
			made, err := f.once(method, func() (promise, error) { found++; return promise{save: true}, nil })
			require.NoError(t, err)
			assert.True(t, made.save)
		}
		assert.Equal(t, 1, found, "of each method once")
	}
	wrong := errors.New("full")
	require.ErrorIs(t, f.share("c", filepath.Join(dir, "c"), func(string) error { return wrong }), wrong)
	require.NoError(t, share("c", filepath.Join(dir, "c")), "a file that could not be written is none")
	require.NoError(t, f.Close())
	assert.NoDirExists(t, filepath.Dir(dir))
	require.NoError(t, f.Close())
}

// The folder of a run that was killed is removed by the next run; that of a run that goes on is not.
func TestFoldersOfKilledRuns(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	killed, alive, strange := &Folder{}, &Folder{}, filepath.Join(temp, folderName+"strange")
	for _, f := range []*Folder{killed, alive} {
		_, err := f.place()
		require.NoError(t, err)
	}
	require.NoError(t, os.Mkdir(strange, 0o700))
	killed.lock.Release()
	require.NoError(t, os.WriteFile(filepath.Join(killed.dir, "lock"), nil, 0o600)) // as a process that was killed leaves it
	place := func() {
		next := &Folder{}
		_, err := next.place()
		require.NoError(t, err)
		require.NoError(t, next.Close())
	}
	place()
	assert.DirExists(t, killed.dir, "it is too young: another run may be making it")
	for _, dir := range []string{killed.dir, alive.dir, strange} {
		before := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(dir, before, before))
	}
	place()
	assert.NoDirExists(t, killed.dir)
	assert.DirExists(t, alive.dir)
	assert.DirExists(t, strange, "nobody knows whose it is")
	require.NoError(t, alive.Close())
}
