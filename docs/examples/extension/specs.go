package smoothing

import (
	"embed"
	"io/fs"

	"repro/experiments/catalog"
)

//go:embed specs
var files embed.FS

func init() {
	specs, err := fs.Sub(files, "specs")
	if err != nil {
		panic(err)
	}
	catalog.Register(specs)
}
