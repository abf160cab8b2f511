package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nadmor/internal/hospital"
)

// SettingInput is hospital.SettingFields with every field optional.
type SettingInput struct {
	Name                    string              `json:"name,omitempty"`
	NameEn                  string              `json:"nameEn,omitempty"`
	Logo                    string              `json:"logo,omitempty" doc:"URL of the logo as returned by the upload; empty for none"`
	Hospcode                string              `json:"hospcode,omitempty"`
	Address                 string              `json:"address,omitempty"`
	Phone                   string              `json:"phone,omitempty"`
	Timezone                string              `json:"timezone,omitempty"`
	BookingWindowDays       int                 `json:"bookingWindowDays,omitempty"`
	LeadMinutes             int                 `json:"leadMinutes,omitempty"`
	CancelCutoffMinutes     int                 `json:"cancelCutoffMinutes,omitempty"`
	MaxActivePerPatient     int                 `json:"maxActivePerPatient,omitempty"`
	NoShowTime              string              `json:"noShowTime,omitempty"`
	HNFormat                string              `json:"hnFormat,omitempty"`
	AppointmentNumberFormat string              `json:"appointmentNumberFormat,omitempty"`
	UploadMaxMb             int                 `json:"uploadMaxMb,omitempty"`
	SessionHours            int                 `json:"sessionHours,omitempty"`
	SlipFooter              string              `json:"slipFooter,omitempty"`
	Reminders               []hospital.Reminder `json:"reminders,omitempty" maxItems:"10"`
	Banners                 []BannerInput       `json:"banners,omitempty" maxItems:"30" doc:"In display order; banners that are not listed are removed"`
}

// BannerInput is hospital.Banner with optional fields.
type BannerInput struct {
	ID       string     `json:"id,omitempty"`
	Image    string     `json:"image" doc:"URL of the image as returned by the upload"`
	Alt      string     `json:"alt,omitempty"`
	Link     string     `json:"link,omitempty"`
	StartsAt *time.Time `json:"startsAt,omitempty" nullable:"true"`
	EndsAt   *time.Time `json:"endsAt,omitempty" nullable:"true"`
	Active   bool       `json:"active"`
}

type settingChange struct {
	Version int64 `json:"version" minimum:"0"`
	SettingInput
}

// identity returns the hospital's name, logo and current banners. It needs no session.
func (s *Server) identity(ctx context.Context, _ *struct{}) (hospital.Identity, error) {
	v, err := s.DB.Setting(ctx)
	return v.IdentityAt(s.DB.Now()), err
}

func (s *Server) readSetting(ctx context.Context, _ *struct{}) (hospital.Setting, error) {
	return s.DB.Setting(ctx)
}

func (s *Server) updateSetting(ctx context.Context, in *changeInput[settingChange]) (hospital.Setting, error) {
	v, err := s.DB.UpdateSetting(ctx, in.Body.Version, func(f *hospital.SettingFields) error {
		known := f.Images()
		if err := overlay(in.RawBody, f); err != nil {
			return err
		}
		return s.checkImages(ctx, *f, known)
	})
	return v, s.noteForbidden(ctx, err, "post-global-setting-update")
}

// checkImages returns an error for images that do not exist. Known ones are not checked again.
func (s *Server) checkImages(ctx context.Context, f hospital.SettingFields, known []string) error {
	var c hospital.Checker
	check := func(address, field string) error {
		if address == "" || slices.Contains(known, address) {
			return nil
		}
		exists, err := s.mediaExists(ctx, address)
		c.Require(exists || err != nil, field,
			"ไม่พบรูปภาพนี้ กรุณาอัปโหลดใหม่", "There is no such picture. Upload it again.")
		return err
	}
	if err := check(f.Logo, "logo"); err != nil {
		return err
	}
	for i, b := range f.Banners {
		if err := check(b.Image, fmt.Sprintf("banners[%d].image", i)); err != nil {
			return err
		}
	}
	return c.Err()
}
