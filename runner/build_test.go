package runner

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBuilds(t *testing.T) {
	info := func(settings ...string) *debug.BuildInfo {
		i := &debug.BuildInfo{}
		for k := 0; k < len(settings); k += 2 {
			i.Settings = append(i.Settings, debug.BuildSetting{Key: settings[k], Value: settings[k+1]})
		}
		return i
	}
	replaced := info("vcs.revision", "0123456789abcdef", "vcs.modified", "false")
	replaced.Deps = []*debug.Module{{Path: "repro", Replace: &debug.Module{Path: "../repro"}}}
	end := ", " + runtime.Version() + ", " + runtime.GOARCH + ", avx2"
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"clean":                     {info("vcs.revision", "0123456789abcdef", "vcs.modified", "false"), "commit 0123456789ab" + end},
		"changed files":             {info("vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "commit 0123456789ab, binary x" + end},
		"no stamp":                  {info(), "unknown commit, binary x" + end},
		"a module in a folder":      {replaced, "commit 0123456789ab, binary x" + end},
		"options that change bits":  {info("vcs.revision", "01", "vcs.modified", "false", "GOAMD64", "v3", "-tags", "purego"), "commit 01" + end + ", GOAMD64=v3, -tags=purego"},
		"options that change names": {info("vcs.revision", "01", "vcs.modified", "false", "-ldflags", "-s"), "commit 01" + end},
	} {
		assert.Equal(t, c.want, buildOf(c.info, "avx2", func() string { return "x" }), name)
	}
	assert.NotEqual(t, buildOf(info(), "avx2", executableSum), buildOf(info(), "generic", executableSum))
	assert.Equal(t, executableSum(), executableSum(), "the hash of one file")
	assert.Len(t, executableSum(), 12, "digits that no two builds share")
}
