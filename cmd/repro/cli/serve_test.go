package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command prints its address and ends without an error when it is interrupted.
func TestServe(t *testing.T) {
	workplace(t)
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr watched
	status := make(chan int)
	go func() { status <- Run(ctx, &stdout, &stderr, []string{"serve"}) }()
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "http://127.0.0.1:") }, 10*time.Second, 5*time.Millisecond)
	cancel()
	assert.Zero(t, <-status, stderr.String())
	assert.NoDirExists(t, "out")
	write(t, "notes", "")
	assert.Contains(t, repro(t, "serve", "notes").errors, "serve: notes is a file; give the output folder of a run")
	assert.Contains(t, repro(t, "serve", "out", "notes").errors, "serve: out, notes are 2 folders; serve one")
}
