package records

// A LateSetting is a setting that was added to an algorithm after records without it had been stored. The settings of a
// cell leave it out if it has its default, so that the digests of those records stay valid.
type LateSetting struct {
	Algorithm string // name of the algorithm in specs
	Key       string // its key in the settings of a method
	Default   any    // the value with which the records without the key were made
	Since     string // date of the change
	Why       string
}

// LateSettings lists the late settings of all algorithms. Add an entry if you add a setting to an algorithm of which
// records are stored. Never remove an entry or change its default.
var LateSettings = []LateSetting{
	{"dsg", "keep", false, "2026-11-27", "predictions at training rows that are kept"},
	{"eigenpro", "decomposition", "rsvd", "2026-11-20", "Nyström's decomposition beside RSVD, ma2017 App. A"},
	{"eigenpro", "eta", 0.0, "2026-11-20", "the step sizes of ma2017's MNIST tables"},
	{"eigenpro-rf", "decomposition", "rsvd", "2026-11-20", "as eigenpro"},
	{"eigenpro-rf", "eta", 0.0, "2026-11-20", "as eigenpro"},
	{"falkon", "selection", "uniform", "2026-11-27", "landmarks by randomly pivoted Cholesky"},
	{"gd", "leap", false, "2026-11-21", "reach far iterates by powers of the iteration map"},
	{"ksvm", "bias", false, "2026-11-22", "the bias of LIBSVM's support vector machine"},
	{"n-pegasos", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-rbcd", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-sbmd", "selection", "uniform", "2026-11-27", "as falkon"},
	{"n-sdca", "selection", "uniform", "2026-11-27", "as falkon"},
	{"sgd-rf", "average", false, "2026-11-27", "the averaged iterate"},
	{"sgd-rf", "half_kernel", false, "2026-11-22", "the features of carratino2018, without √2"},
	{"sgd-rf", "sampling", "epochs", "2026-11-22", "sampling with replacement, carratino2018 eq. (3)"},
	{"spectral-sketch", "decomposition", "rsvd", "2026-11-20", "Nyström's decomposition beside RSVD, ma2017 App. A"},
	{"spectral-sketch", "subsample", 0, "2026-11-20", "eigenvectors from a subsample of the rows"},
}
