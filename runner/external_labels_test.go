package runner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
)

func TestExternalLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	labelled := func(lines string) *experiments.Spec {
		return spec(t, lossSpec("two-classes", `"hinge"`, "test-error", "[[method]]\nid = \"program\"\nalgorithm = \"external\"\npredictions = \"labels\"\ncommand.train = "+
			command(t, "write", "{predictions}", lines, "100", "{train}{test}")), `evaluate.metrics=["test-error", "test-loss"]`, "evaluate.surface=0", "evaluate.predictions=false")
	}
	s := labelled("+1\n-1\n")
	out := ran(t, s, Options{AllowExternal: true})
	points := record(t, out, s, "program-seed1").Points
	require.Len(t, points, 1)
	y := instanceOf(t, s).data.TestY
	wrong := 0.0
	for i := range y.Rows {
		if y.At(i, 0) != []float64{1, -1}[i%2] {
			wrong++
		}
	}
	want := wrong / 200
	assert.Equal(t, map[string]*float64{"test-error": &want}, points[0].Values, "labels give nothing else")

	s = labelled("1\n0.3\n")
	execute(t, s, Options{Out: out, AllowExternal: true})
	assert.Equal(t, `predictions.txt:2: want a label, 1 or -1, got "0.3"`, record(t, out, s, "program-seed1").End.Reason)
}
