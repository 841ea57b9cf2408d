package bundles

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a bundle, so that a small file cannot take much memory.
const (
	maxFile    = 1 << 30 // bytes of the file
	maxEntries = 1 << 18
	maxEntry   = 1 << 28 // bytes of an entry
	maxContent = 1 << 32 // bytes of all entries
	maxRatio   = 200     // bytes of all entries for a byte of the file; records and reports take 5 to 60
	slack      = 1 << 20 // beyond maxRatio, for small files
)

// checkName returns an error if an entry of that name could leave a folder that the bundle is unpacked into, or cannot be
// printed.
func checkName(name string) error {
	switch {
	case !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`):
		return fmt.Errorf("%w: the name %q of an entry leads out of it, or is no path", ErrFormat, name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fmt.Errorf("%w: the name %q of an entry has invisible characters", ErrFormat, name)
	}
	return nil
}

// unpack returns the entries of a zip file by name, and the errors of those whose bytes are not the ones that were packed.
func unpack(file io.ReaderAt, size int64) (entries map[string][]byte, faults map[string]error, err error) {
	r, err := zip.NewReader(file, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := checkArchive(r.File, size); err != nil {
		return nil, nil, err
	}
	entries, faults = map[string][]byte{}, map[string]error{}
	for _, f := range r.File {
		data, err := content(f)
		if err != nil {
			faults[f.Name] = err
		}
		if data != nil {
			entries[f.Name] = data
		}
	}
	return entries, faults, nil
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
			return fmt.Errorf("%w: the entry %s is a link, or no file", ErrFormat, f.Name)
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
		return fmt.Errorf("%w: its entries have %d bytes, which is too much for a file of %d bytes", ErrFormat, total, size)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return fmt.Errorf("%w: entries overlap", ErrFormat)
		}
	}
	return nil
}

// content returns the bytes of an entry, also if they do not match its checksum. They are nil if they cannot be read.
func content(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if errors.Is(err, zip.ErrChecksum) {
		return data, err
	}
	if err == nil && uint64(len(data)) != f.UncompressedSize64 {
		err = fmt.Errorf("it has %d bytes, and its header says %d", len(data), f.UncompressedSize64)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
