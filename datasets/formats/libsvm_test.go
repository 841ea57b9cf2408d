package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func FuzzLIBSVM(f *testing.F) {
	for _, s := range []string{"+1 1:0.5 3:-2\n-1 2:1\n", "1", "", "\n", "1 1:1 1:1", "1 0:1", "nan 1:1", "1 1:1e999", "1\t2:3\r\n", "1:2", "1 1:0x1p3\n", "\xef\xbb\xbf1 9999999999:1"} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, dims int) {
		r := NewLIBSVM(bytes.NewReader(data), "fuzz", dims)
		var again strings.Builder
		var rows [][]float64
		for {
			y, err := r.Read()
			if err != nil {
				break
			}
			row := []float64{y}
			fmt.Fprintf(&again, "%v", y)
			last := 0
			for k, i := range r.index {
				if i <= last || (dims > 0 && i > dims) || r.value[k]-r.value[k] != 0 {
					t.Fatalf("accepted index %d after %d, value %v", i, last, r.value[k])
				}
				last = i
				row = append(row, float64(i), r.value[k])
				fmt.Fprintf(&again, " %d:%v", i, r.value[k])
			}
			again.WriteByte('\n')
			rows = append(rows, row)
		}
		r = NewLIBSVM(strings.NewReader(again.String()), "again", dims)
		for _, want := range rows {
			y, err := r.Read()
			if err != nil {
				t.Fatalf("what was accepted is refused when written out: %v", err)
			}
			got := []float64{y}
			for k, i := range r.index {
				got = append(got, float64(i), r.value[k])
			}
			assert.Equal(t, want, got)
		}
	})
}
