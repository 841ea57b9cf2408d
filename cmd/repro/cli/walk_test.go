package cli

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

// A scene of the walk is a command and what it printed on a terminal of 80 columns, of which the picture shows the first lines, the last
// ones, or both.
type scene struct {
	command, printed string
	first, last      bool
}

// The picture of a terminal in README.md: two minutes of a newcomer, from the first run to a check that is red. Every line was printed
// by these commands, progress is left out, and the test compares all but durations.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("trains and builds programs; left out by -short")
	}
	if _, err := exec.LookPath("script"); err != nil || runtime.GOOS != "linux" {
		t.Skip("the script of Linux is not installed: no terminal to record")
	}
	picture, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "img", "walk.svg"))
	require.NoError(t, err)
	dir, bin := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "repro"), []byte("#!/bin/sh\n"+asCommand+"=1 exec '"+self+"' \"$@\"\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, value := range map[string]string{"REPRO_DATA": "", "REPRO_CACHE": dir, "GOPROXY": "off", "GOWORK": "off", "TERM": "xterm", "CI": "", "NO_COLOR": "", "GITHUB_ACTIONS": ""} {
		t.Setenv(name, value)
	}
	var scenes []scene
	play := func(s scene, status int, more string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "script", "-qefc", "stty cols 80; "+s.command+more, "/dev/null")
		cmd.Dir = dir
		out, _ := cmd.Output()
		require.Equal(t, status, cmd.ProcessState.ExitCode(), "%s\n%s", s.command, out)
		s.printed = string(out)
		scenes = append(scenes, s)
	}
	play(scene{command: "repro run jezequel2019/regret dai2014/kernels", last: true}, 0, "")
	play(scene{command: "repro judge jezequel2019/regret -v", first: true}, 0, "")
	play(scene{command: "repro new extension mine", last: true}, 0, " --repro '"+testdata+"'")
	play(scene{command: "cd mine && go run . check", last: true}, 0, "")
	dir = filepath.Join(dir, "mine")
	play(scene{command: `sed -i 's|-f.Power)|-f.Power/2)|' descent/descent.go && go run . check`, first: true, last: true}, 1, "")

	got := terminalPicture(scenes)
	assert.Less(t, len(got), 60_000)
	if old, err := os.ReadFile(picture); err == nil && words(string(old)) == words(got) {
		got = string(old)
	}
	goldentest.Equal(t, picture, got)
}

// words returns the texts of a picture without durations.
func words(svg string) string {
	_, body, _ := strings.Cut(svg, "</style>")
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, ""))
	return regexp.MustCompile(`\d+(\.\d+)? (ms|s|min)\b`).ReplaceAllString(text, "a while")
}

// The terminal of the picture.
const (
	walkColumns, walkRows = 80, 30
	cellWidth, lineHeight = 8.4, 19
)

var (
	sgr      = regexp.MustCompile(`\x1b\[([\d;]*)m`)
	redrawn  = regexp.MustCompile(`(?m)^.*\r(\x1b\[K)?`)
	progress = regexp.MustCompile(`(?m)^(running |.* serve ).*\n(  .*\n)*`)
	classes  = map[string]string{"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "36": "c", "38;5;30": "t"}
)

// terminalPicture draws scenes one after the other: the command is typed, its last lines appear, and stay until they are read.
// Where motion is not wanted the last scene stands still.
func terminalPicture(scenes []scene) string {
	const pause, typing, reading = 0.6, 0.045, 0.42 // seconds; of a character, of a line
	type frame struct {
		command           string
		lines             []string
		start, typed, end float64
	}
	var frames []frame
	total := 0.0
	show := func(command string, lines []string, typed float64) {
		f := frame{command, lines, total, total + typed, total + typed + 3 + reading*float64(len(lines))}
		frames, total = append(frames, f), f.end
	}
	for _, s := range scenes {
		text := redrawn.ReplaceAllString(strings.ReplaceAll(s.printed, "\r\n", "\n"), "")
		lines := strings.Split(strings.TrimRight(progress.ReplaceAllString(text, ""), "\n"), "\n")
		typed := pause + typing*float64(utf8.RuneCountInString(s.command))
		if s.first {
			show(s.command, lines[:min(len(lines), walkRows-2)], typed)
			typed = 0
		}
		if s.last {
			show(s.command, lines[max(0, len(lines)-walkRows+2):], typed)
		}
	}
	width, height := walkColumns*cellWidth+32, float64(walkRows*lineHeight+28)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-labelledby="t">
<title id="t">A terminal: a run and what it found, one claim, a module that a check passes, and the red check after a mistake in its step</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d1d7e0;white-space:pre}
.b{font-weight:700}.d{fill:#9198a1}.r{fill:#ff8c85}.g{fill:#5fd068}.y{fill:#e3b341}.c{fill:#56d4dd}.t{fill:#4db6ac}.p{fill:#5fd068}
.s{visibility:hidden}.s:last-child{visibility:visible}.k{fill:#0d1117;opacity:0}
.s,.o,.k{animation:%gs step-end infinite}
`, width, height, width, height, total)
	for i, f := range frames {
		percent := func(t float64) string { return fmt.Sprintf("%.2f%%", 100*t/total) }
		fmt.Fprintf(&b, "#s%[1]d{animation-name:s%[1]d}#s%[1]d .o{animation-name:o%[1]d}#s%[1]d .k{animation-name:k%[1]d}\n", i)
		fmt.Fprintf(&b, "@keyframes s%d{0%%{visibility:hidden}%s{visibility:visible}%s{visibility:%s}}\n", i, percent(f.start), percent(f.end), map[bool]string{true: "visible", false: "hidden"}[i == len(frames)-1])
		if f.typed == f.start {
			continue
		}
		n := utf8.RuneCountInString(f.command)
		fmt.Fprintf(&b, "@keyframes o%d{0%%{opacity:0}%s{opacity:1}}\n", i, percent(f.typed+pause))
		fmt.Fprintf(&b, "@keyframes k%d{0%%{opacity:1}%s{opacity:1;animation-timing-function:steps(%d)}%s{opacity:1;transform:translateX(%.1fpx)}}\n",
			i, percent(f.start+pause), n, percent(f.typed), float64(n)*cellWidth)
	}
	fmt.Fprintf(&b, "@media(prefers-reduced-motion:reduce){.s,.o,.k{animation:none}}\n</style>\n")
	fmt.Fprintf(&b, `<rect width="%g" height="%g" rx="8" fill="#0d1117" stroke="#3d444d"/>`+"\n", width, height)
	for i, f := range frames {
		fmt.Fprintf(&b, "<g class=\"s\" id=\"s%d\">\n<text y=\"28\"><tspan x=\"16\" class=\"p\">$</tspan>%s</text>\n", i, spans(f.command, 2))
		fmt.Fprintf(&b, "<rect class=\"k\" x=\"%.1f\" y=\"12\" width=\"%.1f\" height=\"22\"/>\n<g class=\"o\">\n", 16+2*cellWidth, (walkColumns-2)*cellWidth)
		for k, line := range f.lines {
			if strings.TrimSpace(sgr.ReplaceAllString(line, "")) != "" {
				fmt.Fprintf(&b, "<text y=\"%d\">%s</text>\n", 28+(k+1)*lineHeight, spans(line, 0))
			}
		}
		b.WriteString("</g>\n</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// spans writes a line of a terminal, each run of one colour at its column.
func spans(line string, column int) string {
	var b strings.Builder
	class, from := "", 0
	put := func(text string) {
		shown := strings.TrimLeft(text, " ")
		at := column + len(text) - len(shown)
		column += utf8.RuneCountInString(text)
		if shown = strings.TrimRight(shown, " "); shown == "" {
			return
		}
		fmt.Fprintf(&b, `<tspan x="%.1f" textLength="%.1f"`, 16+float64(at)*cellWidth, float64(utf8.RuneCountInString(shown))*cellWidth)
		if class != "" {
			fmt.Fprintf(&b, ` class="%s"`, class)
		}
		fmt.Fprintf(&b, ">%s</tspan>", html.EscapeString(shown))
	}
	for _, m := range sgr.FindAllStringSubmatchIndex(line, -1) {
		put(line[from:m[0]])
		class, from = classes[line[m[2]:m[3]]], m[1]
	}
	put(line[from:])
	return b.String()
}
