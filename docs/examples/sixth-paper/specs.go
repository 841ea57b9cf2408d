package diaz2023

import (
	"embed"

	"repro/docs/lessons"
	"repro/experiments/catalog"
	"repro/results/baseline"
)

//go:embed specs lessons baseline
var files embed.FS

func init() {
	catalog.Register(files, "specs")
	lessons.Register(files, "lessons")
	baseline.Register(files, "baseline")
}
