package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKnownWords compares encodings with those that GNU as gives.
func TestKnownWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint32
		got  func() (uint32, string)
	}{
		{"fadd v1.4s, v2.4s, v3.4s", 0x4e23d441, func() (uint32, string) { return encode("fadd", 4, 1, 2, 3) }},
		{"fdiv v31.2d, v0.2d, v16.2d", 0x6e70fc1f, func() (uint32, string) { return encode("fdiv", 8, 31, 0, 16) }},
		{"fcmeq v5.2d, v6.2d, #0.0", 0x4ee0d8c5, func() (uint32, string) { return encode("fcmeq0", 8, 5, 6) }},
		{"fmla v0.4s, v1.4s, v31.s[3]", 0x4fbf1820, func() (uint32, string) { return encodeElement(4, 0, 1, 31, 3) }},
		{"fmla v0.2d, v1.2d, v31.d[1]", 0x4fdf1820, func() (uint32, string) { return encodeElement(8, 0, 1, 31, 1) }},
	} {
		if got, text := c.got(); got != c.want || text != c.text {
			t.Errorf("got %#08x for %q, want %#08x for %q", got, text, c.want, c.text)
		}
	}
}

// TestWordsAgainstBinutils assembles the text of every instruction with random registers.
func TestWordsAgainstBinutils(t *testing.T) {
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("aarch64-linux-gnu-as is not installed (package binutils-aarch64-linux-gnu)")
	}
	texts, want := allWords()
	dir := t.TempDir()
	object, binary := filepath.Join(dir, "words.o"), filepath.Join(dir, "words")
	assemble := exec.Command(as, "-o", object)
	assemble.Stdin = strings.NewReader(strings.Join(texts, "\n") + "\n")
	for _, command := range []*exec.Cmd{assemble, exec.Command("aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", object, binary)} {
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	got, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		for i, text := range texts {
			if g, w := fmt.Sprintf("%x", got[4*i:4*i+4]), fmt.Sprintf("%x", want[4*i:4*i+4]); g != w {
				t.Errorf("%s: our bytes %s, binutils' %s", text, w, g)
			}
		}
	}
}

// allWords returns text and encoding of every instruction, with eight choices of registers each.
func allWords() (texts []string, encoded []byte) {
	r := rand.New(rand.NewPCG(1, 1))
	add := func(w uint32, text string) {
		texts, encoded = append(texts, text), binary.LittleEndian.AppendUint32(encoded, w)
	}
	for range 8 {
		reg := func() vreg { return vreg(r.IntN(32)) }
		for _, size := range []int{4, 8} {
			for _, op := range slices.Sorted(maps.Keys(words)) {
				add(encode(op, size, []vreg{reg(), reg(), reg()}[:words[op].sources+1]...))
			}
			for i := range 16 / size {
				add(encodeElement(size, reg(), reg(), reg(), i))
			}
		}
	}
	return texts, encoded
}
