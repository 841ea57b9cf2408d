package bundles

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"repro/results/claims"
	"repro/results/records"
)

// Bounds of a bundle, so that a small file cannot take much memory.
const (
	maxFile    = 1 << 30 // bytes of the file
	maxEntries = 1 << 18
	maxEntry   = 1 << 28 // bytes of an entry
	maxContent = 1 << 32 // bytes of all entries
	maxRatio   = 200     // bytes of all entries for a byte of the file; records and reports take 5 to 60
	slack      = 1 << 20 // beyond maxRatio, for small files
	maxHeld    = 64      // bytes of memory that the contents take for a byte of the file; those of records take 10 to 30
	slackHeld  = 1 << 24 // beyond maxHeld, for small files
)

// checkName returns an error if an entry of that name could leave a folder that the bundle is unpacked into, or cannot be
// printed.
func checkName(name string) error {
	switch {
	case !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`):
		return fmt.Errorf("%w: the entry name %q leads out of the bundle or is not a path", ErrFormat, name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fmt.Errorf("%w: the entry name %q has invisible characters", ErrFormat, name)
	}
	return nil
}

// An unpacked is what the entries of a zip file hold, by their names.
type unpacked struct {
	sums    map[string]string // SHA-256 of every entry that could be read
	texts   map[string][]byte // the specs and programs, the verdicts and what describes the bundle
	records map[string]parsed
	faults  map[string]error // of entries whose bytes are not the ones that were packed

	size int64 // bytes of the file
	room int64 // bytes of memory that the entries to come may take
}

// A parsed is the record of an entry, or why it has none.
type parsed struct {
	record *records.Record
	err    error
}

// unpack reads the entries of a zip file of that many bytes, one at a time. Of a record it keeps what the text says, of the
// report the digest.
func unpack(name string, file io.ReaderAt, size int64) (*unpacked, error) {
	r, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := checkArchive(r.File, size); err != nil {
		return nil, err
	}
	u := &unpacked{sums: map[string]string{}, texts: map[string][]byte{}, records: map[string]parsed{}, faults: map[string]error{}, size: size, room: roomOf(size)}
	for _, f := range r.File {
		if err := u.entry(name, f); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// roomOf returns the bytes of memory that the contents of a bundle of size bytes may take.
func roomOf(size int64) int64 { return min(size*maxHeld+slackHeld, maxContent) }

// take takes memory for an entry, or returns an error if there is not so much.
func (u *unpacked) take(entry string, bytes int64) error {
	if bytes > u.room {
		return u.beyond(entry)
	}
	u.room -= bytes
	return nil
}

func (u *unpacked) beyond(entry string) error {
	return fmt.Errorf("%w: the entry %s and those before it take more memory than the %d MiB that a file of %d bytes may take",
		ErrFormat, entry, roomOf(u.size)>>20, u.size)
}

func (u *unpacked) entry(bundle string, f *zip.File) error {
	spec := strings.HasPrefix(f.Name, specsFolder) || strings.HasPrefix(f.Name, programsFolder)
	isRecord := strings.HasPrefix(f.Name, recordsFolder)
	described := slices.Contains([]string{manifestName, verdictsName, dataName, environmentName}, f.Name)
	stated := int64(f.UncompressedSize64)
	h, text := sha256.New(), bytes.Buffer{}
	to := io.Writer(h)
	if spec || isRecord || described {
		if err := u.take(f.Name, stated); err != nil {
			return err
		}
		text.Grow(int(stated) + 1)
		to = io.MultiWriter(h, &text)
	}
	whole, err := content(f, to)
	if err != nil {
		u.faults[f.Name] = err
	}
	if !whole {
		return nil
	}
	u.sums[f.Name] = hex.EncodeToString(h.Sum(nil))
	switch {
	case isRecord:
		return u.record(bundle, f.Name, text.Bytes())
	case spec:
		u.texts[f.Name] = text.Bytes()
	case described:
		u.texts[f.Name] = text.Bytes()
		return u.take(f.Name, records.Decoded(text.Bytes(), int(2*unsafe.Sizeof(claims.Verdict{})))) // the largest object; slices double
	}
	return nil
}

// record parses the record of an entry. Its text is not kept.
func (u *unpacked) record(bundle, entry string, text []byte) error {
	r, kept, err := records.ParseWithin(bundle+":"+entry, text, u.room)
	u.room += int64(len(text))
	u.records[entry] = parsed{r, err}
	switch {
	case errors.Is(err, records.ErrRoom):
		return u.beyond(entry)
	case err != nil:
		return nil
	}
	return u.take(entry, kept)
}

// checkArchive returns an error if the directory of a zip file is not one that Write makes. It decompresses nothing.
func checkArchive(files []*zip.File, size int64) error {
	if len(files) > maxEntries {
		return fmt.Errorf("%w: it has %d entries, more than %d", ErrFormat, len(files), maxEntries)
	}
	names := map[string]bool{}
	total := uint64(0)
	type span struct{ from, to int64 }
	spans := make([]span, len(files))
	for i, f := range files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		folded := strings.ToLower(f.Name) // some file systems do not tell capitals from small letters
		from, err := f.DataOffset()
		switch {
		case names[folded]:
			return fmt.Errorf("%w: it has two entries called %s", ErrFormat, f.Name)
		case !f.Mode().IsRegular():
			return fmt.Errorf("%w: the entry %s is not a regular file", ErrFormat, f.Name)
		case f.Flags&1 != 0:
			return fmt.Errorf("%w: the entry %s is encrypted", ErrFormat, f.Name)
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return fmt.Errorf("%w: the entry %s is compressed by method %d", ErrFormat, f.Name, f.Method)
		case f.UncompressedSize64 > maxEntry:
			return fmt.Errorf("%w: the entry %s has %d bytes, more than %d", ErrFormat, f.Name, f.UncompressedSize64, maxEntry)
		case f.CompressedSize64 > uint64(size):
			return fmt.Errorf("%w: the entry %s has more bytes than the file", ErrFormat, f.Name)
		case err != nil:
			return fmt.Errorf("%w: the entry %s: %w", ErrFormat, f.Name, err)
		}
		names[folded] = true
		total += f.UncompressedSize64
		spans[i] = span{from, from + int64(f.CompressedSize64)}
	}
	if total > maxContent || total > uint64(size)*maxRatio+slack {
		return fmt.Errorf("%w: its entries have %d bytes, too many for a file of %d bytes", ErrFormat, total, size)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return fmt.Errorf("%w: entries overlap", ErrFormat)
		}
	}
	return nil
}

// content copies an entry. It reports whether all bytes could be read, also if they do not match the entry's checksum.
func content(f *zip.File, to io.Writer) (whole bool, err error) {
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	n, err := io.Copy(to, io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err == nil && uint64(n) != f.UncompressedSize64 {
		err = fmt.Errorf("it has %d bytes, and its header says %d", n, f.UncompressedSize64)
		return false, err
	}
	return err == nil || errors.Is(err, zip.ErrChecksum), err
}
