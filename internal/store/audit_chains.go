package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"nadmor/internal/sqldb"
)

// auditChain is one of the chains of the audit log on PostgreSQL, as far as this node knows it.
type auditChain struct {
	number int
	end    head
	known  bool // end was the end when this node wrote to the chain last
}

// auditChains are the chains that no transaction of this node holds: several chains let several
// transactions write entries at once. The one that was returned last is used first, so that a node
// uses few of them, and several nodes different ones, whose ends they know.
type auditChains struct {
	free chan struct{} // as many as there are in list
	mu   sync.Mutex
	list []*auditChain
}

func newAuditChains(n int) *auditChains {
	c := &auditChains{free: make(chan struct{}, n)}
	for _, number := range rand.Perm(n) { //nolint:gosec // only so that nodes start with different ones
		c.list = append(c.list, &auditChain{number: number})
		c.free <- struct{}{}
	}
	return c
}

func (c *auditChains) take(ctx context.Context) (*auditChain, error) {
	select {
	case <-c.free:
	case <-ctx.Done():
		return nil, fmt.Errorf("audit: wait for a chain: %w", ctx.Err())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.list) - 1
	taken := c.list[last]
	c.list = c.list[:last]
	return taken, nil
}

// giveBack returns a chain; one that another node uses is taken last.
func (c *auditChains) giveBack(back *auditChain, shared bool) {
	c.mu.Lock()
	if shared {
		c.list = append([]*auditChain{back}, c.list...)
	} else {
		c.list = append(c.list, back)
	}
	c.mu.Unlock()
	c.free <- struct{}{}
}

// heldChain is the chain that a change uses from its last statements until its commit.
type heldChain struct {
	chains *auditChains
	chain  *auditChain
	end    head // after the commit
	used   bool // by the last attempt
	lock   bool // the end must be read: another node has written to a chain that seemed known
}

// take takes a chain, or the one of an earlier attempt, whose end is then unknown.
func (h *heldChain) take(ctx context.Context) (c *auditChain, err error) {
	if h.chain != nil {
		h.chain.known = false
		return h.chain, nil
	}
	if h.chain, err = h.chains.take(ctx); err == nil && h.lock {
		h.chain.known = false
	}
	return h.chain, err
}

// release returns the chain after a change that ended with err. It reports whether another node has
// written to the chain meanwhile, so that nothing was stored and the change must run again.
func (h *heldChain) release(err error) (again bool) {
	if h.chain == nil {
		return false
	}
	constraint, taken := sqldb.UniqueViolation(err)
	again = taken && constraint == "audit_entries_chain"
	h.chain.end, h.chain.known = h.end, h.used && err == nil
	h.chains.giveBack(h.chain, again)
	return again
}
