package files

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"testing"
)

// Not parallel: it blocks the decoding of other images.
func TestCleanImageCancelled(t *testing.T) {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	decoding <- struct{}{}
	defer func() { <-decoding }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CleanImage(ctx, file.Bytes(), 10, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
