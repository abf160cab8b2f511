package jobs

import (
	"context"
	"slices"
	"time"

	"nadmor/internal/files"
)

const (
	// unusedFor is how old a file is at least before it is removed, so that an
	// upload on its way is left alone.
	unusedFor = 24 * time.Hour
	// filesAtOnce is how many files the database is asked about at a time.
	filesAtOnce = 250
)

// cleanUpFiles removes what uploads that broke off have left, public pictures
// that the settings do not show (any more), and files of results that
// were never recorded. There may be any number of files: they are looked at some
// at a time, and the job is kept meanwhile.
func (r *Runner) cleanUpFiles(ctx context.Context, h *hold) error {
	before := r.DB.Now().Add(-unusedFor)
	if err := r.Files.Tidy(ctx, before); err != nil {
		return err
	}
	for _, kind := range []struct {
		files.Kind
		remove func(ctx context.Context, h *hold, keys []string) error
	}{{files.Media, r.removeMedia}, {files.Results, r.removeResultFiles}} {
		var old []string
		for info, err := range r.Files.List(ctx, kind.Kind) {
			if err != nil {
				return err
			}
			if err := h.goOn(ctx); err != nil {
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

// removeMedia removes those of some pictures that the settings do not show.
func (r *Runner) removeMedia(ctx context.Context, h *hold, keys []string) error {
	setting, err := r.DB.Setting(ctx)
	if err != nil {
		return err
	}
	shown := setting.Images()
	for _, key := range keys {
		if slices.Contains(shown, "/"+key) {
			continue
		}
		// The settings may show it by now, so they are asked again.
		if err := r.DB.RemoveMedia(ctx, "/"+key, func(ctx context.Context) error {
			return r.Files.Delete(ctx, key)
		}); err != nil {
			return err
		}
		if err := h.goOn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// removeResultFiles removes those of some files that no result has.
func (r *Runner) removeResultFiles(ctx context.Context, h *hold, keys []string) error {
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
		if err := h.goOn(ctx); err != nil {
			return err
		}
	}
	return nil
}
