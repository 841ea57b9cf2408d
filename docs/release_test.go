package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The list of modules of a release has every module of the program, once, with its version and its checksum of go.sum.
func TestModulesOfARelease(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	text, err := exec.Command("bash", "../.ci/sbom", self, "86400").Output()
	require.NoError(t, err)
	var list struct {
		BomFormat   string
		SpecVersion string
		Metadata    struct {
			Timestamp string
			Component struct{ Name, PURL string }
		}
		Components []struct {
			Type, Name, Version, PURL string
			Properties                []struct{ Name, Value string }
		}
		Dependencies []struct{ DependsOn []string }
	}
	require.NoError(t, json.Unmarshal(text, &list))
	assert.Equal(t, "CycloneDX 1.6 1970-01-02T00:00:00Z", list.BomFormat+" "+list.SpecVersion+" "+list.Metadata.Timestamp)
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	assert.Equal(t, info.Main.Path, list.Metadata.Component.Name)
	got := map[string]string{}
	for i, c := range list.Components {
		assert.Equal(t, c.PURL, list.Dependencies[0].DependsOn[i])
		if got[c.Name] = c.Version; len(c.Properties) > 0 {
			got[c.Name] += " " + c.Properties[0].Value
		}
	}
	want := map[string]string{"std": strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		want[m.Path] = m.Version + " " + m.Sum
	}
	assert.Equal(t, want, got)
	assert.Len(t, list.Components, len(want))
}
