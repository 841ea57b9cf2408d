package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// xor is a spec on points of the four quadrants, labelled by the sign of x₁x₂, with methods to come.
func xor(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	g := compute.NewStream(1, "xor", 0)
	x := make([]float64, 2)
	for i := range 300 {
		g.Row(i, x)
		y := 1
		if x[0]*x[1] < 0 {
			y = -1
		}
		fmt.Fprintf(&b, "%v,%v,%d\n", x[0], x[1], y)
	}
	file := filepath.Join(t.TempDir(), "xor.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return fmt.Sprintf(`
schema = 1
paper = "test"
title = "exclusive or"
source = "nowhere"
[data]
file = %q
rows = [1, 200]
test_rows = [201, 300]
[problem]
loss = "hinge"
nu_n = 1.0
kernel = { name = "gaussian", bandwidth = 1.0 }
[evaluate]
metrics = ["test-error", "test-loss"]
`, filepath.ToSlash(file))
}

func TestExternalLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	method := "[[method]]\nid = \"program\"\nalgorithm = \"external\"\npredictions = \"labels\"\ncommand.train = "
	out := t.TempDir()
	s := spec(t, xor(t)+method+command(t, "write", "{predictions}", "+1\n-1\n", "50", "{train}{test}"))
	execute(t, s, Options{Out: out, AllowExternal: true})
	points := record(t, out, s, "program-seed1").Points
	require.Len(t, points, 1)
	y := instanceOf(t, s).data.TestY
	wrong := 0.0
	for i := range y.Rows {
		if y.At(i, 0) != []float64{1, -1}[i%2] {
			wrong++
		}
	}
	want := wrong / 100
	assert.Equal(t, map[string]*float64{"test-error": &want}, points[0].Values, "labels give nothing else")

	s = spec(t, xor(t)+method+command(t, "write", "{predictions}", "1\n0.3\n", "50", "{train}{test}"))
	execute(t, s, Options{Out: out, AllowExternal: true})
	assert.Equal(t, `predictions.txt:2: want a label, 1 or -1, got "0.3"`, record(t, out, s, "program-seed1").End.Reason)
}
