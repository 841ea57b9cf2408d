package datasets

const libsvmBinary = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"

// The test file never uses feature 123, so the number of inputs comes from here, not from the file.
var _ = register(&Source{
	Name:     "a9a",
	Title:    "Adult (census income) as 123 binary features",
	Licence:  "CC BY 4.0 (UCI Adult, DOI 10.24432/C5XW20)",
	Citation: "Becker & Kohavi, Adult, UCI Machine Learning Repository, 1996; encoding of Platt, 1998, as distributed with LIBSVM",
	Notes:    "24.1 % of the training rows and 23.6 % of the test rows are positive",
	Task:     taskBinary,
	Dims:     123,
	Rows:     32561,
	TestRows: 16281,
	Format:   "libsvm",
	Files: []RemoteFile{
		{
			Name: "a9a", URLs: []string{libsvmBinary + "a9a"}, Bytes: 2329875, Rows: 32561,
			SHA256: "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
			MD5:    "fb3596510d780aaf76a06dc721d49662",
		},
		{
			Name: "a9a.t", URLs: []string{libsvmBinary + "a9a.t"}, Bytes: 1164628, Rows: 16281,
			SHA256: "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
			MD5:    "f0bb16cf1ee3e80ff560e9d132ee647e",
		},
	},
})
