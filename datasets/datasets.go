// Package datasets turns names and files into training and test data: the registry of data sets, the options of the [data]
// table of a spec, checksums, the cache of downloads and the choice of training and test rows. Package generators registers
// the data sets that are drawn, package sources those in files; Register adds one of your own. Package formats reads the
// files; package transforms scales the rows and makes copies of them.
package datasets

import (
	"cmp"
	"errors"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// Samples are training rows by index; package algos has the same interface.
type Samples = transforms.Samples

// A Set is data ready for an experiment: split and scaled. Sets of the same file share their
// memory, so nobody may write to it.
type Set struct {
	Name  string
	Task  string // "regression", "binary" (targets 1 or -1), "multiclass" (a column a class) or "none"
	Train Samples
	TestX compute.Matrix // without rows, but with all columns, if the data is one stream; TestY too
	TestY compute.Matrix

	// Truth is the noise-free function that generated the data, nil if unknown: for a binary target the log odds of 1, for a
	// multi-class target the number, from 1, of the likeliest class.
	Truth func(x []float64) float64
	// Domain is the box that inputs lie in, one [low, high] an input, nil if unknown.
	Domain [][2]float64

	// Classes are the labels of a multi-class task as the file has them, in the order of the columns of targets; nil if
	// the data is generated, with classes numbered from 1.
	Classes []float64

	// Groups gives every test row the number of its group, from 0 and increasing: rows of a group show the same thing in
	// several ways, and its prediction is the mean over them. Nil if every row is a group of its own.
	Groups []int
	// TargetUnit is the size, in the units of the data, of a difference of 1 between targets: other than 1 if target_scale
	// scaled them, 0 if unknown.
	TargetUnit float64

	// Adversarial says that the rows are to be chosen against the method that learns them. Train then has their number and
	// dimensions only, and Gather panics.
	Adversarial bool

	Files      []File
	Substitute string // why this is not the data of the paper, "" if it is

	memory int64 // bytes that rows may take, 0 for what this machine has
}

func (s *Set) bound() int64 { return cmp.Or(s.memory, machineMemory()) }

// A File is an input file as the record lists it. For a generator, SHA256 is the digest of its description.
type File struct {
	Name   string // base name, or generator and parameters
	SHA256 string // of the uncompressed content
	Rows   int    // in the whole file, or drawn from the generator
}

// The kinds of errors; compare with errors.Is.
var (
	// ErrMissing says that the data is not on this machine.
	ErrMissing = errors.New("data is missing")
	// ErrChecksum says that a file is not the one its source names.
	ErrChecksum = errors.New("checksum differs")
	// ErrFormat says that a file cannot be read as what it should be.
	ErrFormat = formats.ErrFormat
)
