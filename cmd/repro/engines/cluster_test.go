//go:build slurm

package engines

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cluster is one slurmctld and four slurmd of one processor each on this machine, without accounting, systemd or munge.
type cluster struct {
	t     *testing.T
	dir   string
	env   []string
	ctld  *exec.Cmd
	nodes map[string]*exec.Cmd
}

// requeueDelay is about how long Slurm waits until it starts a job again that was sent back: cred_expire and a second.
const requeueDelay = 6

// conf is slurm.conf. Its verbs are the host, the user, a folder, and MaxArraySize.
const conf = `ClusterName=repro
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=27817
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=1,bf_interval=1
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool/%%n
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/%%n.pid
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/%%n.log
SlurmdTimeout=8
KillWait=3
ReturnToService=2
MaxArraySize=%[4]d
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=n[1-4] NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=[27821-27824] CPUs=1 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// startCluster starts a cluster that ends with the test. It skips the test where Slurm is not installed.
func startCluster(t *testing.T, maxArraySize int) *cluster {
	t.Helper()
	for _, name := range []string{"slurmctld", "slurmd", "sbatch", "scontrol"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not here: install Slurm (on Debian the package slurm-wlm)", name)
		}
	}
	dir, err := os.MkdirTemp("", "slurm")
	require.NoError(t, err)
	for _, name := range []string{"state", "spool"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	require.NoError(t, err)
	path := filepath.Join(dir, "slurm.conf")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, conf, host, me.Username, dir, maxArraySize), 0o644))
	c := &cluster{t: t, dir: dir, env: append(os.Environ(), "SLURM_CONF="+path), nodes: map[string]*exec.Cmd{}}
	c.ctld = c.daemon("slurmctld", "-D")
	t.Cleanup(c.stop)
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		c.startNode(name)
	}
	c.until("four idle nodes", 60*time.Second, func() bool { return strings.Count(c.ask("sinfo", "-h", "-N", "-o", "%T"), "idle") == 4 })
	return c
}

func (c *cluster) startNode(name string) { c.nodes[name] = c.daemon("slurmd", "-D", "-N", name) }

// daemon starts a program whose output goes to a file.
func (c *cluster) daemon(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	log, err := os.CreateTemp(c.dir, name+"-*.out")
	require.NoError(c.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(c.t, cmd.Start())
	return cmd
}

// stop cancels all jobs and ends the daemons that this test has started.
func (c *cluster) stop() {
	c.ask("scancel", "--me")
	for range 20 {
		if strings.TrimSpace(c.ask("squeue", "-h")) == "" {
			break
		}
		time.Sleep(time.Second)
	}
	for _, d := range append(slices.Collect(maps.Values(c.nodes)), c.ctld) {
		if d != nil {
			d.Process.Signal(syscall.SIGTERM)
			done := make(chan error, 1)
			go func() { done <- d.Wait() }()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				d.Process.Kill()
				<-done
			}
		}
	}
	if c.t.Failed() {
		c.t.Logf("the logs of Slurm are in %s", c.dir)
		return
	}
	os.RemoveAll(c.dir)
}

// ask runs a command of Slurm and returns what it prints.
func (c *cluster) ask(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Logf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// until waits until is returns true.
func (c *cluster) until(what string, limit time.Duration, is func() bool) {
	c.t.Helper()
	for began := time.Now(); !is(); time.Sleep(200 * time.Millisecond) {
		require.Less(c.t, time.Since(began), limit, "%s did not happen; the logs of Slurm are in %s", what, c.dir)
	}
}

// empty waits until no job waits or runs.
func (c *cluster) empty(limit time.Duration) {
	c.t.Helper()
	c.until("an empty queue", limit, func() bool { return strings.TrimSpace(c.ask("squeue", "-h")) == "" })
}
