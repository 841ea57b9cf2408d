package clitest

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"repro/algos/compute"
	"repro/algos/compute/computetest"
	"repro/algos/schedules"
	"repro/cmd/repro/cli"
	"repro/datasets"
)

// In scripts the test's binary is the command repro, with a device and a schedule for tests, and a data set if DOTS names a file of 200 rows,
// whose own address does not answer.
func TestMain(m *testing.M) {
	if text, err := os.ReadFile(os.Getenv("DOTS")); err == nil {
		file := datasets.RemoteFile{Name: "dots.csv", URLs: []string{"http://127.0.0.1:1/dots.csv"}, Rows: 200, Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}
		datasets.Register(datasets.Source{Name: "dots", Title: "dots", Licence: "none", Citation: "nobody", Task: "regression", Dims: 1, Rows: 200, Format: "csv", Files: []datasets.RemoteFile{file}})
	}
	compute.RegisterDevice("reference", computetest.Reference)
	schedules.Register("faultable", "γ_t = γ₀/(1 + t/t₀)^FAULT, for tests", func() schedules.Schedule { return &faultable{Gamma0: 1, T0: 1} })
	testscript.Main(m, map[string]func(){"repro": func() { os.Exit(cli.Main()) }})
}

// A faultable is γ_t = γ₀/(1 + t/t₀)^p. Its p is the variable FAULT of the environment, or 1, which no setting and no record knows of.
type faultable struct {
	Gamma0 float64 `toml:"gamma0" want:"> 0" doc:"γ₀"`
	T0     float64 `toml:"t0" want:"> 0" doc:"t₀"`
}

func (s *faultable) Gamma(t int) float64 {
	p, err := strconv.ParseFloat(os.Getenv("FAULT"), 64)
	if err != nil {
		p = 1
	}
	return s.Gamma0 * math.Pow(1+float64(t)/s.T0, -p)
}

// Inputs that were once read, judged or run wrongly: testdata/cases has a script for each, and a folder of the same name with its
// files where there are any.
func TestCases(t *testing.T) { scripts(t, "testdata/cases") }

// What people do with the commands, a story each, in a folder with the specs tiny.toml and gate.toml.
func TestStories(t *testing.T) { scripts(t, "testdata/stories") }

// speeds are the files of what plans have measured of this machine: one script after another has them, because measuring takes seconds.
var speeds shared

type shared struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (s *shared) give(cache string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := os.MkdirAll(cache, 0o777)
	for name, text := range s.files {
		err = errors.Join(err, os.WriteFile(filepath.Join(cache, name), text, 0o666))
	}
	return err
}

func (s *shared) take(cache string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	measured, _ := filepath.Glob(filepath.Join(cache, "speeds-*.json"))
	for _, path := range measured {
		if text, err := os.ReadFile(path); err == nil && s.files == nil {
			s.files = map[string][]byte{filepath.Base(path): text}
		} else if err == nil {
			s.files[filepath.Base(path)] = text
		}
	}
}

// carried are the variables of a script's environment that commands read.
var carried = strings.Fields(`PATH HOME TMPDIR CI FAULT NO_COLOR CLICOLOR_FORCE REPRO_CACHE REPRO_DATA REPRO_MIRROR GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
	GIT_CEILING_DIRECTORIES GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE`)

// alone runs one command of this process at a time, which has one folder and one environment.
var alone sync.Mutex

// within runs repro in this process, which saves the start of another one, and returns its exit status. It leaves to a process what needs
// one: a variable that is read when a process begins, a command that starts the program again, and one that leaves its run behind.
func within(ts *testscript.TestScript, args []string) (status int, ok bool) {
	if ts.Getenv("REPRO_CPU")+ts.Getenv("REPRO_DEVICE")+ts.Getenv("DOTS") != "" || slices.ContainsFunc([]string{"bisect", "submit", "--stop-before"}, func(s string) bool { return slices.Contains(args, s) }) {
		return 0, false
	}
	alone.Lock()
	defer alone.Unlock()
	here, err := os.Getwd()
	ts.Check(err)
	defer os.Chdir(here)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	outside := os.Environ()
	defer func() {
		os.Clearenv()
		for _, v := range outside {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
	}()
	os.Clearenv()
	for _, name := range carried {
		if v := ts.Getenv(name); v != "" {
			os.Setenv(name, v)
		}
	}
	return cli.Run(context.Background(), ts.Stdout(), ts.Stderr(), args), true
}

// scripts runs the scripts of a folder. "status N repro ..." runs a command that must exit with status N, "edit FILE OLD NEW" replaces
// all OLD in a file that has some, "seal RECORD" writes the checksums of a record that was edited, as a forger does, "unpack ZIP FOLDER"
// and "pack ZIP FOLDER" take a zip file apart and make one, "mirror FOLDER" serves a folder as the mirror of data. The conditions [numpy] and
// [data:NAME] ask for NumPy and for a data set in REPRO_DATA.
func scripts(t *testing.T, dir string) {
	data, home, path := filepath.SplitList(os.Getenv("REPRO_DATA")), os.Getenv("HOME"), os.Getenv("PATH")
	numpy, bin := pythonWithNumPy(), t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	stories := dir == "testdata/stories"
	dir = filepath.Join(here, dir)
	if numpy != "" {
		if err := os.Symlink(numpy, filepath.Join(bin, "python3")); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
			cache := filepath.Join(env.WorkDir, ".cache")
			env.Setenv("REPRO_CACHE", cache)
			if err := speeds.give(cache); err != nil {
				return err
			}
			env.Defer(func() { speeds.take(cache) })
			env.Setenv("REPRO_DATA", strings.Join(data, string(filepath.ListSeparator)))
			// Where a shim finds its Python by a folder of the user, and where Go keeps what it builds.
			env.Setenv("HOME", home)
			env.Setenv("EXAMPLES", filepath.Join(here, "../../../docs/examples"))
			from := filepath.Join(dir, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"))
			if _, err := os.Stat(from); err == nil {
				return os.CopyFS(env.WorkDir, os.DirFS(from))
			}
			if !stories {
				return nil // the script has all its files
			}
			env.Setenv("REPRO_DATA", "")
			return os.CopyFS(env.WorkDir, os.DirFS(filepath.Join(here, "../cli/testdata")))
		},
		Condition: func(cond string) (bool, error) {
			if name, ok := strings.CutPrefix(cond, "data:"); ok {
				return slices.ContainsFunc(data, func(dir string) bool {
					_, err := os.Stat(filepath.Join(dir, name))
					return err == nil
				}), nil
			}
			if cond == "numpy" {
				return numpy != "", nil
			}
			return false, errors.New("unknown condition " + cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"edit": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 3 {
					ts.Fatalf("usage: edit file old new")
				}
				text := ts.ReadFile(args[0])
				old, replacement := strings.ReplaceAll(args[1], `\n`, "\n"), strings.ReplaceAll(args[2], `\n`, "\n")
				if !strings.Contains(text, old) {
					ts.Fatalf("%s has no %q", args[0], old)
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, old, replacement)), 0o666))
			},
			"seal": func(ts *testscript.TestScript, neg bool, args []string) {
				var sealed strings.Builder
				sums := sha256.New()
				all := io.MultiWriter(&sealed, sums)
				for line := range strings.Lines(ts.ReadFile(args[0])) {
					text, old, _ := strings.Cut(line, `,"sum":"`)
					io.WriteString(all, text)
					fmt.Fprintf(all, ",\"sum\":\"%s\"}\n", fmt.Sprintf("%x", sums.Sum(nil))[:len(old)-len("\"}\n")])
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(sealed.String()), 0o666))
			},
			"mirror": func(ts *testscript.TestScript, neg bool, args []string) {
				host := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
				ts.Defer(host.Close)
				ts.Setenv("REPRO_MIRROR", host.URL)
			},
			"unpack": func(ts *testscript.TestScript, neg bool, args []string) {
				all, err := zip.OpenReader(ts.MkAbs(args[0]))
				ts.Check(err)
				defer all.Close()
				ts.Check(os.CopyFS(ts.MkAbs(args[1]), all))
			},
			"pack": func(ts *testscript.TestScript, neg bool, args []string) {
				file, err := os.Create(ts.MkAbs(args[0]))
				ts.Check(err)
				defer file.Close()
				w, dir := zip.NewWriter(file), os.DirFS(ts.MkAbs(args[1]))
				ts.Check(fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					entry, err := w.Create(path)
					if err != nil {
						return err
					}
					_, err = entry.Write([]byte(ts.ReadFile(filepath.Join(args[1], path))))
					return err
				}))
				ts.Check(w.Close())
			},
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status N command ...")
				}
				got, done := 0, false
				if args[1] == "repro" {
					got, done = within(ts, args[2:])
				}
				if !done {
					err := ts.Exec(args[1], args[2:]...)
					if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
						got = exit.ExitCode()
					} else {
						ts.Check(err)
					}
				}
				if want := args[0]; strconv.Itoa(got) != want {
					ts.Fatalf("exit status %d, want %s", got, want)
				}
			},
		},
	})
}

// pythonWithNumPy returns a Python that has NumPy, or "".
func pythonWithNumPy() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import numpy").Run() == nil {
			return path
		}
	}
	return ""
}
