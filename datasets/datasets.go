// Package datasets turns names and files into training and test data: sources, streaming readers,
// checksums, the download cache, splits, scaling and generators. It owns the network and every
// unit of the data.
package datasets

import (
	"errors"

	"repro/algos/compute"
	"repro/datasets/formats"
)

// Samples are training rows by index; package algos has the same interface.
type Samples interface {
	Len() int
	Dims() (in, out int)
	Gather(rows []int, x, y compute.Matrix)
}

// A Set is data ready for an experiment: split and scaled. Sets of the same file share their
// memory, so nobody may write to it.
type Set struct {
	Name  string
	Task  string // "regression", "binary" (targets 1 or -1), "multiclass" (a column a class) or "none"
	Train Samples
	TestX compute.Matrix
	TestY compute.Matrix

	// Truth is the noise-free function that generated the data, nil if unknown; of a binary target the
	// log odds of 1, of a multi-class target the number from 1 of the likeliest class.
	Truth func(x []float64) float64
	// Domain is the box that inputs lie in, one [low, high] an input, nil if unknown.
	Domain [][2]float64

	// Classes are the labels of a multi-class task as the file has them, in the order of the columns of targets; nil if
	// the data is generated, with classes numbered from 1.
	Classes []float64

	// Groups says which test rows are one thing shown in several ways, by a number for each row, from 0
	// and increasing; a method's prediction for it is the mean over its rows. Nil if every row stands
	// for itself.
	Groups []int
	// TargetUnit is what a difference of 1 between targets is in the units of the data: other than 1
	// if target_scale scaled them, 0 if nothing set it.
	TargetUnit float64

	Files      []File
	Substitute string // why this is not the paper's data, if it is not
}

// A File is one input as the record's provenance tells it. A generator is described, not hashed
// row by row: SHA256 is then the digest of its description.
type File struct {
	Name   string // base name, or generator and parameters
	SHA256 string // of the uncompressed content
	Rows   int    // in the whole file, or drawn from the generator
}

// Errors are told apart with errors.Is.
var (
	// ErrMissing says that the data is not on this machine.
	ErrMissing = errors.New("data is missing")
	// ErrChecksum says that a file is not the one its source names.
	ErrChecksum = errors.New("checksum differs")
	// ErrFormat says that a file cannot be read as what it should be.
	ErrFormat = formats.ErrFormat
)
