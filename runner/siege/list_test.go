// Package siege disturbs runs from outside: it kills and stops their processes, fills their disk, and changes or removes
// their files. After each disturbance the same command must bring the folder to the state of an undisturbed run, byte for
// byte except times, and whatever was wrong must have been said.
//
// The campaign has the build tag faults, because it takes minutes:
//
//	go test -tags faults ./runner/siege -run TestProcesses -timeout 60m -v             every fault
//	go test -tags faults ./runner/siege -run TestProcesses/kill -timeout 60m -update   one fault; writes its row of docs/robustness.md
//
//	go test -tags faults ./runner/siege -run TestPower -timeout 60m -update            loss of power (disk_test.go)
//
// The test without the tag is cheap: it holds docs/robustness.md to the list.
package siege

import (
	"fmt"
	"strings"
)

// A Fault is one way to disturb a run.
type Fault struct {
	ID    string // name of the subtest
	Says  string // what happens to the run, in the table
	Tries int    // how often the campaign does it
}

// All returns the faults in the order of the table.
func All() []Fault {
	return []Fault{
		{"same-cells", "two processes with the same cells in one folder; both exit 0", 20},
		{"different-cells", "two processes with different cells in one folder; both exit 0", 20},
		{"kill", "kill -9 at a random moment with a checkpoint present", 100},
		{"kill-holder", "kill -9 of a process that another one waits for; the other one runs the cell", 10},
		{"stop", "SIGSTOP for half a second, then SIGCONT", 10},
		{"stop-holder", "SIGSTOP of a process that another one waits for, then SIGCONT; both exit 0", 5},
		{"interrupt", "SIGINT at a random moment; exit 130", 20},
		{"interrupt-long", "SIGINT in a long computation: start of krr, eigenpro and ksvm on 8,000 rows, median distance, reference solution, surface, loading of a file; exit 130 within 2 s", 21},
		{"full-disk", "disk full at a random byte (tmpfs)", 20},
		{"inodes", "no inode left (tmpfs)", 5},
		{"quota", "no file may grow beyond a limit (RLIMIT_FSIZE)", 10},
		{"read-only", "output folder read-only", 3},
		{"deleted", "output folder removed at a random moment; exit 0 only with all records", 20},
		{"link", "symbolic links in place of records, checkpoints, predictions and locks; nothing behind them changes", 8},
		{"fifo", "FIFOs in place of records, checkpoints, predictions and locks; the run ends", 8},
		{"flip-record", "one bit of a record flipped", 500},
		{"flip-checkpoint", "one bit of a checkpoint flipped", 300},
		{"flip-prediction", "one bit of a file of predictions flipped", 300},
		{"flip-verdicts", "one bit of verdicts.json flipped", 20},
		{"cut", "a record, a checkpoint or a file of predictions cut at a random byte", 150},
		{"build", "a checkpoint of another build; the cell starts again and the run says so", 5},
		{"instructions", "a checkpoint of another instruction set; the cell starts again and the run says so", 5},
	}
}

// Row returns the fault's line of the table.
func (f Fault) Row(tries, failures int, note string) string {
	return fmt.Sprintf("%s %d | %d | %s |", f.head(), tries, failures, note)
}

// head returns the beginning of the fault's line.
func (f Fault) head() string { return fmt.Sprintf("| `%s` %s |", f.ID, f.Says) }

// Replace returns the page with the row in place of the fault's, or at the end of the table.
func Replace(page string, f Fault, row string) string {
	lines := strings.Split(page, "\n")
	last := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "| `"+f.ID+"` ") {
			lines[i] = row
			return strings.Join(lines, "\n")
		}
		if strings.HasPrefix(line, "|") {
			last = i
		}
	}
	return strings.Join(append(lines[:last+1:last+1], append([]string{row}, lines[last+1:]...)...), "\n")
}
