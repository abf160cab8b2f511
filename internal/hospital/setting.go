package hospital

import "time"

// Setting is what the hospital decided for the whole product.
type Setting struct {
	Name         string    `json:"name"`
	NameEn       string    `json:"nameEn"`
	Logo         string    `json:"logo" doc:"Address of the logo image; empty for none"`
	SessionHours int       `json:"sessionHours"`
	HNFormat     string    `json:"hnFormat" doc:"How hospital numbers are made"`
	Version      int64     `json:"version"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// DefaultSetting is what an empty database starts with.
var DefaultSetting = Setting{Name: "นัดหมอ", NameEn: "Nadmor", SessionHours: 12, HNFormat: "{SEQ:7}"}

// Identity is what anybody may know of the hospital before signing in.
type Identity struct {
	Name   string `json:"name"`
	NameEn string `json:"nameEn"`
	Logo   string `json:"logo"`
}
