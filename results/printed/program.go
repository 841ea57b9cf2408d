package printed

// Program is how the user calls this program: repro, or a program with extensions by its own name. The command sets it when
// it starts.
var Program = "repro"

// Command returns a command of this program with its arguments. Everything that names a command has it from here, because
// programs with extensions have other names.
func Command(arguments string) string { return Program + " " + arguments }
