// Package papers holds the specs of the papers, <paper>/<name>.toml, and papers.toml with the rows of the scoreboard, and registers
// them. Nothing else is in it and few packages import it, so a program is soon built again after a change of a spec.
package papers

import (
	"embed"

	"repro/experiments/catalog"
)

//go:embed papers.toml */*.toml
var files embed.FS

func init() { catalog.Register(files, ".") }
