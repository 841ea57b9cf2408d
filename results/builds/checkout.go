package builds

import (
	"os"
	"path/filepath"
	"regexp"
)

// moduleLine matches the line of a go.mod that names the module.
var moduleLine = regexp.MustCompile(`(?m)^module\s+["` + "`" + `]?([^\s"` + "`" + `]+)`)

// Checkout returns the nearest folder with a go.mod, at or above the working directory, and the module that it names. Without
// one it returns the working directory and no module.
func Checkout() (root, module string) {
	if root = above("go.mod"); root == "" {
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

// above returns the nearest folder that has an entry, at or above the working directory, and empty without one.
func above(name string) string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, name)); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
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
