package store

import (
	"context"
	"math/rand/v2"
	"sync"
)

// lane is one of the chains of the audit log, as far as this node knows it.
type lane struct {
	number int
	end    head
	known  bool // it ended there when this node wrote to it last
}

// lanes are those that no transaction of this node holds. The one that was given
// back last is taken first: so a node keeps to a few, and several nodes to
// different ones, which each of them knows the ends of.
type lanes struct {
	free chan struct{} // as many as there are
	mu   sync.Mutex
	list []*lane
}

func newLanes(n int) *lanes {
	l := &lanes{free: make(chan struct{}, n)}
	for _, number := range rand.Perm(n) { //nolint:gosec // only so that other nodes begin elsewhere
		l.list = append(l.list, &lane{number: number})
		l.free <- struct{}{}
	}
	return l
}

func (l *lanes) take(ctx context.Context) (*lane, error) {
	select {
	case <-l.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.list) - 1
	taken := l.list[last]
	l.list = l.list[:last]
	return taken, nil
}

// giveBack returns a lane; one that another node uses is taken last.
func (l *lanes) giveBack(back *lane, shared bool) {
	l.mu.Lock()
	if shared {
		l.list = append([]*lane{back}, l.list...)
	} else {
		l.list = append(l.list, back)
	}
	l.mu.Unlock()
	l.free <- struct{}{}
}
