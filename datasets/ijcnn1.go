package datasets

var _ = register(&Source{
	Name:     "ijcnn1",
	Title:    "IJCNN 2001 neural network competition",
	Licence:  "none stated",
	Citation: "Prokhorov, IJCNN 2001 challenge, as distributed with LIBSVM",
	Notes:    "9.7 % of the training rows and 9.5 % of the test rows are positive",
	Task:     taskBinary,
	Dims:     22,
	Rows:     49990,
	TestRows: 91701,
	Format:   "libsvm",
	Files: []RemoteFile{
		{
			Name: "ijcnn1.bz2", URLs: []string{libsvmBinary + "ijcnn1.bz2"}, Bytes: 1398220, Rows: 49990,
			SHA256: "16506cad788cf7c9607454150ed1994788204bac2ff4c9cb3b320036b6950d3f",
		},
		{
			Name: "ijcnn1.t.bz2", URLs: []string{libsvmBinary + "ijcnn1.t.bz2"}, Bytes: 2597597, Rows: 91701,
			SHA256: "e7b0bbd518641980dc322746c6bc59d019d3153934e6258e48f9d8cfae2c4bb8",
		},
	},
})
