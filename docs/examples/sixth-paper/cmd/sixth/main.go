// Command sixth is repro with the methods and experiments of package diaz2023.
package main

import (
	"os"

	_ "example.org/diaz2023"
	"repro/cmd/repro/cli"
)

func main() { os.Exit(cli.Main()) }
