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
