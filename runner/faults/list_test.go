// Package faults holds deliberate faults in our own sources and the campaign that runs the tests on each of them.
//
// faults.toml lists the faults. Each replaces one piece of text in one file. The campaign compiles them with go build -overlay and
// go test -overlay, so that the checkout stays as it is: those inside of functions together, behind switches, and each of the others
// by itself. It asks six layers whether they notice:
//
//   - law: TestLaws of algos/methods.
//   - oracle: the other tests of algos/methods, which compare a method with a closed form, a computation by hand or another
//     method that has the same solution.
//   - unit: the tests of the package of the changed file and of the packages that dependents lists for it.
//   - baseline: runs at profile smoke, whose records must be those of results/baseline.
//   - verdict: the words of the verdicts on these runs, which must be those of the sources without the fault.
//   - gate: repro check, which must neither call a claim worse nor fail, of the experiments that execute the changed function.
//
// Law and oracle are asked about the packages of algos only, except algos/metrics, and law runs the laws of the methods
// that the list names. Faults in the packages of results are judged on the records of the sources without the fault.
// Tests run with -short and without real data; the runs need the papers' data.
//
// The campaign has the build tag faults, because it takes minutes:
//
//	go test -tags faults ./runner/faults -timeout 60m              every layer on every fault
//	go test -tags faults ./runner/faults -run TestFaults/krr -update   the faults whose id has krr; writes their marks into faults.toml
//
// A fault that no layer notices fails the campaign. The tests without the tag are cheap: they hold the list to the sources,
// and the numbers of docs/faults.md to the list.
package faults

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed faults.toml
var list string

// A Fault is a change of one file that makes the program wrong.
type Fault struct {
	ID   string `toml:"id"`
	File string `toml:"file"` // path from the root of the module
	Says string `toml:"says"` // what is wrong
	Old  string `toml:"old"`  // text that occurs once in the file
	New  string `toml:"new"`  // what the fault has in its place
	Laws string `toml:"laws"` // regular expression of the methods whose laws are run; all if empty
	Gate string `toml:"gate"` // why repro check does not notice it, though its experiments execute it; empty if it does

	Marks map[string]string `toml:"marks"` // what the campaign found, by layer; one that is left out was not asked, or cannot notice
}

// All returns the faults in the order of the list.
func All() ([]Fault, error) {
	var l struct {
		Faults []Fault `toml:"fault"`
	}
	meta, err := toml.Decode(list, &l)
	if err != nil {
		return nil, fmt.Errorf("faults.toml: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("faults.toml: unknown key %s", unknown[0])
	}
	return l.Faults, nil
}

// Package returns the folder of the changed file.
func (f Fault) Package() string { return path.Dir(f.File) }

// judges reports whether the fault is in what judges records: statistics, claims, or the gate. The tests of its own package must
// notice it, by an assertion and not by a page or a file that they compare with.
func (f Fault) judges() bool { return strings.HasPrefix(f.File, "results/") }

// Patched returns the text of the file with the fault. root is the folder of the module.
func (f Fault) Patched(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		return "", fmt.Errorf("fault %s: %w", f.ID, err)
	}
	switch n := strings.Count(string(text), f.Old); {
	case f.Old == "" || f.Old == f.New:
		return "", fmt.Errorf("fault %s changes nothing", f.ID)
	case n != 1:
		return "", fmt.Errorf("fault %s: its old text occurs %d times in %s, not once: write it anew in faults.toml\n%s", f.ID, n, f.File, f.Old)
	}
	return strings.Replace(string(text), f.Old, f.New, 1), nil
}
