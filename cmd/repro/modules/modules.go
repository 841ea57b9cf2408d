// Package modules knows the Go modules that matter to a program: that of repro, and the one that a user works in.
package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"repro/results/builds"
)

// ErrNoSources says that a program does not know where a checkout of repro is.
var ErrNoSources = errors.New("no checkout of repro is known")

// Above returns the nearest folder from dir upwards that is the root of the module of repro, and ErrNoSources if there is none.
func Above(dir string) (string, error) {
	for {
		found := builds.Above(dir, "go.mod")
		if found == "" {
			return "", ErrNoSources
		}
		text, err := os.ReadFile(filepath.Join(found, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+builds.Repro()+"\n") {
			return found, nil
		}
		if dir = filepath.Dir(found); dir == found {
			return "", ErrNoSources
		}
	}
}

// BuiltIn returns the checkout of repro where this program was built, empty if there is none.
func BuiltIn() string {
	_, file, _, _ := runtime.Caller(0) // not absolute in what was built with -trimpath
	if !filepath.IsAbs(file) {
		return ""
	}
	dir, _ := Above(filepath.Dir(file)) // empty on an error
	return dir
}

// sources says from where another module can require repro: from a version that go gets, or from the folder of a checkout: the one that
// has the folder named, or if that is empty the one where this program was built, or that has the working directory.
func sources(named string) (version, dir string, err error) {
	if info, ok := debug.ReadBuildInfo(); ok && named == "" {
		for _, m := range append(slices.Clone(info.Deps), &info.Main) {
			if m.Path == builds.Repro() && m.Replace == nil && m.Sum != "" { // a checksum is that of a module that was got
				return m.Version, "", nil
			}
		}
	}
	_, file, _, _ := runtime.Caller(0) // not absolute in what was built with -trimpath
	from := []string{filepath.Dir(file), "."}
	if named != "" {
		from = []string{named}
	}
	for _, name := range from {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", "", err
		}
		if dir, err := Above(abs); err == nil {
			return "", dir, nil
		}
	}
	return "", "", fmt.Errorf("%w; name its folder with --repro", ErrNoSources)
}

// run runs the go command in a folder and returns its standard output.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("go is not installed; it builds the programs of a module")
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.Bytes(), nil
}

// Program returns the package in the module of a folder whose program has the commands of repro: it imports cmd/repro/cli. It is
// empty if there is none, or no module. Of several it is the one that was built as this program.
func Program(ctx context.Context, dir string) (string, error) {
	if builds.Above(dir, "go.mod") == "" {
		return "", nil
	}
	list, err := run(ctx, dir, "list", "-e", "-f", `{{.Module.Path}} {{.Name}} {{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	if err != nil {
		return "", err
	}
	info, _ := debug.ReadBuildInfo()
	var found []string
	mine := false
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[1] != "main" {
			continue
		}
		mine = mine || info != nil && info.Main.Path == words[0] && info.Path == words[2]
		if slices.Contains(words[3:], builds.Repro()+"/cmd/repro/cli") {
			found = append(found, words[2])
		}
	}
	switch {
	case mine:
		return info.Path, nil
	case len(found) == 0:
		return "", nil
	case len(found) == 1:
		return found[0], nil
	}
	return "", fmt.Errorf("several programs have the commands of repro: %s", strings.Join(found, ", "))
}

// Move makes the replacements in the go.mod of a folder absolute that are folders beyond a repository, which was checked out
// from another folder: paths relative to the copy would lead elsewhere.
func Move(ctx context.Context, dir, repository, from string) error {
	text, err := run(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return nil // in no module, or in one that will not build
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue
		}
		if inside, err := filepath.Rel(repository, filepath.Join(dir, r.New.Path)); err == nil && filepath.IsLocal(inside) {
			continue
		}
		old := strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@")
		if _, err := run(ctx, dir, "mod", "edit", "-replace", old+"="+filepath.Join(from, r.New.Path)); err != nil {
			return err
		}
	}
	return nil
}

// Files returns the go.mod of a new module that imports repro, and its go.sum if that is known: with a version of repro that go
// gets, go mod tidy must complete both. from is a folder in a checkout of repro, empty to find one.
func Files(ctx context.Context, module, from string) (map[string][]byte, error) {
	version, dir, err := sources(from)
	if err != nil {
		return nil, err
	}
	if version != "" {
		return map[string][]byte{"go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n\nrequire %s %s\n", module, strings.TrimPrefix(runtime.Version(), "go"), builds.Repro(), version)}, nil
	}
	text, err := run(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Go      string
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nrequire (\n", module, mod.Go, builds.Repro())
	for _, r := range mod.Require {
		fmt.Fprintf(&b, "\t%s %s // indirect\n", r.Path, r.Version)
	}
	fmt.Fprintf(&b, ")\n\nreplace %s => %q\n", builds.Repro(), filepath.ToSlash(dir))
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	return map[string][]byte{"go.mod": b.Bytes(), "go.sum": sums}, err
}
