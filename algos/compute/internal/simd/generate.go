package simd

//go:generate go run -C ../../gen -tags purego . -dir ../internal/simd
