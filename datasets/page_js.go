package datasets

import (
	"context"

	"repro/datasets/formats"
	"repro/results/files"
)

// memoryLimits ask for nothing: a browser tells a page no memory.
var memoryLimits []func() (uint64, error)

// client is what asks for files: a page has none, so that a spec of others reaches nothing.
type client struct{}

// download says that a page downloads nothing.
func (l *Library) download(_ context.Context, s *Source, f *RemoteFile, _ files.Lock, _ Progress) error {
	return formats.Faultf(ErrMissing, "%s: a page downloads nothing: drop %s onto it", s.Name, f.Name)
}
