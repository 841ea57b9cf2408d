package cli

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
)

// dotsFile names a file with the rows of the data set dots, which a process of a test registers.
const dotsFile = "REPRO_TEST_DOTS"

// registerDots registers dots, whose own address does not answer, with the checksum of the file.
func registerDots(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	datasets.Register(datasets.Source{
		Name: "dots", Title: "dots", Licence: "none", Citation: "nobody", Task: "regression", Dims: 1, Rows: 200, Format: "csv",
		Files: []datasets.RemoteFile{{
			Name: "dots.csv", URLs: []string{"http://127.0.0.1:1/dots.csv"}, Rows: 200, Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256(text)),
		}},
	})
}

// run --fetch gets missing data from the mirror, once.
func TestRunFetches(t *testing.T) {
	workplace(t)
	var rows strings.Builder
	for i := range 200 {
		fmt.Fprintf(&rows, "%d.5,%d\n", i, i%7)
	}
	write(t, "rows.csv", rows.String())
	spec := strings.Replace(read(t, "tiny.toml"), "name = \"dai2014-synthetic\"\ntrain = 256\ntest = 64", "name = \"dots\"\ntest_part = 0.2", 1)
	spec = strings.NewReplacer(`"l2-error", `, "", `metric = "l2-error"`, `metric = "test-mse"`).Replace(spec)
	write(t, "dots.toml", spec)
	var asked atomic.Int64
	sends := rows.String()
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		assert.Equal(t, "/dots/dots.csv", r.URL.Path)
		fmt.Fprint(w, sends)
	}))
	defer mirror.Close()
	self, err := os.Executable()
	require.NoError(t, err)
	command := func(args ...string) (string, error) {
		cmd := exec.Command(self, append([]string{"run", "dots.toml", "--profile", "smoke", "--set", "data.train=100", "--out", "out", "--shard", "1/1"}, args...)...)
		cmd.Env = append(os.Environ(), asCommand+"=1", dotsFile+"=rows.csv", "REPRO_MIRROR="+mirror.URL)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := command()
	require.Error(t, err)
	assert.Contains(t, out, "dots.csv is not on this machine: run repro fetch dots")

	out, err = command("--fetch")
	require.NoError(t, err, out)
	assert.EqualValues(t, 1, asked.Load())
	assert.FileExists(t, filepath.Join("cache", "dots", "dots.csv"))

	out, err = command("--fetch")
	require.NoError(t, err, out)
	assert.EqualValues(t, 1, asked.Load(), "it is here")
}
