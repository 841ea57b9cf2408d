package learn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"repro/cmd/repro/findings"
	"repro/docs"
	"repro/plots/site"
)

// frontPage is where the documentation begins outside a checkout of repro.
const frontPage = `# repro

repro reproduces the experiments of published papers on kernel methods and says of every number, curve and statement whether
it holds.

- [Lessons](docs/lessons/README.md): predict, run, check
- [The scoreboard](docs/scoreboard.md): what was reproduced at the published sizes
- [The spec format](docs/spec.md): describe an experiment of your own
- [Verdicts](docs/verdicts.md): how claims are judged
- [Architecture](docs/architecture.md): how it is built
`

// topPages returns the pages in the top folder of the checkout of repro that has the working directory, and frontPage where
// there is none.
func topPages() (site.Files, error) {
	module := strings.TrimSuffix(reflect.TypeFor[lessonRequest]().PkgPath(), "/cmd/repro/learn")
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		mod, missing := os.ReadFile(filepath.Join(dir, "go.mod"))
		if missing == nil && strings.HasPrefix(string(mod), "module "+module+"\n") {
			break
		}
		if dir == filepath.Dir(dir) {
			return site.Files{"README.md": []byte(frontPage)}, nil
		}
	}
	files := site.Files{}
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		if err == nil {
			files[name], err = os.ReadFile(filepath.Join(dir, name))
		}
	}
	return files, err
}

// documentation returns the Markdown that comes with repro, and the scoreboard of the shipped verdicts.
func documentation() (site.Files, error) {
	files, err := topPages()
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	err = fs.WalkDir(docs.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".svg", ".png"}, path.Ext(name)) {
			return err
		}
		files[path.Join("docs", name)], err = fs.ReadFile(docs.Files, name)
		return err
	})
	board, wrong := findings.Shipped(nil)
	if err := errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	files["docs/scoreboard.md"] = []byte("# Scoreboard\n\nThe verdicts of the runs at the published size that come with the program.\n\n" + strings.ReplaceAll(board.Markdown(), "](docs/", "]("))
	return files, nil
}
