package runner

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"repro/algos/compute"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/records"
)

// header returns the header of the cell's record. If the cell did not start, it leaves out what is not known then.
func (x *cellRun) header() records.Header {
	c := x.cell
	h := records.Header{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Label: c.Method.Label,
		Algorithm: c.Method.Algorithm, Seed: c.Seed, Profile: c.Spec.Profile, Settings: c.Settings, Digest: c.Digest,
		Provenance: records.Provenance{Program: builds.This()},
		Timing: records.HeaderTiming{
			Started: now(), Host: runtime.GOOS + "/" + runtime.GOARCH, CPU: compute.Processor(), ISA: compute.ISA(), Threads: x.threads,
		},
	}
	h.Provenance.Precision, h.Provenance.Timed = string(x.engine.Precision()), c.Spec.Repeat.Timed
	if x.seconds > 0 {
		h.Provenance.Exempt = fmt.Sprintf("a budget of %.6g seconds ends it", x.seconds)
	}
	if x.prog != nil {
		h.Provenance.External = x.prog.record
	}
	if x.instance != nil {
		h.Resolved = x.instance.resolved
		h.Provenance.Substitute = x.instance.data.Substitute
		for _, f := range x.instance.data.Files {
			h.Provenance.Data = append(h.Provenance.Data, records.DataDigest(f))
		}
	}
	return h
}

// thisBuild returns in words what may change the bits of a run besides its settings: the commit, the Go version and its
// options, the architecture and the instruction set of the compute core. A build whose files differ from a commit, or that
// names none, also has the hash of its executable, so that it is equal to itself only.
var thisBuild = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, compute.ISA(), executableSum)
})

// buildOf is thisBuild for given build information. It calls binary only if that does not identify the sources.
func buildOf(info *debug.BuildInfo, isa string, binary func() string) string {
	commit, exact := "unknown commit", false
	var options []string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = "commit " + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			exact = s.Value == "false"
		case "GOAMD64", "GOARM64", "GOEXPERIMENT", "-tags", "-race", "-gcflags":
			options = append(options, s.Key+"="+s.Value)
		}
	}
	for _, d := range info.Deps {
		if d.Replace != nil && d.Replace.Version == "" { // a folder, whose files no commit of this module names
			exact = false
		}
	}
	parts := []string{commit}
	if !exact {
		parts = append(parts, "binary "+binary())
	}
	parts = append(parts, runtime.Version(), runtime.GOARCH, isa)
	return strings.Join(append(parts, options...), ", ")
}

// executableSum returns the first digits of the SHA-256 of this program's file. If the file cannot be read, it returns a
// name that no other process has.
func executableSum() string {
	sum, err := hashProgram()
	if err != nil {
		return fmt.Sprintf("of process %d at %d", os.Getpid(), time.Now().UnixNano())
	}
	return sum
}

func hashProgram() (string, error) {
	path := "/proc/self/exe" // the file that runs, even if another one has its path now
	if runtime.GOOS != "linux" {
		var err error
		if path, err = os.Executable(); err != nil {
			return "", err
		}
	}
	sum, err := files.Sum(path)
	if err != nil {
		return "", err
	}
	return sum[:12], nil
}
