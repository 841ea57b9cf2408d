package audits

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repro/results/files"
	"repro/results/printed"
)

// largestLog bounds a log that somebody else wrote, in bytes.
const largestLog = 64 << 20

// LogOf returns the path of the log beside a bundle.
func LogOf(bundle string) string { return strings.TrimSuffix(bundle, ".zip") + ".audit.jsonl" }

// A Log is the audits of a log, with what is wrong with it.
type Log struct {
	Audits []Audit // those before the first line that is none
	Old    int     // lines without the SHA-256 of the line before, at the beginning: older programs wrote them
	Faults []error // a line that is no audit, and lines whose line before is another one than when they were written
	Last   string  // SHA-256 of the last line
}

// Words says in words how far the lines hold each other, if there are no faults.
func (l *Log) Words() string {
	words := printed.Count(len(l.Audits), "audit") + " logged, each line with the SHA-256 of the line before"
	if l.Old > 0 {
		words += fmt.Sprintf(", except the first %d, of an older program: edits of these are not noticed", l.Old)
	}
	return words
}

// ReadLog reads a log.
func ReadLog(path string) (*Log, error) {
	text, err := files.ReadRegular(path, largestLog)
	if err != nil {
		return nil, err
	}
	l := &Log{}
	places := map[string]int{} // of lines, by their SHA-256
	n := 0
	for line := range bytes.Lines(text) {
		n++
		places[sum(line)] = n
	}
	places[sum(nil)] = 0
	before := sum(nil)
	n = 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var a Audit
		if err := json.Unmarshal(line, &a); err != nil {
			l.Faults = append(l.Faults, fmt.Errorf("%s:%d: %s; it is not a line that %s wrote", path, n, printed.Visible(err.Error()), printed.Command("audit")))
			return l, nil
		}
		a.Count() // of the outcomes, whatever the line says
		l.Audits = append(l.Audits, a)
		place, known := places[a.Before]
		var what string
		switch {
		case a.Before == before:
		case a.Before == "" && l.Old == len(l.Audits)-1:
			l.Old++
		case a.Before == "":
			what = "has no SHA-256 of the line before, as those above have: it was edited or inserted, or an older program wrote it"
		case known && place == 0:
			what = "was the first of its log: lines were inserted before it or reordered"
		case known:
			what = fmt.Sprintf("was written after line %d: lines were reordered, inserted or removed", place)
		case len(l.Audits) == 1:
			what = "is not the first of its log: the lines before it were removed"
		default:
			what = "the line before it is not the one that it was written after, which was changed or removed"
		}
		if what != "" {
			l.Faults = append(l.Faults, fmt.Errorf("%s:%d: %s", path, n, what))
		}
		before = sum(line)
	}
	l.Last = before
	return l, nil
}

// Append adds the audit as a line of JSON to the log at path, which it makes if there is none, with the SHA-256 of the line before. It
// returns that of the new line. Of several processes, one at a time appends. What a killed process left of a line is cut off. The log
// is replaced in one step, and is on the disk when Append returns.
func (a *Audit) Append(ctx context.Context, path string) (last string, err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("cannot write the log of audits: %w; name another with --log", err)
		}
	}()
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if info, err := os.Stat(path); err == nil {
		if err := files.CheckRegular(path, info); err != nil {
			return "", err
		}
	}
	lock, err := files.NewLocker().Wait(ctx, path+".lock", func(string) {})
	if err != nil {
		return "", err
	}
	defer lock.Release()
	text, err := files.ReadRegular(path, largestLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if rest := text[len(whole):]; json.Valid(rest) {
		whole = append(text, '\n')
	}
	lines := bytes.TrimSpace(whole)
	a.Before = sum(lines[bytes.LastIndexByte(lines, '\n')+1:])
	line, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	return sum(line), files.Keep(filepath.Dir(path), path, append(append(whole, line...), '\n'))
}

// sum returns the SHA-256 of a line without the spaces around it, in hexadecimal.
func sum(line []byte) string {
	s := sha256.Sum256(bytes.TrimSpace(line))
	return hex.EncodeToString(s[:])
}
