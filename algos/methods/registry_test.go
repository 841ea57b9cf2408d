package methods

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
)

func TestRegistry(t *testing.T) {
	for _, name := range algos.Names() {
		a, err := algos.New(name)
		require.NoError(t, err)
		again, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, a, again)
		algostest.Set(a, "batch", 17)
		algostest.Set(a, "features", 17)
		third, err := algos.New(name)
		require.NoError(t, err)
		assert.Equal(t, again, third, "%s: what one spec overwrites is not another's default", name)
		assert.Implements(t, (*algos.Coster)(nil), a, name)
		fit, declared := algos.Declared(a)
		assert.True(t, declared && fit != nil, "%s: metrics of a fit ask for it", name)
	}
}

// The package comment has a line for every method, with the file that registers it.
func TestPackageCommentListsTheMethods(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var listed []string
	for _, line := range regexp.MustCompile(`(?m)^//\t(.+?)  .*?(\S+\.go)$`).FindAllStringSubmatch(string(text), -1) {
		source, err := os.ReadFile(line[2])
		require.NoError(t, err)
		for name := range strings.SplitSeq(line[1], ", ") {
			listed = append(listed, name)
			assert.Regexp(t, `algos\.Register\[.*\]\("`+name+`",`, string(source), line[2])
		}
	}
	assert.ElementsMatch(t, algos.Names(), listed)
}
