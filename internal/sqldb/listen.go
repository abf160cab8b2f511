package sqldb

import (
	"context"
	"errors"
	"time"
)

// listenInterval is how long a connection may receive nothing before it is pinged.
const listenInterval = 10 * time.Second

// Listen calls f for each message that a node sends to a channel with Notify. It returns when ctx
// ends or the connection is lost; messages may have been missed then. started is called once the
// channel is subscribed. On SQLite there are no other nodes: Listen only waits for the end of ctx.
func (db *DB) Listen(ctx context.Context, channel string, started func(), f func(message string) error) error {
	pg, ok := db.engine.(postgres)
	if !ok {
		<-ctx.Done()
		return ctx.Err()
	}
	bounded, cancel := context.WithTimeout(ctx, listenInterval)
	defer cancel()
	conn, err := pg.primary.connect(bounded, pg.config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if _, err := conn.Exec(bounded, "LISTEN "+channel); err != nil {
		return err
	}
	started()
	for {
		wait, cancel := context.WithTimeout(ctx, listenInterval)
		n, err := conn.WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
			err = f(n.Payload)
		case ctx.Err() == nil && errors.Is(wait.Err(), context.DeadlineExceeded):
			ping, cancel := context.WithTimeout(ctx, pingTimeout)
			err = conn.Ping(ping)
			cancel()
		}
		if err != nil {
			return err
		}
	}
}

// Notify sends a message to a channel. PostgreSQL limits it to 8,000 bytes.
func (db *DB) Notify(ctx context.Context, channel, message string) error {
	pg, ok := db.engine.(postgres)
	if !ok {
		return nil
	}
	_, err := pg.pool.Exec(ctx, "select pg_notify($1, $2)", channel, message)
	return err
}
