package smoothing

import (
	"embed"

	"repro/results/baseline"
)

//go:embed baseline
var results embed.FS

func init() { baseline.Register(results, "baseline") }
