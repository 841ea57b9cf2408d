package experiments

import (
	_ "embed" // for starter.toml
	"slices"
)

//go:embed starter.toml
var starter []byte

// Starter returns the text of a small commented spec that runs in seconds on generated data, to copy and change.
func Starter() []byte { return slices.Clone(starter) }
