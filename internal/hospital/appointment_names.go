package hospital

var kindNames = map[AppointmentKind]Text{
	KindNew:      {"นัดใหม่", "New"},
	KindFollowUp: {"นัดติดตาม", "Follow-up"},
	KindWalkIn:   {"Walk-in", "Walk-in"},
	KindTele:     {"แพทย์ทางไกล", "Telemedicine"},
	KindRefer:    {"ส่งต่อ", "Referral"},
}

// Name returns the display name of the kind.
func (k AppointmentKind) Name() Text { return kindNames[k] }

var channelNames = map[Channel]Text{
	ChannelStaff:  {"เจ้าหน้าที่", "Staff"},
	ChannelPhone:  {"โทรศัพท์", "Phone"},
	ChannelLine:   {"LINE", "LINE"},
	ChannelApp:    {"แอป", "App"},
	ChannelWalkIn: {"Walk-in", "Walk-in"},
}

// Name returns the display name of the channel.
func (c Channel) Name() Text { return channelNames[c] }

var priorityNames = map[Priority]Text{Routine: {"ปกติ", "Routine"}, Urgent: {"ด่วน", "Urgent"}}

// Name returns the display name of the priority.
func (p Priority) Name() Text { return priorityNames[p] }

var rightNames = map[string]Text{
	"UCS":  {"บัตรทอง (หลักประกันสุขภาพ)", "Universal coverage (gold card)"},
	"SSS":  {"ประกันสังคม", "Social security"},
	"OFC":  {"ข้าราชการ", "Civil servant"},
	"LGO":  {"อปท.", "Local government"},
	"FWF":  {"แรงงานต่างด้าว", "Foreign worker"},
	"STP":  {"บุคคลผู้มีปัญหาสถานะและสิทธิ", "Person with status problems"},
	"INS":  {"ประกันสุขภาพเอกชน", "Private insurance"},
	"SELF": {"ชำระเงินเอง", "Self-pay"},
}

// RightName returns the display name of a health insurance right, or its code if it is unknown.
func RightName(code string) Text {
	if name, ok := rightNames[code]; ok {
		return name
	}
	return Text{code, code}
}
