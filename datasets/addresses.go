//go:build !js

package datasets

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"repro/datasets/formats"
)

// An Answer is what an address says of its file, which was not loaded.
type Answer struct {
	RemoteFile
	URL   string
	Bytes int64 // that the file has there, -1 if the server does not say
	Err   error // why the file cannot be downloaded from there; nil if it can
}

// Ask asks every address of the files of a source for their sizes, the mirror's first. It has none for data that is generated or brought.
func (l *Library) Ask(ctx context.Context, name string) ([]Answer, error) {
	s, err := lookup(name)
	if err != nil || s.Bring != "" {
		return nil, err
	}
	return l.ask(ctx, s)
}

func (l *Library) ask(ctx context.Context, s *Source) (all []Answer, err error) {
	for _, f := range s.Files {
		for _, url := range l.addresses(s, &f) {
			a := Answer{RemoteFile: f, URL: url}
			a.Bytes, a.Err = l.size(ctx, url)
			least, most := s.sizes(&f)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case a.Err == nil && f.Bytes > 0 && a.Bytes >= 0 && a.Bytes != f.Bytes:
				a.Err = fmt.Errorf("it has %d bytes there, not %d: another file, or a page", a.Bytes, f.Bytes)
			case a.Err == nil && a.Bytes >= 0 && (a.Bytes < least || a.Bytes > most):
				a.Err = fmt.Errorf("it has %s there, and its rows take %s to %s: another file, or a page", formats.Size(a.Bytes), formats.Size(least), formats.Size(most))
			}
			all = append(all, a)
		}
	}
	return all, nil
}

// size asks for the length of what is at an address: by HEAD or, where that is not answered, by the first byte; -1 if nobody says.
func (l *Library) size(ctx context.Context, url string) (bytes int64, err error) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		req, e := http.NewRequestWithContext(ctx, method, url, nil)
		if e != nil {
			return -1, e
		}
		req.Header.Set("User-Agent", "repro")
		req.Header.Set("Accept-Encoding", "identity")
		if method == http.MethodGet {
			req.Header.Set("Range", "bytes=0-0")
		}
		resp, e := l.httpClient().Do(req)
		if e != nil {
			return -1, e
		}
		_, total, ranged := strings.Cut(resp.Header.Get("Content-Range"), "/")
		n, e := strconv.ParseInt(total, 10, 64)
		io.CopyN(io.Discard, resp.Body, 1)
		resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusPartialContent && ranged && e == nil:
			return n, nil
		case resp.StatusCode < 300 && (resp.ContentLength > 0 || method == http.MethodGet):
			return resp.ContentLength, nil
		}
		err = fmt.Errorf("the server answers %s", resp.Status)
	}
	return -1, err
}
