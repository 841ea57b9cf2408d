package experiments

import (
	"embed"

	// These packages register the methods and the data that a spec may name.
	_ "repro/algos/methods"
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
)

// Builtin holds the specs of the papers, <paper>/<name>.toml, and papers.toml. Package catalog registers them.
//
//go:embed papers.toml */*.toml
var Builtin embed.FS
