// Package docs holds the documentation as files, so that the program can show it without the repository.
package docs

import "embed"

// Files has the pages, the terms of what repro contains of others, the papers' pages, and the pictures. Package lessons has
// the lessons.
//
//go:embed third-party.txt *.md papers/*.md spec/*.md lessons/[A-Za-z]*.md img/*
var Files embed.FS

// Module has the module in examples/module, which repro new extension writes under another path.
//
//go:embed examples/module/*.* examples/module/.gitignore examples/module/.github/workflows examples/module/descent
//go:embed examples/module/specs examples/module/lessons examples/module/baseline
var Module embed.FS
