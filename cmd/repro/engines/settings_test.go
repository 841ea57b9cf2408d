package engines

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func kubernetesExample() Job {
	j := example()
	j.Options = []string{"image=ghcr.io/me/repro:1", "claim=work", "mount=/home/me"}
	j.Env = []Variable{{"REPRO_DATA", "/home/me/data: \"sets\""}}
	return j
}

func parallelExample() Job {
	j := example()
	j.Options, j.AtOnce = []string{"--sshlogin=one,two"}, 0
	j.Env = []Variable{{"REPRO_CACHE", "/local/my cache"}}
	return j
}

// documents returns the documents of a YAML text as JSON has them.
func documents(t *testing.T, text []byte) []any {
	t.Helper()
	var all []any
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		b, err := json.Marshal(v)
		require.NoError(t, err)
		v, err = jsonschema.UnmarshalJSON(bytes.NewReader(b))
		require.NoError(t, err)
		all = append(all, v)
	}
}

func TestKubernetesJobsAreValid(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/kubernetes-job.schema.json")
	require.NoError(t, err)
	alone := kubernetesExample()
	alone.Shards, alone.Options = alone.Shards[2:], append(alone.Options, "namespace=lab")
	for _, j := range []Job{kubernetesExample(), alone} {
		text, err := Write("k8s", j)
		require.NoError(t, err)
		for i, d := range documents(t, text) {
			require.NoError(t, schema.Validate(d), "document %d of\n%s", i, text)
		}
	}
	text, err := Write("k8s", kubernetesExample())
	require.NoError(t, err)
	for _, wrong := range [][2]string{
		{"podReplacementPolicy: Failed", "podReplacement: Failed"},
		{"completions: 2", "completions: two"},
		{"operator: In", "operators: In"},
		{"restartPolicy: Never", "restartPolicy: []"},
		{"containers:", "container:"},
	} {
		require.Contains(t, string(text), wrong[0])
		damaged := bytes.Replace(text, []byte(wrong[0]), []byte(wrong[1]), 1)
		assert.Error(t, schema.Validate(documents(t, damaged)[0]), wrong[1])
	}
}

// Every index of an indexed job runs its shard, and no other.
func TestIndexesOfAJob(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	j := kubernetesExample()
	j.Run = []string{"echo", "it's"}
	for i, s := range j.Shards[:2] {
		cmd := exec.Command(sh, "-c", j.Split(10)[0].Indexed("JOB_COMPLETION_INDEX"))
		cmd.Env = []string{"JOB_COMPLETION_INDEX=" + string(rune('0'+i))}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, "it's --threads 2 --shard "+j.Argument(s)+"\n", string(out))
	}
	j.Finish = [][]string{{"sh", "-c", "exit 3"}, {"echo", "report"}}
	out, err := exec.Command(sh, "-c", j.InOrder()).CombinedOutput()
	assert.Equal(t, "report\n", string(out), "the commands run in order whatever fails")
	var status *exec.ExitError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 3, status.ExitCode())
}

func TestSettings(t *testing.T) {
	for want, options := range map[string][]string{
		"engine k8s needs a container image with this program: give --option=image=…": {"claim=c", "mount=/home"},
		"--option=--partition=long: engine k8s has the options --option=image=…":      {"image=i", "claim=c", "mount=/home", "--partition=long"},
		"--option=mount=/shared: /home/me/my work/out is not below it, so pods wo":    {"image=i", "claim=c", "mount=/shared"},
	} {
		j := example()
		j.Options = options
		_, err := Write("k8s", j)
		assert.ErrorContains(t, err, want)
	}
}
