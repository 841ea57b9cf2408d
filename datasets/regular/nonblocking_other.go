//go:build !unix

package regular

// nonblocking has no counterpart here; Open looks at the path before it opens it.
const nonblocking = 0
