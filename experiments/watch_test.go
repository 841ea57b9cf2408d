package experiments

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree writes files into a folder, and returns that of the spec in it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range files {
		path := filepath.Join(top, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	dir := filepath.Join(top, "a[b]") // letters of patterns, in a path that is none
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

func watchedNames(w *watched) []string { return slices.Sorted(maps.Keys(w.paths)) }

// What a command or files names is watched wherever it lies. An entry that names nothing, or too much, is a mistake.
func TestWatchedFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"a[b]/s.toml": "", "a[b]/run.sh": "", "a[b]/lib/one.R": "", "a[b]/lib/two.R": "", "a[b]/lib/deep/three.R": "", "a[b]/lib/.git/x": "",
		"a[b]/lib/__pycache__/y": "", "a[b]/lib/z.pyc": "", "src/out.jl": "", "a[b]/py[1].txt": "",
	})
	elsewhere := filepath.ToSlash(filepath.Join(filepath.Dir(dir), "src", "out.jl"))
	for _, c := range []struct {
		arg, file string
		want      []string
		wrong     string
	}{
		{arg: "{dir}/run.sh", want: []string{"run.sh"}},
		{arg: "{dir}/../src/out.jl", want: []string{"../src/out.jl"}},
		{arg: "--script={dir}/run.sh", want: []string{"run.sh"}},
		{arg: "--script=" + elsewhere, want: []string{elsewhere}},
		{arg: elsewhere, want: []string{elsewhere}},
		{arg: filepath.Join(dir, "run.sh"), want: []string{"run.sh"}},
		{arg: "{dir}/lib"},
		{arg: "/no/lua", want: []string{"/no/lua"}}, // it is no program here
		{arg: "/dev/null"},
		{file: "run.sh", want: []string{"run.sh"}},
		{file: "{dir}/run.sh", want: []string{"run.sh"}},
		{file: elsewhere, want: []string{elsewhere}},
		{file: "py[1].txt", want: []string{"py[1].txt"}},
		{file: "lib", want: []string{"lib/deep/three.R", "lib/one.R", "lib/two.R"}},
		{file: "{dir}/lib/", want: []string{"lib/deep/three.R", "lib/one.R", "lib/two.R"}},
		{file: "{dir}/lib/*", want: []string{"lib/one.R", "lib/two.R"}},
		{file: "l*/t*.R", want: []string{"lib/two.R"}},
		{file: "{dir}/../src/*.jl", want: []string{"../src/out.jl"}},
		{file: filepath.ToSlash(filepath.Dir(elsewhere)) + "/*.jl", want: []string{elsewhere}},
		{file: "", wrong: "holds the spec"},
		{file: "{dir}", wrong: "holds the spec"},
		{file: "{dir}/..", wrong: "holds the spec"},
		{file: "lib/on.R", wrong: "matches no file; correct the name"},
		{file: "lib/*.py", wrong: "matches no file; correct the name"},
		{file: "**/*.R", wrong: "has **, which is not known; name the folder"},
		{file: "[", wrong: "is no pattern"},
		{file: "/dev/null", wrong: "is a device"},
	} {
		x := &External{Command: Command{Run: []string{"program", c.arg}}}
		if c.arg == "" {
			x.Files = []string{c.file}
		}
		w := x.watch(dir)
		if c.wrong != "" {
			assert.Contains(t, w.wrong[0], c.wrong, "%+v", c)
			continue
		}
		assert.Empty(t, w.wrong, "%+v", c)
		assert.Equal(t, c.want, watchedNames(w), "%+v", c)
	}

	link := filepath.Join(dir, "lib", "linked")
	require.NoError(t, os.Symlink(filepath.Dir(elsewhere), link))
	assert.Contains(t, (&External{Files: []string{"lib"}}).watch(dir).wrong[0], "has a link to a folder, linked")
	assert.Equal(t, []string{"lib/linked/out.jl"}, watchedNames((&External{Files: []string{"lib/linked"}}).watch(dir)), "a link that is named is followed")
}

// Modules that Python scripts import from beside themselves are watched, at any depth.
func TestWatchedModules(t *testing.T) {
	dir := tree(t, map[string]string{
		"a[b]/opt.py": "\ufeffimport sys, os; import helper\r\nfrom pkg import (a, # one\r\n  b as c)\nimport numpy as np\ntry: import maybe\nexcept ImportError: pass\n" +
			"from \\\n  joined import x\n# import commented\nimportant = 1\n",
		"a[b]/helper.py": "from pkg.deep.er import f", "a[b]/maybe.py": "", "a[b]/joined.py": "", "a[b]/commented.py": "", "a[b]/ant.py": "", "a[b]/unused.py": "",
		"a[b]/pkg/__init__.py": "", "a[b]/pkg/a.py": "from . import sister\nfrom .deep import other", "a[b]/pkg/b.py": "import opt", "a[b]/pkg/c.py": "",
		"a[b]/pkg/sister.py": "from .. import above", "a[b]/pkg/deep/er.py": "", "a[b]/pkg/deep/other.py": "", "a[b]/pkg/deep/not.py": "", "a[b]/above.py": "",
	})
	w := (&External{Command: Command{Run: []string{"python3", "{dir}/opt.py"}}}).watch(dir)
	assert.Equal(t, []string{"above.py", "helper.py", "joined.py", "maybe.py", "opt.py", "pkg/__init__.py", "pkg/a.py", "pkg/b.py", "pkg/deep/er.py",
		"pkg/deep/other.py", "pkg/sister.py"}, watchedNames(w))
	assert.Empty(t, w.not)
	w = (&External{Command: Command{Run: []string{"python3"}}, Files: []string{"pkg/c.py", "pkg/b.py"}}).watch(dir)
	assert.Contains(t, watchedNames(w), "opt.py", "a module of a package imports from beside the package")

	long := "import " + strings.Repeat("a.", 1e5) + "b\nfrom " + strings.Repeat(".", 1e5) + " import c"
	assert.Empty(t, besideOf(importsOf(long)[0], dir+"/opt.py", []string{dir}), "it ends where there is no folder")

	require.NoError(t, os.Symlink(filepath.Join(dir, "pkg", "deep", "er.py"), filepath.Join(dir, "link.py")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pkg", "deep", "er.py"), []byte("import not"), 0o644))
	w = (&External{Command: Command{Run: []string{"python3", "{dir}/link.py"}}}).watch(dir)
	assert.Equal(t, []string{"link.py", "pkg/deep/not.py"}, watchedNames(w), "Python looks beside the file that a link leads to")
}
