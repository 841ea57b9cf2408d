package datasets

import (
	"context"
	"errors"

	"repro/datasets/formats"
)

// verifyContent compares the digests of a file that was read to its end with those of f. Its error wraps ErrChecksum.
func verifyContent(c *formats.Content, f *RemoteFile) error {
	of, what := c.Inside, "uncompressed content"
	if f.Packed {
		of, what = c.AsIs, "file as downloaded"
	}
	sha, md := of.Hex()
	for _, d := range []struct{ kind, got, want string }{{"sha256", sha, f.SHA256}, {"md5", md, f.MD5}} {
		if d.want != "" && d.got != d.want {
			return formats.Faultf(ErrChecksum, "%s is not %s: %s of its %s is %s, want %s",
				c.Path, f.is(), d.kind, what, d.got, d.want)
		}
	}
	return nil
}

// hashFile reads the whole of path and compares it with f. Compressed data that cannot be read has
// a wrong checksum.
func hashFile(ctx context.Context, path string, f *RemoteFile) error {
	c, err := drain(ctx, path, f)
	if err != nil {
		return err
	}
	return verifyContent(c, f)
}

// hashAsIs returns the sha256 of the file at path as it is, which must be readable to its end.
func hashAsIs(ctx context.Context, path string, f *RemoteFile) (string, error) {
	c, err := drain(ctx, path, f)
	if err != nil {
		return "", err
	}
	sha, _ := c.AsIs.Hex()
	return sha, nil
}

// drain reads the whole of path, for its digests.
func drain(ctx context.Context, path string, f *RemoteFile) (*formats.Content, error) {
	c, err := formats.Open(ctx, path, f.bound())
	if errors.Is(err, formats.ErrFormat) {
		return nil, unreadable(path, f, err)
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err = c.Drain(); err != nil && ctx.Err() == nil {
		return nil, unreadable(path, f, err)
	}
	return c, ctx.Err()
}

func unreadable(path string, f *RemoteFile, err error) error {
	return formats.Faultf(ErrChecksum, "%s is not %s: it cannot be read to its end: %w", path, f.is(), err)
}

// is says which file a checksum is of.
func (f *RemoteFile) is() string {
	if f.since != "" {
		return "the " + f.Name + " first downloaded on " + f.since
	}
	return "the canonical " + f.Name
}
