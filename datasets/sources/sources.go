// Package sources registers the data sets whose rows are in files: those that can be downloaded, and those that the user brings.
// What is known of one data set is in one place. Programs import the package for that: it exports nothing.
package sources

import (
	"cmp"
	"path"

	"repro/datasets"
)

// register adds a source, whose licence is not stated unless it says another.
func register(s datasets.Source) struct{} {
	s.Licence = cmp.Or(s.Licence, "none stated")
	datasets.Register(s)
	return struct{}{}
}

// libsvm is a file of the LIBSVM page, whose address ends in at.
func libsvm(at string, bytes int64, rows int, sha256, md5 string) datasets.RemoteFile {
	return datasets.RemoteFile{
		Name: path.Base(at), URLs: []string{"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/" + at},
		Bytes: bytes, Rows: rows, SHA256: sha256, MD5: md5,
	}
}

// uci is a file of the UCI Machine Learning Repository, whose address ends in at.
func uci(at string, rows int) datasets.RemoteFile {
	return datasets.RemoteFile{
		Name: path.Base(at), URLs: []string{"https://archive.ics.uci.edu/ml/machine-learning-databases/" + at}, Rows: rows,
	}
}
