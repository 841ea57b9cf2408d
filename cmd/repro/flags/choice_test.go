package flags

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/experiments/papers"
)

// The default run begins with the experiment whose curve tells a story.
func TestOpening(t *testing.T) {
	refs, err := refsToRun(nil)
	require.NoError(t, err)
	assert.Equal(t, opening, refs[0].ID)
	for _, r := range refs[1:] {
		assert.NotEqual(t, opening, r.ID)
	}
}
