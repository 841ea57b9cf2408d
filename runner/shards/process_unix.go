//go:build unix

package shards

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// running reports whether a process of this machine runs.
func running(process int) bool {
	err := syscall.Kill(process, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// place returns the host, its boot and the namespace of processes, empty if the system does not say.
func place() string {
	host, _ := os.Hostname()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Join([]string{host, strings.TrimSpace(string(boot)), namespace}, " ")
}
