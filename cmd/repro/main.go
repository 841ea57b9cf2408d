// Command repro reproduces the experiments of published kernel-method papers and says for every
// claim whether it holds.
package main

import (
	"os"

	"repro/cmd/repro/cli"
)

func main() { os.Exit(cli.Main()) }
