package store

import "fmt"

// keeping marks a question whose answer changes a few times a year and is asked
// for with every booking: the rules of the hospital. SQLite's writer remembers
// such an answer, in into, until one of the tables it is from is written to. It
// sees every such statement of this process, and notices the commits of others.
// What into holds is shared then: it is only read.
func keeping[T any](q question, into *T) question {
	q.keep, q.use = func() any { return *into }, func(v any) { *into = v.(T) }
	return q
}

// keptKey tells what was asked.
type keptKey struct {
	query string
	args  [2]any
}

func (q question) key() (k keptKey) {
	k.query = q.query
	if len(q.args) > len(k.args) {
		panic(fmt.Sprintf("%s: too many arguments for an answer that is kept", q.what))
	}
	copy(k.args[:], q.args)
	return k
}

// maxKept bounds how many answers are remembered; then it starts over.
const maxKept = 1000

// keptAnswers are those that SQLite's writer remembers. Whoever has the turn uses
// them; nil remembers nothing.
type keptAnswers struct {
	known   map[keptKey]any
	version int64 // of the database, as others have written it
	touched bool  // the open transaction writes rules: it may yet be undone, so nothing is kept until its end
}

// answer answers a question with what was remembered.
func (k *keptAnswers) answer(q question) bool {
	if k == nil || q.keep == nil || k.touched {
		return false
	}
	v, ok := k.known[q.key()]
	if ok {
		q.use(v)
	}
	return ok
}

// remember keeps the answer to a question, if it is of that kind.
func (k *keptAnswers) remember(q question) {
	if k == nil || q.keep == nil || k.touched {
		return
	}
	if k.known == nil || len(k.known) >= maxKept {
		k.known = map[keptKey]any{}
	}
	k.known[q.key()] = q.keep()
}

// begun is told the version of the database at the beginning of a transaction: it
// is another one when somebody else has written.
func (k *keptAnswers) begun(version int64) {
	if version != k.version {
		k.known, k.version = nil, version
	}
}
