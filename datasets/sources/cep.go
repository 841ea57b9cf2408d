package sources

import (
	"bufio"
	"context"
	"hash/fnv"
	"strconv"
	"strings"

	"repro/algos/compute"
	"repro/datasets"
	"repro/datasets/formats"
)

// Pieces of a molecule's name have up to pieceLength characters, and each falls into one of pieceColumns columns.
const (
	pieceLength  = 4
	pieceColumns = 1024
)

var _ = register(datasets.Source{
	Name:  "cep",
	Title: "Clean Energy Project, a part: power conversion efficiency of molecules, from the pieces of their SMILES",
	Citation: "Hachmann et al., The Harvard Clean Energy Project, J. Phys. Chem. Lett. 2:2241-2251, 2011; the part of Duvenaud et al., " +
		"Convolutional networks on graphs for learning molecular fingerprints, NIPS 2015",
	Notes: "no test set of its own; an input counts the pieces of one to four characters that its column has by their hash; the file has no " +
		"geometries, so there are no Coulomb matrices",
	Task: "regression", Dims: pieceColumns, Rows: 29_978,
	Files: []datasets.RemoteFile{{
		Name:  "cep-processed.csv",
		URLs:  []string{"https://raw.githubusercontent.com/HIPS/neural-fingerprint/master/data/2015-06-02-cep-pce/cep-processed.csv"},
		Bytes: 2_119_766, Rows: 29_978,
		SHA256: "99c3def57a412e0ac3922194d0605b6a8a9056938706a44bc4ba1d35fe8bc8c0",
		MD5:    "b6d257ff416917e4e6baa5e1103f3929",
	}},
	Format: "smiles", Load: loadPieces,
})

// loadPieces reads lines of a SMILES and an efficiency, below a line of names.
func loadPieces(ctx context.Context, files []*datasets.Input, _ datasets.Options) (train, test *datasets.Part, err error) {
	in := files[0]
	var x, y []float64
	sha, err := in.Content(ctx, func(c *formats.Content) error {
		lines := bufio.NewScanner(c)
		for n := 1; lines.Scan(); n++ {
			smiles, number, _ := strings.Cut(lines.Text(), ",")
			if n == 1 {
				continue
			}
			v, err := strconv.ParseFloat(number, 64)
			if err != nil || smiles == "" {
				return formats.Faultf(formats.ErrFormat, "%s:%d: a SMILES and a number expected, with a comma between them: get the file again", in.Path, n)
			}
			x, y = append(x, pieces(smiles)...), append(y, v)
		}
		return lines.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	return &datasets.Part{
		X:     compute.Matrix{Rows: len(y), Cols: pieceColumns, Stride: pieceColumns, Data: x},
		Y:     compute.Matrix{Rows: len(y), Cols: 1, Stride: 1, Data: y},
		Files: []datasets.File{{Name: in.Remote.Name, SHA256: sha, Rows: len(y)}},
	}, nil, nil
}

// pieces counts the pieces of a SMILES in their columns.
func pieces(smiles string) []float64 {
	counts := make([]float64, pieceColumns)
	for i := range len(smiles) {
		h := fnv.New32a()
		for _, b := range []byte(smiles[i:min(i+pieceLength, len(smiles))]) {
			h.Write([]byte{b})
			counts[h.Sum32()%pieceColumns]++
		}
	}
	return counts
}
