package experiments

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments/spectree"
)

// documented is the spec that the fragments of docs/*.md and docs/spec/*.md are laid over.
const documented = `schema = 1
paper = "own"
title = "what a page shows a part of"
data = { name = "a9a" }
problem = { loss = "hinge", nu = 1e-4, kernel = { name = "gaussian", bandwidth = 1.0 } }
budget = { epochs = 1 }
evaluate = { metrics = ["test-error"] }
[[method]]
id = "dsg"
algorithm = "dsg"
[[method]]
id = "other"
algorithm = "norma"
[[claim]]
id = "rate"
kind = "order"
statement = "s"
source = "s"
method = "dsg"
against = ["other"]
metric = "test-error"
`

// TestDocs loads every TOML block of the documentation: whole specs as they are, others over the spec documented.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	reference, err := filepath.Glob("../docs/spec/*.md")
	require.NoError(t, err)
	blocks := 0
	for _, page := range append(pages, reference...) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		code := strings.Join(fenced(string(text), "go"), "")
		for _, block := range fenced(string(text), "toml") {
			blocks++
			var errs string
			if strings.Contains(block, "schema = 1") || strings.HasPrefix(block, "base = ") {
				errs = wrong(loadNamed("page.toml", block, LoadOptions{}))
			} else {
				errs = fragmentErrors(t, block)
			}
			for line := range strings.Lines(errs) {
				unknown := regexp.MustCompile(`unknown [a-z ]+("[^"]+");`).FindStringSubmatch(line)
				registered := unknown != nil && strings.Contains(code, unknown[1]) // by the Go code of the page
				assert.True(t, registered, "%s: %s in\n%s", page, line, block)
			}
		}
	}
	assert.GreaterOrEqual(t, blocks, 6)
}

// fenced returns the blocks of a language in a page.
func fenced(page, language string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

func wrong(_ *Spec, err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// fragmentErrors lays a fragment, or the profile in it, over documented. Data of its own replaces the data. Of a stream the error is
// that of the predictions made in turn.
func fragmentErrors(t *testing.T, fragment string) string {
	part, err := spectree.Parse("page.toml", fragment)
	require.NoError(t, err)
	part.Rows(isKey, &spectree.Mistakes{})
	whole := documented
	if part.Find("data", "stream") != nil {
		whole = strings.ReplaceAll(whole, "test-error", "progressive-error")
	}
	root, err := spectree.Parse("page.toml", whole)
	require.NoError(t, err)
	name := "quick"
	if p := part.Find("profile"); p != nil {
		root.Table().Set("profile", p)
		name = p.Table().Keys[0]
	} else {
		root.Table().Set("profile", &spectree.Node{Value: &spectree.Table{Keys: []string{name}, Nodes: map[string]*spectree.Node{name: part}}})
	}
	if part.Find("data", "name") != nil || part.Find("data", "file") != nil {
		root.Table().Set("data", &spectree.Node{Value: spectree.NewTable()})
	}
	found := &spectree.Mistakes{File: "page.toml"}
	(&loading{Source: Source{File: "page.toml"}, root: root, found: found}).build(name, nil)
	return wrong(nil, found.Err())
}
