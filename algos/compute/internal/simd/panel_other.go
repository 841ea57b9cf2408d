//go:build !amd64 || purego

package simd

func panelsOf[T Float]() *panelSet[T] { return nil }
