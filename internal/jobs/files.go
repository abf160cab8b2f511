package jobs

import (
	"context"
	"time"

	"nadmor/internal/files"
)

// unusedFor is how old a file is at least before it is removed, so that an
// upload on its way is left alone.
const unusedFor = 24 * time.Hour

// cleanUpFiles removes what uploads that broke off have left, public pictures
// that the settings do not show (any more), and files of results that
// were never recorded.
func (r *Runner) cleanUpFiles(ctx context.Context) error {
	before := r.DB.Now().Add(-unusedFor)
	if err := r.Files.Tidy(ctx, before); err != nil {
		return err
	}
	for kind, remove := range map[files.Kind]func(ctx context.Context, key string, remove func(context.Context) error) error{
		files.Media: func(ctx context.Context, key string, remove func(context.Context) error) error {
			return r.DB.RemoveMedia(ctx, "/"+key, remove)
		},
		files.Results: r.DB.RemoveResultFile,
	} {
		var old []string
		for info, err := range r.Files.List(ctx, kind) {
			if err != nil {
				return err
			}
			if info.ModTime.Before(before) {
				old = append(old, info.Key)
			}
		}
		for _, key := range old {
			if err := remove(ctx, key, func(ctx context.Context) error { return r.Files.Delete(ctx, key) }); err != nil {
				return err
			}
		}
	}
	return nil
}
