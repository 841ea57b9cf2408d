package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkVerbs measures commands that should answer at once: they read all specs, and the verdicts that come with repro, and train nothing.
// The first plan, which measures the machine, is not counted.
func BenchmarkVerbs(b *testing.B) {
	b.Setenv("REPRO_DATA", "")
	b.Setenv("REPRO_CACHE", b.TempDir())
	b.Chdir(b.TempDir())
	for _, line := range []string{"list", "score", "plan */*"} {
		b.Run(line, func(b *testing.B) {
			run := func() {
				var out bytes.Buffer
				require.Zero(b, Run(b.Context(), &out, &out, strings.Fields(line)), out.String())
			}
			run()
			for b.Loop() {
				run()
			}
		})
	}
}
