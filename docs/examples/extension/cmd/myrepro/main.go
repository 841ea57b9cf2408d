// Command myrepro is repro with the additions of package smoothing.
package main

import (
	"os"

	_ "example.org/smoothing"
	"repro/cmd/repro/cli"
)

func main() { os.Exit(cli.Main()) }
