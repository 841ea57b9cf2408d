package datasets

// casp has no checksum: none is published for CASP.csv.
var _ = register(&Source{
	Name:     "casp",
	Title:    "CASP: properties of protein structures; how far a decoy is from the native one, in ångström",
	Licence:  "CC BY 4.0 (DOI 10.24432/C5QW3H)",
	Citation: "Rana, Physicochemical Properties of Protein Tertiary Structure, UCI Machine Learning Repository, 2013",
	Notes:    "no test set of its own; inputs are unscaled; the target, RMSD, goes from 0 to 20.999; 1,451 different lines occur more than once",
	Task:     taskRegression,
	Dims:     9,
	Rows:     45730,
	Files: []RemoteFile{{
		Name: "CASP.csv", Rows: 45730,
		URLs: []string{"https://archive.ics.uci.edu/ml/machine-learning-databases/00265/CASP.csv"},
	}},
	Format: "csv",
	Header: true,
	Target: "RMSD",
})
