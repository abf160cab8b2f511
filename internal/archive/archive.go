// Package archive writes a hospital's database and files into one archive, restores them from it, and
// verifies them. An archive is a tar file compressed with zstd:
//
//	nadmor.json                   Header
//	tables/NAME/000001.tsv        rows in the format of PostgreSQL's COPY, for both engines
//	files/results/…, files/media/…  uploaded files
//	checksums/000001.sha256       of the members before it, in the format of sha256sum
//	manifest.json                 Manifest, the last member
//
// Writing and reading take the same memory for any size, and do not seek.
package archive

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"nadmor/internal/auth"
)

const (
	format        = "nadmor backup"
	formatVersion = 1

	headerName   = "nadmor.json"
	manifestName = "manifest.json"
	tableFolder  = "tables/"
	fileFolder   = "files/"
	sumFolder    = "checksums/"

	partSize   = 4 << 20   // approximate size of a member with rows
	sumsSize   = 256 << 10 // approximate size of a member with checksums
	memberSize = 256 << 20 // limit for a member that is read into memory
)

// Header is the first member of an archive.
type Header struct {
	Format        string    `json:"format"`
	FormatVersion int       `json:"formatVersion"`
	Product       string    `json:"product"` // version of the program
	Engine        string    `json:"engine"`
	Migration     int64     `json:"migration"`
	MadeAt        time.Time `json:"madeAt"`
	Tables        []Table   `json:"tables"`
	KeyID         string    `json:"keyId"`         // identifies the installation's key, see KeyID
	Key           string    `json:"key,omitempty"` // the key itself, unless it is stored elsewhere
}

// Manifest is the last member of an archive. It describes the contents, so that a missing part is
// detected.
type Manifest struct {
	Tables    []TableSum       `json:"tables"`
	LastIDs   map[string]int64 `json:"given"` // the last assigned id of each table that assigns ids
	Files     int64            `json:"files"`
	FileBytes int64            `json:"fileBytes"`
	// Lacking is the number of files that were missing or damaged when the archive was written,
	// LackingFirst the keys of the first ones.
	Lacking      int64    `json:"lacking"`
	LackingFirst []string `json:"lackingFirst,omitempty"`
	Checksums    []string `json:"checksums"` // of the members with checksums
	Seal         string   `json:"seal"`      // HMAC of all of the above with the installation's key
}

// TableSum is the number of rows of a table and their size.
type TableSum struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Rows returns the number of rows of all tables and their size.
func (m Manifest) Rows() (rows, bytes int64) {
	for _, t := range m.Tables {
		rows, bytes = rows+t.Rows, bytes+t.Bytes
	}
	return rows, bytes
}

// seal returns the seal of the manifest, which requires the key.
func (m Manifest) seal(secret string) string {
	m.Seal = ""
	return keyed(secret, asJSON(m))
}

// KeyID identifies an installation's key without revealing it.
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

// Progress is called with what is being written or read, and how much of it is done.
type Progress func(what string, n, bytes int64)
