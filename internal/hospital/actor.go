package hospital

import "context"

// Actor is who does something, from where, with what rights. The HTTP edge puts
// it into the context once; the store writes it into every audit entry.
type Actor struct {
	UserID      int64
	Name        string
	Username    string
	Role        string // code of the role at this moment
	Permissions PermissionSet
	SessionID   string
	Addr        string // the caller's address
	RequestID   string
}

// System is who acts when no person does: migrations, jobs, the command line.
var System = Actor{Name: "system", Permissions: NewPermissionSet(AllPermissions...)}

type actorKey struct{}

// WithActor returns a context in which a acts.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns who acts. A context without an actor has nobody in it: an
// Actor that may do nothing.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
