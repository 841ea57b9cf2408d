package engines

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Variable is set in the environment of every shard.
type Variable struct{ Name, Value string }

// A place is that of an option KEY=VALUE in the template of an engine. Options of other engines are words of the
// scheduler's command.
type place struct {
	key, what string
	needed    bool
}

var places = map[string][]place{
	"k8s": {
		{"image", "a container image with repro", true},
		{"claim", "a persistent volume claim that all nodes can write to", true},
		{"mount", "where it is mounted, above the output folder and the working folder", true},
		{"namespace", "a namespace", false},
	},
}

// Setting returns the value of the option KEY=VALUE, empty if there is none.
func (j Job) Setting(key string) string {
	for _, o := range j.Options {
		if value, ok := strings.CutPrefix(o, key+"="); ok {
			return value
		}
	}
	return ""
}

// checkSettings returns an error if an engine does not have the options that it needs, or has others.
func (j Job) checkSettings(engine string) error {
	known, ok := places[engine]
	if !ok {
		return nil
	}
	var all []string
	for _, s := range known {
		all = append(all, fmt.Sprintf("--option=%s=… (%s)", s.key, s.what))
	}
	for _, s := range known {
		if s.needed && j.Setting(s.key) == "" {
			return fmt.Errorf("engine %s needs %s: give --option=%s=…", engine, s.what, s.key)
		}
	}
	for _, o := range j.Options {
		key, _, _ := strings.Cut(o, "=")
		if !slices.ContainsFunc(known, func(s place) bool { return s.key == key }) {
			return fmt.Errorf("--option=%s: engine %s has the options %s", o, engine, strings.Join(all, ", "))
		}
	}
	mount := j.Setting("mount")
	for _, dir := range []string{j.Out, j.Dir} {
		if in, err := filepath.Rel(mount, dir); err != nil || in == ".." || strings.HasPrefix(in, ".."+string(filepath.Separator)) {
			return fmt.Errorf("--option=mount=%s: %s is not below it, so pods would not find it", mount, dir)
		}
	}
	return nil
}

// Indexed returns a shell command that runs the shard whose place in Shards is in a variable of the environment.
func (j Job) Indexed(variable string) string {
	var all []string
	for _, s := range j.Shards {
		all = append(all, j.Argument(s))
	}
	threads := j.CPUs
	if j.Alone() {
		threads = 0
	}
	return fmt.Sprintf("set -- %s; shift \"$%s\"; exec %s --threads %d --shard \"$1\"", words(all), variable, words(j.Run), threads)
}

// InOrder returns a shell command that runs those of Finish and has the status of the last one that failed.
func (j Job) InOrder() string {
	text := "worst=0; "
	for _, f := range j.Finish {
		text += words(f) + " || worst=$?; "
	}
	return text + "exit $worst"
}
