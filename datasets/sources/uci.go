package sources

import (
	"context"
	"errors"
	"io"

	"repro/datasets"
	"repro/datasets/formats"
)

// uciSplits is the number of splits of a regression set that are published with it.
const uciSplits = 10

// The checksums are those that the collection recorded when it kept its files in git's large file storage.
var (
	_ = uciRegression("bike", "bicycles rented in an hour", 17379, 17,
		403769, "411f76ae426c0e348a2629dcf6b3b29102c7db465eae780a3454c39db1dfac4f",
		21560, "cf13dc25e80c03019cf2b01666f9cc29b03ea222f5c519536023ea56669bf337")
	_ = uciRegression("elevators", "the elevators of an aircraft", 16599, 18,
		406685, "e39bc18a80ec3611e4fd76d0f86ee377e96ba21b568b9997576d538dafe56b7b",
		20577, "9fe662eacca95ae2c9301cbc4c4134e55d58e903cb0cfb683771ffdd2d248eb5")
	_ = uciRegression("keggdirected", "metabolic pathways of KEGG as directed networks", 48827, 20,
		1697006, "51b7bb56e3f3eae36273cdd5a549c042bdf0ec10948a6f8e6b01a1d6912212cd",
		60608, "b8a7fc902444fdbc5866e8bf314e4778a303d675ef5267c83c5c25b70dacd357")
	_ = uciRegression("keggundirected", "metabolic pathways of KEGG as undirected networks", 63608, 27,
		2913718, "117419270e50f581df18bf996ffc8b6bf1bb76c9f3640331ac9d6e64cff63d4e",
		78818, "ea56968ffbf638720943f2758fe0464e1ff532654bc5a67c369a1cda8c6e7f13")
	_ = uciRegression("kin40k", "kinematics of a robot arm", 40000, 8,
		1144601, "9bee7f2a9f39aa61a015f239378368601fb3978c5bb9a96433e88a55d40883ba",
		49598, "d15fd645d0e81a9a17ce2d0b8dde470bb2efba4d5f417459965abe4b237e2aea")
	_ = uciRegression("parkinsons", "Parkinson's disease telemonitoring", 5875, 20,
		334059, "d20ffd9c9e5053a03fff0b770e7b0e076bf856a34538198303c897b6cc6addde",
		7373, "090794e6acb34ce9134ce2ac530b60c408adc646e45f9296adf0e3eb134f1a64")
	_ = uciRegression("pol", "Pole Telecomm", 15000, 26,
		314752, "1c16126352954571e78f52d5a9d1b947a38655885d7cadd9407a4c9615fe4e04",
		18643, "c5540259aabe58f5c7a534ed6f5141f8c1157d5de592e45884b7fced6091e981")
	_ = uciRegression("pumadyn32nm", "dynamics of a Puma robot arm", 8192, 32,
		842437, "10d1698944e0f6e586f2781e4b62c17c05174d4c6cdb6fb824a3e5a1b3630ae4",
		10235, "5a70d06c54813712456b3631ef406094c121a20fdc68b2dd400a1045f45b3f43")
)

// uciRegression registers a set of the collection that papers on Gaussian processes use: its rows, and a file with a column for each of
// its splits, in which 1 marks a test row.
func uciRegression(name, title string, rows, dims int, bytes int64, sha string, maskBytes int64, maskSHA string) struct{} {
	file := func(name, at string, bytes int64, sha string) datasets.RemoteFile {
		return datasets.RemoteFile{
			Name: name, URLs: []string{"https://raw.githubusercontent.com/treforevans/uci_datasets/master/uci_datasets/" + at},
			Bytes: bytes, Rows: rows, SHA256: sha, Packed: true,
		}
	}
	return register(datasets.Source{
		Name:     "uci-" + name,
		Title:    "UCI regression: " + title,
		Licence:  "that of the set in the UCI Machine Learning Repository",
		Citation: "Evans & Nair, Scalable Gaussian processes with grid-structured eigenfunctions (GP-GRIEF), ICML 2018, whose collection it is from",
		Notes: "columns are centred and unscaled; ten published splits test on a tenth each: data.seed chooses the split, modulo ten, and with " +
			"resample every run has its own",
		Task: "regression", Dims: dims, Rows: rows, Splits: uciSplits,
		Files: []datasets.RemoteFile{
			file(name+".csv.gz", name+"/data.csv.gz", bytes, sha),
			file(name+".test_mask.csv.gz", name+"/test_mask.csv.gz", maskBytes, maskSHA),
		},
		Format: "csv", Training: 2, Home: "uci", Load: loadSplits,
	})
}

// loadSplits reads rows, and which of them each split tests on.
func loadSplits(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	if train, err = files[0].Upto(ctx); err != nil {
		return nil, nil, err
	}
	mask, n := files[1], 0
	train.Splits = make([][]int, uciSplits)
	sha, err := mask.Content(ctx, func(c *formats.Content) error {
		r, err := formats.NewCSV(c, mask.Path, "", false)
		if err != nil {
			return err
		}
		for ; ; n++ {
			last, err := r.Read()
			if errors.Is(err, io.EOF) && n == train.Y.Rows {
				return nil
			}
			if errors.Is(err, io.EOF) || n == train.Y.Rows {
				return formats.Faultf(formats.ErrFormat, "%s: it needs a row for each of the %d rows of %s: get both again", mask.Path, train.Y.Rows, files[0].Path)
			}
			if err != nil {
				return err
			}
			_, marks := r.Inputs()
			if len(marks) != uciSplits-1 {
				return r.Errorf("%d columns, %d expected, one for each split", len(marks)+1, uciSplits)
			}
			for k, tests := range append(marks, last) {
				if tests == 1 {
					train.Splits[k] = append(train.Splits[k], n)
				}
			}
		}
	})
	train.Files = append(train.Files, datasets.File{Name: mask.Remote.Name, SHA256: sha, Rows: n})
	return train, nil, err
}
