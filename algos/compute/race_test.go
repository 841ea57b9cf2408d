//go:build race

package compute_test

const underRace = true
