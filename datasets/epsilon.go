package datasets

// epsilon has no checksum: none is published at its source.
var _ = register(&Source{
	Name:     "epsilon",
	Title:    "Epsilon of the Pascal large scale learning challenge, artificial",
	Licence:  "none stated",
	Citation: "Sonnenburg et al., Pascal large scale learning challenge, 2008, as distributed with LIBSVM",
	Notes:    "every row has norm 1; each file takes gigabytes of memory: 2,000 numbers a row",
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
