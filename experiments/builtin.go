package experiments

// These packages register the methods and the data that a spec may name.
import (
	_ "repro/algos/methods"
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
)
