// Package sources registers the data sets whose rows are in files: those that can be downloaded, and those that the user brings.
// What is known of one data set is in one place. Programs import the package for that: it exports nothing.
package sources

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"

	"repro/datasets"
	"repro/datasets/formats"
)

// register adds a source, whose licence is not stated unless it says another.
func register(s datasets.Source) struct{} {
	s.Licence = cmp.Or(s.Licence, "none stated")
	datasets.Register(s)
	return struct{}{}
}

// libsvm is a file of the LIBSVM page, whose address ends in at.
func libsvm(at string, bytes int64, rows int, sha256, md5 string) datasets.RemoteFile {
	return datasets.RemoteFile{
		Name: path.Base(at), URLs: []string{"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/" + at},
		Bytes: bytes, Rows: rows, SHA256: sha256, MD5: md5,
	}
}

// uci is a file of the UCI Machine Learning Repository, whose address ends in at.
func uci(at string, rows int) datasets.RemoteFile {
	return datasets.RemoteFile{
		Name: path.Base(at), URLs: []string{"https://archive.ics.uci.edu/ml/machine-learning-databases/" + at}, Rows: rows,
	}
}

// The test file never uses feature 123, so the number of inputs comes from here, not from the file.
var _ = register(datasets.Source{
	Name:     "a9a",
	Title:    "Adult (census income) as 123 binary features",
	Licence:  "CC BY 4.0 (UCI Adult, DOI 10.24432/C5XW20)",
	Citation: "Becker & Kohavi, Adult, UCI Machine Learning Repository, 1996; encoding of Platt, 1998, as distributed with LIBSVM",
	Notes:    "24.1 % of the training rows and 23.6 % of the test rows are positive",
	Task:     "binary", Dims: 123, Rows: 32561, TestRows: 16281, Format: "libsvm",
	Files: []datasets.RemoteFile{
		libsvm("binary/a9a", 2329875, 32561, "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906", "fb3596510d780aaf76a06dc721d49662"),
		libsvm("binary/a9a.t", 1164628, 16281, "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9", "f0bb16cf1ee3e80ff560e9d132ee647e"),
	},
})

// casp has no checksum: none is published for CASP.csv.
var _ = register(datasets.Source{
	Name:     "casp",
	Title:    "CASP: properties of protein structures; how far a decoy is from the native one, in ångström",
	Licence:  "CC BY 4.0 (DOI 10.24432/C5QW3H)",
	Citation: "Rana, Physicochemical Properties of Protein Tertiary Structure, UCI Machine Learning Repository, 2013",
	Notes:    "no test set of its own; inputs are unscaled; the target, RMSD, goes from 0 to 20.999; 1,451 different lines occur more than once",
	Task:     "regression", Dims: 9, Rows: 45730,
	Files:  []datasets.RemoteFile{uci("00265/CASP.csv", 45730)},
	Format: "csv", Header: true, Target: "RMSD",
})

var _ = register(datasets.Source{
	Name:     "cod-rna",
	Title:    "detection of non-coding RNA",
	Citation: "Uzilov, Keegan & Mathews, BMC Bioinformatics 7:173, 2006, as distributed with LIBSVM",
	Notes:    "inputs are unscaled: set scale; one third of the rows are positive",
	Task:     "binary", Dims: 8, Rows: 59535, TestRows: 271617, Format: "libsvm",
	Files: []datasets.RemoteFile{
		libsvm("binary/cod-rna", 4667176, 59535, "65b7cc0689fc29bba5db8b50fab0b6446d985f4bf8f6f5dd474f7df8b2f1ab6c", "cd14eab76f391e288e6e8e592ae658dd"),
		libsvm("binary/cod-rna.t", 21344555, 271617, "58cff16df896436b06343df78ccaef37a6979d819abbcadbec3cb16b93938df6", "b876c22c86a33ef262342b12d2718655"),
	},
})

var _ = register(datasets.Source{
	Name:     "covtype",
	Title:    "forest cover type, class 2 (lodgepole pine) against the rest",
	Licence:  "CC BY 4.0 (DOI 10.24432/C50K5N)",
	Citation: "Blackard, Covertype, UCI Machine Learning Repository, 1998",
	Notes:    "no test set of its own; inputs are unscaled and rows are not in random order; 48.8 % are positive",
	Task:     "binary", Dims: 54, Rows: 581012, Format: "csv",
	Label: func(class float64) (float64, bool) {
		switch class {
		case 2:
			return 1, true
		case 1, 3, 4, 5, 6, 7:
			return -1, true
		}
		return 0, false
	},
	Files: []datasets.RemoteFile{{
		Name: "covtype.data.gz",
		URLs: []string{
			"https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz",
			"https://ndownloader.figshare.com/files/5976039",
		},
		Bytes: 11240707, Rows: 581012,
		SHA256: "0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
		MD5:    "71df19898bd3e11db15ae0faf4159f2c",
	}},
})

// epsilon has no checksum: none is published for its files.
var _ = register(datasets.Source{
	Name:     "epsilon",
	Title:    "Epsilon of the PASCAL large scale learning challenge: two classes, 2,000 inputs",
	Citation: "PASCAL large scale learning challenge, 2008, as distributed with LIBSVM",
	Notes:    "inputs were standardised and rows scaled to unit length by those who distribute it",
	Task:     "binary", Dims: 2000, Rows: 400_000, TestRows: 100_000, Format: "libsvm",
	Files: []datasets.RemoteFile{
		libsvm("binary/epsilon_normalized.bz2", 0, 400_000, "", ""),
		libsvm("binary/epsilon_normalized.t.bz2", 0, 100_000, "", ""),
	},
})

var _ = register(datasets.Source{
	Name:     "ijcnn1",
	Title:    "IJCNN 2001 neural network competition",
	Citation: "Prokhorov, IJCNN 2001 challenge, as distributed with LIBSVM",
	Notes:    "9.7 % of the training rows and 9.5 % of the test rows are positive",
	Task:     "binary", Dims: 22, Rows: 49990, TestRows: 91701, Format: "libsvm",
	Files: []datasets.RemoteFile{
		libsvm("binary/ijcnn1.bz2", 1398220, 49990, "16506cad788cf7c9607454150ed1994788204bac2ff4c9cb3b320036b6950d3f", ""),
		libsvm("binary/ijcnn1.t.bz2", 2597597, 91701, "e7b0bbd518641980dc322746c6bc59d019d3153934e6258e48f9d8cfae2c4bb8", ""),
	},
})

// year has no checksum: none is published for its files.
var _ = register(datasets.Source{
	Name:     "year",
	Title:    "YearPredictionMSD: the year of a song from 90 numbers on its timbre",
	Licence:  "CC BY 4.0 (DOI 10.24432/C50K61)",
	Citation: "Bertin-Mahieux, YearPredictionMSD, UCI Machine Learning Repository, 2011; the Million Song Dataset, ISMIR 2011; as distributed with LIBSVM",
	Notes:    "no artist is in both the training and the test rows; inputs are unscaled; the target is a year, 1922 to 2011",
	Task:     "regression", Dims: 90, Rows: 463_715, TestRows: 51_630, Format: "libsvm",
	Files: []datasets.RemoteFile{
		libsvm("regression/YearPredictionMSD.bz2", 0, 463_715, "", ""),
		libsvm("regression/YearPredictionMSD.t.bz2", 0, 51_630, "", ""),
	},
})

// susy has no checksum: none is published for SUSY.csv.gz.
var _ = register(datasets.Source{
	Name:     "susy",
	Title:    "SUSY: simulated collisions with supersymmetric particles against background",
	Licence:  "CC BY 4.0 (DOI 10.24432/C54606)",
	Citation: "Baldi, Sadowski & Whiteson, Searching for exotic particles in high-energy physics with deep learning, Nature Communications 5:4308, 2014",
	Notes:    "the last tenth of the rows, 500,000, is the test set, as its page says; inputs are unscaled; a file of fewer rows is taken, as a substitute",
	Task:     "binary", Dims: 18, Rows: 4_500_000, TestRows: 500_000,
	Files:  []datasets.RemoteFile{uci("00279/SUSY.csv.gz", 5_000_000)},
	Format: "csv", Target: "1",
	Label: func(v float64) (float64, bool) { return 2*v - 1, v == 0 || v == 1 },
	Load:  loadSUSY,
})

// loadSUSY reads the file and divides its rows.
func loadSUSY(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	all, err := files[0].Upto(ctx)
	if err != nil || o.Stream {
		return all, nil, err
	}
	n := all.Y.Rows - int(math.Round(0.1*float64(all.Y.Rows)))
	if n < 1 || n == all.Y.Rows {
		return nil, nil, formats.Faultf(formats.ErrFormat, "%s: %d rows cannot be divided into training and test rows", files[0].Path, all.Y.Rows)
	}
	train, test = all.Divide(n)
	return train, test, nil
}

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
