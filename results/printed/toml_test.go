package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistinct(t *testing.T) {
	var ids []string
	for _, id := range []string{"a", "a-3", "A", "a", "b"} {
		ids = append(ids, Distinct(id, ids))
	}
	assert.Equal(t, []string{"a", "a-3", "A-2", "a-4", "b"}, ids)
}
