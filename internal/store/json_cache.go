package store

import (
	"encoding/json"
	"sync"
)

// jsonCache caches decoded JSON texts: the schedules of services and the settings are read with every
// booking, and decoding them takes longer than reading them. Entries never become invalid, because the
// key is the text itself.
type jsonCache[T any] struct {
	start T         // values of fields that a text does not contain
	copy  func(T) T // copies a cached value, so that callers cannot change it
	mu    sync.RWMutex
	known map[string]T
}

// maxCachedTexts bounds the cache. It is emptied when it is full.
const maxCachedTexts = 1000

// of returns the value of a text.
func (c *jsonCache[T]) of(text string) (T, error) {
	c.mu.RLock()
	v, ok := c.known[text]
	c.mu.RUnlock()
	if !ok {
		v = c.copy(c.start)
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return v, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known == nil || len(c.known) >= maxCachedTexts {
			c.known = map[string]T{}
		}
		c.known[text] = v
	}
	return c.copy(v), nil
}
