package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"repro/algos/compute"
)

// machine is what a record tells of where it ran.
type machine struct {
	version, commit string
	dirty           bool
	goVersion, host string
	cpu             string
}

func readMachine() machine {
	m := machine{goVersion: runtime.Version(), host: runtime.GOOS + "/" + runtime.GOARCH, cpu: compute.Processor()}
	m.version, m.commit, m.dirty = Version()
	return m
}

// Version returns what records tell of the program: its version, the commit it was built from, empty
// if that cannot be told, and whether files were changed since that commit.
func Version() (version, commit string, dirty bool) {
	version = "devel"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, "", false
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
	return version, commit, dirty
}

// sourceCommit asks git, for `go run` stamps no revision: it answers only if the working directory
// is in a checkout of this module, whose sources were then most likely what was built.
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
