package store

import (
	"encoding/json"
	"sync"
)

// jsonCache keeps the decoded form of JSON texts in the database: the schedules of services and the
// settings are read with every booking, and decoding them takes longer than reading them. An entry
// never becomes invalid, on any node, because its key is the text itself.
type jsonCache[T any] struct {
	start T         // values of fields that are not in a text
	copy  func(T) T // so that callers cannot change the cached value
	mu    sync.RWMutex
	known map[string]T
}

// maxCachedTexts bounds the cache; then it starts again.
const maxCachedTexts = 1000

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
