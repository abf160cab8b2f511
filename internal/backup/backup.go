// Package backup writes all that a hospital has into one archive, and reads it
// back. An archive is a tar file compressed with zstd:
//
//	nadmor.json                   what this is: Header
//	tables/NAME/000001.tsv        rows, as PostgreSQL's COPY writes them, the same for both engines
//	files/results/…, files/media/…  what people uploaded
//	checksums/000001.sha256       of the members before it, as sha256sum writes them
//	manifest.json                 the end: Manifest
//
// It takes the same memory for any size, on the way in and out, and needs no
// place to seek in.
package backup

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/store"
)

const (
	format        = "nadmor backup"
	formatVersion = 1

	headerName   = "nadmor.json"
	manifestName = "manifest.json"
	tableFolder  = "tables/"
	fileFolder   = "files/"
	sumFolder    = "checksums/"

	partSize   = 4 << 20   // of a table's member, about
	sumsSize   = 256 << 10 // of a member of checksums, about
	memberSize = 256 << 20 // what is read into memory is refused beyond
)

// Header is what an archive says about itself before all else.
type Header struct {
	Format        string        `json:"format"`
	FormatVersion int           `json:"formatVersion"`
	Product       string        `json:"product"` // the version that made it
	Engine        string        `json:"engine"`
	Migration     int64         `json:"migration"`
	MadeAt        time.Time     `json:"madeAt"`
	Tables        []store.Shape `json:"tables"`
	KeyID         string        `json:"keyId"`         // tells the installation's key without giving it away
	Key           string        `json:"key,omitempty"` // the key itself, unless it is kept elsewhere
}

// Manifest is the end of an archive: what must have been in it.
type Manifest struct {
	Tables    []TableSum       `json:"tables"`
	Given     map[string]int64 `json:"given"` // the last numbers given to rows
	Files     int64            `json:"files"`
	FileBytes int64            `json:"fileBytes"`
	// Lacking are the files that were missing or damaged where the archive was
	// made: how many, and the first of them.
	Lacking      int64    `json:"lacking"`
	LackingFirst []string `json:"lackingFirst,omitempty"`
	Checksums    []string `json:"checksums"` // of the members that hold checksums
	Seal         string   `json:"seal"`      // of all the above, with the installation's key
}

// TableSum is how much a table had.
type TableSum struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Rows tells how many rows there are in all tables, and how many bytes they take.
func (m Manifest) Rows() (rows, bytes int64) {
	for _, t := range m.Tables {
		rows, bytes = rows+t.Rows, bytes+t.Bytes
	}
	return rows, bytes
}

// seal makes the manifest one that only a holder of the key can have written.
func (m Manifest) seal(secret string) string {
	m.Seal = ""
	return keyed(secret, asJSON(m))
}

// KeyID tells one installation's key from another's.
func KeyID(secret string) string { return keyed(secret, []byte("id"))[:32] }

func keyed(secret string, b []byte) string {
	mac := hmac.New(sha256.New, auth.DeriveKey(secret, "backup"))
	mac.Write(b)
	return hex.EncodeToString(mac.Sum(nil))
}

func asJSON(v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("value cannot be written as JSON: %v", err)) // our own types always can
	}
	return append(b, '\n')
}

func partName(table string, n int) string { return fmt.Sprintf("%s%s/%06d.tsv", tableFolder, table, n) }
func sumName(n int) string                { return fmt.Sprintf("%s%06d.sha256", sumFolder, n) }

// Progress is told how far the work is: what is worked on, and how much of it is
// done.
type Progress func(what string, n, bytes int64)
