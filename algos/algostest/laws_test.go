package algostest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/methods"
	"repro/algos/parts"
)

// stopping is a method that is done after some steps, as one that stops by a tolerance.
type stopping struct {
	methods.DSG
	epochs  float64
	after   int    // steps, of these epochs
	mistake string // late: it says so in a call after its last step. forgets: it goes on. hides: it is not in its state. reads: it reads rows to say what it does not solve
}

type stoppingFit struct {
	algos.Fit
	algos.Averager
	algos.Incremental
	algos.Sizer
	*stopping
	done bool
}

var _ = algos.Declare[*stoppingFit](&stopping{})

func (a *stopping) Start(p *algos.Problem) (algos.Fit, error) {
	f, err := a.DSG.Start(p)
	if err == nil && a.mistake == "reads" && p.FileOrder {
		p.Dense()
		err = algos.ErrUnsupported
	}
	if err != nil {
		return nil, err
	}
	b := *a
	b.after = int(a.epochs * float64(p.Train.Len()) / float64(a.Batch))
	return &stoppingFit{f, f.(algos.Averager), f.(algos.Incremental), f.(algos.Sizer), &b, false}, nil
}

func (f *stoppingFit) Step() (algos.Progress, error) {
	made := func() int { return f.State().(*parts.AdditiveState).T }
	if f.done || made() >= f.after && f.mistake != "forgets" && f.mistake != "hides" {
		return algos.Progress{Done: true}, nil
	}
	p, err := f.Fit.Step()
	p.Done = made() == f.after && f.mistake != "late"
	f.done = p.Done && f.mistake == "hides"
	return p, err
}

func dsgThatStops(t *testing.T, epochs float64) *stopping {
	a, err := algos.New("dsg")
	require.NoError(t, err)
	return &stopping{DSG: *a.(*methods.DSG), epochs: epochs}
}

// A fit that stops within an epoch or in a later one obeys the laws.
func TestLawsOfFitsThatStop(t *testing.T) {
	for name, a := range map[string]*stopping{
		"within an epoch": dsgThatStops(t, 0.9), "in a later epoch": dsgThatStops(t, 1.3),
	} {
		t.Run(name, func(t *testing.T) { algostest.Laws(t, a) })
	}
}

const broken = "REPRO_TEST_BROKEN_FIT"

// TestABrokenFit is for TestABrokenLawIsNamed, which runs it in a process of its own.
func TestABrokenFit(t *testing.T) {
	mistake := os.Getenv(broken)
	if mistake == "" {
		t.Skip("it fails")
	}
	a := dsgThatStops(t, 0.9)
	a.mistake = mistake
	algostest.Laws(t, a)
}

func TestABrokenLawIsNamed(t *testing.T) {
	for mistake, want := range map[string]string{
		"late":    "law of Progress: a step uses examples; a fit says Done with its last step, not in a call after it",
		"forgets": "law of Progress: a fit that is done stays done; begin Step with a return of Progress{Done: true} if it is",
		"hides":   ", restored after 0 steps, went on in another way; State holds all that Step changes, also whether the fit is done",
		"reads":   "Start must say so before it reads a row or uses the engine",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestABrokenFit$")
		cmd.Env = append(os.Environ(), broken+"="+mistake)
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, mistake)
		assert.Contains(t, string(out), want, mistake)
		assert.Less(t, len(out), 50_000, "differences of states are named, not printed whole")
	}
}
