package sources

import (
	"cmp"
	"fmt"

	"repro/datasets"
)

// Sources of features that a paper computed with a network of its own or from a database, and did not
// publish. The user brings them, as two arrays of NumPy (train.npy with a row a sample and
// train-labels.npy with a number a sample; test.npy and test-labels.npy) or as LIBSVM text
// (train.libsvm and test.libsvm). Uncompressed arrays are read from the disk row by row when they are
// used, and may be larger than memory.
var _ = brought(datasets.Source{
	Name:     "mnist8m",
	Title:    "MNIST8M, ten digits: features of the last max-pooling layer of a convolutional network",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (6): 8.1 million training rows of 1568 inputs, from two convolution layers with 16 and 32 filters",
	Task:     "multiclass", Dims: 1568, Rows: 8_100_000, TestRows: 10_000,
}, "labels 0 to 9")

var _ = brought(datasets.Source{
	Name:     "cifar10",
	Title:    "CIFAR-10: features of the top max-pooling layer of a convolutional network",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (7): 2304 inputs, of the network with two convolution and two local layers that cuda-convnet specifies",
	Task:     "multiclass", Dims: 2304, Rows: 50_000, TestRows: 10_000,
}, "labels 0 to 9")

var _ = brought(datasets.Source{
	Name:     "imagenet",
	Title:    "ImageNet 2012: features of the last pooling layer of Alex-net",
	Citation: citeDai,
	Notes:    "dai2014 Table 4 (8): 1.3 million training rows of 9216 inputs",
	Task:     "multiclass", Dims: 9216, Rows: 1_281_167, TestRows: 50_000,
}, "labels 0 to 999")

var _ = brought(datasets.Source{
	Name:     "molecularspace",
	Title:    "MolecularSpace (Clean Energy Project): power conversion efficiency from Coulomb matrices in steps",
	Citation: citeDai,
	Notes: "dai2014 Table 4 (10): 2.3 million molecules, whose 2850 different entries of a random Coulomb matrix are taken apart into steps " +
		"as those of qm7 are; any number of inputs is taken",
	Task: "regression", Rows: 2_300_000,
}, "power conversion efficiencies")

// citeDai is the paper whose features are named first.
const citeDai = "Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Sec. 7.4 and 7.5"

// citeMa is the paper whose data is named below.
const citeMa = "Ma & Belkin, Diving into the shallows, NIPS 2017, Sec. 6"

// Data of ma2017 that is licensed or was not published. Numbers of rows are the paper's, which does not print
// those of the test sets.
var (
	_ = brought(datasets.Source{
		Name:     "timit",
		Title:    "TIMIT: frames of speech, 10 ms apart, with their phone states",
		Licence:  "that of TIMIT, LDC93S1, which the Linguistic Data Consortium sells",
		Citation: "Garofolo et al., DARPA TIMIT acoustic-phonetic continuous speech corpus, NIST 1-1.1, 1993; features of " + citeMa,
		Notes:    "frames of the core test set labelled with the glottal stop are left out by the paper, 1.2 % of it",
		Task:     "multiclass", Dims: 440, Rows: 1_100_000,
		Substitute: "frames that the user brought: the paper's were made of a licensed corpus and not published",
	}, "labels 0 to 143")

	_ = brought(datasets.Source{
		Name:     "hint-s",
		Title:    "HINT-S: frames of noisy speech, the ideal binary mask of 64 frequency channels",
		Citation: citeHINT,
		Task:     "binary", Dims: 425, Rows: 200_000, Outputs: maskChannels,
		Substitute: "frames that the user brought: the paper's were not published",
	}, "masks of 1 and 0, or 1 and -1")

	_ = brought(datasets.Source{
		Name:     "hint-m",
		Title:    "HINT-M: frames of noisy speech, the ideal ratio mask of 64 frequency channels",
		Citation: citeHINT,
		Task:     "regression", Dims: 246, Rows: 7_000_000, Outputs: maskChannels,
		Substitute: "frames that the user brought: the paper's were not published",
	}, "masks from 0 to 1")

	_ = brought(datasets.Source{
		Name:     "mnist8m-images",
		Title:    "MNIST8M: ten digits with virtual examples, 28 by 28 pixels in [0, 1]",
		Licence:  mnistLicence,
		Citation: mnist8mCitation,
		Notes: "the files mnist8m.scale and mnist.scale.t of the LIBSVM page are train.libsvm and test.libsvm; text is kept in memory, 6 GiB for a " +
			"million rows, arrays are not; arrays of bytes are divided by 255",
		Task: "multiclass", Dims: digitPixels, Rows: 8_100_000, TestRows: 10_000,
		Substitute: "rows that the user brought and that nobody compared with those of MNIST8M",
	}, "labels 0 to 9")
)

// maskChannels is the number of frequency channels that a mask has a value for.
const maskChannels = 64

const citeHINT = "Healy, Yoho, Wang & Wang, An algorithm to improve speech recognition in noise for hearing-impaired listeners, " +
	"J. Acoust. Soc. Am. 134:3029-3038, 2013; features of " + citeMa

// brought registers a source that the user brings. The numbers of rows are the paper's; the files may have others.
func brought(s datasets.Source, targets string) struct{} {
	shape := "rows × inputs"
	if s.Dims > 0 {
		shape = fmt.Sprintf("rows × %d", s.Dims)
	}
	s.Licence = cmp.Or(s.Licence, "that of the data the features were made of")
	s.Substitute = cmp.Or(s.Substitute, "features that the user brought: the paper's were not published")
	labels, text := "rows", ", or train.libsvm and test.libsvm"
	if s.Outputs > 1 {
		labels, text = fmt.Sprintf("rows × %d", s.Outputs), ""
	}
	s.Bring = fmt.Sprintf("train.npy (%s), train-labels.npy (%s: %s), test.npy and test-labels.npy in the same way%s", shape, labels, targets, text)
	forms := broughtForms(s.Dims == digitPixels, s.Outputs <= 1)
	s.Format, s.Training, s.Files, s.Load, s.Others = forms[0].Format, forms[0].Training, forms[0].Files, forms[0].Load, forms[1:]
	return register(s)
}

// broughtForms are those that data a user brings may have: arrays, whose bytes may be pixels, and text, which has one label a row.
func broughtForms(pixels, text bool) []datasets.Form {
	arrays := datasets.Form{Format: "npy", Training: 2, Brought: true, Load: datasets.Arrays(pixels),
		Files: []datasets.RemoteFile{{Name: "train.npy"}, {Name: "train-labels.npy"}, {Name: "test.npy"}, {Name: "test-labels.npy"}}}
	if !text {
		return []datasets.Form{arrays}
	}
	return []datasets.Form{arrays, {Format: "libsvm", Brought: true, Files: []datasets.RemoteFile{{Name: "train.libsvm"}, {Name: "test.libsvm"}}}}
}
