package store

import (
	"encoding/json"
	"sync"
)

// parsed remembers what JSON texts of the database mean. The week of a service
// and the settings are read with every booking; parsing them took longer
// than reading them. What a text means never changes, so nothing stale is ever
// used, however many nodes there are.
type parsed[T any] struct {
	start T         // what is not in a text
	copy  func(T) T // so that nobody changes what others are given
	mu    sync.RWMutex
	known map[string]T
}

// maxParsed bounds how many texts are remembered; then it starts over.
const maxParsed = 1000

func (p *parsed[T]) of(text string) (T, error) {
	p.mu.RLock()
	v, ok := p.known[text]
	p.mu.RUnlock()
	if !ok {
		v = p.copy(p.start)
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return v, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.known == nil || len(p.known) >= maxParsed {
			p.known = map[string]T{}
		}
		p.known[text] = v
	}
	return p.copy(v), nil
}
