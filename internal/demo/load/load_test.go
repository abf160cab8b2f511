package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A panic in the preparing goroutine is raised in the caller.
func TestPanicDuringLoad(t *testing.T) {
	t.Parallel()
	defer func() {
		if p := recover(); !strings.Contains(fmt.Sprint(p), "a test panic") {
			t.Errorf("recovered %v", p)
		}
	}()
	for range chunks(t.Context(), slices.Values([]int{1, 2, 3}), 1, func([]int) int { panic("a test panic") }) {
		continue
	}
}
