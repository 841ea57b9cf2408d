//go:build !unix

package regular

// Nonblocking has no counterpart here; Open looks at the path before it opens it.
const Nonblocking = 0
