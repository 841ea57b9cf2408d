// Command module is repro with the algorithm, the experiments and the lessons of this module. Every verb works for them.
package main

import (
	"embed"
	"os"

	"repro/cmd/repro/cli"
	_ "repro/docs/examples/module/descent"
	"repro/docs/lessons"
	"repro/experiments/catalog"
)

//go:embed specs lessons
var files embed.FS

func init() {
	catalog.Register(files, "specs")
	lessons.Register(files, "lessons")
}

func main() { os.Exit(cli.Main()) }
