package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// auditRow is an entry in its chain. The changes are in the text that was stored, because that is
// what the hash covers.
type auditRow struct {
	hospital.AuditEntry
	chain   int
	seq     int64
	changes string
	hash    string
	// redacted is the hash of the fields that an erasure has left; empty if the entry was not redacted.
	redacted string
}

// hashAfter returns the hash of the row, which includes the hash of the previous row. Every field is
// hashed with its length, so that text cannot be moved between fields.
func (r auditRow) hashAfter(key []byte, previous string) string {
	actor := ""
	if r.ActorID != nil {
		actor = strconv.FormatInt(*r.ActorID, 10)
	}
	return keyedHash(key, previous, strconv.Itoa(r.chain), strconv.FormatInt(r.seq, 10),
		strconv.FormatInt(ms(r.At), 10), actor, r.ActorName, r.Addr, r.RequestID, r.Action, r.Entity, r.EntityID,
		r.Subject, string(r.Outcome), r.changes, r.Reason)
}

// fault describes what is wrong with a row after the previous hash, or returns an empty text. The hash of a
// redacted row does not match its fields: it is valid if its redacted hash does, and if a later entry
// records the redaction. erasedAt is the result of redactions.
func (r auditRow) fault(key []byte, previous string, erasedAt map[string]time.Time) string {
	switch erased, recorded := erasedAt[r.position()]; {
	case r.redacted == "" && r.hashAfter(key, previous) != r.hash:
		return "was edited or moved"
	case r.redacted != "" && r.redaction(key) != r.redacted:
		return "was edited or moved after personal data was taken out"
	case r.redacted != "" && (!recorded || erased.Before(r.At)):
		return "was redacted, and no entry says why"
	}
	return ""
}

func seal(key []byte, chain int, seq int64, hash string) string {
	return keyedHash(key, "lane", strconv.Itoa(chain), strconv.FormatInt(seq, 10), hash)
}

func keyedHash(key []byte, parts ...string) string {
	var text []byte
	for _, p := range parts {
		text = strconv.AppendInt(text, int64(len(p)), 10)
		text = append(text, ':')
		text = append(text, p...)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

// AuditFault is an inconsistency of the audit log.
type AuditFault struct {
	Chain int
	Seq   int64
	Fault string
}

// VerifyAudit reads every chain and returns the entries that were edited, moved or removed, and the
// number of entries that it read.
func (db *DB) VerifyAudit(ctx context.Context) (read int64, faults []AuditFault, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		read, faults, err = tx.verifyAudit()
		return err
	})
	return read, faults, err
}

func (tx *Tx) verifyAudit() (read int64, faults []AuditFault, err error) {
	type chain struct {
		number int
		end    head
		seal   string
	}
	rows := tx.All(`SELECT lane, seq, hash, seal FROM audit_lanes ORDER BY lane`)
	chains, err := sqldb.Collect(rows, func(scan sqldb.Scan) (c chain, err error) {
		err = scan(&c.number, &c.end.seq, &c.end.hash, &c.seal)
		return c, err
	})
	if err != nil {
		return 0, nil, err
	}
	expected, err := tx.expectedChains()
	if err != nil {
		return 0, nil, err
	}
	if len(chains) != expected {
		fault := fmt.Sprintf("%d chains instead of %d: a chain was removed or added", len(chains), expected)
		faults = append(faults, AuditFault{Fault: fault})
	}
	erasedAt, err := tx.redactions()
	if err != nil {
		return 0, nil, err
	}
	for _, c := range chains {
		n, found, err := tx.verifyChain(c.number, c.end, erasedAt)
		if err != nil {
			return read, faults, err
		}
		read += n
		faults = append(faults, found...)
		if c.end.seq > 0 && c.seal != seal(tx.db.auditKey, c.number, c.end.seq, c.end.hash) {
			faults = append(faults, AuditFault{c.number, c.end.seq, "the end of the chain was edited"})
		}
	}
	return read, faults, nil
}

func (tx *Tx) verifyChain(chain int, end head, erasedAt map[string]time.Time) (
	read int64, faults []AuditFault, err error,
) {
	previous, expect := "", int64(1)
	err = tx.Stream(func(scan sqldb.Scan) error {
		r, err := scanAudit(scan)
		if err != nil {
			return err
		}
		read++
		for ; expect < r.seq; expect++ {
			faults = append(faults, AuditFault{chain, expect, "the entry was removed"})
		}
		if fault := r.fault(tx.db.auditKey, previous, erasedAt); fault != "" {
			fault = fmt.Sprintf("entry %d (%s %s %s) %s", r.ID, r.Action, r.Entity, r.EntityID, fault)
			faults = append(faults, AuditFault{chain, r.seq, fault})
		}
		previous, expect = r.hash, r.seq+1
		return nil
	}, auditSelect+`WHERE lane = $1 AND seq <= $2 ORDER BY seq`, chain, end.seq)
	if err != nil {
		return read, faults, err
	}
	for ; expect <= end.seq; expect++ {
		faults = append(faults, AuditFault{chain, expect, "the entry was cut off the end"})
	}
	if len(faults) == 0 && previous != end.hash {
		faults = append(faults, AuditFault{chain, end.seq, "the last entry is not the one that was written last"})
	}
	return read, faults, nil
}
