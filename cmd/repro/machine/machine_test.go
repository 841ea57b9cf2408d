package machine

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
)

// Fetch downloads what is missing only if somebody says yes.
func TestFetchTakesAnAnswer(t *testing.T) {
	t.Setenv("REPRO_DATA", "")
	t.Setenv("REPRO_CACHE", t.TempDir())
	for answer, want := range map[string][]string{"y\n": {"a9a"}, "yes": {"a9a"}, "\n": nil, "": nil, "no\n": nil} {
		var screen bytes.Buffer
		a := &terminal.Terminal{Stdout: &terminal.Output{To: &screen}, Stderr: &terminal.Output{To: &screen}, Screen: &screen, Stdin: strings.NewReader(answer)}
		got, err := agreed(a, fetchRequest{Library: flags.Library(a)}, []string{"a9a"})
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", answer)
		assert.Contains(t, screen.String(), "Download them? [y/N] ")
	}
}
