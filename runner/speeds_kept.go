package runner

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"repro/algos/compute"
	"repro/datasets/regular"
	"repro/results/files"
)

// keptFor is how long counts what was measured: a machine may have been busy.
const keptFor = 24 * time.Hour

// speedsFile is the file of the cache folder with what an Estimator of this program measures on this machine. The programs of several
// checkouts have one each.
func (e *Estimator) speedsFile() string {
	sum := sha256.Sum256([]byte(e.speedsOf()))
	return filepath.Join(e.library.CacheDir, fmt.Sprintf("speeds-%x.json", sum[:6]))
}

// keptSpeeds is what such a file has.
type keptSpeeds struct {
	Of     string      `json:"of"` // the machine and the program
	At     time.Time   `json:"at"` // of the oldest
	Gauges []keptGauge `json:"gauges"`
}

// A keptGauge is a gauge with its seconds.
type keptGauge struct {
	gauge
	Seconds float64
}

// speedsOf names the machine, the program and the threads whose speeds are measured, empty if that is not known.
func (e *Estimator) speedsOf() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	program, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s, %s, %d of %d threads, program of %d bytes at %d", compute.Processor(), compute.ISA(), e.threads, runtime.NumCPU(), program.Size(), program.ModTime().UnixNano())
}

// recall takes over what an earlier process of the same program measured on this machine.
func (e *Estimator) recall() {
	e.recalled = time.Now()
	if e.library.CacheDir == "" {
		return
	}
	var k keptSpeeds
	text, err := regular.Read(e.speedsFile(), 1<<20)
	if err != nil || json.Unmarshal(text, &k) != nil || k.Of != e.speedsOf() || time.Since(k.At).Abs() > keptFor {
		return
	}
	e.recalled = k.At
	for _, g := range k.Gauges {
		if g.Seconds >= 0 && g.Seconds < 1e3 {
			e.gauges[g.gauge] = g.Seconds
		}
	}
}

// keep writes what was measured for later processes, and removes what is too old. Where that is not possible, they measure again.
func (e *Estimator) keep() {
	of := e.speedsOf()
	if !e.fresh || e.library.CacheDir == "" || of == "" {
		return
	}
	k := keptSpeeds{Of: of, At: e.recalled}
	for g, seconds := range e.gauges {
		k.Gauges = append(k.Gauges, keptGauge{g, seconds})
	}
	if text, err := json.Marshal(k); err == nil {
		_ = files.Write(e.library.CacheDir, e.speedsFile(), text)
	}
	old, _ := filepath.Glob(filepath.Join(e.library.CacheDir, "speeds-*.json"))
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(path)
		}
	}
	e.fresh = false
}
