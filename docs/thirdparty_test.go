package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

// licence are the names of files that say under which terms a module may be used.
var licence = regexp.MustCompile(`(?i)^(li[cs]en[cs]es?|copying|notices?|patents|third_party_licenses)([-.].*)?$`)

// TestThirdParty holds third-party.txt to the modules that the program links on the systems it is built for, and to the files of
// others in the repository. With -update it writes the file.
func TestThirdParty(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the modules of three systems")
	}
	var b strings.Builder
	b.WriteString("repro contains the following software and fonts of others, under these terms.\n")
	text := func(name string, files ...string) {
		require.NotEmpty(t, files, "%s has no file with its terms", name)
		fmt.Fprintf(&b, "\n%s\n%s\n", name, strings.Repeat("=", len(name)))
		for _, f := range files {
			content, err := os.ReadFile(f)
			require.NoError(t, err)
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n")))
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	text("The Go standard library", filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	for _, module := range linked(t) {
		path, dir, _ := strings.Cut(module, " in ")
		text(path, terms(t, dir)...)
	}
	text("axe-core, in tests only", filepath.Join("..", "plots", "browsertest", "axe.LICENSE"))
	goldentest.Equal(t, "third-party.txt", b.String())
}

// linked lists the modules of the program on all systems, each as "path version in folder".
func linked(t *testing.T) (all []string) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} in {{.Dir}}{{end}}{{end}}`, "../cmd/repro")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		require.NoError(t, err)
		all = append(all, strings.Split(strings.TrimSpace(string(out)), "\n")...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

// terms lists the files of a folder and of its folders of licences that say under which terms it may be used.
func terms(t *testing.T, dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case !licence.MatchString(e.Name()) || filepath.Ext(path) == ".go":
		case e.IsDir():
			more, err := filepath.Glob(filepath.Join(path, "*"))
			require.NoError(t, err)
			files = append(files, more...)
		default:
			files = append(files, path)
		}
	}
	return files
}
