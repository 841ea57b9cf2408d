package records

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goldenRecord = "testdata/records/paper1999/demo/a-1.jsonl"

func TestReadWithoutHeader(t *testing.T) {
	data, err := os.ReadFile(goldenRecord)
	require.NoError(t, err)
	for _, data := range []string{"", string(data[:30])} {
		_, err := parseRecord("r.jsonl", 1, []byte(data))
		assert.ErrorIs(t, err, ErrNoHeader)
	}
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile(goldenRecord)
	require.NoError(f, err)
	f.Add(data, 40)
	f.Add([]byte("{}\n"), 1)
	f.Add([]byte(`{"line":"header","schema":1}`+"\n"+`{"line":"point","values":{"x":null}}`+"\n"), 30)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		const path = "r.jsonl"
		require.Equal(t, data, bytes.Join(split(data), nil), "no byte is lost")
		r, err := parseRecord(path, 1, data) // all of Read but reading the file
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
