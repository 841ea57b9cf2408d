package cli

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/compute/computetest"
	"repro/results/records"
)

func init() { compute.RegisterDevice("reference", computetest.Reference) }

// A run on the reference device has the numbers of the host but for rounding, and its records name the device. A device that there
// is not is an error, which says what to do.
func TestDevice(t *testing.T) {
	workplace(t)
	self, err := os.Executable()
	require.NoError(t, err)
	run := func(device string) (string, error) {
		cmd := exec.Command(self, "run", "tiny.toml", "--out", "on"+device)
		cmd.Env = append(os.Environ(), asCommand+"=1", "REPRO_DEVICE="+device)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, device := range []string{"", "reference"} {
		out, err := run(device)
		require.NoError(t, err, out)
	}
	host, err := records.Open("on")
	require.NoError(t, err)
	there, err := records.Open("onreference")
	require.NoError(t, err)
	drifts := records.Compare(host, there, 1e-10)
	assert.NotEmpty(t, drifts)
	for _, d := range drifts {
		assert.Equal(t, records.Same, d.State, "%s: %s", d.Cell, d.Reason)
	}
	for _, r := range there.Records {
		assert.Contains(t, r.Header.Timing.ISA, "reference")
	}
	out, err := run("gpu")
	assert.Error(t, err)
	assert.Contains(t, out, `REPRO_DEVICE is "gpu", and this program has no such device: unset it, or choose one of ["reference"]`)
}
