//go:build !race

package memorytest

// Race says whether the race detector runs, which allocates beside the code.
const Race = false
