package jobs

import (
	"context"
	"slices"
	"time"

	"nadmor/internal/files"
)

const (
	// unusedFor is the minimum age of a deleted file, so that files of running uploads are not deleted.
	unusedFor = 24 * time.Hour
	// filesAtOnce is the number of files looked up in the database at a time.
	filesAtOnce = 250
)

// cleanUpFiles deletes what interrupted uploads left, public images that the settings do not use, and files
// of results that were never recorded. Files are processed in batches, and the lease is renewed in between.
func (r *Runner) cleanUpFiles(ctx context.Context, h *jobLease) error {
	before := r.DB.Now().Add(-unusedFor)
	if err := r.Files.Tidy(ctx, before); err != nil {
		return err
	}
	for _, kind := range []struct {
		files.Kind
		remove func(ctx context.Context, h *jobLease, keys []string) error
	}{{files.Media, r.removeMedia}, {files.Results, r.removeResultFiles}} {
		var old []string
		for info, err := range r.Files.List(ctx, kind.Kind) {
			if err != nil {
				return err
			}
			if err := h.renewLease(ctx); err != nil {
				return err
			}
			if info.ModTime.Before(before) {
				old = append(old, info.Key)
			}
			if len(old) == filesAtOnce {
				if err := kind.remove(ctx, h, old); err != nil {
					return err
				}
				old = old[:0]
			}
		}
		if err := kind.remove(ctx, h, old); err != nil {
			return err
		}
	}
	return nil
}

// removeMedia deletes the images that the settings do not use.
func (r *Runner) removeMedia(ctx context.Context, h *jobLease, keys []string) error {
	setting, err := r.DB.Setting(ctx)
	if err != nil {
		return err
	}
	shown := setting.Images()
	for _, key := range keys {
		if slices.Contains(shown, "/"+key) {
			continue
		}
		// The settings may use it by now, so they are checked again.
		if err := r.DB.RemoveMedia(ctx, "/"+key, func(ctx context.Context) error {
			return r.Files.Delete(ctx, key)
		}); err != nil {
			return err
		}
		if err := h.renewLease(ctx); err != nil {
			return err
		}
	}
	return nil
}

// removeResultFiles deletes the files that belong to no result.
func (r *Runner) removeResultFiles(ctx context.Context, h *jobLease, keys []string) error {
	used, err := r.DB.ResultFilesInUse(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if used[key] {
			continue
		}
		if err := r.Files.Delete(ctx, key); err != nil {
			return err
		}
		if err := h.renewLease(ctx); err != nil {
			return err
		}
	}
	return nil
}
