package programs

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// As the first argument asRunner makes the test's binary a runner that serves a program.
const asRunner = "as-runner"

func init() {
	if len(os.Args) < 2 || os.Args[1] != asRunner {
		return
	}
	q, err := (&Program{}).open(os.TempDir(), []string{"/bin/sleep", "60"}, 100)
	if err != nil {
		panic(err)
	}
	fmt.Println(q.cmd.Process.Pid)
	time.Sleep(time.Minute)
}

// A runner that is killed by SIGKILL leaves no program, though that one reads nothing.
func TestKilledRunnerLeavesNoProgram(t *testing.T) {
	runner := exec.Command(os.Args[0], asRunner)
	out, err := runner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, runner.Start())
	line, _, err := bufio.NewReader(out).ReadLine()
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(line))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, 0), "the program runs")
	require.NoError(t, runner.Process.Kill())
	_ = runner.Wait() // killed
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || string(b[len(fmt.Sprintf("%d (sleep) ", pid))]) == "Z" // of whom nobody has asked yet how it ended
	}, 5*time.Second, 10*time.Millisecond)
}
