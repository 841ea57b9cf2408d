package printed

import (
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"
)

// Program is how the user calls this program: repro, or a program with extensions by its own name. The command sets it when
// it starts.
var Program = "repro"

// Command returns a command of this program with its arguments. Everything that names a command has it from here, because
// programs with extensions have other names.
func Command(arguments string) string { return Program + " " + arguments }

// Carried returns the flags of the call that this process serves which a command of the verb takes too, a word or two for each. The command sets it
// when it starts; there is no call where it is nil.
var Carried func(verb string) [][]string

// Again returns a command that goes on with what this call is about: with the words and with the flags of this call that decide which runs and
// folders it means, except those among the words.
func Again(verb string, words ...string) string {
	all := slices.Clone(words)
	if Carried != nil {
		for _, flag := range Carried(verb) {
			if !slices.Contains(words, flag[0]) {
				all = append(all, flag...)
			}
		}
	}
	return Line(verb, all...)
}

// Line returns a command of a verb, with every word quoted as a shell needs it.
func Line(verb string, words ...string) string {
	return Command(strings.Join(append([]string{verb}, Each(words, ShellWord)...), " "))
}

// Name is the name of this program in a sentence, which is the last part of Program.
func Name() string { return path.Base(Program) }

// ofGoRun matches the folders in which go run puts a program: one that it removes, or one in the cache of builds.
var ofGoRun = regexp.MustCompile(`/go-build\d+/b\d+/exe$|/[0-9a-f]{64}-d$`)

// ProgramName returns how the user calls the program in a file: by the name of the file, or with go run if go run built it.
func ProgramName(file string, info *debug.BuildInfo) string {
	if OfGoRun(file) && info != nil && strings.Contains(info.Path, "/") {
		return "go run " + info.Path
	}
	return strings.TrimSuffix(filepath.Base(file), ".exe")
}

// OfGoRun reports whether go run built the program in a file, and will remove it.
func OfGoRun(file string) bool { return ofGoRun.MatchString(filepath.ToSlash(filepath.Dir(file))) }

// ShellWord returns a word as a shell reads it, in quotation marks if it needs them.
func ShellWord(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("-_=./:,+@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
