package builds

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"example.org/mine.init.0":             "example.org/mine",
		"example.org/mine/specs.(*T).M.func1": "example.org/mine/specs",
		"example.org/my%2erepo.init":          "example.org/my.repo",
		"main.init.0":                         "main",
	} {
		assert.Equal(t, want, packageOf(function))
	}
}

func called() string { return Caller() }

func TestModuleOf(t *testing.T) {
	assert.Equal(t, Repro(), Main(), "of the test")
	assert.Equal(t, Repro()+"/results/builds", called())
	for _, c := range []struct{ pkg, module, folder string }{
		{Repro() + "/results/builds", Repro(), "results/builds"},
		{Repro(), Repro(), ""},
		{Repro() + "x/y", "", Repro() + "x/y"}, // begins alike
	} {
		module, folder := ModuleOf(c.pkg)
		assert.Equal(t, c.module, module)
		assert.Equal(t, c.folder, folder)
	}
}

func TestProgram(t *testing.T) {
	plain := Program{Version: "v1.2.0", Commit: "c0ffee", Go: "go1.26"}
	mine := Program{Version: "v0.3.0", Commit: "beef", Dirty: true, Go: "go1.26", Package: "example.org/mine/cmd/myrepro", Module: "example.org/mine", Repro: "v1.2.0"}
	assert.Equal(t, "v1.2.0 (commit c0ffee), go1.26", plain.String())
	assert.Equal(t, "v0.3.0 (example.org/mine, commit beef, with changes, with repro v1.2.0), go1.26", mine.String())
	assert.Equal(t, "devel (commit unknown)", Program{}.String())
	assert.Equal(t, "repro", plain.Name())
	assert.Equal(t, "myrepro", mine.Name())

	later := plain
	later.Go = "go1.27"
	assert.True(t, plain.Same(later))
	later.Repro = "v1.3.0"
	assert.False(t, plain.Same(later))
	assert.False(t, mine.Same(mine), "with changes")

	assert.Empty(t, plain.Other(), "this test is of repro, too")
	assert.Equal(t, "it was made by myrepro of module example.org/mine, and this is repro of module "+Repro()+
		": use myrepro, which go install example.org/mine/cmd/myrepro@v0.3.0 installs", mine.Other())
	mine.Version = "devel"
	assert.NotContains(t, mine.Other(), "go install", "no version that others have")
	for _, version := range []string{"v1.0.0+dirty", "v1.0.0;ls", "", "v"} {
		mine.Version = version
		assert.NotContains(t, mine.Other(), "go install", version)
	}
	mine.Version, mine.Package = "v1.0.0", "example.org/$(ls)"
	assert.NotContains(t, mine.Other(), "go install")
	assert.Empty(t, This().Module, "repro itself")
}

func TestCheckout(t *testing.T) {
	for text, want := range map[string]string{
		"module example.org/mine\n":                        "example.org/mine",
		"// of mine\n\nmodule \"example.org/mine\" // x\n": "example.org/mine",
		"module\texample.org/mine\r\n\r\ngo 1.26\r\n":      "example.org/mine",
		"go 1.26\n": "",
		"":          "",
	} {
		dir := t.TempDir()
		below := filepath.Join(dir, "a", "b")
		require.NoError(t, os.MkdirAll(below, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
		t.Chdir(below)
		root, module := Checkout()
		assert.Equal(t, want, module, "%q", text)
		assert.Equal(t, filepath.Join("..", ".."), Shown(root))
		assert.False(t, InCheckout())
	}
	t.Chdir(t.TempDir())
	root, module := Checkout()
	assert.Equal(t, ".", root)
	assert.Empty(t, module)
	require.NoError(t, os.WriteFile("go.mod", []byte("module "+Main()), 0o644))
	assert.True(t, InCheckout())
}

// A program that is older than the last move of the checkout was built from other sources, unless go run took it from its cache.
func TestMadeAfter(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	file := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
		require.NoError(t, os.Chtimes(path, now, now.Add(-age)))
		return path
	}
	moves := file("HEAD", time.Hour)
	assert.True(t, madeAfter(file("new", 0), moves))
	assert.True(t, madeAfter(file("equal", time.Hour), moves))
	assert.False(t, madeAfter(file("old", 2*time.Hour), moves))
	assert.True(t, madeAfter(file("go-build/old", 2*time.Hour), moves), "of the cache of go run")
	assert.True(t, madeAfter(file("older", 3*time.Hour), filepath.Join(dir, "none")), "nothing says when the checkout moved")
	assert.False(t, madeAfter(filepath.Join(dir, "removed"), moves))
}
