package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"repro/datasets/formats"
)

const tiny = "1 1:0.5 3:-2\n-1 2:1e-3\n" // the content of testdata/tiny.libsvm.bz2

func compress(t *testing.T, open func(io.Writer) (io.WriteCloser, error), text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// compressors are those that have a writer.
var compressors = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
}

// packed returns the text tiny in every compression.
func packed(t *testing.T) map[string]string {
	bz, err := os.ReadFile(filepath.Join("testdata", "tiny.libsvm.bz2"))
	require.NoError(t, err)
	z := compress(t, compressors["zstd"], tiny)
	return map[string]string{
		"plain": tiny,
		"gzip":  zipped(t, tiny),
		"bzip2": string(bz),
		"xz":    compress(t, compressors["xz"], tiny),
		"zstd":  z,
		"pzstd": "\x50\x2a\x4d\x18\x04\x00\x00\x00size" + z, // a frame to skip first
	}
}

func sha(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func TestCompressionIsToldByContent(t *testing.T) {
	for name, data := range packed(t) {
		t.Run(name, func(t *testing.T) {
			in := Input{Path: write(t, "data", data), Format: "libsvm"}
			got, err := in.load(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []float64{0.5, 0, -2, 0, 1e-3, 0}, got.X.Data)
			assert.Equal(t, sha(tiny), got.Files[0].SHA256, "the digest is that of the uncompressed content")
			if name == "plain" {
				return
			}
			for _, n := range []int{len(data) - 1, len(data) / 2, 7} {
				in := Input{Path: write(t, "data", data[:n]), Format: "libsvm"}
				_, err := in.load(context.Background())
				require.ErrorIs(t, err, formats.ErrFormat, "%d of %d bytes", n, len(data))
				assert.Contains(t, err.Error(), in.Path)
				assert.Contains(t, err.Error(), "get the file again")
			}
		})
	}
}

func TestVerify(t *testing.T) {
	gz := packed(t)["gzip"]
	path := write(t, "tiny.gz", gz)
	for _, c := range []struct {
		name string
		file RemoteFile
		ok   bool
	}{
		{"content", RemoteFile{SHA256: sha(tiny)}, true},
		{"content by md5", RemoteFile{MD5: "a8124294972f40a9a798180a7d7dbca7"}, true},
		{"download", RemoteFile{SHA256: sha(gz), Packed: true}, true},
		{"download, not said so", RemoteFile{SHA256: sha(gz)}, false},
		{"both must agree", RemoteFile{SHA256: sha(tiny), MD5: "00"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := hashFile(context.Background(), path, &c.file)
			if c.ok {
				assert.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrChecksum)
			assert.Contains(t, err.Error(), path)
			assert.Contains(t, err.Error(), "want ")
		})
	}
}
