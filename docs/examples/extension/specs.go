package smoothing

import (
	"embed"

	"repro/experiments/catalog"
)

//go:embed specs
var files embed.FS

func init() { catalog.Register(files, "specs") }
