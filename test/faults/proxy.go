package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// The modes of a gate.
const (
	gateOpen   = iota
	gateShut   // closes all connections
	gateSilent // reads but never answers
	gateSlow   // delays every chunk
)

// gate is a proxy in front of a server that can be blocked.
type gate struct {
	addr   string
	mu     sync.Mutex
	mode   int
	change chan struct{} // closed with every change
	all    map[net.Conn]bool
	close  func() error
}

// newGate opens a gate in front of a server.
func newGate(ctx context.Context, before string) (*gate, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{
		addr: listener.Addr().String(), change: make(chan struct{}), all: map[net.Conn]bool{}, close: listener.Close,
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go g.through(ctx, conn, before)
		}
	}()
	return g, nil
}

// set changes the mode.
func (g *gate) set(mode int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode = mode
	close(g.change)
	g.change = make(chan struct{})
	if mode == gateShut {
		for conn := range g.all {
			_ = conn.Close() // ends both directions
		}
	}
}

// pass waits until a chunk may pass. It returns false if the connection ends.
func (g *gate) pass(ctx context.Context) bool {
	for {
		g.mu.Lock()
		mode, change := g.mode, g.change
		g.mu.Unlock()
		switch mode {
		case gateOpen:
			return true
		case gateSlow:
			pause(ctx, 100*time.Millisecond)
			return ctx.Err() == nil
		case gateShut:
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-change:
		}
	}
}

func (g *gate) through(ctx context.Context, conn net.Conn, before string) {
	g.keep(conn)
	defer g.drop(conn)
	if !g.pass(ctx) {
		return
	}
	server, err := new(net.Dialer).DialContext(ctx, "tcp", before)
	if err != nil {
		return
	}
	g.keep(server)
	defer g.drop(server)
	var both sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{conn: server, server: conn} {
		both.Go(func() {
			defer func() { _ = errors.Join(conn.Close(), server.Close()) }()
			for piece := make([]byte, 32<<10); ; {
				n, err := from.Read(piece)
				if n > 0 && !g.pass(ctx) {
					return
				}
				if _, failed := to.Write(piece[:n]); failed != nil || err != nil {
					return
				}
			}
		})
	}
	both.Wait()
}

func (g *gate) keep(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[conn] = true
}

func (g *gate) drop(conn net.Conn) {
	_ = conn.Close() // may be closed already
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, conn)
}
