package datasets

import (
	"context"
	"slices"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// Addresses of the MNIST files, which left their first home.
func mnistFile(name string, bytes int64, rows int, sha, md string) RemoteFile {
	return RemoteFile{
		Name: name,
		URLs: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
			"https://storage.googleapis.com/cvdf-datasets/mnist/" + name,
		},
		Bytes: bytes, Rows: rows, SHA256: sha, MD5: md,
	}
}

var mnistFiles = []RemoteFile{
	mnistFile("train-images-idx3-ubyte.gz", 9912422, 60000,
		"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", "6bbc9ace898e44ae57da46a324031adb"),
	mnistFile("train-labels-idx1-ubyte.gz", 28881, 60000,
		"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", "a25bea736e30d166cdddb491f175f624"),
	mnistFile("t10k-images-idx3-ubyte.gz", 1648877, 10000,
		"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", "2646ac647ad5339dbf082846283269ea"),
	mnistFile("t10k-labels-idx1-ubyte.gz", 4542, 10000,
		"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", "27ae3e4e09519cfbb04c329615203637"),
}

var mnistCounts = [2][]int{
	{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949},
	{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009},
}

const (
	mnistLicence  = "none stated at its source; usually given as CC BY-SA 3.0"
	mnistCitation = "LeCun, Bottou, Bengio & Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86:2278-2324, 1998"
)

var _ = register(&Source{
	Name:     "mnist",
	Title:    "handwritten digits, 28 by 28 pixels in [0, 1]",
	Licence:  mnistLicence,
	Citation: mnistCitation,
	Notes:    "ten classes; for a binary task set classes to the two to compare",
	Task:     taskMulticlass,
	Dims:     transforms.DigitPixels,
	Rows:     60000,
	TestRows: 10000,
	Files:    mnistFiles,
	Format:   "idx",
	training: 2,
	counts:   mnistCounts,
})

// Copies of each image in MNIST8M: 134 virtual ones besides the image itself, 8.1 million rows of all
// ten classes.
const mnist8mCopies = 135

var (
	_ = register(madeOfMNIST(&Source{
		Name:  "mnist8m-8v6",
		Title: "MNIST8M, 8 against 6: virtual examples made from MNIST in its manner",
		Notes: "stands in for MNIST8M: every training 8 and 6 of MNIST itself and in 134 deformed and shifted copies, which are made " +
			"when they are used (data.seed decides them, in_memory keeps them); the test rows are the 8s and 6s of MNIST's test set",
		Task:     taskBinary,
		Rows:     mnist8mCopies * (5851 + 5918),
		TestRows: 974 + 958,
	}, 8, 6))
	_ = register(madeOfMNIST(&Source{
		Name:  "mnist8m-made",
		Title: "MNIST8M: ten digits with virtual examples made from MNIST in its manner",
		Notes: "stands in for MNIST8M: every training image of MNIST itself and in 134 deformed and shifted copies, which are made " +
			"when they are used (data.seed decides them, in_memory keeps them); the test rows are those of MNIST",
		Task:     taskMulticlass,
		Rows:     mnist8mCopies * 60_000,
		TestRows: 10_000,
		counts:   [2][]int{timesEach(mnistCounts[0], mnist8mCopies), mnistCounts[1]},
	}))
)

// madeOfMNIST completes a source of virtual examples, of all classes of MNIST or of two, the first of which is 1 and the second -1.
func madeOfMNIST(s *Source, pair ...byte) *Source {
	s.Licence = mnistLicence
	s.Citation = mnistCitation + "; Loosli, Canu & Bottou, Training invariant support vector machines using selective sampling, in Large-Scale Kernel Machines, 2007"
	s.Dims, s.Files, s.Format, s.training, s.home = transforms.DigitPixels, mnistFiles, "idx", 2, "mnist"
	s.Substitute = "the virtual examples are made here from MNIST, by deformations in the manner of Loosli, Canu & Bottou (2007), " +
		"and are not the rows of MNIST8M"
	s.augment = &augmentation{
		description: "images deformed by smooth random fields and shifted by up to two pixels, version 1",
		copies:      mnist8mCopies, testCopies: 1,
		load: func(ctx context.Context, files []*input, o Options) (*population, error) {
			return loadMNIST(ctx, files, o, pair)
		},
	}
	return s
}

// timesEach multiplies all counts.
func timesEach(counts []int, by int) []int {
	all := slices.Clone(counts)
	for i := range all {
		all[i] *= by
	}
	return all
}

// loadMNIST loads the images, with their classes as targets, or those of a pair, the first of which is 1 and the second -1.
func loadMNIST(ctx context.Context, files []*input, o Options, pair []byte) (*population, error) {
	all, p := new(digits), new(population)
	for i, in := range inPairs(files) {
		d, read, err := loadDigits(ctx, in, in.beside)
		if err != nil {
			return nil, err
		}
		if len(pair) > 0 {
			d = d.of(pair...)
		}
		units := transforms.Span(len(all.labels), len(all.labels)+len(d.labels))
		if i == 0 {
			p.train = units
		} else {
			p.test = units
		}
		p.files = append(p.files, read...)
		all.pixels, all.labels = append(all.pixels, d.pixels...), append(all.labels, d.labels...)
	}
	p.y = compute.NewMatrix(len(all.labels), 1)
	for i, l := range all.labels {
		switch {
		case len(pair) == 0:
			p.y.Data[i] = float64(l)
		case l == pair[0]:
			p.y.Data[i] = 1
		default:
			p.y.Data[i] = -1
		}
	}
	p.prepare = func([]int) transforms.Maker { return transforms.NewDeformer(all.pixels, o.Seed) }
	return p, nil
}
