package datasets

const libsvmRegression = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/regression/"

// year has no checksum: none is published at its source.
var _ = register(&Source{
	Name:     "year",
	Title:    "YearPredictionMSD: the year of a song from its timbre",
	Licence:  "CC BY 4.0 (DOI 10.24432/C50K61)",
	Citation: "Bertin-Mahieux, YearPredictionMSD, UCI Machine Learning Repository, 2011, as distributed with LIBSVM",
	Notes:    "no artist is in both files; inputs and the year are unscaled",
	Task:     taskRegression,
	Dims:     90,
	Rows:     463_715,
	TestRows: 51_630,
	Format:   "libsvm",
	Files: []RemoteFile{
		{Name: "YearPredictionMSD.bz2", URLs: []string{libsvmRegression + "YearPredictionMSD.bz2"}, Rows: 463_715},
		{Name: "YearPredictionMSD.t.bz2", URLs: []string{libsvmRegression + "YearPredictionMSD.t.bz2"}, Rows: 51_630},
	},
})
