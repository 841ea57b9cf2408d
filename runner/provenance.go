package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"repro/algos/compute"
	"repro/results/records"
)

// origin returns the part of a record's provenance that is the same for all cells: the program.
func origin() (p records.Provenance) {
	p.Version, p.Commit, p.Dirty = Version()
	p.Go = runtime.Version()
	return p
}

// unknownCommit is the commit of a binary without a stamp.
const unknownCommit = "unknown"

// Version returns the version of the program, the commit it was built from, and whether its files differ from that
// commit. The commit is "unknown" if the binary has no stamp.
func Version() (version, commit string, dirty bool) {
	version = "devel"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, unknownCommit, false
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if commit == "" {
		commit, dirty = sourceCommit(info.Main.Path)
	}
	if commit == "" {
		commit = unknownCommit
	}
	return version, commit, dirty
}

// sourceCommit asks git for the commit, because `go run` stamps none. It returns one only if the working directory is in
// a checkout of this module: most likely those sources were built.
func sourceCommit(module string) (commit string, dirty bool) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", false
	}
	mod, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		return "", false
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", false
	}
	status, err := exec.Command("git", "status", "--porcelain").Output()
	return strings.TrimSpace(string(head)), err != nil || len(status) > 0
}

// header returns the header of the cell's record. If the cell did not start, it leaves out what is not known then.
func (x *cellRun) header() records.Header {
	c := x.cell
	h := records.Header{
		Experiment: c.Experiment, Cell: c.Name, Method: c.Method.ID, Label: c.Method.Label,
		Algorithm: c.Method.Algorithm, Seed: c.Seed, Profile: c.Spec.Profile, Settings: c.Settings, Digest: c.Digest,
		Provenance: x.origin,
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
			h.Provenance.Data = append(h.Provenance.Data, records.DataDigest{Name: f.Name, SHA256: f.SHA256, Rows: f.Rows})
		}
	}
	return h
}
