package baseline

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/results/builds"
	"repro/results/claims"
	"repro/results/records"
)

//go:embed ci paper
var own embed.FS

func init() { Register(own, ".") }

// shipped are the results that a module ships.
type shipped struct {
	module string
	folder string // in a checkout of the module
	fsys   fs.FS  // the folder's files
}

// modules are the modules with results, in the order of their registration.
var modules []shipped

// Register adds the results that a module ships, which are in the folder dir of a file system:
//
//	ci/<paper>/<name>.json  the accepted numbers of an experiment, which baseline accept writes and check reads
//	paper/<paper>.json      verdicts on runs at the published sizes, which baseline ship writes
//
// A package that embeds its folder calls Register from an init function:
//
//	//go:embed baseline
//	var files embed.FS
//
//	func init() { baseline.Register(files, "baseline") }
//
// dir is also the folder beside the file that makes this call, so baseline accept knows where it is in a checkout of the module.
// Register panics if there is no such folder, or if the module has registered one. It must not run beside other functions of
// this package.
func Register(fsys fs.FS, dir string) { register(fsys, dir, builds.Caller()) }

func register(fsys fs.FS, dir, by string) {
	module, folder := builds.ModuleOf(by)
	if slices.ContainsFunc(modules, func(s shipped) bool { return s.module == module }) {
		panic("baseline: module " + module + " has registered its results already")
	}
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		panic("baseline: " + err.Error())
	}
	if _, err := fs.Stat(fsys, dir); err != nil {
		panic("baseline: there is no folder " + dir + " to register")
	}
	modules = append(modules, shipped{module, path.Join(folder, dir), sub})
}

// usual is the folder of the results in a checkout of a module that has registered none.
const usual = "baseline"

// Folder returns the folder of the results in the checkout that has the working directory, relative to that: the one that the
// module registered, or baseline beside its go.mod. Where there is no checkout it is baseline in the working directory.
func Folder() string {
	root, module := builds.Checkout()
	folder := usual
	for _, s := range modules {
		if s.module == module {
			folder = s.folder
		}
	}
	return builds.Shown(filepath.Join(root, filepath.FromSlash(folder)))
}

// Verdicts returns the verdicts of the runs at profile paper that modules ship: module by module, paper by paper, in the order of
// each file.
func Verdicts() ([]claims.Verdict, error) {
	var all []claims.Verdict
	by := map[string]string{} // the module that ships verdicts on an experiment
	for _, s := range modules {
		files, err := fs.Glob(s.fsys, "paper/*.json")
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			f, err := s.fsys.Open(name)
			if err != nil {
				return nil, err
			}
			verdicts, err := claims.ReadVerdicts(f)
			if err != nil {
				return nil, fmt.Errorf("%s of module %s: %w", name, s.module, err)
			}
			for _, v := range verdicts {
				if other, known := by[v.Experiment]; known && other != s.module {
					return nil, fmt.Errorf("%s of module %s: has verdicts on %s, and so has module %s; take them out of one", name, s.module, v.Experiment, other)
				}
				by[v.Experiment] = s.module
			}
			all = append(all, verdicts...)
		}
	}
	return all, nil
}

// Judge judges the claims of experiments from records, several at a time, and puts the verdicts that modules ship beside theirs.
func Judge(exps []claims.Experiment, recs []*records.Record) ([]claims.Case, error) {
	cases := make([]claims.Case, len(exps))
	records.Parallel(len(exps), func(i int) { cases[i] = claims.Judge(exps[i], recs) })
	return cases, Beside(cases)
}

// Beside puts the verdicts that modules ship beside those of cases.
func Beside(cases []claims.Case) error {
	all, err := Verdicts()
	for i, v := range all {
		if j := claims.Of(cases, v.Experiment); j != nil {
			if own := j.On(v.Claim); own != nil {
				own.Shipped = &all[i]
			}
		}
	}
	return err
}

// Ship writes verdicts on runs at profile paper into the results of the module whose checkout has the working directory, in place of
// those on the same experiments, and returns the files that it wrote.
func Ship(fresh []claims.Verdict) (written []string, err error) {
	byPaper := map[string][]claims.Verdict{}
	for _, v := range fresh {
		paper := path.Dir(v.Experiment)
		byPaper[paper] = append(byPaper[paper], v)
	}
	for _, paper := range slices.Sorted(maps.Keys(byPaper)) {
		file := filepath.Join(Folder(), "paper", paper+".json")
		var all []claims.Verdict
		text, err := os.ReadFile(file)
		if err == nil {
			all, err = claims.ReadVerdicts(bytes.NewReader(text))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written, fmt.Errorf("%s: %w", file, err)
		}
		all = slices.DeleteFunc(all, func(v claims.Verdict) bool {
			return slices.ContainsFunc(fresh, func(w claims.Verdict) bool { return w.Experiment == v.Experiment })
		})
		all = append(all, byPaper[paper]...)
		slices.SortStableFunc(all, func(a, b claims.Verdict) int { return strings.Compare(a.Experiment, b.Experiment) })
		if err := claims.WriteVerdicts(file, claims.WithSeedsNeeded(all)); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	return written, nil
}
