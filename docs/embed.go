// Package docs holds the documentation as files, so that the program can show it without the repository.
package docs

import "embed"

// Files has the pages, the terms of what repro contains of others, the papers' pages, the lessons with their specs, and the pictures.
//
//go:embed third-party.txt *.md papers/*.md lessons/*.md lessons/*.toml img/*
var Files embed.FS
