package hospital

import "context"

// Actor identifies the caller of an operation and holds their permissions. The HTTP layer stores it in the
// request's context; the store writes it into every audit entry.
type Actor struct {
	UserID      int64
	Name        string
	Username    string
	Role        string // code of the role when the request started
	Permissions PermissionSet
	SessionID   string
	Addr        string // the caller's address
	RequestID   string
}

// System is the actor of migrations, jobs and the command line.
var System = Actor{Name: "system", Permissions: NewPermissionSet(AllPermissions...)}

type actorKey struct{}

// WithActor returns a copy of ctx that carries a.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns the actor of ctx, or the zero Actor, which has no permissions.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
