package records

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// corruptions change data in one place, as a fault of a disk or a hand with an editor does.
var corruptions = map[string]func(rng *rand.Rand, data []byte) []byte{
	"bit flipped": func(rng *rand.Rand, data []byte) []byte {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		return data
	},
	"digit edited": func(rng *rand.Rand, data []byte) []byte {
		for {
			if i := rng.IntN(len(data)); '0' <= data[i] && data[i] <= '9' {
				data[i] = '0' + (data[i]-'0'+byte(1+rng.IntN(9)))%10
				return data
			}
		}
	},
	"bytes inserted": func(rng *rand.Rand, data []byte) []byte {
		inserted := make([]byte, 1+rng.IntN(8))
		for i := range inserted {
			inserted[i] = []byte("0123456789.,:{}\"\n \x00\xff")[rng.IntN(20)]
		}
		return slices.Insert(data, rng.IntN(len(data)+1), inserted...)
	},
	"bytes removed": func(rng *rand.Rand, data []byte) []byte {
		i := rng.IntN(len(data))
		return slices.Delete(data, i, min(len(data), i+1+rng.IntN(100)))
	},
	"bytes zeroed": func(rng *rand.Rand, data []byte) []byte {
		i := rng.IntN(len(data))
		clear(data[i:min(len(data), i+1+rng.IntN(512))])
		return data
	},
	"cut": func(rng *rand.Rand, data []byte) []byte { return data[:rng.IntN(len(data))] },
	"line deleted": func(rng *rand.Rand, data []byte) []byte {
		lines := linesOf(data)
		k := rng.IntN(len(lines))
		return bytes.Join(slices.Delete(lines, k, k+1), nil)
	},
	"line doubled": func(rng *rand.Rand, data []byte) []byte {
		lines := linesOf(data)
		k := rng.IntN(len(lines))
		return bytes.Join(slices.Insert(lines, k, lines[k]), nil)
	},
	"lines swapped": func(rng *rand.Rand, data []byte) []byte {
		lines := linesOf(data)
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return bytes.Join(lines, nil)
	},
	"line of another record": func(rng *rand.Rand, data []byte) []byte {
		lines := linesOf(data)
		other := summed(`{"line":"header","schema":2}`, `{"line":"point","step":1}`, `{"line":"end","status":"done"}`)
		lines[rng.IntN(len(lines))] = linesOf(other)[1+rng.IntN(2)] // as the first line, its header would be right
		return bytes.Join(lines, nil)
	},
}

func linesOf(data []byte) [][]byte { return slices.Collect(bytes.Lines(data)) }

// begins reports whether changed is the beginning of data, perhaps with the zeros after it that a crash of the system leaves.
func begins(data, changed []byte) bool {
	rest := changed[bytes.LastIndexByte(changed, '\n')+1:]
	kept := changed[:len(changed)-len(rest)+len(bytes.TrimRight(rest, "\x00"))]
	return bytes.HasPrefix(data, kept)
}

func linesRead(all []*Record) int {
	n := 0
	for _, r := range all {
		n += 1 + len(r.Points)
		if r.End != nil {
			n++
		}
	}
	return n
}

// changedLine returns the number of the first line in which b differs from a.
func changedLine(a, b []byte) int {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return 1 + bytes.Count(b[:same], []byte("\n"))
}

// Of thousands of random corruptions of real records none is silent and none panics: the error names the first changed line.
// What a killed run leaves, the beginning of the file, is read as a partial record with the points that it holds.
func TestNoCorruptionIsSilent(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 12
	}
	sources := realRecords(t)
	joined := bytes.Join(sources, nil)
	sources = append(sources, joined)
	rng := rand.New(rand.NewPCG(14, 4))
	tries, partial := 0, 0
	for _, data := range sources {
		for name, corrupt := range corruptions {
			for range rounds {
				changed := corrupt(rng, bytes.Clone(data))
				if bytes.Equal(changed, data) {
					continue
				}
				tries++
				read, fault := readAll(changed)
				if begins(data, changed) && !errors.Is(fault, ErrDamaged) {
					partial++
					if fault != nil {
						require.ErrorIs(t, fault, ErrNoHeader)
					}
					require.Equal(t, bytes.Count(changed, []byte("\n")), linesRead(read), "the whole lines, and no others")
					continue
				}
				require.Error(t, fault, "%s is silent", name)
				require.True(t, errors.Is(fault, ErrDamaged) || errors.Is(fault, ErrNewer), "%s: %v", name, fault) // a bit of the schema's number
				line := changedLine(data, changed)
				if name == "lines swapped" && strings.HasPrefix(fault.Error(), fmt.Sprintf("r.jsonl:%d: ", line+1)) {
					line++ // another record's whole header is right in itself: the line after it is not
				}
				require.ErrorContains(t, fault, fmt.Sprintf("r.jsonl:%d: ", line), name)
			}
		}
	}
	t.Logf("%d corruptions, %d of them partial records", tries, partial)
}

// readAll reads all records in data, as a Store does, and returns the first fault.
func readAll(data []byte) (all []*Record, fault error) {
	line := 1
	for _, part := range split(data) {
		r, err := parseRecord("r.jsonl", line, part)
		line += bytes.Count(part, []byte("\n"))
		switch {
		case err == nil:
			all = append(all, r)
		case fault == nil:
			fault = err
		}
	}
	return all, fault
}
