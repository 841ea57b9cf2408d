//go:build !unix

package files

// nonblocking has no counterpart here; OpenRegular looks at the path before it opens it.
const nonblocking = 0
