package algos

import (
	"encoding"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// SaveState writes the state of a fit (Fit.State), a pointer to a struct of plain data, to w. The memory for it does not grow with the state: structs are
// written field by field and slices in pieces, each a message of gob, which encodes a message as a whole. Fields that gob
// leaves out, because their names are not exported, are left out here.
func SaveState(w io.Writer, state any) error {
	e := gob.NewEncoder(w)
	length := func(v reflect.Value) error { return e.Encode(v.Len()) }
	return inPieces(reflect.ValueOf(state).Elem(), length, func(v reflect.Value) error {
		if !isPlain(v.Type()) {
			v = boxed(v)
		}
		return e.EncodeValue(v)
	})
}

// RestoreState sets a state to one that SaveState wrote, which has size bytes of r. It reads into a new value first, so that a state
// that cannot be read leaves the old one as it is. It allocates no slice that those bytes could not fill.
func RestoreState(r io.Reader, size int64, state any) error {
	d := gob.NewDecoder(r)
	length := func(v reflect.Value) error {
		var n int
		if err := d.Decode(&n); err != nil {
			return err
		}
		if n < 0 || int64(n) > size { // every element takes a byte or more
			return fmt.Errorf("%w: %d elements in %d bytes", errState, n, size)
		}
		size -= int64(n)
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		return nil
	}
	s := reflect.ValueOf(state).Elem()
	fresh := reflect.New(s.Type()).Elem()
	err := inPieces(fresh, length, func(v reflect.Value) error {
		into := v
		if !isPlain(v.Type()) {
			into = boxed(v)
		} else if v.Kind() == reflect.Slice { // gob decodes into the elements that are there
			into = reflect.New(v.Type()).Elem()
			into.Set(v)
		}
		if err := d.DecodeValue(into.Addr()); err != nil {
			return err
		}
		switch {
		case into.Type() != v.Type():
			v.Set(into.Field(0))
		case v.Kind() == reflect.Slice && into.Len() != v.Len():
			return fmt.Errorf("%w: %d elements, not %d", errState, into.Len(), v.Len())
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.Set(fresh)
	return nil
}

var errState = errors.New("no state of this method")

// inPieces goes through a value: each exported field of a struct, the length of a slice and then its elements, up to 4096
// numbers as one piece. Whatever is no struct and no slice is one piece.
func inPieces(v reflect.Value, length, piece func(reflect.Value) error) error {
	t := v.Type()
	switch {
	case encodesItself(t):
		return piece(v)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				if err := inPieces(v.Field(i), length, piece); err != nil {
					return err
				}
			}
		}
		return nil
	case t.Kind() != reflect.Slice:
		return piece(v)
	}
	if err := length(v); err != nil {
		return err
	}
	const most = 4096 // below 64 KiB, up to which gob uses its memory again
	for i, n := 0, 0; i < v.Len(); i += n {
		var err error
		if isPlain(t) {
			n = min(most, v.Len()-i)
			err = piece(v.Slice(i, i+n))
		} else {
			n = 1
			err = inPieces(v.Index(i), length, piece)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isPlain reports whether a type is that of numbers, truth values or strings, or of slices of numbers and truth values.
func isPlain(t reflect.Type) bool {
	if encodesItself(t) {
		return false
	}
	if t.Kind() == reflect.Slice {
		return t.Elem().Kind() <= reflect.Complex128 && !encodesItself(t.Elem())
	}
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}

// encodesItself reports whether gob lets a type write its values.
func encodesItself(t reflect.Type) bool {
	for _, by := range []reflect.Type{reflect.TypeFor[gob.GobEncoder](), reflect.TypeFor[encoding.BinaryMarshaler]()} {
		if t.Implements(by) || reflect.PointerTo(t).Implements(by) {
			return true
		}
	}
	return false
}

// boxed returns a struct with v as its only field: gob writes nil pointers, empty maps and interfaces only as fields.
func boxed(v reflect.Value) reflect.Value {
	box := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: v.Type()}})).Elem()
	box.Field(0).Set(v)
	return box
}
