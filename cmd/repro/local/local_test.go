package local

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The server of the documentation answers only this machine.
func TestShowDocs(t *testing.T) {
	for host, want := range map[string]int{"127.0.0.1:80": http.StatusOK, "localhost": http.StatusOK, "example.org": http.StatusForbidden} {
		w := httptest.NewRecorder()
		Guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })).ServeHTTP(w, &http.Request{Host: host})
		assert.Equal(t, want, w.Code, host)
	}
	l, err := Listen("docs", 0)
	require.NoError(t, err)
	defer l.Close()
	_, err = Listen("docs", l.Addr().(*net.TCPAddr).Port)
	assert.ErrorContains(t, err, "choose another port with --port")
}
