package cli

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// --memory is a promise: where plan says that a size suffices, a run ends well under a hard limit of that size, and where it does not, run
// says so before it starts.
func TestMemoryIsAPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("runs ten experiments")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	units := map[string]float64{"MB": 1e6, "GB": 1e9}
	said := regexp.MustCompile(`and ([0-9.]+) ([MG]B) of memory on`)
	for _, id := range []string{
		"carratino2018/features-shape", "dai2014/gp-variance", "dai2014/losses-softmax", "dai2014/ridge", "jezequel2019/regret",
		"jezequel2019/taylor", "li2016/rate", "ma2017/cost", "ma2017/hint-m-shape", "ma2017/spectrum-shape",
	} {
		t.Run(id, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			m := said.FindStringSubmatch(ok(t, "plan", id, "--out", out).out)
			require.NotNil(t, m)
			number, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			bytes := math.Ceil(1.02 * number * units[m[2]]) // the number is rounded
			run := func(memory float64) (string, error) {
				group := memoryGroup(t, bytes)
				cmd := exec.Command("sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group, self, "run", id, "--out", out, "--memory", fmt.Sprintf("%.0fKB", memory/1e3))
				cmd.Env = append(os.Environ(), asCommand+"=1")
				said, err := cmd.CombinedOutput()
				return string(said), err
			}
			text, err := run(bytes / 2)
			assert.Error(t, err)
			assert.Contains(t, text, "--memory allows")
			text, err = run(bytes)
			assert.NoError(t, err, "%s under %.0f bytes", text, bytes)
		})
	}
}

// memoryGroup returns the folder of a control group that limits the memory of its processes, below the group of this one. It skips the
// test where it cannot make one.
func memoryGroup(t *testing.T, bytes float64) string {
	t.Helper()
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("no control groups here:", err)
	}
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		parent, limit := filepath.Join("/sys/fs/cgroup", parts[2]), "memory.max"
		switch {
		case parts[1] == "memory":
			parent, limit = filepath.Join("/sys/fs/cgroup/memory", parts[2]), "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		group, err := os.MkdirTemp(parent, "repro-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { assert.NoError(t, os.Remove(group)) })
		if os.WriteFile(filepath.Join(group, limit), []byte(fmt.Sprintf("%.0f", bytes)), 0o644) == nil {
			return group
		}
	}
	t.Skip("no control group can be made that limits memory")
	return ""
}
