// Package baseline holds what earlier runs gave: the verdicts at the papers' size, which come with the program, and
// the records of the smoke runs, which fresh ones are compared with.
package baseline

import (
	"embed"
	"fmt"
	"io/fs"

	"repro/results/claims"
)

//go:embed paper/*.json
var paper embed.FS

// Verdicts returns the verdicts of the runs at profile paper, by paper and in the order of its file.
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
