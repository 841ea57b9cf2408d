package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/algos/compute"
)

//go:embed peer.py
var script string

// libraries are the Python packages that peers need.
var libraries = []struct{ module, name, pip string }{
	{"numpy", "NumPy", "numpy"}, {"scipy", "SciPy", "scipy"}, {"sklearn", "scikit-learn", "scikit-learn"}, {"pandas", "pandas", "pandas"}, {"torch", "PyTorch", "torch"},
}

// A peerError is why a peer could not do its work.
type peerError string

func (e peerError) Error() string { return string(e) }

// A session is a Python process that runs peer.py.
type session struct {
	Python
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errors  bytes.Buffer // what it wrote to standard error
	closing bool
}

// A request is a line to peer.py, which describes them.
type request struct {
	Do      string               `json:"do"`
	Op      string               `json:"op,omitempty"`
	Arrays  map[string]arrayFile `json:"arrays,omitempty"`
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Files   map[string]string    `json:"files,omitempty"`
	File    string               `json:"file,omitempty"`
}

// An answer is a line from peer.py.
type answer struct {
	Seconds float64 `json:"seconds"`
	Rows    int     `json:"rows"`
	Cols    int     `json:"cols"`
	Error   string  `json:"error"`

	// Of the first line.
	Version  string             `json:"python"`
	Packages map[string]Package `json:"packages"`
	BLAS     []BLAS             `json:"blas"`
}

// An arrayFile holds the float64 numbers of a matrix, row by row.
type arrayFile struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
}

// findPython starts the given interpreter, or if it is "" the first in PATH that has NumPy. Without NumPy there is a session that
// has no packages, and names the first interpreter if there is one.
func findPython(ctx context.Context, python string, threads int) (*session, error) {
	if python != "" {
		s, err := startPython(ctx, python, threads)
		if err != nil {
			return nil, fmt.Errorf("-python %s: %w", python, err)
		}
		return s, nil
	}
	first := &session{}
	for _, path := range pythons() {
		s, err := startPython(ctx, path, threads)
		if err != nil {
			continue // not an interpreter, such as the link to a shop that Windows has
		}
		if s.Packages["numpy"].Version != "" {
			return s, nil
		}
		if first.Path == "" {
			first = s
		}
	}
	return first, ctx.Err()
}

// pythons returns the interpreters in PATH.
func pythons() (paths []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range []string{"python3", "python"} {
			path, err := exec.LookPath(filepath.Join(dir, name))
			if err == nil && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// startPython starts an interpreter and reads its first line. Without NumPy it has ended already.
func startPython(ctx context.Context, path string, threads int) (*session, error) {
	s := &session{cmd: exec.CommandContext(ctx, path, "-c", script)}
	s.cmd.Env = peerEnvironment(os.Environ(), threads)
	s.cmd.Stderr = &s.errors
	s.cmd.WaitDelay = time.Second
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewScanner(out)
	s.out.Buffer(nil, 1<<20)
	first, err := s.read()
	if err != nil {
		return nil, err
	}
	s.Python = Python{Path: path, Version: first.Version, Packages: first.Packages, BLAS: first.BLAS}
	if first.Packages["numpy"].Version == "" {
		s.close()
	}
	return s, nil
}

// peerEnvironment returns the environment of a peer: the threads that libraries may start, and nothing that makes OpenBLAS choose
// the routines of another processor.
func peerEnvironment(env []string, threads int) []string {
	limits := []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}
	removed := append([]string{"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}, limits...)
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(removed, name)
	})
	for _, name := range limits {
		env = append(env, name+"="+strconv.Itoa(threads))
	}
	return env
}

// ask sends a request and returns the answer.
func (s *session) ask(q request) (answer, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return answer{}, err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return answer{}, s.ended(err)
	}
	return s.read()
}

// read returns the next answer. Its error is a peerError if the answer has one.
func (s *session) read() (a answer, err error) {
	if !s.out.Scan() {
		return a, s.ended(s.out.Err())
	}
	if err := json.Unmarshal(s.out.Bytes(), &a); err != nil {
		return a, fmt.Errorf("Python answered %q: %w", s.out.Text(), err)
	}
	if a.Error != "" {
		return a, peerError(a.Error)
	}
	return a, nil
}

// ended returns the error of a process that ended too early: killed for memory, for example.
func (s *session) ended(err error) error {
	s.closing = true
	_ = s.in.Close()
	err = errors.Join(err, s.cmd.Wait())
	words := strings.TrimSpace(s.errors.String())
	if words != "" {
		words = ": " + words[max(0, len(words)-500):]
	}
	if err == nil {
		return fmt.Errorf("Python ended before it had answered%s", words)
	}
	return fmt.Errorf("Python ended before it had answered: %w%s", err, words)
}

// close ends the process, if there is one.
func (s *session) close() {
	if s.cmd == nil || s.closing {
		return
	}
	s.closing = true
	_ = s.in.Close()
	_ = s.cmd.Wait()
}

// drop forgets the work.
func (s *session) drop() error {
	if s.cmd == nil || s.closing {
		return nil
	}
	_, err := s.ask(request{Do: "drop"})
	return err
}

// A pythonSide is an op of peer.py.
type pythonSide struct {
	session *session
	op, dir string
}

func (s *session) load(op, dir string, files map[string]arrayFile, t *task) (side, error) {
	_, err := s.ask(request{Do: "load", Op: op, Arrays: files, Numbers: t.numbers, Files: t.files})
	return pythonSide{s, op, dir}, err
}

func (p pythonSide) run() (float64, error) {
	a, err := p.session.ask(request{Do: "run", Op: p.op})
	return a.Seconds, err
}

func (p pythonSide) result() (compute.Matrix, error) {
	path := filepath.Join(p.dir, "result")
	a, err := p.session.ask(request{Do: "result", Op: p.op, File: path})
	if err != nil {
		return compute.Matrix{}, err
	}
	m := compute.NewMatrix(a.Rows, a.Cols)
	b, err := os.ReadFile(path)
	if err == nil && len(b) != 8*len(m.Data) {
		err = fmt.Errorf("Python wrote %d bytes for %d×%d numbers", len(b), a.Rows, a.Cols)
	}
	if err != nil {
		return compute.Matrix{}, err
	}
	for i := range m.Data {
		m.Data[i] = math.Float64frombits(binary.NativeEndian.Uint64(b[8*i:]))
	}
	return m, nil
}

// writeArrays writes matrices to files that peer.py reads.
func writeArrays(dir string, arrays map[string]compute.Matrix) (map[string]arrayFile, error) {
	files := map[string]arrayFile{}
	for name, m := range arrays {
		path := filepath.Join(dir, name+".f64")
		b := make([]byte, 0, 8*m.Rows*m.Cols)
		for i := range m.Rows {
			for _, v := range m.Row(i) {
				b = binary.NativeEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return nil, err
		}
		files[name] = arrayFile{path, m.Rows, m.Cols}
	}
	return files, nil
}

// empty removes the files in a folder.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// howToInstall says how to install the Python packages that are absent; "" if none is.
func howToInstall(absent map[string]bool, p Python) string {
	var words, debian, pip []string
	why := ""
	for _, l := range libraries {
		if !absent[l.module] {
			continue
		}
		words, debian, pip = append(words, l.name), append(debian, "python3-"+l.module), append(pip, l.pip)
		if e := p.Packages[l.module].Error; e != "" && !strings.HasPrefix(e, "ModuleNotFoundError") {
			why += fmt.Sprintf(" (%s)", e)
		}
	}
	switch {
	case len(words) == 0:
		return ""
	case p.Path == "":
		return fmt.Sprintf("there is no Python in PATH: on Debian, apt-get install %s; elsewhere install Python and run python3 -m pip install %s",
			strings.Join(debian, " "), strings.Join(pip, " "))
	}
	return fmt.Sprintf("%s cannot import %s%s: run %s -m pip install %s, or on Debian apt-get install %s; -python chooses another interpreter",
		p.Path, strings.Join(words, ", "), why, p.Path, strings.Join(pip, " "), strings.Join(debian, " "))
}
