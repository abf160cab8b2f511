package hospital

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSettingRules(t *testing.T) {
	t.Parallel()
	morning, noon := time.Date(2026, 11, 16, 8, 0, 0, 0, Bangkok), time.Date(2026, 11, 16, 12, 0, 0, 0, Bangkok)
	banner := func(change func(*Banner)) func(*SettingFields) {
		return func(f *SettingFields) {
			b := Banner{ID: "a", Image: "/media/a.png"}
			change(&b)
			f.Banners = []Banner{b}
		}
	}
	template := func(text string) func(*SettingFields) {
		return func(f *SettingFields) { f.Reminders = []Reminder{{24, RemindBySMS, text}} }
	}
	for name, c := range map[string]struct {
		change func(*SettingFields)
		fields string // the invalid ones
	}{
		"the default": {func(*SettingFields) {}, ""},
		"no name":     {func(f *SettingFields) { f.Name = " " }, "name"},
		"several at once": {
			func(f *SettingFields) { f.Name, f.Timezone, f.SessionHours = "", "Mars", 0 }, "name sessionHours timezone",
		},
		"a code of five digits":     {func(f *SettingFields) { f.Hospcode = "๑๐๗๐๑" }, ""},
		"a code of nine characters": {func(f *SettingFields) { f.Hospcode = "ea0010666" }, ""},
		"a code of four digits":     {func(f *SettingFields) { f.Hospcode = "1070" }, "hospcode"},
		"another time zone":         {func(f *SettingFields) { f.Timezone = "Asia/Vientiane" }, "timezone"},
		"whatever the machine has":  {func(f *SettingFields) { f.Timezone = "Local" }, "timezone"},
		"no time zone":              {func(f *SettingFields) { f.Timezone = "" }, "timezone"},
		"no window":                 {func(f *SettingFields) { f.BookingWindowDays = 0 }, "bookingWindowDays"},
		"three years":               {func(f *SettingFields) { f.BookingWindowDays = 1095 }, "bookingWindowDays"},
		"before the past": {
			func(f *SettingFields) { f.LeadMinutes, f.CancelCutoffMinutes, f.MaxActivePerPatient = -1, -1, -1 },
			"cancelCutoffMinutes leadMinutes maxActivePerPatient",
		},
		"no no-shows":          {func(f *SettingFields) { f.NoShowTime = "" }, ""},
		"no-shows at midnight": {func(f *SettingFields) { f.NoShowTime = "24:00" }, "noShowTime"},
		"no-shows at six":      {func(f *SettingFields) { f.NoShowTime = "6 pm" }, "noShowTime"},
		"numbers that do not run": {
			func(f *SettingFields) { f.HNFormat, f.AppointmentNumberFormat = "HN{YY}", "" }, "appointmentNumberFormat hnFormat",
		},
		"numbers with an unknown part": {
			func(f *SettingFields) { f.AppointmentNumberFormat = "{WEEK}{SEQ:4}" }, "appointmentNumberFormat",
		},
		"no uploads":                      {func(f *SettingFields) { f.UploadMaxMb = 0 }, "uploadMaxMb"},
		"huge uploads":                    {func(f *SettingFields) { f.UploadMaxMb = 5000 }, "uploadMaxMb"},
		"a month's session":               {func(f *SettingFields) { f.SessionHours = 720 }, "sessionHours"},
		"a footer of two lines":           {func(f *SettingFields) { f.SlipFooter = "งดน้ำ\nงดอาหาร" }, ""},
		"a footer that turns the writing": {func(f *SettingFields) { f.SlipFooter = "a\u202eb" }, "slipFooter"},

		"every placeholder": {
			template("เรียน {patient} นัด {service} {place} วันที่ {date} {time} ที่ {hospital} โทร {phone} เลขที่ {number}"),
			"",
		},
		"none":                      {template("พรุ่งนี้มีนัด"), ""},
		"an empty template":         {template(" "), "reminders[0].template"},
		"an unknown placeholder":    {template("{patient} {hn}"), "reminders[0].template"},
		"a placeholder in capitals": {template("{Patient}"), "reminders[0].template"},
		"an open brace":             {template("{patient"), "reminders[0].template"},
		"a brace too many":          {template("{patient}}"), "reminders[0].template"},
		"a brace in a brace":        {template("{{patient}}"), "reminders[0].template"},
		"an unknown channel": {
			func(f *SettingFields) { f.Reminders = []Reminder{{24, "FAX", "x"}} }, "reminders[0].channel",
		},
		"a reminder afterwards": {
			func(f *SettingFields) { f.Reminders = []Reminder{{0, RemindByLine, "x"}} }, "reminders[0].offsetHours",
		},
		"the same reminder twice": {func(f *SettingFields) {
			f.Reminders = []Reminder{{24, RemindByLine, "x"}, {24, RemindBySMS, "y"}, {24, RemindByLine, "z"}}
		}, "reminders[2].offsetHours"},
		"too many reminders": {
			func(f *SettingFields) { f.Reminders = slices.Repeat([]Reminder{{24, RemindByLine, "x"}}, 11) }, "reminders",
		},
		"a banner": {
			banner(func(b *Banner) { b.Link, b.StartsAt, b.EndsAt = "https://hospital.example/flu?x=1#y", &morning, &noon }), "",
		},
		"a banner without a picture": {banner(func(b *Banner) { b.Image = "" }), "banners[0].image"},
		"a link that is a script":    {banner(func(b *Banner) { b.Link = "javascript:alert(1)" }), "banners[0].link"},
		"a link with other letters":  {banner(func(b *Banner) { b.Link = "JavaScript://x/%0aalert(1)" }), "banners[0].link"},
		"a link to a file":           {banner(func(b *Banner) { b.Link = "file:///etc/passwd" }), "banners[0].link"},
		"a link to nowhere":          {banner(func(b *Banner) { b.Link = "https:///x" }), "banners[0].link"},
		"a link that looks like one": {
			banner(func(b *Banner) { b.Link = "https://hospital.example@evil.example" }), "banners[0].link",
		},
		"a link without a scheme": {banner(func(b *Banner) { b.Link = "hospital.example" }), "banners[0].link"},
		"a period that ends first": {
			banner(func(b *Banner) { b.StartsAt, b.EndsAt = &noon, &morning }), "banners[0].endsAt",
		},
		"a period of no length": {banner(func(b *Banner) { b.StartsAt, b.EndsAt = &noon, &noon }), "banners[0].endsAt"},
		"two banners of one id": {
			func(f *SettingFields) { f.Banners = []Banner{{ID: "a", Image: "x"}, {ID: "a", Image: "y"}} }, "banners[1].id",
		},
		"an id that is none":          {banner(func(b *Banner) { b.ID = "<b>" }), "banners[0].id"},
		"a description without bound": {banner(func(b *Banner) { b.Alt = strings.Repeat("ก", 201) }), "banners[0].alt"},
	} {
		f := DefaultSetting.SettingFields
		c.change(&f)
		var e *Error
		var wrong []string
		if err := f.Clean().Validate(); errors.As(err, &e) {
			for _, field := range e.Fields {
				wrong = append(wrong, field.Field)
				if field.Message.TH == "" || field.Message.EN == "" {
					t.Errorf("%s: nothing is said about %s", name, field.Field)
				}
			}
		}
		if got := strings.Join(slices.Compact(wrong), " "); got != c.fields &&
			(c.fields != "reminders" || !strings.HasPrefix(got, "reminders ")) {
			t.Errorf("%s: wrong are %q, want %q", name, got, c.fields)
		}
	}
}

func TestBannerPeriod(t *testing.T) {
	t.Parallel()
	morning, noon := time.Date(2026, 11, 16, 8, 0, 0, 0, Bangkok), time.Date(2026, 11, 16, 12, 0, 0, 0, Bangkok)
	s := Setting{SettingFields: SettingFields{Banners: []Banner{
		{ID: "always", Active: true}, {ID: "never"}, {ID: "from", Active: true, StartsAt: &noon},
		{ID: "until", Active: true, EndsAt: &noon}, {ID: "between", Active: true, StartsAt: &morning, EndsAt: &noon},
	}}}
	for at, want := range map[time.Time]string{
		morning.Add(-1): "always until", morning: "always until between", noon.Add(-1): "always until between",
		noon: "always from", noon.Add(1): "always from",
	} {
		var got []string
		for _, b := range s.IdentityAt(at).Banners {
			got = append(got, b.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("at %v: %v, want %s", at, got, want)
		}
	}
}

func TestBannerPermission(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	same := start.In(Bangkok)
	before := DefaultSetting.SettingFields
	before.Banners = []Banner{{ID: "a", Image: "x", StartsAt: &start}, {ID: "b", Image: "y"}}
	for name, c := range map[string]struct {
		change func(*SettingFields)
		want   []Permission
	}{
		"nothing":               {func(*SettingFields) {}, nil},
		"the same in UTC+07:00": {func(f *SettingFields) { f.Banners[0].StartsAt = &same }, nil},
		"the name":              {func(f *SettingFields) { f.Name = "x" }, []Permission{GlobalSettingUpdate}},
		"the logo":              {func(f *SettingFields) { f.Logo = "x" }, []Permission{GlobalSettingUpdate}},
		"a reminder":            {func(f *SettingFields) { f.Reminders = []Reminder{{}} }, []Permission{GlobalSettingUpdate}},
		"a banner's text":       {func(f *SettingFields) { f.Banners[1].Alt = "x" }, []Permission{BannerUpdate}},
		"a banner's period":     {func(f *SettingFields) { f.Banners[0].StartsAt = nil }, []Permission{BannerUpdate}},
		"the order":             {func(f *SettingFields) { slices.Reverse(f.Banners) }, []Permission{BannerUpdate}},
		"one less":              {func(f *SettingFields) { f.Banners = f.Banners[:1] }, []Permission{BannerUpdate}},
		"both": {
			func(f *SettingFields) { f.Banners, f.Phone = nil, "1" }, []Permission{GlobalSettingUpdate, BannerUpdate},
		},
	} {
		after := before
		after.Banners, after.Reminders = slices.Clone(before.Banners), slices.Clone(before.Reminders)
		c.change(&after)
		if got := after.Clean().Needs(before.Clean()); !slices.Equal(got, c.want) {
			t.Errorf("%s needs %v, want %v", name, got, c.want)
		}
	}
}
