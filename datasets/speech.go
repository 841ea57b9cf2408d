package datasets

import "repro/datasets/transforms"

// citeMa is the paper whose data is named below.
const citeMa = "Ma & Belkin, Diving into the shallows, NIPS 2017, Sec. 6"

// Data of ma2017 that is licensed or was not published. Numbers of rows are the paper's, which does not print
// those of the test sets.
var (
	_ = brought(Source{
		Name:       "timit",
		Title:      "TIMIT: frames of speech, 10 ms apart, with their phone states",
		Licence:    "that of TIMIT, LDC93S1, which the Linguistic Data Consortium sells",
		Citation:   "Garofolo et al., DARPA TIMIT acoustic-phonetic continuous speech corpus, NIST 1-1.1, 1993; features of " + citeMa,
		Notes:      "frames of the core test set labelled with the glottal stop are left out by the paper, 1.2 % of it",
		Task:       taskMulticlass,
		Dims:       440,
		Rows:       1_100_000,
		Substitute: "frames that the user brought: the paper's were made of a licensed corpus and not published",
	}, "labels 0 to 143")

	_ = brought(Source{
		Name:       "hint-s",
		Title:      "HINT-S: frames of noisy speech, the ideal binary mask of 64 frequency channels",
		Citation:   citeHINT,
		Task:       taskBinary,
		Dims:       425,
		Rows:       200_000,
		outputs:    maskChannels,
		Substitute: "frames that the user brought: the paper's were not published",
	}, "masks of 1 and 0, or 1 and -1")

	_ = brought(Source{
		Name:       "hint-m",
		Title:      "HINT-M: frames of noisy speech, the ideal ratio mask of 64 frequency channels",
		Citation:   citeHINT,
		Task:       taskRegression,
		Dims:       246,
		Rows:       7_000_000,
		outputs:    maskChannels,
		Substitute: "frames that the user brought: the paper's were not published",
	}, "masks from 0 to 1")

	_ = brought(Source{
		Name:     "mnist8m-images",
		Title:    "MNIST8M: ten digits with virtual examples, 28 by 28 pixels in [0, 1]",
		Licence:  mnistLicence,
		Citation: mnistCitation + "; Loosli, Canu & Bottou, Training invariant support vector machines using selective sampling, in Large-Scale Kernel Machines, 2007",
		Notes: "the files mnist8m.scale and mnist.scale.t of the LIBSVM page are train.libsvm and test.libsvm; text is kept in memory, 6 GiB for a " +
			"million rows, arrays are not; arrays of bytes are divided by 255",
		Task:       taskMulticlass,
		Dims:       transforms.DigitPixels,
		Rows:       8_100_000,
		TestRows:   10_000,
		pixels:     true,
		Substitute: "rows that the user brought and that nobody compared with those of MNIST8M",
	}, "labels 0 to 9")
)

// maskChannels is the number of frequency channels that a mask has a value for.
const maskChannels = 64

const citeHINT = "Healy, Yoho, Wang & Wang, An algorithm to improve speech recognition in noise for hearing-impaired listeners, " +
	"J. Acoust. Soc. Am. 134:3029-3038, 2013; features of " + citeMa
