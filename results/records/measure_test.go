package records_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
)

func TestRecordAt(t *testing.T) {
	r := recordstest.Record("a", 1, 8, 4, 2)
	r.Points[2].Values["other"] = records.Value(5)
	tests := []struct {
		name   string
		r      *records.Record
		metric string
		at     records.At
		want   float64
		ok     bool
	}{
		{"end", r, "error", records.At{}, 2, true},
		{"on a point", r, "error", records.At{X: "step", Value: 2}, 4, true},
		{"between points", r, "error", records.At{X: "step", Value: 3.9}, 4, true},
		{"rounding of an epoch", r, "error", records.At{X: "epoch", Value: 0.4 - 1e-12}, 2, true},
		{"beyond the end", r, "error", records.At{X: "epoch", Value: 99}, 2, true},
		{"before the first", r, "error", records.At{X: "step", Value: 0.5}, 0, false},
		{"measured late", r, "other", records.At{X: "step", Value: 2}, 0, false},
		{"cost", r, "memory", records.At{}, 1 << 20, true},
		{"unknown abscissa", r, "error", records.At{X: "hours", Value: 2}, 0, false},
		{"null", recordstest.Record("a", 1, 8, math.NaN()), "error", records.At{}, 0, false},
		{"before null", recordstest.Record("a", 1, 8, math.NaN()), "error", records.At{X: "step", Value: 1}, 8, true},
		{"end of a diverged run", recordstest.Ended(recordstest.Record("a", 1, 8, 4), records.Diverged), "error", records.At{}, 0, false},
		{"before it diverged", recordstest.Ended(recordstest.Record("a", 1, 8, 4), records.Diverged), "error", records.At{X: "step", Value: 1}, 8, true},
		{"after it diverged", recordstest.Ended(recordstest.Record("a", 1, 8, 4), records.Diverged), "error", records.At{X: "step", Value: 3}, 0, false},
		{"mean of the last", r, "error", records.At{Last: 2}, 3, true},
		{"mean of the last, up to a point", r, "error", records.At{X: "step", Value: 2, Last: 2}, 6, true},
		{"mean of more points than there are", r, "error", records.At{Last: 99}, 0, false},
		{"smallest so far", recordstest.Record("a", 1, 8, 2, 4), "error", records.At{Best: "smallest"}, 2, true},
		{"largest so far", recordstest.Record("a", 1, 8, 2, 9), "error", records.At{X: "step", Value: 2, Best: "largest"}, 8, true},
		{"mean with null", recordstest.Record("a", 1, math.NaN(), 2, 4), "error", records.At{Last: 3}, 0, false},
		{"mean of the largest numbers", recordstest.Record("a", 1, 1.5e308, 1.5e308), "error", records.At{Last: 2}, 1.5e308, true},
		{"cost of a diverged run", recordstest.Ended(recordstest.Record("a", 1, 8, 4), records.Diverged), "seen", records.At{}, 20, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, ok := test.r.At(test.metric, test.at)
			assert.Equal(t, test.ok, ok)
			if ok {
				assert.Equal(t, test.want, v)
			}
		})
	}
}

// The floor of rounding is that of the precision that a record says: at least what single precision makes of a sum of 96 operands,
// and above the error of a double in either.
func TestFloor(t *testing.T) {
	of := func(precision string) float64 {
		r := recordstest.Record("a", 1, 1)
		r.Header.Provenance.Precision = precision
		return r.Floor()
	}
	assert.InEpsilon(t, 96*0x1p-24, of("float32"), 0.4)
	assert.Greater(t, of("float32"), 96*0x1p-24)
	assert.Equal(t, 0x1p-53*0x1p13, of("float64"))
	assert.Equal(t, of("float64"), of(""))
}

func TestAbscissaKnowsEveryName(t *testing.T) {
	p := recordstest.Point(8, 1)
	p.Counters = records.Counters{KernelEvals: 3, FeatureEvals: 4, Flops: 5, Memory: 6}
	want := map[string]float64{
		"step": 8, "seen": 80, "epoch": 0.8, "seconds": 3, "step-seconds": 2, "seconds-per-step": 0.25,
		"kernel-evals": 3, "feature-evals": 4, "evals": 7, "flops": 5, "memory": 6,
	}
	for _, x := range records.AbscissaNames() {
		v, ok := p.Abscissa(x)
		assert.True(t, ok, x)
		assert.Equal(t, want[x], v, x)
	}
	_, ok := p.Abscissa("hours")
	assert.False(t, ok)
	assert.Len(t, records.Abscissae, len(want))
	for _, a := range records.Abscissae {
		assert.Equal(t, a.Unit == "s", records.Timed(a.Name), "what the clock measures is in seconds: %s", a.Name)
	}
}

// A discretisation parameter is a value of the point, and where it falls the place on a curve is the finest mesh not beyond it.
func TestMeshes(t *testing.T) {
	r := &records.Record{End: &records.End{Status: records.Done}}
	for i, h := range []float64{0.5, 0.25, 0.125} {
		e := h * h
		r.Points = append(r.Points, records.Point{Step: i + 1, Values: map[string]*float64{"h": &h, "error": &e}})
	}
	x, ok := r.Points[1].Abscissa("h")
	assert.True(t, ok)
	assert.Equal(t, 0.25, x)
	for at, want := range map[float64]float64{0: 1. / 64, 0.125: 1. / 64, 0.2: 1. / 16, 0.5: 1. / 4} {
		v, ok := r.MeasureAt("error", records.At{X: "h", Value: at})
		assert.True(t, ok)
		assert.Equal(t, want, v, at)
	}
	_, ok = r.MeasureAt("error", records.At{X: "h", Value: 0.6})
	assert.False(t, ok, "before the coarsest mesh")
	assert.True(t, r.Reaches(records.At{X: "h", Value: 0.125}))
	assert.False(t, r.Reaches(records.At{X: "h", Value: 0.1}), "beyond the finest mesh")
	for name, want := range map[string]string{"h": "smaller", "N": "larger", "DoFs": "larger", "time-step": "smaller"} {
		m, ok := records.MeshOf(name)
		assert.True(t, ok, name)
		assert.Equal(t, [2]string{want, name}, [2]string{m.Finer, m.Name})
	}
	_, ok = records.MeshOf("P")
	assert.False(t, ok, "case counts in a letter")
}
