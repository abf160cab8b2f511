package api

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type eventRequest struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"60" doc:"The id of the last event that was received; what came since is sent first"`
	Follow      bool   `query:"follow" default:"true" doc:"false: only what came since the last event"`
}

const (
	// heartbeat keeps the connection alive through proxies, shows the browser
	// that it is, and is when the session is looked at again.
	heartbeat = 15 * time.Second
	// eventTime is how long a listener may take for what is sent to it.
	eventTime = 10 * time.Second
)

// listen registers the stream of events.
func (s *Server) listen(path string, access hospital.Access, summary string) {
	op := s.declare(http.MethodGet, path, access, summary, []option{endless})
	op.Responses = map[string]*huma.Response{"200": {
		Description: "Server-Sent Events, each with a change as its data",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[hospital.Event](), true, "Event")}},
	}}
	huma.Register(s.huma, op, s.events)
}

// events sends what changes as it changes: only what the listener may see, and
// only as long as the session lasts.
func (s *Server) events(ctx context.Context, in *eventRequest) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		_, w := humago.Unwrap(hctx)
		listener := s.DB.Listen(in.LastEventID)
		stream := &eventStream{w: w, control: http.NewResponseController(w), actor: hospital.ActorFrom(ctx)}
		s.metrics.listeners.Inc()
		defer s.metrics.listeners.Dec()
		stream.begin(listener.Position())
		s.follow(hctx.Context(), stream, listener, in.Follow)
	}}, nil
}

// follow passes events on until the listener leaves, is too slow, or may not
// listen any more.
func (s *Server) follow(ctx context.Context, stream *eventStream, listener *store.Listener, on bool) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		events, more := listener.Receive()
		if concerns(events, stream.actor.UserID) && !s.stillHere(ctx, stream) {
			return
		}
		stream.send(events)
		if !on || more == nil || stream.err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-more:
		case <-tick.C:
			if !s.stillHere(ctx, stream) {
				return
			}
			stream.write(": still here\n\n")
		}
	}
}

// concerns tells whether what a listener may hear can have changed; it can, too,
// where something was missed.
func concerns(events []store.NumberedEvent, userID int64) bool {
	return slices.ContainsFunc(events, func(e store.NumberedEvent) bool {
		return e.Kind == hospital.EventRefetch || e.Kind == hospital.EventAccess && (e.Event.ID == 0 || e.Event.ID == userID)
	})
}

// stillHere looks at the session again, and at what it may hear.
func (s *Server) stillHere(ctx context.Context, stream *eventStream) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	session, err := s.DB.SignedIn(ctx, stream.actor.SessionID)
	if err != nil || session.Status != hospital.UserActive {
		return false
	}
	stream.actor.Permissions = session.Actor.Permissions
	return true
}

// eventStream writes Server-Sent Events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	actor   hospital.Actor
	err     error
}

// begin says from where a listener that hears nothing can go on.
func (e *eventStream) begin(place string) {
	// The limits of an ordinary call; each write has its own.
	_ = e.control.SetReadDeadline(time.Time{})
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	if place != "" {
		place = "id: " + place + "\n"
	}
	e.write(place + "retry: 2000\n\n")
}

// send writes what came together at once.
func (e *eventStream) send(events []store.NumberedEvent) {
	var text strings.Builder
	for _, event := range events {
		if event.VisibleTo(e.actor.Permissions) {
			for _, part := range [...]string{"id: ", event.ID, "\nevent: change\ndata: ", event.JSON, "\n\n"} {
				text.WriteString(part)
			}
		}
	}
	if text.Len() > 0 {
		e.write(text.String())
	}
}

// write sends at once. The limit is taken off again: over HTTP/2 it ends the
// stream even while nothing is being written.
func (e *eventStream) write(text string) {
	_ = e.control.SetWriteDeadline(time.Now().Add(eventTime))
	if _, e.err = io.WriteString(e.w, text); e.err == nil {
		e.err = e.control.Flush()
	}
	if e.err == nil {
		_ = e.control.SetWriteDeadline(time.Time{})
	}
}
