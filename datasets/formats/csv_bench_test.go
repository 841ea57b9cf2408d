package formats

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
)

// BenchmarkCSV reads rows of 18 numbers with 6 or 17 digits.
func BenchmarkCSV(b *testing.B) {
	for _, digits := range []int{6, 17} {
		b.Run(strconv.Itoa(digits), func(b *testing.B) {
			var text []byte
			r := rand.New(rand.NewPCG(1, 2))
			for range 20000 {
				for j := range 19 {
					if j > 0 {
						text = append(text, ',')
					}
					text = strconv.AppendFloat(text, r.NormFloat64(), 'g', digits, 64)
				}
				text = append(text, '\n')
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c, err := NewCSV(bytes.NewReader(text), "x.csv", "", false)
				for err == nil {
					_, err = c.Read()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
