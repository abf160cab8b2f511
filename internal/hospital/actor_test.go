package hospital

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActorInContext(t *testing.T) {
	t.Parallel()
	nurse := Actor{
		UserID: 7, Name: "กมลชนก", Username: "nurse", Role: "NURSE", Permissions: NewPermissionSet(ResultShow),
		SessionID: "s", Addr: "192.0.2.1", RequestID: "r",
	}
	if d := cmp.Diff(nurse, ActorFrom(WithActor(WithActor(t.Context(), System), nurse))); d != "" {
		t.Error(d)
	}
}

// A missing actor must not have any permission.
func TestContextWithoutActor(t *testing.T) {
	t.Parallel()
	nobody := ActorFrom(context.Background())
	if d := cmp.Diff(Actor{}, nobody); d != "" {
		t.Error(d)
	}
	if Needs(AllPermissions...).Allows(nobody.Permissions) {
		t.Error("nobody may do something")
	}
}

func TestPageOffsetAndEmptyList(t *testing.T) {
	t.Parallel()
	if got := (Page{Page: 3, PageSize: 20}).Offset(); got != 40 {
		t.Errorf("40 rows come before page 3, not %d", got)
	}
	got := NewPaged[int](Page{Page: 2, PageSize: 5}, nil, 5)
	if got.Items == nil {
		t.Error("an empty page is null")
	}
	if d := cmp.Diff(Paged[int]{Items: []int{}, Total: 5, Page: 2, PageSize: 5}, got); d != "" {
		t.Error(d)
	}
}
