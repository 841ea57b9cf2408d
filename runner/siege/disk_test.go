package siege

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/files"
)

// The model of a disk that loses power, after SQLite's tests and ALICE (Pillai et al. 2014).
//
// It assumes: what a sync that has returned covers is there. A sector of 512 bytes is written whole or not at all. A rename is atomic in
// itself: both names change or none. Files are not changed but by the program.
//
// A sync of a file covers its content and its length, not its name. A sync of a folder covers the names in it, not the name of the folder
// itself, nor the content of its files. Of everything else that was done before the power went, any part is there, whatever the order:
// each sector of each write; each length, apart from the bytes, so that what was lost of a file that grew reads as zeros; each name that was
// made, renamed or removed, apart from what it names and from other names. A folder without its name is lost with all that is in it.

// sector is what a disk writes whole.
const sector = 512

// A recorder is a disk for files.Through that notes the changes below a folder, with paths relative to it. It syncs nothing.
type recorder struct {
	mu   sync.Mutex
	root string
	log  []files.Change
	said []saying
}

// A saying is what a command has reported, after that many changes.
type saying struct {
	after int
	what  string
}

func (r *recorder) say(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, saying{len(r.log), what})
}

func (r *recorder) change(c files.Change, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Op != files.OpSync && c.Op != files.OpSyncFolder {
		if err := do(); err != nil {
			return err
		}
	}
	path, inside := below(r.root, c.Path)
	if !inside {
		return nil
	}
	c.Path, c.Data = path, slices.Clone(c.Data)
	if c.To != "" {
		c.To, _ = below(r.root, c.To)
	}
	r.log = append(r.log, c)
	return nil
}

func below(root, path string) (string, bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, abs)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// A tree is the content of files by path, and folders by path with a slash.
type tree map[string]string

func readTree(t *testing.T, dir string) tree {
	all := tree{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			all[rel+"/"] = ""
			return err
		}
		text, err := os.ReadFile(path)
		all[rel] = string(text)
		return err
	}))
	return all
}

func (tr tree) write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(tr)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else {
			err = os.WriteFile(path, []byte(tr[name]), 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (tr tree) digest() [sha256.Size]byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(tr)) {
		fmt.Fprintf(h, "%q %q\n", name, tr[name])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// A node is a file or a folder of the simulated disk. Names are entries of folders.
type node struct {
	entries map[string]int // nil for a file
	bytes   []byte
	size    int64
}

// An atom is what a disk keeps or loses as a whole.
type atom struct {
	at, synced int // the change that made it, and the one that put it on the disk
	node       int
	name, from string // of an entry of a folder: it is set to what, negative to remove it; from is removed
	what       int
	data       []byte // of a sector at offset
	offset     int64
	size       int64 // the length, of a file without data
	grows      bool  // to that length at least
}

// A disk is a folder in which changes were made.
type disk struct {
	nodes []node // as they were before the changes; 0 is the folder
	atoms []atom
	log   []files.Change
}

const never = 1 << 30

func newDisk(before tree, log []files.Change) *disk {
	d := &disk{nodes: []node{{entries: map[string]int{}}}, log: log}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		dir, name := d.lookup(strings.TrimSuffix(path, "/"))
		n := node{bytes: []byte(before[path]), size: int64(len(before[path]))}
		if strings.HasSuffix(path, "/") {
			n = node{entries: map[string]int{}}
		}
		d.nodes[dir].entries[name] = len(d.nodes)
		d.nodes = append(d.nodes, n)
	}
	first := d.copyNodes()
	for i, c := range log {
		d.take(i, c)
	}
	for _, made := range d.nodes[len(first):] {
		n := node{}
		if made.entries != nil {
			n.entries = map[string]int{}
		}
		first = append(first, n)
	}
	d.nodes = first
	return d
}

func (d *disk) copyNodes() []node {
	all := slices.Clone(d.nodes)
	for i := range all {
		all[i].bytes, all[i].entries = slices.Clone(all[i].bytes), maps.Clone(all[i].entries)
	}
	return all
}

// lookup returns the folder of a path, and its last part.
func (d *disk) lookup(path string) (dir int, name string) {
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		next, ok := d.nodes[dir].entries[part]
		if !ok {
			panic("no folder on the way to " + path)
		}
		dir = next
	}
	return dir, parts[len(parts)-1]
}

func (d *disk) find(path string) int {
	if path == "." {
		return 0
	}
	dir, name := d.lookup(path)
	n, ok := d.nodes[dir].entries[name]
	if !ok {
		panic("no " + path)
	}
	return n
}

// take makes the atoms of a change, and changes the nodes as a running system sees them.
func (d *disk) take(i int, c files.Change) {
	add := func(a atom) {
		a.at, a.synced = i, never
		d.atoms = append(d.atoms, a)
		apply(d.nodes, a)
	}
	covers := func(n int) {
		for j := range d.atoms {
			if a := &d.atoms[j]; a.node == n && a.synced == never {
				a.synced = i
			}
		}
	}
	switch c.Op {
	case files.OpCreate, files.OpMakeFolder:
		dir, name := d.lookup(c.Path)
		if _, there := d.nodes[dir].entries[name]; there {
			return
		}
		n := node{}
		if c.Op == files.OpMakeFolder {
			n.entries = map[string]int{}
		}
		d.nodes = append(d.nodes, n)
		add(atom{node: dir, name: name, what: len(d.nodes) - 1})
	case files.OpWrite:
		n := d.find(c.Path)
		if end := c.Offset + int64(len(c.Data)); end > d.nodes[n].size {
			add(atom{node: n, size: end, grows: true})
		}
		for at := c.Offset; len(c.Data) > 0; {
			k := min(int64(len(c.Data)), sector-at%sector)
			add(atom{node: n, data: c.Data[:k], offset: at})
			c.Data, at = c.Data[k:], at+k
		}
	case files.OpTruncate:
		if n := d.find(c.Path); d.nodes[n].size != c.Offset {
			add(atom{node: n, size: c.Offset})
		}
	case files.OpRename:
		dir, from := d.lookup(c.Path)
		other, to := d.lookup(c.To)
		if dir != other {
			panic("a rename into another folder: " + c.Path)
		}
		add(atom{node: dir, name: to, from: from, what: d.find(c.Path)})
	case files.OpRemove:
		dir, name := d.lookup(c.Path)
		add(atom{node: dir, name: name, what: -1})
	case files.OpSync, files.OpSyncFolder:
		covers(d.find(c.Path))
	case "": // left out
	default:
		panic(c.Op)
	}
}

// apply makes the change of an atom.
func apply(nodes []node, a atom) {
	n := &nodes[a.node]
	switch {
	case n.entries != nil:
		delete(n.entries, a.from)
		delete(n.entries, a.name)
		if a.what >= 0 {
			n.entries[a.name] = a.what
		}
	case a.data != nil:
		if end := a.offset + int64(len(a.data)); end > int64(len(n.bytes)) {
			n.bytes = append(n.bytes, make([]byte, end-int64(len(n.bytes)))...)
		}
		copy(n.bytes[a.offset:], a.data)
	case a.grows:
		n.size = max(n.size, a.size)
	default:
		n.size = a.size
		n.bytes = n.bytes[:min(int64(len(n.bytes)), a.size)]
	}
}

// open returns the atoms that the loss of power after the first p changes may take away.
func (d *disk) open(p int) (all []int) {
	for i, a := range d.atoms {
		if a.at < p && a.synced >= p {
			all = append(all, i)
		}
	}
	return all
}

// after returns what is there after a loss of power that came after the first p changes: of the open atoms, those that are kept.
func (d *disk) after(p int, kept func(atom int) bool) tree {
	nodes := d.copyNodes()
	for i, a := range d.atoms {
		if a.at < p && (a.synced < p || kept(i)) {
			apply(nodes, a)
		}
	}
	all := tree{}
	var walk func(n int, path string)
	walk = func(n int, path string) {
		for name, child := range nodes[n].entries {
			c := nodes[child]
			if c.entries != nil {
				all[path+name+"/"] = ""
				walk(child, path+name+"/")
				continue
			}
			text := make([]byte, c.size)
			copy(text, c.bytes)
			all[path+name] = string(text)
		}
	}
	walk(0, "")
	return all
}

// A crash is a loss of power after that many changes, and what is there then.
type crash struct {
	point int
	tree
}

// crashes yields crashes from a point on, n of them if there are so many, that differ in what is there or in how much was said before. First
// comes for every point what is there if nothing or everything is kept, then if one atom is, or all but one, or the first ones, and then
// random parts.
func (d *disk) crashes(from, n int, said func(point int) int) iter.Seq[crash] {
	return func(yield func(crash) bool) {
		seen := map[string]bool{}
		add := func(p int, kept func(int) bool) bool {
			t := d.after(p, kept)
			key := fmt.Sprintf("%x %d", t.digest(), said(p))
			if seen[key] {
				return true
			}
			seen[key] = true
			return yield(crash{p, t}) && len(seen) < n
		}
		if d.systematic(from, add) {
			random := rand.New(rand.NewPCG(1, 28))
			for tries := 0; len(seen) < n && tries < 20*n; tries++ {
				share, parts := []float64{0.1, 0.5, 0.9}[random.IntN(3)], map[int]bool{}
				p := from + random.IntN(len(d.log)+1-from)
				for _, i := range d.open(p) {
					parts[i] = random.Float64() < share
				}
				if !add(p, func(i int) bool { return parts[i] }) {
					return
				}
			}
		}
	}
}

// systematic adds the crashes that are not random, those with one atom in a random order, until add says that it is enough.
func (d *disk) systematic(from int, add func(point int, kept func(int) bool) bool) bool {
	type choice struct {
		point int
		kept  func(int) bool
	}
	var choices []choice
	for p := from; p <= len(d.log); p++ {
		if !add(p, func(int) bool { return false }) || !add(p, func(int) bool { return true }) {
			return false
		}
		for _, one := range d.open(p) {
			choices = append(choices, choice{p, func(i int) bool { return i == one }}, choice{p, func(i int) bool { return i != one }},
				choice{p, func(i int) bool { return i <= one }})
		}
	}
	rand.New(rand.NewPCG(1, 27)).Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	for _, c := range choices {
		if !add(c.point, c.kept) {
			return false
		}
	}
	return true
}

func TestTheDiskLosesWhatWasNotSynced(t *testing.T) {
	text := strings.Repeat("a", sector) + strings.Repeat("b", 10)
	d := newDisk(tree{"old": "1234"}, []files.Change{
		{Op: files.OpMakeFolder, Path: "f"},
		{Op: files.OpCreate, Path: "f/new"},
		{Op: files.OpWrite, Path: "f/new", Data: []byte(text)},
		{Op: files.OpSync, Path: "f/new"},
		{Op: files.OpSyncFolder, Path: "f"},
		{Op: files.OpRename, Path: "old", To: "older"},
		{Op: files.OpTruncate, Path: "older", Offset: 2},
	})
	all, none := func(int) bool { return true }, func(int) bool { return false }
	assert.Equal(t, tree{"f/": "", "f/new": text, "older": "12"}, d.after(7, all))
	assert.Equal(t, tree{"old": "1234"}, d.after(7, none), "the name of the folder was not synced")
	assert.Equal(t, tree{"f/": "", "f/new": text, "old": "1234"}, d.after(7, func(i int) bool { return i == 0 }))
	assert.Equal(t, tree{"f/": "", "old": "1234"}, d.after(3, func(i int) bool { return i == 0 || i == 3 }))
	assert.Equal(t, tree{"f/": "", "f/new": "", "old": "1234"}, d.after(3, func(i int) bool { return i < 2 }))
	assert.Equal(t, tree{"f/": "", "f/new": strings.Repeat("\x00", sector) + strings.Repeat("b", 10), "old": "1234"}, d.after(3, func(i int) bool { return i != 3 }),
		"the length was kept and a sector was not")
	assert.Equal(t, []int{0, 5, 6}, d.open(7))
}
