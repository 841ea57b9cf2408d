package datasets

var _ = register(&Source{
	Name:     "cod-rna",
	Title:    "detection of non-coding RNA",
	Licence:  "none stated",
	Citation: "Uzilov, Keegan & Mathews, BMC Bioinformatics 7:173, 2006, as distributed with LIBSVM",
	Notes:    "inputs are unscaled: set scale; one third of the rows are positive",
	Task:     taskBinary,
	Dims:     8,
	Rows:     59535,
	TestRows: 271617,
	Format:   "libsvm",
	Files: []RemoteFile{
		{
			Name: "cod-rna", URLs: []string{libsvmBinary + "cod-rna"}, Bytes: 4667176, Rows: 59535,
			SHA256: "65b7cc0689fc29bba5db8b50fab0b6446d985f4bf8f6f5dd474f7df8b2f1ab6c",
			MD5:    "cd14eab76f391e288e6e8e592ae658dd",
		},
		{
			Name: "cod-rna.t", URLs: []string{libsvmBinary + "cod-rna.t"}, Bytes: 21344555, Rows: 271617,
			SHA256: "58cff16df896436b06343df78ccaef37a6979d819abbcadbec3cb16b93938df6",
			MD5:    "b876c22c86a33ef262342b12d2718655",
		},
	},
})
