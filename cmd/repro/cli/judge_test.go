package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExampleCurves holds docs/curves.md to what its commands print of the committed file.
func TestExampleCurves(t *testing.T) {
	csv, err := os.ReadFile("../../../docs/examples/curves/curves.csv")
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/curves.md")
	require.NoError(t, err)
	workplace(t)
	write(t, "curves.csv", string(csv))
	o := ok(t, "judge", "curves.csv")
	shown, _, _ := strings.Cut(o.out, "\n\n")
	assert.Contains(t, string(page), "    "+strings.ReplaceAll(shown, "\n", "\n    ")+"\n\n")
	ok(t, "judge", "curves.csv", "--write", "my.toml")
	_, claim, _ := strings.Cut(string(page), "    [[claim]]")
	claim, _, _ = strings.Cut(claim, "\n\n")
	write(t, "my.toml", read(t, "my.toml")+"\n[[claim]]"+strings.ReplaceAll(claim, "\n    ", "\n")+"\n")
	o = ok(t, "judge", "my.toml", "--gate")
	assert.Regexp(t, `rate .* reproduced`, o.out)
	assert.Regexp(t, `best .* reproduced`, o.out)
}
