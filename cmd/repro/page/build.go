//go:build !js

package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"repro/algos/compute/lanes"
	"repro/plots/web"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
)

// Names of the files of the program, in the folder program of a site.
const (
	ModuleFile = "page.wasm.gz"
	WorkerFile = "worker.js"
)

// A Builder builds the program of pages with the Go toolchain, which a page's visitor need not have.
type Builder struct {
	dir string // in whose module the package is known
}

// NewBuilder finds what it needs: the go command, and a module that has the sources of repro.
func NewBuilder(ctx context.Context) (*Builder, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("the go command is not installed, with which " + printed.Command("docs") + " builds the program that pages run; install Go, or open the documentation where somebody has built it")
	}
	for _, dir := range []string{".", builds.BuiltIn()} {
		if dir == "" {
			continue
		}
		cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", builds.Repro()+"/cmd/repro/page")
		cmd.Dir = dir
		if out, err := cmd.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
			return &Builder{dir}, nil
		}
	}
	return nil, errors.New("there are no sources here, of which " + printed.Command("docs") + " builds the program that pages run; call it in a checkout, or in a module that requires one")
}

// Files returns the files of the program by name: the compressed module, and the script of the worker that runs it.
func (b *Builder) Files(ctx context.Context) (map[string][]byte, error) {
	worker, err := b.worker(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := files.MkdirTemp("repro-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	module := filepath.Join(dir, "page.wasm")
	if _, err := b.goes(ctx, "build", "-tags=lanes", "-trimpath", "-ldflags=-s -w", "-o", module, builds.Repro()+"/cmd/repro/page/wasm"); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(module)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(wasm)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return map[string][]byte{ModuleFile: packed.Bytes(), WorkerFile: worker}, nil
}

// goes runs the go command for pages.
func (b *Builder) goes(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the program of pages cannot be built: go %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// worker returns the script of a worker: Go's own, which fits the toolchain that builds the module, and ours.
func (b *Builder) worker(ctx context.Context) ([]byte, error) {
	root, err := b.goes(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%w, which pages need; install Go from go.dev", err)
	}
	own, err := web.Files.ReadFile("worker.min.js")
	return slices.Concat(text, []byte("\n"+lanes.Script()), own), err
}
