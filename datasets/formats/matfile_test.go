package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
)

// A matFile is a MAT-file of version 5 that a test writes.
type matFile struct {
	bytes.Buffer
	Order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
}

// newMatFile returns a file that has its header, in big or little endian Order.
func newMatFile(big bool) *matFile {
	w := &matFile{Order: binary.LittleEndian}
	mark := "IM"
	if big {
		w.Order, mark = binary.BigEndian, "MI"
	}
	head := bytes.Repeat([]byte{' '}, 124)
	w.Write(append(w.Order.AppendUint16(head, 0x0100), mark...))
	return w
}

// Part returns an element, small if it fits into a tag and that is wanted.
func (w *matFile) Part(kind uint32, data []byte, small bool) []byte {
	if small && len(data) <= 4 {
		b := w.Order.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(b, append(bytes.Clone(data), make([]byte, 4-len(data))...)...)
	}
	b := w.Order.AppendUint32(nil, kind)
	b = w.Order.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, (8-len(data)%8)%8)...)
}

// Matrix returns an array whose numbers are stored as the given type.
func (w *matFile) Matrix(name string, class, kind uint32, dims []int32, values []float64) []byte {
	flags := w.Order.AppendUint32(nil, class)
	flags = w.Order.AppendUint32(flags, 0)
	var sizes, data []byte
	for _, d := range dims {
		sizes = w.Order.AppendUint32(sizes, uint32(d))
	}
	for _, v := range values {
		switch kind {
		case 1, 2:
			data = append(data, byte(int8(v)))
		case 3, 4:
			data = w.Order.AppendUint16(data, uint16(int16(v)))
		case 5, 6:
			data = w.Order.AppendUint32(data, uint32(int32(v)))
		case 7:
			data = w.Order.AppendUint32(data, math.Float32bits(float32(v)))
		case 9:
			data = w.Order.AppendUint64(data, math.Float64bits(v))
		case 12, 13:
			data = w.Order.AppendUint64(data, uint64(int64(v)))
		}
	}
	body := append(w.Part(6, flags, false), w.Part(5, sizes, false)...)
	body = append(body, w.Part(1, []byte(name), true)...)
	body = append(body, w.Part(kind, data, true)...)
	return w.Part(miMatrix, body, false)
}

// Compressed returns an element that holds another.
func (w *matFile) Compressed(element []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(element)
	z.Close()
	head := w.Order.AppendUint32(nil, miCompressed)
	head = w.Order.AppendUint32(head, uint32(b.Len()))
	return append(head, b.Bytes()...) // without padding
}
