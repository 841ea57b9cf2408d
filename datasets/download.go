//go:build !js

package datasets

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"repro/datasets/formats"
	"repro/results/files"
)

// client is what asks for files.
type client = http.Client

func (l *Library) httpClient() *http.Client {
	c := *defaultClient
	if l.client != nil {
		c = *l.client
	}
	c.CheckRedirect = followSafely
	return &c
}

var defaultClient = &http.Client{Transport: newTransport()}

// newTransport returns a transport that also opens files, for mirrors that are folders.
func newTransport() *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: 60 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	t.RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	return t
}

// download gets one file from the first of its addresses that has it. The caller holds the lock of the file.
func (l *Library) download(ctx context.Context, s *Source, f *RemoteFile, lock files.Lock, progress Progress) error {
	path := l.cachePath(s.folder(), f.Name)
	known, err := l.trusted(path, *f)
	if err != nil {
		return err
	}
	var failure error
	for _, url := range l.addresses(s, f) {
		d := &transfer{lib: l, url: url, part: path + ".part", file: &known, source: s, progress: progress}
		err := d.get(ctx)
		if err == nil && !known.checksummed() {
			err = l.remember(d.part, path, url, d.sha)
		}
		if err == nil {
			err = lock.Lost()
		}
		if err == nil {
			return l.install(d.part, path)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failure != nil {
			err = fmt.Errorf("%w; %w", failure, err)
		}
		failure = err
	}
	if errors.Is(failure, ErrChecksum) {
		return fmt.Errorf("%s: what was downloaded is not the file and was removed: %w; try again later, %s", s.Name, failure, l.byHand(s, f))
	}
	return formats.Faultf(ErrMissing, "%s: %s cannot be downloaded: %w; try again later, %s", s.Name, f.Name, failure, l.byHand(s, f))
}

// addresses returns where a file can be downloaded: from the mirror first.
func (l *Library) addresses(s *Source, f *RemoteFile) []string {
	if l.Mirror == "" {
		return f.URLs
	}
	at := l.Mirror
	if !strings.Contains(at, "://") {
		at = (&url.URL{Scheme: "file", Path: filepath.ToSlash(at)}).String()
	}
	return append([]string{strings.TrimSuffix(at, "/") + "/" + url.PathEscape(s.folder()) + "/" + url.PathEscape(f.Name)}, f.URLs...)
}

// install gives a verified download its name.
func (l *Library) install(part, path string) error {
	if err := files.Rename(filepath.Dir(path), part, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	l.setVerified(path, stamp{info.Size(), info.ModTime()})
	return nil
}

// A transfer is the download of one address to a partial file.
type transfer struct {
	lib      *Library
	url      string
	part     string
	file     *RemoteFile
	source   *Source
	progress Progress
	sha      string // of what arrived, if no checksum of it is known
}

const (
	attempts   = 4
	firstPause = time.Second / 2
	rateWindow = time.Minute // that the rate is the mean over
	minRate    = 1000        // bytes a second
)

// errTemporary marks failures that may pass.
var errTemporary = errors.New("temporary")

// get downloads and verifies the file. A partial file left by an earlier download is continued; if
// the result has a wrong checksum the download starts again from nothing, once.
func (t *transfer) get(ctx context.Context) error {
	for {
		resumed, err := t.retry(ctx)
		if err == nil {
			err = t.checkArrived(ctx, t.part)
		}
		if !errors.Is(err, ErrChecksum) {
			return err
		}
		if e := os.Remove(t.part); e != nil {
			return e
		}
		if !resumed {
			return fmt.Errorf("%s: %w", t.url, err)
		}
		t.lib.logf("%s: the download that was continued has a wrong checksum, starting again", t.file.Name)
	}
}

// checkArrived returns an error that wraps ErrChecksum if the download at path is not the file. A file with a checksum is
// what that says; of another, the size, the first rows and, to its end, the compression must be right.
func (t *transfer) checkArrived(ctx context.Context, path string) error {
	if t.file.checksummed() {
		return hashFile(ctx, path, t.file)
	}
	least, most := t.source.sizes(t.file)
	if n := partSize(path); n < least || n > most {
		return formats.Faultf(ErrChecksum, "%s has %s, and %d rows of %d numbers take %s to %s", t.file.Name, formats.Size(n),
			t.file.Rows, t.source.Dims+1, formats.Size(least), formats.Size(most))
	}
	err := t.source.checkRows(ctx, path, t.file)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return formats.Faultf(ErrChecksum, "%s does not hold what it should: %w", t.file.Name, err)
	}
	t.sha, err = hashAsIs(ctx, path, t.file)
	return err
}

// retry downloads the file, pausing before each further attempt after a temporary failure. It
// reports whether bytes of an earlier call went into the result.
func (t *transfer) retry(ctx context.Context) (resumed bool, err error) {
	pause := cmp.Or(t.lib.pause, firstPause)
	before := partSize(t.part)
	for try := 1; ; try++ {
		kept, err := t.attempt(ctx)
		if !kept {
			before = 0
		}
		if err == nil || try == attempts || !errors.Is(err, errTemporary) || ctx.Err() != nil {
			return before > 0, err
		}
		t.lib.logf("%v; trying again in %v", err, pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return before > 0, ctx.Err()
		}
		pause *= 2
	}
}

func partSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt asks once for what the partial file lacks. It reports whether what was there was kept.
func (t *transfer) attempt(ctx context.Context) (kept bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	have := partSize(t.part)
	resp, err := t.request(ctx, have)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		have = 0
	case code == http.StatusPartialContent && have > 0:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return false, t.restart("the server sent another part of the file than asked for")
		}
	case code == http.StatusRequestedRangeNotSatisfiable && have > 0:
		if resp.Header.Get("Content-Range") == fmt.Sprintf("bytes */%d", have) {
			return true, nil // it was complete already
		}
		return false, t.restart("the partial file is longer than the server's")
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return true, fmt.Errorf("%s: the server answers %s (%w)", t.url, resp.Status, errTemporary)
	default:
		return true, fmt.Errorf("%s: the server answers %s", t.url, resp.Status)
	}
	b := &incoming{transfer: t, ctx: ctx, resp: resp, have: have, total: t.file.Bytes}
	if resp.ContentLength >= 0 {
		b.total = have + resp.ContentLength
	}
	go b.watch(cancel)
	return have > 0, b.save()
}

func (t *transfer) request(ctx context.Context, have int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "repro")
	req.Header.Set("Accept-Encoding", "identity") // the bytes as they are
	if have > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	resp, err := t.lib.httpClient().Do(req)
	if errors.Is(err, errRedirect) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", err, errTemporary)
	}
	return resp, nil
}

// errRedirect marks a redirect that is not followed.
var errRedirect = errors.New("the redirect is not followed")

// followSafely refuses redirects from https to anything else.
func followSafely(req *http.Request, via []*http.Request) error {
	switch last := via[len(via)-1].URL; {
	case req.URL.Scheme == "file":
		return fmt.Errorf("%w: it leads from %s to a file of this machine", errRedirect, last)
	case last.Scheme == "https" && req.URL.Scheme != "https":
		return fmt.Errorf("%w: it leads from %s to %s, which anyone on the way could change", errRedirect, last, req.URL)
	case len(via) >= 10:
		return fmt.Errorf("%w: it is the tenth", errRedirect)
	}
	return nil
}

// restart removes the partial file, so that the next attempt asks for all of it.
func (t *transfer) restart(why string) error {
	if err := os.Remove(t.part); err != nil {
		return err
	}
	return fmt.Errorf("%s: %s (%w)", t.url, why, errTemporary)
}

// save writes the body after the bytes that the partial file has and puts it on the disk.
func (b *incoming) save() error {
	out, err := os.OpenFile(b.part, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := out.Truncate(b.have); err != nil {
		return err
	}
	if _, err := out.Seek(b.have, io.SeekStart); err != nil {
		return err
	}
	if err := b.bounded(b.total); err != nil {
		return err
	}
	in := bufio.NewReaderSize(b, 1<<16)
	if b.have == 0 {
		head, err := in.Peek(headBytes)
		if err != nil && err != io.EOF {
			return err
		}
		if err := b.file.checkHead(head); err != nil {
			return err
		}
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	return out.Close()
}

// An incoming body is what a server sends, within bounds of its length and its rate.
type incoming struct {
	*transfer
	ctx         context.Context
	resp        *http.Response
	have, total int64        // bytes on this machine, and of the whole file, 0 if unknown
	came        atomic.Int64 // bytes since the watch last looked
}

func (b *incoming) Read(p []byte) (int, error) {
	n, err := b.resp.Body.Read(p)
	if n > 0 {
		b.came.Add(int64(n))
		b.have += int64(n)
		b.progress(b.file.Name, b.have, b.total)
	}
	if e := b.bounded(b.have); e != nil {
		return n, e
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	if cause := context.Cause(b.ctx); cause != nil {
		err = cause
	}
	return n, fmt.Errorf("%s: the download broke off after %d bytes: %w (%w)", b.url, b.have, err, errTemporary)
}

// bounded returns an error if n bytes are more than the file can have.
func (b *incoming) bounded(n int64) error {
	_, most := b.source.sizes(b.file)
	switch {
	case n <= most:
		return nil
	case b.file.Bytes > 0:
		return formats.Faultf(ErrChecksum, "there are more than the %d bytes of %s", most, b.file.Name)
	}
	return formats.Faultf(ErrChecksum, "there are more than the %s that %d rows of %d numbers can take in %s", formats.Size(most), b.file.Rows, b.source.Dims+1, b.file.Name)
}

// watch cancels the download if less than minRate bytes a second came in a rateWindow.
func (b *incoming) watch(cancel context.CancelCauseFunc) {
	window := cmp.Or(b.lib.window, rateWindow)
	t := time.NewTicker(window)
	defer t.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-t.C:
		}
		if n := b.came.Swap(0); float64(n) < minRate*window.Seconds() {
			cancel(fmt.Errorf("%s came in %v, and less than %s a second is too slow", formats.Size(n), window, formats.Size(minRate)))
		}
	}
}
