package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"nadmor/internal/sqldb"
)

// auditChain is this node's view of a chain of the audit log on PostgreSQL.
type auditChain struct {
	number int
	end    head
	known  bool // end is where this node ended its last write to the chain
}

// auditChains is the pool of chains that no transaction of this node holds. With several chains,
// several transactions can write entries at once. The chain returned last is used first, so that a
// node uses few chains, and several nodes use different ones, whose ends they know.
type auditChains struct {
	free chan struct{} // one value for each chain in list
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

// put returns a chain to the pool. A chain that another node uses too is taken last.
func (c *auditChains) put(chain *auditChain, shared bool) {
	c.mu.Lock()
	if shared {
		c.list = append([]*auditChain{chain}, c.list...)
	} else {
		c.list = append(c.list, chain)
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
	lock   bool // the end must be read, because another node has written to the chain
}

// take takes a chain from the pool. A later attempt keeps the chain, whose end is then unknown.
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

// release returns the chain to the pool after a change that ended with err. It reports whether the
// change must run again: nothing was stored, because another node has written to the chain meanwhile.
func (h *heldChain) release(err error) (again bool) {
	if h.chain == nil {
		return false
	}
	constraint, taken := sqldb.UniqueViolation(err)
	again = taken && constraint == "audit_entries_chain"
	h.chain.end, h.chain.known = h.end, h.used && err == nil
	h.chains.put(h.chain, again)
	return again
}
