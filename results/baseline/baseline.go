// Package baseline holds the results of earlier runs: the verdicts at the papers' size and the accepted numbers at profile ci,
// which are embedded in the program, and the records of runs at profile smoke, with which later runs are compared.
package baseline

import (
	"embed"
	"fmt"
	"io/fs"

	"repro/results/claims"
)

//go:embed paper/*.json
var paper embed.FS

// Verdicts returns the verdicts of the runs at profile paper: paper by paper, in the order of each file.
func Verdicts() ([]claims.Verdict, error) {
	files, err := fs.Glob(paper, "paper/*.json")
	if err != nil {
		return nil, err
	}
	var all []claims.Verdict
	for _, name := range files {
		f, err := paper.Open(name)
		if err != nil {
			return nil, err
		}
		verdicts, err := claims.ReadVerdicts(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, verdicts...)
	}
	return all, nil
}
