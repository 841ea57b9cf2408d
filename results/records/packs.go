package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"repro/results/files"
)

// Many is the number of cells of a plan from which their complete records are gathered in packs, because a file for each is more than file
// systems of clusters like.
//
// A pack is a file of complete records of one experiment, one after the other, each with the bytes that it has as a file of its own:
// records/<experiment>/packs/<digest>.jsonl. The digest is the first 16 hexadecimal digits of its SHA-256, so a pack is never changed: what
// takes its place has another name. A file of its own counts before a record in a pack, so who runs a cell again need not know of packs.
// Two packs may hold the same record, which is what a killed Pack leaves, but not two records of one cell.
const Many = 10_000

const (
	packsFolder = "packs"
	packRecords = 1000     // of a pack at most
	packBytes   = 16 << 20 // of a pack, if it has more than one record
)

// packFiles and packBriefs hold the packs that this process has read, packNames the paths of those in a folder.
var (
	packFiles  = files.Cache[[]part]{Replaced: true}
	packBriefs = files.Cache[[]part]{Replaced: true}
	packNames  files.Cache[[]string]
)

// An index says which records are in the packs of a folder, by cell.
type index struct {
	paths []string
	cells map[string]*part
}

// indices holds the index of every folder of packs that this process has looked at. Who makes one holds indexing.
var (
	indices  sync.Map
	indexing sync.Mutex
)

// knownPack is known for a pack.
func knownPack(path string) []part { return knownOf(&packFiles, path, readPack) }

// briefPack is knownPack for who looks for cells: its records have their last point only. If a pack has the digest that it is called by,
// it is as it was written, and no other checksum is compared.
func briefPack(path string) []part {
	return knownOf(&packBriefs, path, func(path string) (parts []part) {
		data, err := files.Read(path)
		if err != nil || packName(data) != filepath.Base(path) {
			return readPack(path)
		}
		for _, text := range split(data) {
			r, ok := brief(text)
			if !ok {
				return readPack(path)
			}
			parts = append(parts, part{path: path, cell: r.Header.Cell, record: r, sum: lastSum(text)})
		}
		return inOrder(parts)
	})
}

// packName returns what a pack is called.
func packName(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]) + ".jsonl"
}

// readPack is readParts for a pack.
func readPack(path string) []part { return inOrder(readParts(path)) }

// inOrder returns the records of a pack, of which one that is not complete is damaged. The error names the cell.
func inOrder(parts []part) []part {
	for i := range parts {
		p := &parts[i]
		if p.err == nil && !p.record.Status().Complete() {
			p.record, p.err = nil, fmt.Errorf("%s: %w", p.path, damage{errors.New("a record in a pack has an end line, and this one has none")})
		}
		if p.err == nil || p.text == nil {
			continue
		}
		var h struct{ Cell string }
		line, _, _ := bytes.Cut(p.text, []byte("\n"))
		_ = json.Unmarshal(line, &h) // a header that is not JSON names no cell
		if p.cell = h.Cell; h.Cell != "" {
			p.err = fmt.Errorf("%w (the run is %q)", p.err, h.Cell)
		}
	}
	return parts
}

// ownPath returns the path that the record of a pack has as a file of its own.
func (p *part) ownPath() string {
	return filepath.Join(filepath.Dir(filepath.Dir(p.path)), filepath.Base(Path("", "", p.cell)))
}

// inPack reports whether a path is that of a pack.
func inPack(path string) bool { return filepath.Base(filepath.Dir(path)) == packsFolder }

func packFolder(dir, experiment string) string {
	return files.Path(dir, "records", experiment, packsFolder)
}

// packsOf returns the paths of the packs in a folder, none if there is no such folder.
func packsOf(folder string) ([]string, error) {
	paths, err := packNames.Of(folder, recordsIn)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return paths, err
}

// recordsIn returns the paths of the regular files in a folder that hold records.
func recordsIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, f := range entries {
		if f.Type().IsRegular() && filepath.Ext(f.Name()) == ".jsonl" && !files.Temporary(f.Name()) {
			paths = append(paths, filepath.Join(folder, f.Name()))
		}
	}
	return paths, err
}

// errChanging says that other processes replace packs faster than this one reads them.
var errChanging = errors.New("other processes keep replacing its packs; run the same command again")

// readPacks returns the records of the packs in a folder. If one is replaced meanwhile, it looks again.
func readPacks(folder string, read func(path string) []part) (paths []string, all [][]part, err error) {
	for range 100 {
		if paths, err = packsOf(folder); err != nil {
			return nil, nil, err
		}
		all = make([][]part, len(paths))
		Parallel(len(paths), func(i int) { all[i] = read(paths[i]) })
		if !slices.ContainsFunc(all, func(parts []part) bool { return errors.Is(parts[0].err, fs.ErrNotExist) }) {
			return paths, all, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: %w", folder, errChanging)
}

// packed returns the record of a cell in the packs of an experiment, nil if there is none.
func packed(dir, experiment, cell string) (*part, error) {
	folder := packFolder(dir, experiment)
	paths, err := packsOf(folder)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	known := func() *index {
		if x, ok := indices.Load(folder); ok && slices.Equal(x.(*index).paths, paths) {
			return x.(*index)
		}
		return nil
	}
	x := known()
	if x == nil {
		indexing.Lock() // so that no other goroutine reads the same packs meanwhile
		defer indexing.Unlock()
		x = known()
	}
	if x == nil {
		x = &index{cells: map[string]*part{}}
		var all [][]part
		if x.paths, all, err = readPacks(folder, briefPack); err != nil {
			return nil, err
		}
		for _, parts := range all {
			for i := range parts {
				x.add(&parts[i], experiment)
			}
		}
		indices.Store(folder, x)
	}
	p := x.cells[cell]
	if p != nil && errors.Is(p.err, errTwice) {
		return nil, p.err
	}
	return p, nil
}

// add adds a record of a pack. Another record of its cell makes both unreadable; one that is damaged counts for nothing beside it.
func (x *index) add(p *part, experiment string) {
	if p.cell == "" || p.record != nil && p.record.Header.Experiment != experiment {
		return
	}
	switch first := x.cells[p.cell]; {
	case first == nil, first.record == nil && !errors.Is(first.err, errTwice):
		x.cells[p.cell] = p
	case p.record != nil && first.sum != p.sum:
		x.cells[p.cell] = &part{path: p.path, cell: p.cell, err: twice(p.path, first.path)}
	}
}

// errTwice matches, with errors.Is, the error of a file whose cell another one holds.
var errTwice = errors.New("holds the same run as")

func twice(path, first string) error {
	return fmt.Errorf("%s: %w %s; remove one of them", path, errTwice, first)
}

// replaces reports whether another process is replacing one of two packs by the other: then the record is a file of its own, or one of
// the packs has gone by now.
func (p *part) replaces(other string) bool {
	there := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	return there(p.ownPath()) || !there(p.path) || !there(other)
}

// Pack gathers the complete records of an experiment that are files of their own in packs, if there are least of them, and removes the files.
// lock takes the lock of a cell, or returns nil if another process has it, whose file stays. One process at a time may pack an experiment.
//
// The order makes that a record is in one of the two at every moment, also after a loss of power: packs are on the disk before those go
// that they replace, and these have gone from the disk before the files of their own go. Packs are replaced if a cell in them has run again.
func Pack(dir, experiment string, least int, lock func(cell string) (release func())) error {
	own, err := complete(dir, experiment, least)
	if err != nil || len(own) < least {
		return err
	}
	folder := packFolder(dir, experiment)
	left, err := files.Leftovers(folder, func(string, string) bool { return true }) // of a process that was killed here
	for _, path := range left {
		err = errors.Join(err, files.Remove(dir, path))
	}
	if err != nil {
		return err
	}
	_, packs, err := readPacks(folder, briefPack)
	if err != nil {
		return err
	}
	texts, old := rest(own, packs)
	paths, err := writePacks(dir, experiment, texts)
	for _, path := range old {
		if err == nil && !slices.Contains(paths, path) {
			err = files.Remove(dir, path)
		}
	}
	if err == nil && len(old) > 0 {
		err = files.Settle(dir, paths...)
	}
	for i := 0; i < len(own) && err == nil; i++ {
		err = own[i].remove(dir, lock)
	}
	return err
}

// complete reads the complete records of an experiment that are files of their own, if there are least files.
func complete(dir, experiment string, least int) (own []part, err error) {
	paths, err := recordsIn(files.Path(dir, "records", experiment, ""))
	if errors.Is(err, fs.ErrNotExist) || len(paths) < least {
		return nil, nil
	}
	for _, path := range paths {
		all := readParts(path)
		if p := all[0]; len(all) == 1 && p.err == nil && p.record.Status().Complete() && Path(dir, p.record.Header.Experiment, p.cell) == path {
			own = append(own, p)
		}
	}
	return own, err
}

// rest returns the texts that new packs are to hold: the records of their own that no pack has, and what else is in old packs, which have
// another record of such a cell.
func rest(own []part, packs [][]part) (texts [][]byte, old []string) {
	sums := map[string][sha256.Size]byte{}
	for _, p := range own {
		sums[p.cell] = p.sum
	}
	again := func(p part) bool { _, ok := sums[p.cell]; return ok }
	there := map[string]bool{}
	for _, parts := range packs {
		if !slices.ContainsFunc(parts, again) {
			continue
		}
		parts = readPack(parts[0].path) // as it is on the disk now
		stale := slices.ContainsFunc(parts, func(p part) bool { return again(p) && (p.err != nil || p.sum != sums[p.cell]) })
		if stale {
			old = append(old, parts[0].path)
		}
		for _, p := range parts {
			if again(p) {
				there[p.cell] = there[p.cell] || !stale
			} else if stale {
				texts = append(texts, p.text)
			}
		}
	}
	for _, p := range own {
		if !there[p.cell] {
			texts = append(texts, p.text)
		}
	}
	return texts, old
}

// writePacks writes records of an experiment in packs. They are on the disk when it returns.
func writePacks(dir, experiment string, texts [][]byte) (paths []string, err error) {
	for n := 0; len(texts) > 0 && err == nil; texts = texts[n:] {
		size := len(texts[0])
		for n = 1; n < min(len(texts), packRecords) && size+len(texts[n]) <= packBytes; n++ {
			size += len(texts[n])
		}
		data := bytes.Join(texts[:n], nil)
		path := filepath.Join(packFolder(dir, experiment), packName(data))
		paths, err = append(paths, path), files.Keep(dir, path, data)
	}
	return paths, err
}

// remove removes the file of a record that a pack has, unless another process has the cell's lock or has changed the file.
func (p *part) remove(dir string, lock func(cell string) (release func())) error {
	release := lock(p.cell)
	if release == nil {
		return nil
	}
	defer release()
	if now, err := files.Read(p.path); err != nil || !bytes.Equal(now, p.text) {
		return nil // it counts before the pack
	}
	return files.Remove(dir, p.path)
}
