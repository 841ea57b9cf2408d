package spectree

import (
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A string of TOML has what was written, also what Go would write with escapes that TOML lacks.
func TestInlineStrings(t *testing.T) {
	for _, s := range []string{"", "plain", "\a\v\x00\x1b\x7f", "a\"b\\c\nd", "ü 中 \u2028 <&>"} {
		var read struct{ V string }
		require.NoError(t, toml.Unmarshal([]byte("V = "+Inline(&Node{Value: s})), &read), "%q", s)
		assert.Equal(t, s, read.V)
	}
}
