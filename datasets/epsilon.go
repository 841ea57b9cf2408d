package datasets

// epsilon has no checksum: none is published for its files.
var _ = register(&Source{
	Name:     "epsilon",
	Title:    "Epsilon of the PASCAL large scale learning challenge: two classes, 2,000 inputs",
	Licence:  "none stated",
	Citation: "PASCAL large scale learning challenge, 2008, as distributed with LIBSVM",
	Notes:    "inputs were standardised and rows scaled to unit length by those who distribute it",
	Task:     taskBinary,
	Dims:     2000,
	Rows:     400_000,
	TestRows: 100_000,
	Format:   "libsvm",
	Files: []RemoteFile{
		{Name: "epsilon_normalized.bz2", URLs: []string{libsvmBinary + "epsilon_normalized.bz2"}, Rows: 400_000},
		{Name: "epsilon_normalized.t.bz2", URLs: []string{libsvmBinary + "epsilon_normalized.t.bz2"}, Rows: 100_000},
	},
})
