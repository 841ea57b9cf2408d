// Package siege disturbs runs from outside: it kills and stops their processes, fills their disk, changes or removes their files, and
// lets the power go. After each disturbance the same command must bring the folder to the state of an undisturbed run, byte for byte
// except times. docs/robustness.md lists the disturbances.
//
// The losses of power are tests like others, REPRO_SIEGE=2000 tries more of them (disk_test.go). The processes have the build tag faults,
// because they take minutes:
//
//	go test -tags faults ./runner/siege -run TestProcesses -timeout 60m -v
//	REPRO_SIEGE=2000 go test ./runner/siege -run TestALossOfPower -timeout 60m -v
package siege

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// small is a spec of some tenths of a second, with predictions and a surface.
const small = `schema = 1
paper = "siege"
title = "a small problem"
source = "nowhere"
[data]
name = "dai2014-synthetic"
train = 600
test = 60
[problem]
loss = "square"
nu = 1e-4
kernel = { name = "gaussian", bandwidth = 0.2 }
[budget]
epochs = 2.0
[evaluate]
points = 8
metrics = ["l2-error", "test-mse"]
surface = 4
predictions = true
[repeat]
seeds = 2
[[method]]
id = "dsg"
algorithm = "dsg"
batch = 32
block = 16
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "norma"
algorithm = "norma"
batch = 32
average = true
step = { schedule = "inverse", gamma0 = 5.0, t0 = 50.0 }
[[method]]
id = "r-pegasos"
algorithm = "r-pegasos"
batch = 32
features = 20
step = { schedule = "constant", gamma0 = 2.0 }
`

// A study is a spec with its undisturbed run.
type study struct {
	t     *testing.T
	spec  string // path of the spec
	cells []experiments.Cell
	whole map[string]string // content of records and predictions of the undisturbed run, by path below the output folder
}

func load(path string) ([]experiments.Cell, error) {
	refs, err := catalog.Resolve([]string{path})
	if err != nil {
		return nil, err
	}
	s, err := catalog.Load(refs[0], experiments.LoadOptions{Profile: "quick"})
	if err != nil {
		return nil, err
	}
	return s.Expand(), nil
}

func expand(t *testing.T, path string) []experiments.Cell {
	cells, err := load(path)
	require.NoError(t, err)
	return cells
}

// state returns the records below an output folder, without times and checksums, and the predictions.
func (s *study) state(out string) (map[string]string, error) {
	all := map[string]string{}
	for _, c := range s.cells {
		path := records.Path(out, c.Experiment, c.Name)
		text, err := recordstest.Canonical(path)
		if err != nil {
			return nil, err
		}
		all[strings.TrimPrefix(path, out)] = string(text)
	}
	err := filepath.WalkDir(filepath.Join(out, "predictions"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, out)] = string(text)
		return err
	})
	return all, err
}

// same returns an error unless an output folder has the state of the undisturbed run, and nothing is left of the
// disturbance.
func (s *study) same(out string) error {
	got, err := s.state(out)
	if err != nil {
		return err
	}
	for name, want := range s.whole {
		if got[name] != want {
			return fmt.Errorf("%s differs from the undisturbed run's", name)
		}
	}
	for name := range got {
		if _, ok := s.whole[name]; !ok {
			return fmt.Errorf("%s is too many", name)
		}
	}
	for _, part := range []string{"checkpoints", "locks"} {
		if left, _ := filepath.Glob(filepath.Join(out, part, "*", "*", "*")); len(left) > 0 {
			return fmt.Errorf("left behind: %v", left)
		}
	}
	return nil
}
