package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/printed"
)

// IsBundle reports whether an argument is the path of a bundle.
func IsBundle(arg string) bool { return strings.HasSuffix(arg, ".zip") }

// BundleOf returns the path if the only argument is one of a bundle, "" if none is.
func BundleOf(args []string) (file string, err error) {
	i := slices.IndexFunc(args, IsBundle)
	if i < 0 {
		return "", nil
	}
	if len(args) > 1 {
		return "", fmt.Errorf("%s is taken whole; leave out %s", args[i], strings.Join(slices.Delete(slices.Clone(args), i, i+1), " "))
	}
	return args[i], nil
}

// A Bundle is a bundle with its experiments laid out and judged, in its order.
type Bundle struct {
	*bundles.Bundle
	Specs []*experiments.Spec
	Cases []claims.Case
}

// ReadBundle reads a bundle and lays out its experiments. The files that their specs name are relative to dir.
func ReadBundle(path, dir string) (*Bundle, error) {
	read, err := bundles.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; %s makes one", path, printed.Command("bundle"))
	}
	if err != nil {
		return nil, err
	}
	b, recs := &Bundle{Bundle: read}, read.Store().Records
	for _, e := range b.Experiments {
		spec, err := Layout(e, dir)
		if other := b.Program.Other(); err != nil && other != "" {
			err = fmt.Errorf("%w; %s", err, other)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		b.Specs, b.Cases = append(b.Specs, spec), append(b.Cases, claims.Judge(spec.Experiment(), recs))
	}
	return b, nil
}

// Layout lays out an experiment of a bundle. The files that its spec names are relative to dir.
func Layout(e bundles.Experiment, dir string) (*experiments.Spec, error) {
	spec, err := catalog.LoadText(filepath.Join(dir, e.File), e.Text, experiments.LoadOptions{Profile: e.Profile, Set: e.Set, Methods: e.Methods, Seeds: e.Seeds})
	if err == nil && spec.ID != e.ID {
		err = fmt.Errorf("the spec of %s is that of %s; get another copy of the bundle", e.ID, spec.ID)
	}
	return spec, err
}
