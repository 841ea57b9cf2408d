// Package fuzztest helps the tests of what reads files of others: inputs that are kept, the memory that a reader takes, MAT-files.
package fuzztest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Corpus adds the inputs of testdata/corpus/<target> to the target, and returns the body that f.Fuzz is to run, func(t *testing.T, …).
// A file of inputs has a line for each, its values quoted as in Go and parted by tabs.
func Corpus[F any](f *testing.F, body F) F {
	for _, values := range read(f, filepath.Join("testdata", "corpus", f.Name()), reflect.TypeOf(body)) {
		f.Add(values...)
	}
	return body
}

// read returns the values of the lines of a file of inputs in the types of the parameters of in after the first.
func read(t testing.TB, file string, in reflect.Type) (all [][]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for l := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		require.Len(t, words, in.NumIn()-1)
		values := make([]any, len(words))
		for i, w := range words {
			v := reflect.New(in.In(i + 1)).Elem()
			var err error
			switch v.Kind() {
			case reflect.Slice:
				w, err = strconv.Unquote(w)
				v.SetBytes([]byte(w))
			case reflect.String:
				w, err = strconv.Unquote(w)
				v.SetString(w)
			default:
				_, err = fmt.Sscan(w, v.Addr().Interface())
			}
			require.NoError(t, err)
			values[i] = v.Interface()
		}
		all = append(all, values)
	}
	return all
}
