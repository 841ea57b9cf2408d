// Package builds says which program this is: the modules that it was built from, and whether the user stands in a checkout of
// one of them.
package builds

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// A Program is a build of repro, or of a program of another module with its extensions.
type Program struct {
	Version string `json:"version"` // of its module
	Commit  string `json:"commit"`  // of its module; unknown if the binary has no stamp
	Dirty   bool   `json:"dirty"`   // its files differ from those of the commit
	Go      string `json:"go"`
	Package string `json:"package,omitempty"` // path of its main package; the following are empty for repro itself
	Module  string `json:"module,omitempty"`  // path of its module
	Repro   string `json:"repro,omitempty"`   // version of the module of repro in it
}

// unknownCommit is the commit of a binary without a stamp.
const unknownCommit = "unknown"

// KnownCommit returns the commit, and empty if it is not known.
func (p Program) KnownCommit() string {
	if p.Commit == unknownCommit {
		return ""
	}
	return p.Commit
}

// String describes a build, as in "v1.2.0 (example.org/mine, commit c0ffee, with changes, with repro v0.9.0), go1.26".
func (p Program) String() string {
	parts := []string{"commit " + cmp.Or(p.Commit, unknownCommit)}
	if p.Module != "" {
		parts = []string{p.Module, parts[0]}
	}
	if p.Dirty {
		parts = append(parts, "with changes")
	}
	if p.Repro != "" {
		parts = append(parts, "with repro "+p.Repro)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s (%s), %s", cmp.Or(p.Version, "devel"), strings.Join(parts, ", "), p.Go), ", ")
}

// Name is the last part of the main package's path, as go install calls a program: repro for repro itself.
func (p Program) Name() string { return path.Base(cmp.Or(p.Package, "repro")) }

// Same reports whether two builds are of the same sources, without changes.
func (p Program) Same(q Program) bool {
	p.Go = q.Go
	return p == q && !p.Dirty
}

// installable matches what go install takes from others. A bundle may say anything of its program.
var installable = regexp.MustCompile(`^[\w.~/-]+@v\d[\w.-]*$`)

// install returns the command of a shell that installs a program at its version, empty if it is of no version that others have.
func (p Program) install() string {
	if !installable.MatchString(p.Package + "@" + p.Version) {
		return ""
	}
	return "go install " + p.Package + "@" + p.Version
}

// Other says in a sentence that something was made by a program of another module than this one, and which one that is. It is
// empty if the module is the same.
func (p Program) Other() string {
	here := This()
	if p.Module == here.Module {
		return ""
	}
	s := fmt.Sprintf("it was made by %s of module %s, and this is %s of module %s: use %[1]s", p.Name(), cmp.Or(p.Module, Repro()), here.Name(), cmp.Or(here.Module, Repro()))
	if how := p.install(); how != "" {
		s += ", which " + how + " installs"
	}
	return s
}

// This describes the running program.
var This = sync.OnceValue(func() Program {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	p := Program{Version: versionOf(&info.Main), Go: runtime.Version()}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Commit = s.Value
		case "vcs.modified":
			p.Dirty = s.Value == "true"
		}
	}
	if p.Commit == "" {
		p.Commit, p.Dirty = sourceCommit()
	}
	if Main() != Repro() {
		p.Package, p.Module, p.Repro = info.Path, Main(), "unknown"
		for _, d := range info.Deps {
			if d.Path == Repro() {
				p.Repro = versionOf(d)
			}
		}
	}
	return p
})

// Here describes the running program and its platform.
func Here() string { return fmt.Sprintf("%v %s/%s", This(), runtime.GOOS, runtime.GOARCH) }

// versionOf returns the version of a module in words: devel for that of a folder.
func versionOf(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" || m.Version == "(devel)" {
		return "devel"
	}
	return m.Version
}

// sourceCommit asks git for the commit, because `go run` stamps none. It returns one only if the working directory is in
// a checkout of this program's module that has not moved to another commit since the program was built.
func sourceCommit() (commit string, dirty bool) {
	if !InCheckout() {
		return unknownCommit, false
	}
	program, err := os.Executable()
	head, fault := exec.Command("git", "rev-parse", "HEAD", "--git-path", "logs/HEAD").Output()
	commit, moves, _ := strings.Cut(strings.TrimSpace(string(head)), "\n")
	if err != nil || fault != nil || !madeAfter(program, moves) {
		return unknownCommit, false
	}
	status, err := exec.Command("git", "status", "--porcelain").Output()
	return commit, err != nil || len(status) > 0
}

// madeAfter reports whether a program was built after a file was changed, if there is one. `go run` may take what it built before from its
// cache, whose name has go-build, and does so only for the same sources.
func madeAfter(program, file string) bool {
	built, err := os.Stat(program)
	changed, fault := os.Stat(file)
	return strings.Contains(program, "go-build") || fault != nil || err == nil && !built.ModTime().Before(changed.ModTime())
}

// Repro returns the path of the module that has this package.
func Repro() string {
	return strings.TrimSuffix(reflect.TypeFor[Program]().PkgPath(), "/results/builds")
}

// Main returns the path of the module that has the main package of this program: Repro's, or that of a module with extensions.
var Main = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Repro()
	}
	return cmp.Or(info.Main.Path, info.Path) // go run of files names no module
})

// modules lists the modules of this program that are known. In a test they are those two.
var modules = sync.OnceValue(func() []string {
	all := []string{Main(), Repro()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			all = append(all, d.Path)
		}
	}
	return all
})

// ModuleOf returns the path of the module that has a package, and the folder of the package in it.
func ModuleOf(pkg string) (module, folder string) {
	for _, m := range modules() {
		if (pkg == m || strings.HasPrefix(pkg, m+"/")) && len(m) > len(module) {
			module = m
		}
	}
	return module, strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
}

// Caller returns the path of the package that called the function that calls Caller.
func Caller() string {
	pc, _, _, ok := runtime.Caller(2)
	if !ok {
		return ""
	}
	pkg := packageOf(runtime.FuncForPC(pc).Name())
	if info, ok := debug.ReadBuildInfo(); ok && pkg == "main" { // the linker's name of the package that is the program
		return info.Path
	}
	return pkg
}

// packageOf returns the package of a function, whose dots in the last part of the path the linker writes as %2e.
func packageOf(function string) string {
	dir, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return dir + strings.ReplaceAll(name, "%2e", ".")
}

// moduleLine matches the line of a go.mod that names the module.
var moduleLine = regexp.MustCompile(`(?m)^module\s+["` + "`" + `]?([^\s"` + "`" + `]+)`)

// Checkout returns the nearest folder with a go.mod, at or above the working directory, and the module that it names. Without
// one it returns the working directory and no module.
func Checkout() (root, module string) {
	here, err := os.Getwd()
	if root = Above(here, "go.mod"); err != nil || root == "" {
		return ".", ""
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if m := moduleLine.FindSubmatch(text); err == nil && m != nil {
		module = string(m[1])
	}
	return root, module
}

// InCheckout reports whether the working directory is in a checkout of this program's module.
func InCheckout() bool {
	_, module := Checkout()
	return module == Main()
}

// Above returns the nearest folder that has an entry, at or above dir, which is absolute, and empty without one.
func Above(dir, entry string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, entry)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// Sources returns the nearest folder from dir upwards that is the root of the module of repro, empty if there is none.
func Sources(dir string) string {
	for {
		found := Above(dir, "go.mod")
		if found == "" {
			return ""
		}
		text, err := os.ReadFile(filepath.Join(found, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+Repro()+"\n") {
			return found
		}
		if dir = filepath.Dir(found); dir == found {
			return ""
		}
	}
}

// BuiltIn returns the checkout of repro where this program was built, empty if there is none.
func BuiltIn() string {
	_, file, _, _ := runtime.Caller(0) // not absolute in what was built with -trimpath
	if !filepath.IsAbs(file) {
		return ""
	}
	return Sources(filepath.Dir(file))
}

// Shown returns the path of a file as messages name it: relative to the working directory.
func Shown(file string) string {
	dir, err := os.Getwd()
	if err != nil || !filepath.IsAbs(file) {
		return file
	}
	if rel, err := filepath.Rel(dir, file); err == nil {
		return rel
	}
	return file
}
