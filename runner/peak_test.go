package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/records"
)

// A weighed is a problem on which a method needs much memory.
type weighed struct {
	train, steps int
	settings     string // of the method, separated by ;
}

const constant = `step = { schedule = "constant", gamma0 = 0.01 }`

// heavy has two problems of different size or shape for every method: a large model and a large batch, where the two differ.
var heavy = map[string][2]weighed{
	"askotch":          {{20000, 3, "block=10;rank=100"}, {6000, 3, "block=4;rank=500"}},
	"cdsg":             {{200000, 30, "batch=64;block=80000"}, {20000, 20, "batch=64;block=200000"}},
	"dsg":              {{200000, 40, "batch=64;block=40000;" + constant}, {20000, 20, "batch=64;block=200000;" + constant}},
	"eigenpro":         {{3500, 3, "batch=256;subsample=1200"}, {6000, 3, "batch=256;subsample=4000"}},
	"eigenpro-rf":      {{20000, 3, "features=5000;batch=1000;subsample=2000"}, {20000, 3, "features=2000;batch=1000;subsample=8000"}},
	"eigenpro2":        {{100000, 3, "batch=256;subsample=1200"}, {5000, 3, "batch=256;subsample=1000"}},
	"eigenpro3":        {{100000, 3, "centres=3000;batch=256;subsample=1000"}, {20000, 3, "centres=1000;batch=4000;subsample=500"}},
	"eigenpro4":        {{100000, 20, "centres=3000;batch=256;subsample=1000"}, {50000, 3, `projection="iterative";centres=6000;batch=256;subsample=1000`}},
	"falkon":           {{10000, 3, "landmarks=1000;jitter=1e-6"}, {5000, 3, "landmarks=2000;jitter=1e-6"}},
	"fogd":             {{2000, 3, "features=15000"}, {2000, 3, "features=300000"}},
	"gd":               {{3000, 3, constant}, {6000, 2, constant}},
	"gd-spectral":      {{1500, 3, ""}, {2200, 3, ""}},
	"gp-operator":      {{2048, 8, "batch=64;block=256"}, {2048, 10, "batch=64;block=512"}},
	"k-sdca":           {{200000, 20, "batch=2500"}, {100000, 20, "batch=3000"}},
	"kernel-awv":       {{1800, 1800, ""}, {3500, 3500, ""}},
	"krr":              {{3000, 1, ""}, {5000, 1, ""}},
	"ksvm":             {{2500, 1, ""}, {4000, 1, ""}},
	"n-pegasos":        {{20000, 3, "features=1200;batch=1000;" + constant}, {20000, 3, "features=1000;batch=15000;" + constant}},
	"n-rbcd":           {{4000, 3, "features=1300;blocks=10"}, {4000, 3, "features=1500;blocks=2"}},
	"n-sbmd":           {{20000, 3, "features=1300;blocks=10;batch=1000;" + constant}, {20000, 3, "features=1500;blocks=2;batch=10000;" + constant}},
	"n-sdca":           {{20000, 3, "features=1300;batch=1000"}, {20000, 3, "features=1000;batch=3000"}},
	"norma":            {{3000000, 4, "batch=20000;" + constant}, {8000000, 4, "batch=20000;" + constant}},
	"nystrom-awv":      {{2500, 2500, "beta=20.0"}, {14000, 14000, "beta=20.0"}},
	"nystrom-ridge":    {{8000, 1, "features=1300"}, {20000, 1, `features=1500;selection="rpcholesky"`}},
	"online-krr":       {{1800, 1800, ""}, {3500, 3500, ""}},
	"pcg":              {{3000, 3, "rank=1000"}, {5000, 3, `rank=2000;preconditioner="uniform"`}},
	"pegasos":          {{4000, 3, "batch=1000;" + constant}, {5000, 3, "batch=1000;" + constant}},
	"phi-awv":          {{2000, 400, "order=4"}, {2000, 800, "order=4"}}, // long enough for a checkpoint, which takes as much as the fit
	"pros-n-kons":      {{3000, 3000, "beta=1000.0"}, {4000, 4000, "beta=100.0"}},
	"r-pegasos":        {{20000, 3, "features=20000;batch=200;" + constant}, {20000, 3, "features=10000;batch=4000;" + constant}},
	"r-rbcd":           {{2000, 2, "features=14000;blocks=50"}, {2000, 1, "features=4000;blocks=2"}},
	"r-sbmd":           {{20000, 3, "features=20000;blocks=10;batch=200;" + constant}, {20000, 3, "features=10000;blocks=2;batch=4000;" + constant}},
	"r-sdca":           {{20000, 3, "features=20000;batch=100"}, {20000, 3, "features=5000;batch=2000"}},
	"random-features":  {{2000, 3, ""}, {3500, 3, ""}},
	"sgd-rf":           {{2000, 2, "features=300000;batch=10"}, {20000, 2, "features=10000;batch=10000"}},
	"spectral-cutoff":  {{2200, 3, ""}, {4500, 3, ""}},
	"spectral-sketch":  {{2400, 3, ""}, {4000, 3, ""}},
	"svrg-rf":          {{20000, 3, "features=25000;batch=100;" + constant}, {20000, 3, "features=500000;batch=20;" + constant}},
	"taylor-expansion": {{2000, 3, ""}, {4000, 3, ""}},
	"udsg":             {{200000, 40, "batch=64;block=40000"}, {20000, 20, "batch=64;block=200000"}},
}

// weighedSpec is a problem that the method solves.
func weighedSpec(method string, w weighed) string {
	data, test, loss, nu, targets, metrics, reference := "dai2014-synthetic", 500, "square", "nu = 1e-3", "", "test-mse", ""
	switch {
	case method == "ksvm":
		data, loss, metrics = "two-classes", "hinge", "test-error"
	case method == "phi-awv":
		data, test = "histograms", 50 // whose predictions take as long as a step each
	case method == "gp-operator":
		nu, targets, metrics, reference = "nu_n = 0.1", `targets = "test-kernels"`, "variance-error", `reference = "krr"`
	case strings.HasPrefix(method, "eigenpro"), strings.HasPrefix(method, "spectral"), strings.HasPrefix(method, "gd-"):
		nu = "nu = 0.0"
	}
	return fmt.Sprintf(`
[data]
name = %q
train = %d
test = %d
[problem]
loss = %q
%s
%s
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
steps = %d
[evaluate]
points = 2
metrics = [%q]
%s
[[method]]
id = "m"
algorithm = %q
%s
`, data, w.train, test, loss, nu, targets, w.steps, metrics, reference, method, strings.ReplaceAll(w.settings, ";", "\n"))
}

// twins are methods whose memory another one's formula predicts.
var twins = []string{"eigenpro4", "n-pegasos", "n-rbcd", "online-krr", "r-sbmd", "r-sdca", "udsg"}

// TestPlannedMemory compares the memory that a plan announces for a process with the most that a process of its own takes. Every
// method that is no twin has its first problem; where CI_FULL is set, as .ci/full sets it, all have both.
func TestPlannedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every method twice, with much memory")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc: the largest memory of a process is not known here")
	}
	for _, name := range algos.Names() {
		problems, ok := heavy[name]
		if strings.HasPrefix(name, "test-") {
			continue
		}
		assert.True(t, ok, "%s has no problems of much memory", name)
		chosen := problems[:]
		if os.Getenv("CI_FULL") == "" && slices.Contains(twins, name) {
			chosen = nil
		} else if os.Getenv("CI_FULL") == "" {
			chosen = problems[:1]
		}
		for _, w := range chosen {
			t.Run(fmt.Sprintf("%s/%d %s", name, w.train, w.settings), func(t *testing.T) {
				t.Parallel()
				s := spec(t, weighedSpec(name, w))
				cells := s.Expand()
				planned, err := NewNominalEstimator(&datasets.Library{}).Cell(context.Background(), &cells[0])
				require.NoError(t, err)
				// On a busy machine garbage waits: what the cell needs is the least of some processes.
				ratio, bytes, took := math.Inf(1), 0.0, 0.0
				for try := 0; try < 3 && ratio >= 1.5; try++ {
					var seconds float64
					bytes, seconds = measuredPeak(t, s.File)
					took += seconds
					ratio = min(ratio, bytes/peak(planned.Bytes))
				}
				t.Logf("measured %.0f MB, planned %.0f MB, of the cell %.0f MB: %.2f, in %.1f processor seconds", bytes/1e6, peak(planned.Bytes)/1e6, planned.Bytes/1e6, ratio, took)
				assert.True(t, ratio < 1.5 && ratio > 1/1.5, "measured over planned: %.2f", ratio)
			})
		}
	}
}

// measuredPeak returns the most memory of a process that runs a spec, and its processor seconds.
func measuredPeak(t *testing.T, file string) (bytes, seconds float64) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), weighedFile+"="+file, weighedOut+"="+t.TempDir(), weighedKept+"=1s")
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	var kB float64
	_, err = fmt.Sscanf(string(out), "peak %g kB", &kB)
	require.NoError(t, err, "%s", out)
	return 1024 * kB, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// weighedFile and weighedOut make the test's binary a process that runs a spec with one thread and prints the most memory that it had;
// weighedKept says how often it keeps checkpoints.
const weighedFile, weighedOut, weighedKept = "REPRO_TEST_SPEC", "REPRO_TEST_OUT", "REPRO_TEST_CHECKPOINT"

func TestMain(m *testing.M) {
	file := os.Getenv(weighedFile)
	if file == "" {
		os.Exit(m.Run())
	}
	if err := weigh(file, os.Getenv(weighedOut)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// weigh runs the spec in a file and prints the most memory that this process had.
func weigh(file, out string) error {
	refs, err := catalog.Resolve([]string{file})
	if err != nil {
		return err
	}
	s, err := catalog.Load(refs[0], experiments.LoadOptions{})
	if err != nil {
		return err
	}
	kept, err := time.ParseDuration(os.Getenv(weighedKept))
	if err != nil {
		return err
	}
	sum, err := Run(context.Background(), s.Expand(), Options{Out: out, Threads: 1, Library: datasets.NewLibrary(), Checkpoint: kept})
	if err == nil && sum.Status[records.Done]+sum.Status[records.Budget] == 0 {
		err = fmt.Errorf("no cell is complete: %v", sum.Status)
	}
	if err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(peak, "\n")
	fmt.Println("peak", strings.TrimSpace(line))
	return err
}
