package datasets

var _ = register(&Source{
	Name:     "covtype",
	Title:    "forest cover type, class 2 (lodgepole pine) against the rest",
	Licence:  "CC BY 4.0 (DOI 10.24432/C50K5N)",
	Citation: "Blackard, Covertype, UCI Machine Learning Repository, 1998",
	Notes:    "no test set of its own; inputs are unscaled and rows are not in random order; 48.8 % are positive",
	Task:     taskBinary,
	Dims:     54,
	Rows:     581012,
	Format:   "csv",
	Label:    coverType,
	Files: []RemoteFile{{
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

func coverType(class float64) (float64, bool) {
	switch class {
	case 2:
		return 1, true
	case 1, 3, 4, 5, 6, 7:
		return -1, true
	}
	return 0, false
}
