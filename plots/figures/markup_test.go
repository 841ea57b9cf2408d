package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []span
	}{
		{"plain", "test error (%)", []span{{"test error (%)", 0, 1}}},
		{"raised", "10^{-3} s", []span{{"10", 0, 1}, {"−3", supShift, scriptScale}, {" s", 0, 1}}},
		{"lowered then raised", "f_{t}^{2}", []span{{"f", 0, 1}, {"t", subShift, scriptScale}, {"2", supShift, scriptScale}}},
		{"no brace", "my_method^2", []span{{"my_method^2", 0, 1}}},
		{"open brace", "a^{b", []span{{"a^{b", 0, 1}}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Spans(c.line)) })
	}
}

func TestMinusSigns(t *testing.T) {
	for in, want := range map[string]string{
		"-1": "−1", "slope -0.5": "slope −0.5", "[-1.02, -0.92]": "[−1.02, −0.92]", "x-.5": "x-.5",
		"2-D": "2-D", "kernel-2": "kernel-2", "1e-3": "1e-3", "non-convex": "non-convex", "-": "-", "(-.5)": "(−.5)",
	} {
		assert.Equal(t, want, minusSigns(in))
	}
}

func TestPlainText(t *testing.T) {
	assert.Equal(t, "ft at 10^−3", PlainText("f_{t} at 10^{-3}"))
}
