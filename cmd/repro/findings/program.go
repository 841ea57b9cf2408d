package findings

import (
	"runtime"

	"repro/results/bundles"
	"repro/runner"
)

// Program describes this build.
func Program() bundles.Program {
	p := bundles.Program{Go: runtime.Version()}
	p.Version, p.Commit, p.Dirty = runner.Version()
	return p
}
