package printed

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProgramName(t *testing.T) {
	info := &debug.BuildInfo{Path: "example.org/mine/cmd/mine"}
	const byGoRun = "go run example.org/mine/cmd/mine"
	for _, c := range []struct{ file, want string }{
		{"repro", "repro"},
		{"./bin/myrepro", "myrepro"},
		{"/opt/bin/myrepro.exe", "myrepro"},
		{"/tmp/go-build3917/b001/exe/mine", byGoRun},
		{"/home/me/.cache/go-build/a8/" + strings.Repeat("a8", 32) + "-d/mine", byGoRun},
	} {
		assert.Equal(t, c.want, ProgramName(c.file, info), c.file)
	}
	assert.Equal(t, "main", ProgramName("/tmp/go-build3917/b001/exe/main", &debug.BuildInfo{Path: "command-line-arguments"}), "go run of files")
}
