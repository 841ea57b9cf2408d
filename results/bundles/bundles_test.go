package bundles

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/builds"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// contents returns a bundle's contents with two records.
func contents(t testing.TB) Contents {
	t.Helper()
	dir := t.TempDir()
	for seed := range uint64(2) {
		recordstest.Write(t, dir, recordstest.Record("a", seed+1, 4, 2, 1))
	}
	texts, err := records.Texts(dir)
	require.NoError(t, err)
	return Contents{
		Program:     builds.Program{Version: "devel", Commit: "c0ffee", Go: "go1.26"},
		Experiments: []Experiment{{ID: "paper1999/demo", File: "demo.toml", Profile: "paper", Text: []byte("schema = 1\n")}},
		Records:     texts,
		Verdicts:    []claims.Verdict{{Experiment: "paper1999/demo", Claim: "c", Verdict: claims.Reproduced}},
		Data:        []Dataset{{Name: "a", Licence: "none", Experiments: []string{"paper1999/demo"}, Files: []records.DataDigest{{Name: "a.csv", SHA256: "00", Rows: 3}}}},
		Machines:    MachinesOf([]*records.Record{texts[0].Record, texts[1].Record}),
		Files:       map[string][]byte{"report.html": []byte("<html>")},
	}
}

func TestRoundTrip(t *testing.T) {
	c := contents(t)
	path := filepath.Join(t.TempDir(), "out.zip")
	digest, err := Write(path, c)
	require.NoError(t, err)
	b, err := Read(path)
	require.NoError(t, err)
	assert.Empty(t, b.Faults)
	assert.Equal(t, digest, b.SHA256)
	for i := range c.Records { // the bytes themselves are not held
		c.Records[i].Bytes = nil
	}
	c.Files = map[string][]byte{"report.html": nil}
	assert.Equal(t, c, b.Contents)
	assert.Equal(t, []Machine{{Host: "", CPU: "a cpu", Threads: 2, Program: builds.Program{Commit: "c0ffee"}, Records: 2}}, b.Machines)
	assert.Len(t, b.Store().Records, 2)

	again, err := Write(filepath.Join(t.TempDir(), "other.zip"), contents(t))
	require.NoError(t, err)
	assert.Equal(t, digest, again, "the same contents give the same bytes")

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")
}

// entry is one entry of a zip file made by hand.
type entry struct {
	name, text string
	mode       fs.FileMode
}

// zipped returns a zip file.
func zipped(t testing.TB, entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode | 0o644)
		f, err := w.CreateHeader(h)
		require.NoError(t, err)
		_, err = f.Write([]byte(e.text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// unzipped returns the entries of a bundle.
func unzipped(t testing.TB, data []byte) []entry {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	var all []entry
	for _, f := range r.File {
		var text strings.Builder
		_, err := content(f, &text)
		require.NoError(t, err)
		all = append(all, entry{name: f.Name, text: text.String()})
	}
	return all
}

// edited returns a bundle after a change of one entry.
func edited(t *testing.T, data []byte, name string, change func(string) string) []byte {
	all := unzipped(t, data)
	i := slices.IndexFunc(all, func(e entry) bool { return e.name == name })
	require.GreaterOrEqual(t, i, 0)
	before := all[i].text
	all[i].text = change(before)
	require.NotEqual(t, before, all[i].text)
	return zipped(t, all...)
}

func readBytes(data []byte) (*Bundle, error) {
	return read("b.zip", bytes.NewReader(data), int64(len(data)))
}

// A change of one digit is named by every layer that it has to pass.
func TestEditsAreNamed(t *testing.T) {
	whole, err := Encode(contents(t))
	require.NoError(t, err)
	const name = "records/paper1999/demo/a-2.jsonl"
	digit := func(text string) string { return strings.Replace(text, `"error":2`, `"error":3`, 1) }

	b, err := readBytes(edited(t, whole, name, digit))
	require.NoError(t, err)
	require.Len(t, b.Faults, 2)
	assert.ErrorContains(t, b.Faults[0], "b.zip:"+name+": changed after it was bundled: its SHA-256 is ")
	assert.ErrorContains(t, b.Faults[1], "b.zip:"+name+":3: the checksum does not match")
	assert.Len(t, b.Records, 1, "the other record is judged")

	forged := func(string) string { // with the checksums of a record
		text, err := os.ReadFile(recordstest.Write(t, t.TempDir(), recordstest.Record("a", 2, 4, 3, 1)))
		require.NoError(t, err)
		return string(text)
	}
	b, err = readBytes(edited(t, whole, name, forged))
	require.NoError(t, err)
	require.Len(t, b.Faults, 1)
	assert.ErrorContains(t, b.Faults[0], "b.zip:"+name+": changed after it was bundled")
	assert.Len(t, b.Records, 2)

	var old string
	for _, e := range unzipped(t, whole) {
		if e.name == name {
			old = e.text
		}
	}
	text := forged("")
	lied := edited(t, edited(t, whole, name, func(string) string { return text }), manifestName, func(m string) string {
		return strings.Replace(m, sum([]byte(old)), sum([]byte(text)), 1)
	})
	b, err = readBytes(lied)
	require.NoError(t, err)
	assert.Empty(t, b.Faults, "who computes the manifest again is not found by reading")
}

func TestFaults(t *testing.T) {
	whole, err := Encode(contents(t))
	require.NoError(t, err)
	all := unzipped(t, whole)
	first := slices.IndexFunc(all, func(e entry) bool { return strings.HasPrefix(e.name, recordsFolder) })

	b, err := readBytes(zipped(t, slices.Delete(slices.Clone(all), first, first+1)...))
	require.NoError(t, err)
	require.Len(t, b.Faults, 1)
	assert.ErrorContains(t, b.Faults[0], all[first].name+": the manifest lists it, and the bundle does not have it")

	b, err = readBytes(zipped(t, append(slices.Clone(all), entry{name: "extra.txt", text: "x"})...))
	require.NoError(t, err)
	require.Len(t, b.Faults, 1)
	assert.ErrorContains(t, b.Faults[0], "extra.txt: the manifest does not list it")

	b, err = readBytes(zipped(t, append(slices.Clone(all), entry{name: "records/x/y.jsonl", text: all[first].text})...))
	require.NoError(t, err)
	require.Len(t, b.Faults, 2)
	assert.ErrorContains(t, b.Faults[1], "records/x/y.jsonl: is the record of paper1999/demo a-1, whose place is records/paper1999/demo/a-1.jsonl")

	broken := slices.Clone(whole)
	at := bytes.Index(broken, []byte(all[first].name)) + len(all[first].name) + 20 // within its compressed bytes
	broken[at] ^= 1
	b, err = readBytes(broken)
	require.NoError(t, err)
	require.NotEmpty(t, b.Faults)
	assert.ErrorContains(t, b.Faults[0], all[first].name)
}

func TestNoBundles(t *testing.T) {
	whole, err := Encode(contents(t))
	require.NoError(t, err)
	all := unzipped(t, whole)
	with := func(e ...entry) []byte { return zipped(t, append(slices.Clone(all), e...)...) }
	overlapping := slices.Clone(with(entry{name: "a.txt", text: "x"}, entry{name: "b.txt", text: "x"}))
	overlap(t, overlapping)
	encrypted := slices.Clone(whole)
	encrypted[bytes.LastIndex(encrypted, []byte("PK\x01\x02"))+8] |= 1
	large := slices.Clone(whole)
	copy(large[bytes.LastIndex(large, []byte("PK\x01\x02"))+24:], []byte{0xff, 0xff, 0xff, 0xef})
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":              {nil, "not a valid zip file"},
		"text":               {[]byte("a bundle"), "not a valid zip file"},
		"cut":                {whole[:len(whole)-40], "not a valid zip file"},
		"no manifest":        {zipped(t, entry{name: "a", text: "b"}), "it has no manifest.json"},
		"broken manifest":    {edited(t, whole, manifestName, func(s string) string { return s[1:] }), "manifest.json: "},
		"an unknown key":     {edited(t, whole, manifestName, func(s string) string { return strings.Replace(s, `"format"`, `"fromat"`, 1) }), "unknown field"},
		"a newer format":     {edited(t, whole, manifestName, func(s string) string { return strings.Replace(s, `"format": 1`, `"format": 2`, 1) }), "update repro"},
		"an unknown verdict": {edited(t, whole, verdictsName, func(s string) string { return strings.Replace(s, "reproduced", "proven", 1) }), "unknown verdict"},
		"another's spec":     {edited(t, whole, manifestName, func(s string) string { return strings.Replace(s, `"demo.toml"`, `"../demo.toml"`, 1) }), "experiment"},
		"an experiment twice": {edited(t, whole, manifestName, func(s string) string {
			e := regexp.MustCompile(`(?s)"experiments": \[\s*(\{.*?\})`)
			return e.ReplaceAllString(s, `"experiments": [$1, $1`)
		}), `lists experiment "paper1999/demo" twice`},
		"no experiment": {edited(t, whole, manifestName, func(s string) string {
			return regexp.MustCompile(`(?s)"experiments": \[.*?\]`).ReplaceAllString(s, `"experiments": []`)
		}), "lists no experiment"},
		"no spec":            {edited(t, whole, manifestName, func(s string) string { return strings.ReplaceAll(s, "demo", "omed") }), "it has no specs/paper1999/omed.toml"},
		"a path upwards":     {with(entry{name: "../evil", text: "x"}), "leads out of the bundle"},
		"an absolute path":   {with(entry{name: "/etc/evil", text: "x"}), "leads out of the bundle"},
		"a path of Windows":  {with(entry{name: `..\evil`, text: "x"}), "leads out of the bundle"},
		"a folder":           {with(entry{name: "folder/"}), "leads out of the bundle or is not a path"},
		"an escape sequence": {with(entry{name: "a\x1b[2J", text: "x"}), "invisible characters"},
		"a doubled name":     {with(entry{name: "report.html", text: "x"}), "two entries called report.html"},
		"capitals":           {with(entry{name: "REPORT.html", text: "x"}), "two entries called REPORT.html"},
		"a link":             {with(entry{name: "link", text: "/etc/passwd", mode: fs.ModeSymlink}), "is not a regular file"},
		"a bomb":             {with(entry{name: "zeros", text: strings.Repeat("\x00", 1<<23)}), "too many for a file"},
		"a stated size":      {large, "more than"},
		"encrypted":          {encrypted, "is encrypted"},
		"overlapping":        {overlapping, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readBytes(test.data)
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err = Read(filepath.Join(t.TempDir(), "none.zip"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Read(t.TempDir())
	assert.Error(t, err)
	path := filepath.Join(t.TempDir(), "text.zip")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o644))
	_, err = Read(path)
	assert.EqualError(t, err, path+": not a bundle: zip: not a valid zip file; make it again with repro bundle, or get another copy")
}

// Whatever a bundle unpacks to, reading it takes no more memory than the bound on its contents, which the collector of
// garbage may double.
func TestMemory(t *testing.T) {
	whole, err := Encode(contents(t))
	require.NoError(t, err)
	const place = "records/paper1999/demo/a-1.jsonl"
	noise := make([]byte, 1<<17) // does not compress, so that the rest may unpack to 200 times as much
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	large := func(head, repeated, tail string) string {
		return head + strings.Repeat(repeated, 20<<20/len(repeated)) + tail
	}
	header := `{"line":"header","schema":2,"experiment":"paper1999/demo","cell":"a-1"`
	var keys strings.Builder
	for i := range 1 << 20 {
		fmt.Fprintf(&keys, `"%x":1,`, i)
	}
	for name, test := range map[string]struct {
		entry, text string
		refused     bool
	}{
		"values of points":  {place, large(header+"}\n", `{"line":"point","values":{"a":1,"b":2,"c":3}}`+"\n", ""), true},
		"values of a point": {place, header + "}\n" + `{"line":"point","values":{` + keys.String() + `"x":1}}` + "\n", false},
		"settings":          {place, header + `,"settings":{` + keys.String() + `"x":1}}` + "\n", false},
		"lists":             {place, large(header+`,"settings":{"a":[`, "[],", "1]}}\n"), true},
		"manifest":          {manifestName, large(`{"format":1,"entries":[`, "{},", "{}]}"), true},
		"verdicts":          {verdictsName, large("[", "{},", "{}]"), true},
		"doubled slices":    {verdictsName, "[" + strings.Repeat("{},", int(roomOf(1<<17)*3/4)/int(unsafe.Sizeof(claims.Verdict{}))) + "{}]", true},
		"data":              {dataName, large("[", "{},", "{}]"), true},
		"environment":       {environmentName, large("[", "{},", "{}]"), true},
		"report":            {"report.html", large("", " ", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			if test.entry == place {
				test.text = recordstest.Sealed(test.text)
			}
			entries := append(slices.DeleteFunc(unzipped(t, whole), func(e entry) bool { return e.name == test.entry }),
				entry{name: test.entry, text: test.text}, entry{name: "noise", text: string(noise)})
			data := zipped(t, entries...)
			entries = nil
			room := roomOf(int64(len(data)))
			require.Less(t, int64(len(test.text)), room, "its text alone has room")
			var err error
			assert.Less(t, peak(func() { _, err = readBytes(data) }), 2*room)
			if !test.refused { // a report is not held; different keys compress less
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, fmt.Sprintf("the entry %s and those before it take more memory than the %d MiB that a file of %d bytes may take",
				test.entry, room>>20, len(data)))
		})
	}
}

// peak returns by how many bytes the heap grows while f runs, as seen every millisecond.
func peak(f func()) int64 {
	heap := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	runtime.GC()
	before, most := heap(), int64(0)
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for {
		most = max(most, heap()-before)
		select {
		case <-done:
			return most
		case <-time.After(time.Millisecond):
		}
	}
}

// overlap makes the last entry of a zip file's directory lie where the one before it does.
func overlap(t *testing.T, data []byte) {
	last := bytes.LastIndex(data, []byte("PK\x01\x02"))
	before := bytes.LastIndex(data[:last], []byte("PK\x01\x02"))
	require.Positive(t, before)
	copy(data[last+42:last+46], data[before+42:before+46]) // the offset of its header
}

func TestTwoRecordsOfOneCell(t *testing.T) {
	c := contents(t)
	c.Records[1] = c.Records[0]
	_, err := Encode(c)
	assert.EqualError(t, err, "two files of the bundle are called records/paper1999/demo/a-1.jsonl; choose the records of one profile with --profile")
	c = contents(t)
	c.Files["../x"] = nil
	_, err = Encode(c)
	assert.ErrorIs(t, err, ErrFormat)
}

// Whatever the bytes are, reading them ends with an error or with records that belong where they are.
func FuzzRead(f *testing.F) {
	whole, err := Encode(contents(f))
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(zipped(f, entry{name: "manifest.json", text: `{"format":1,"entries":[{"path":"a"}]}`}, entry{name: "a", text: "b"}))
	f.Add(zipped(f, entry{name: "../a", text: "b"}))
	f.Add(zipped(f, entry{name: "a", text: strings.Repeat("a", 1<<16)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := readBytes(data)
		if err != nil {
			require.True(t, errors.Is(err, ErrFormat), "%v", err)
			return
		}
		for _, r := range b.Records {
			require.Contains(t, b.Sums, RecordPath(r.Header))
		}
		for name := range b.Sums {
			require.NoError(t, checkName(name))
		}
		require.NotPanics(t, func() { _ = fmt.Sprint(b.Faults) })
	})
}
