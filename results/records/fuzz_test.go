package records

import (
	"bytes"
	"os"
	"path/filepath"
	"repro/datasets/memorytest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const goldenRecord = "testdata/records/paper1999/demo/a-1.jsonl"

// Reading a record may allocate at most memoryFactor times its bytes, and memoryConstant more for what every read needs.
// The worst cases, objects in objects and lists in lists, take 68 times.
const (
	memoryFactor   = 96
	memoryConstant = 1 << 20
)

// allowed is what reading n bytes may allocate.
func allowed(n int) uint64 { return uint64(memoryFactor*n + memoryConstant) }

// summed returns lines with their checksums.
func summed(lines ...string) []byte {
	var b bytes.Buffer
	sums := newChain()
	for _, l := range lines {
		b.Write(sums.seal([]byte(l + "\n")))
	}
	return b.Bytes()
}

// expensive returns records of about n bytes that cost much memory for their size.
func expensive(n int) map[string][]byte {
	header := func(settings string) string { return `{"line":"header","schema":2,"settings":{"a":` + settings + `}}` }
	nested := func(open, end string) string {
		unit := strings.Repeat(open, 9000) + strings.Repeat(end, 9000) // JSON nests at most 10000 deep
		return "[" + strings.TrimSuffix(strings.Repeat(unit+",", n/len(unit)+1), ",") + "]"
	}
	list := func(item string) string { return "[" + strings.Repeat(item+",", n/len(item)) + item + "]" }
	const point = `{"line":"point"}`
	const keys = "abcdefghijklmnopqrstuvwxyz0123456789"
	var values strings.Builder
	for i := range n / 8 {
		values.WriteString(`,"` + string(keys[i%36]) + string(keys[i/36%36]) + string(keys[i/1296%36]) + string(keys[i/46656%36]) + `":0`)
	}
	return map[string][]byte{
		"lists in lists":      summed(header(nested("[", "]"))),
		"objects in objects":  summed(header(strings.Replace(nested(`{"":`, "}"), `:}`, `:0}`, -1))),
		"empty lists":         summed(header(list("[]"))),
		"empty objects":       summed(header(list("{}"))),
		"objects of one key":  summed(header(list(`{"":0}`))),
		"numbers":             summed(header(list("0"))),
		"empty points":        summed(append([]string{header("0")}, strings.Split(strings.Repeat(point+" ", n/len(point))+point, " ")...)...),
		"values of a point":   summed(header("0"), `{"line":"point","values":{`+values.String()[1:]+`}}`),
		"settings":            summed(header("{" + values.String()[1:] + "}")),
		"empty lines":         []byte(`{"line":"header","schema":2}` + strings.Repeat("\n", n)),
		"headers":             bytes.Repeat([]byte(`{"line":"header"`+"\n"), n/17),
		"ends and headers":    bytes.Repeat([]byte(`{"line":"end"`+"\n"+`{"line":"header"`+"\n"), n/31),
		"a number of a point": summed(header("0"), `{"line":"point","epoch":`+strings.Repeat("1", n)+`}`),
	}
}

func TestReadingNeedsLittleMemory(t *testing.T) {
	for name, data := range expensive(1 << 19) {
		t.Run(name, func(t *testing.T) {
			var err error
			used := memorytest.Within(t, allowed(len(data)), func() {
				for _, part := range split(data) {
					_, err = parseRecord("r.jsonl", 1, part)
				}
			})
			t.Logf("%.1f times %d bytes; %v", float64(used)/float64(len(data)), len(data), err)
		})
	}
}

// realRecords returns records of the baseline, as the writer writes them now. Each is a few kilobytes.
func realRecords(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, name := range []string{"dai2014/ridge", "dai2014/losses-quantile", "ma2017/epochs"} {
		path := filepath.Join("..", "baseline", "records", filepath.FromSlash(name)+".jsonl")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for i, part := range split(data) {
			if i == 3 {
				break
			}
			r, err := parseRecord(path, 1, part)
			require.NoError(t, err)
			to := filepath.Join(t.TempDir(), "r.jsonl")
			w, err := Create(to, r.Header)
			require.NoError(t, err)
			for _, p := range r.Points {
				require.NoError(t, w.Point(p))
			}
			require.NoError(t, w.End(*r.End))
			require.NoError(t, w.Close())
			data, err := os.ReadFile(to)
			require.NoError(t, err)
			all = append(all, data)
		}
	}
	return all
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile(goldenRecord)
	require.NoError(f, err)
	f.Add(data, 40)
	f.Add([]byte("{}\n"), 1)
	f.Add(summed(`{"line":"header","schema":2}`, `{"line":"point","values":{"x":null}}`), 30)
	for _, data := range realRecords(f) {
		f.Add(data, len(data)/2)
	}
	for _, data := range expensive(200) {
		f.Add(data, len(data)-1)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		const path = "r.jsonl"
		require.Equal(t, string(data), string(bytes.Join(split(data), nil)), "no byte is lost")
		var r *Record
		var err error
		memorytest.Within(t, allowed(len(data)), func() { r, err = parseRecord(path, 1, data) }) // all of Read but reading the file
		if err != nil {
			require.ErrorContains(t, err, path+":")
			return
		}
		require.Equal(t, "header", r.Header.Line)
		for i := 1; i < len(r.Points); i++ {
			require.GreaterOrEqual(t, r.Points[i].Step, r.Points[i-1].Step)
		}
		// However a good record is cut, what is left can be read.
		if cut < 0 || cut > len(data) {
			return
		}
		part, err := parseRecord(path, 1, data[:cut])
		if err != nil {
			require.ErrorIs(t, err, ErrNoHeader)
			return
		}
		require.LessOrEqual(t, len(part.Points), len(r.Points))
	})
}
