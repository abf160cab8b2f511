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
	LastEventID string `header:"Last-Event-ID" maxLength:"60" doc:"Id of the last received event; later ones are sent first"`
	Follow      bool   `query:"follow" default:"true" doc:"false ends the stream after the events since Last-Event-ID"`
}

const (
	// heartbeat is the interval of messages that keep the connection open through proxies. The session is
	// checked at the same interval.
	heartbeat = 15 * time.Second
	// eventTime is the write timeout of an event.
	eventTime = 10 * time.Second
)

// listen registers the event stream.
func (s *Server) listen(path string, access hospital.Access, summary string) {
	op := s.declare(http.MethodGet, path, access, summary, []option{noTimeLimit})
	op.Responses = map[string]*huma.Response{"200": {
		Description: "Server-Sent Events with changes as data",
		Content: map[string]*huma.MediaType{
			"text/event-stream": {
				Schema: s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[hospital.Event](), true, "Event"),
			},
		},
	}}
	huma.Register(s.huma, op, s.events)
}

// events streams the events that the caller may see, as long as the session is valid.
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

// follow sends events until the client disconnects, is too slow, or its session ends.
func (s *Server) follow(ctx context.Context, stream *eventStream, listener *store.Listener, on bool) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		events, more := listener.Receive()
		if concerns(events, stream.actor.UserID) && !s.checkSession(ctx, stream) {
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
			if !s.checkSession(ctx, stream) {
				return
			}
			stream.write(": still here\n\n")
		}
	}
}

// concerns reports whether the events may change what a user can see. Missed events may.
func concerns(events []store.NumberedEvent, userID int64) bool {
	return slices.ContainsFunc(events, func(e store.NumberedEvent) bool {
		return e.Kind == hospital.EventRefetch || e.Kind == hospital.EventAccess && (e.Event.ID == 0 || e.Event.ID == userID)
	})
}

// checkSession checks the session again and updates its permissions.
func (s *Server) checkSession(ctx context.Context, stream *eventStream) bool {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
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

// begin starts the stream and sends the id of the current event, from which the client can resume.
func (e *eventStream) begin(lastID string) {
	// Removes the deadlines of ordinary requests; each write has its own.
	_ = e.control.SetReadDeadline(time.Time{})
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	if lastID != "" {
		lastID = "id: " + lastID + "\n"
	}
	e.write(lastID + "retry: 2000\n\n")
}

// send writes several events at once.
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

// write sends a text with a deadline, and then clears it: over HTTP/2 a deadline ends the stream even if
// nothing is being written.
func (e *eventStream) write(text string) {
	_ = e.control.SetWriteDeadline(time.Now().Add(eventTime))
	if _, e.err = io.WriteString(e.w, text); e.err == nil {
		e.err = e.control.Flush()
	}
	if e.err == nil {
		_ = e.control.SetWriteDeadline(time.Time{})
	}
}
