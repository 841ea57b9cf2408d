package look

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSettingsReadAsTOML(t *testing.T) {
	settings := map[string]any{
		"step": map[string]any{"t0": 10.0, "schedule": "inverse", "gamma0": 1e-7}, "batch": 64,
		"none": nil, "empty": []any{}, "rows": []any{1, 2}, "average": false,
	}
	assert.Equal(t, `average = false, batch = 64, rows = [1, 2], step = { schedule = "inverse", gamma0 = 1e-7, t0 = 10.0 }`, pairs(settings))
}
