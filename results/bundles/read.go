package bundles

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A Bundle is a bundle that was read. Nothing in it is trusted: Faults lists what does not fit together. It holds neither
// the bytes of its records nor those of its Files.
type Bundle struct {
	Contents
	Path   string
	SHA256 string            // of the file
	Sums   map[string]string // SHA-256 of every entry by path, of its bytes as they are
	Faults []error           // entries that are not those of the manifest, and damaged records; each names the entry
}

// ErrFormat matches, with errors.Is, the error of a file that is not a bundle or was made to do harm.
var ErrFormat = errors.New("not a bundle")

// Read reads the bundle at path. An entry that differs from the manifest and a damaged record are Faults of the bundle. An
// archive that no version of Write makes is an error: paths that lead out of it, doubled names, links, encrypted or
// overlapping entries, more or larger entries than a bundle may have, and a file that is not a zip file.
func Read(path string) (*Bundle, error) {
	f, err := files.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: %w: it has %d bytes, more than the %d that a bundle may have", path, ErrFormat, info.Size(), int64(maxFile))
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	b, err := read(path, f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w; make it again with %s, or get another copy", path, err, printed.Command("bundle"))
	}
	b.SHA256 = hex.EncodeToString(h.Sum(nil))
	return b, nil
}

// read reads a bundle of that many bytes.
func read(name string, file io.ReaderAt, size int64) (*Bundle, error) {
	u, err := unpack(name, file, size)
	if err != nil {
		return nil, err
	}
	text, ok := u.texts[manifestName]
	if !ok {
		return nil, fmt.Errorf("%w: it has no %s", ErrFormat, manifestName)
	}
	var m manifest
	if err := decode(manifestName, text, &m); err != nil {
		return nil, err
	}
	if m.Format > Format {
		return nil, fmt.Errorf("%w of this version: format %d, this repro reads %d; update repro", ErrFormat, m.Format, Format)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("%w: %s has format %d", ErrFormat, manifestName, m.Format)
	}
	if len(m.Experiments) == 0 {
		return nil, fmt.Errorf("%w: %s lists no experiment", ErrFormat, manifestName)
	}
	b := &Bundle{Path: name, Sums: u.sums}
	b.Program, b.Experiments = m.Program, m.Experiments
	for _, entry := range slices.Sorted(maps.Keys(u.faults)) {
		b.fault(entry, "its bytes are not those that were packed: %v", u.faults[entry])
	}
	b.compare(m.Entries)
	return b, b.fill(u)
}

func (b *Bundle) fault(entry, format string, args ...any) {
	b.Faults = append(b.Faults, fmt.Errorf("%s:%s: %s", b.Path, entry, fmt.Sprintf(format, args...)))
}

// compare compares the entries with those of the manifest.
func (b *Bundle) compare(all []listed) {
	known := map[string]bool{manifestName: true}
	for _, l := range all {
		if known[l.Path] {
			b.fault(l.Path, "the manifest lists it twice")
		}
		known[l.Path] = true
		got, ok := b.Sums[l.Path]
		if !ok {
			b.fault(l.Path, "the manifest lists it, and the bundle does not have it: it was removed or cannot be read")
			continue
		}
		if got != l.SHA256 {
			b.fault(l.Path, "changed after it was bundled: its SHA-256 is %s…, the manifest has %.12s…", got[:12], l.SHA256)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Sums)) {
		if !known[name] {
			b.fault(name, "the manifest does not list it: it was added after the bundle was made")
		}
	}
}

// fill takes the contents from the entries.
func (b *Bundle) fill(u *unpacked) error {
	seen := map[string]bool{}
	for i, e := range b.Experiments {
		if seen[e.ID] {
			return fmt.Errorf("%w: %s lists experiment %q twice", ErrFormat, manifestName, e.ID)
		}
		seen[e.ID] = true
		if err := checkName(e.entry()); err != nil || e.File != path.Base(e.ID)+".toml" {
			return fmt.Errorf("%w: %s: experiment %q of file %q", ErrFormat, manifestName, e.ID, e.File)
		}
		text, ok := u.texts[e.entry()]
		if !ok {
			return fmt.Errorf("%w: it has no %s", ErrFormat, e.entry())
		}
		b.Experiments[i].Text = text
		for name, text := range u.texts {
			if path, ok := strings.CutPrefix(name, e.programs()); ok {
				if b.Experiments[i].Programs == nil {
					b.Experiments[i].Programs = map[string][]byte{}
				}
				b.Experiments[i].Programs[path] = text
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.sums)) {
		if parsed, ok := u.records[name]; ok {
			b.record(name, parsed)
		} else if _, ok := u.texts[name]; !ok {
			if b.Files == nil {
				b.Files = map[string][]byte{}
			}
			b.Files[name] = nil
		}
	}
	verdicts, err := claims.ReadVerdicts(bytes.NewReader(u.texts[verdictsName]))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFormat, verdictsName, err)
	}
	b.Verdicts = verdicts
	if err := decode(dataName, u.texts[dataName], &b.Data); err != nil {
		return err
	}
	return decode(environmentName, u.texts[environmentName], &b.Machines)
}

// record adds the record of an entry, or a fault.
func (b *Bundle) record(name string, p parsed) {
	switch {
	case p.err != nil:
		b.Faults = append(b.Faults, p.err)
	case RecordPath(p.record.Header) != name:
		b.fault(name, "is the record of %s %s, whose place is %s", p.record.Header.Experiment, p.record.Header.Cell, RecordPath(p.record.Header))
	default:
		b.Records = append(b.Records, records.Text{Record: p.record})
	}
}

// Store returns the records of the bundle that could be read.
func (b *Bundle) Store() *records.Store {
	s := &records.Store{Dir: b.Path}
	for _, r := range b.Records {
		s.Records = append(s.Records, r.Record)
	}
	slices.SortStableFunc(s.Records, records.ByExperiment)
	return s
}

// decode reads an entry that is JSON.
func decode(name string, text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFormat, name, err)
	}
	return nil
}
