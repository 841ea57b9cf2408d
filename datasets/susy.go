package datasets

import (
	"context"

	"repro/datasets/formats"
)

// susy has no checksum: none is published for SUSY.csv.gz.
var _ = register(&Source{
	Name:     "susy",
	Title:    "SUSY: simulated collisions with supersymmetric particles against background",
	Licence:  "CC BY 4.0 (DOI 10.24432/C54606)",
	Citation: "Baldi, Sadowski & Whiteson, Searching for exotic particles in high-energy physics with deep learning, Nature Communications 5:4308, 2014",
	Notes:    "the last tenth of the rows, 500,000, is the test set, as its page says; inputs are unscaled; a file of fewer rows is taken, as a substitute",
	Task:     taskBinary,
	Dims:     18,
	Rows:     4_500_000,
	TestRows: 500_000,
	Files: []RemoteFile{{
		Name: "SUSY.csv.gz", Rows: 5_000_000,
		URLs: []string{"https://archive.ics.uci.edu/ml/machine-learning-databases/00279/SUSY.csv.gz"},
	}},
	Format: "csv",
	Target: "1",
	Label: func(v float64) (float64, bool) {
		return 2*v - 1, v == 0 || v == 1
	},
	read: readSUSY,
})

// readSUSY reads the file once, into the memory of both tables: what is read is not kept in any other form.
func readSUSY(ctx context.Context, files []*input, stream bool) (train, test *table, err error) {
	in := files[0]
	in.few = true
	all, err := in.load(ctx)
	if err != nil || stream {
		return all, nil, err
	}
	n, _ := divide(all.x.Rows, 0.1)
	if n < 1 || n == all.x.Rows {
		return nil, nil, formats.Faultf(formats.ErrFormat, "%s: %d rows cannot be divided into training and test rows", in.path, all.x.Rows)
	}
	train = &table{x: all.x.RowRange(0, n), y: all.y.RowRange(0, n), files: all.files}
	return train, &table{x: all.x.RowRange(n, all.x.Rows), y: all.y.RowRange(n, all.x.Rows)}, nil
}
