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
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"repro/algos/compute"
)

//go:embed peer.py
var script string

// Python is an interpreter and what it can import.
type Python struct {
	Version  string             `json:"python"`
	Packages map[string]Package `json:"packages"`
	BLAS     []BLAS             `json:"blas"`
}

// A Package has a version, or the error of its import.
type Package struct{ Version, Error string }

// BLAS is a library that NumPy or SciPy calls. Core is the processor type whose routines OpenBLAS chose. All but the name are
// unknown without threadpoolctl, which scikit-learn brings along.
type BLAS struct {
	Name, Version, Core string
	Threads             int
}

// String names the versions, and the BLAS with the core type that it chose.
func (p Python) String() string {
	s := "Python " + p.Version
	for _, l := range [][2]string{{"numpy", "NumPy"}, {"scipy", "SciPy"}, {"sklearn", "scikit-learn"}, {"pandas", "pandas"}, {"torch", "PyTorch"}} {
		if v := p.Packages[l[0]].Version; v != "" {
			s += ", " + l[1] + " " + v
		}
	}
	for _, b := range p.BLAS {
		s += "; " + strings.TrimSpace("BLAS "+b.Name+" "+b.Version)
		if b.Core != "" {
			s += ", core type " + b.Core
		}
		if b.Threads > 0 {
			s += fmt.Sprintf(", threads: %d", b.Threads)
		}
	}
	return s
}

// missing returns which of some packages are not here, with the error of their import if it is another.
func (p Python) missing(packages []string) (names []string) {
	for _, name := range packages {
		switch l := p.Packages[name]; {
		case l.Version != "":
		case l.Error == "" || strings.HasPrefix(l.Error, "ModuleNotFoundError"):
			names = append(names, name)
		default:
			names = append(names, name+": "+l.Error)
		}
	}
	return names
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

	Python // in the first line
}

// An arrayFile holds the float64 numbers of a matrix, row by row.
type arrayFile struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
}

// startPython starts an interpreter, which must have NumPy, and reads its first line. An OpenBLAS that does not know this processor
// takes the routines of Prescott, which are five times as slow; then it starts again, with those for the instructions that there are.
func startPython(ctx context.Context, path string, threads int) (*session, error) {
	env := peerEnvironment(os.Environ(), threads)
	s, err := startWith(ctx, path, env)
	unknown := func(b BLAS) bool { return b.Core == "Prescott" }
	if core := coreType(); err == nil && core != "" && slices.ContainsFunc(s.BLAS, unknown) {
		s.close()
		return startWith(ctx, path, append(env, "OPENBLAS_CORETYPE="+core))
	}
	return s, err
}

// coreType returns OpenBLAS's name of the oldest processor with the vector instructions of this one, and nothing if it has none.
func coreType() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return "SkylakeX"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "Haswell"
	}
	return ""
}

func startWith(ctx context.Context, path string, env []string) (*session, error) {
	s := &session{cmd: exec.CommandContext(ctx, path, "-c", script)}
	s.cmd.Env = env
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
	s.Python = first.Python
	if without := s.missing([]string{"numpy"}); len(without) > 0 {
		s.close()
		return nil, fmt.Errorf("no %s: run %s -m pip install numpy scipy scikit-learn pandas torch, or on Debian apt-get install python3-numpy python3-scipy python3-sklearn python3-pandas python3-torch",
			without[0], path)
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

// close ends the process.
func (s *session) close() {
	if !s.closing {
		s.closing = true
		_ = s.in.Close()
		_ = s.cmd.Wait()
	}
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
