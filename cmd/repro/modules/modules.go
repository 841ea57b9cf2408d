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
