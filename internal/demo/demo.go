// Package demo fills an empty database with a believable Thai hospital, the
// same one every time.
package demo

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Password is the password of every demo sign-in. The demo hospital holds no
// real data and listens on this machine only.
const Password = "nadmor-demo"

// SignIn is one account to try the product with.
type SignIn struct{ Username, Role, Name string }

// SignIns are one account for each system role.
var SignIns = []SignIn{
	{"admin", "ADMIN", "ผู้ดูแลระบบ"},
	{"registrar", "REGISTRAR", "สุดารัตน์ พรหมมา"},
	{"nurse", "NURSE", "กมลชนก ศรีสวัสดิ์"},
	{"doctor", "DOCTOR", "นพ.ธนกฤต วัฒนกุล"},
	{"queue", "QUEUE", "ปิยะ แก้วใส"},
	{"executive", "EXECUTIVE", "ดร.วิภาวี จันทร์เพ็ญ"},
}

type person struct {
	username, name, phone, position, license, role string
	status                                         hospital.UserStatus
}

// staff are the people beside the administrator: one per role to sign in with
// and enough others that lists, filters and approvals have something to show.
var staff = []person{
	{"registrar", "สุดารัตน์ พรหมมา", "0812340101", "เจ้าพนักงานเวชสถิติ", "", "REGISTRAR", hospital.UserActive},
	{"nurse", "กมลชนก ศรีสวัสดิ์", "0812340102", "พยาบาลวิชาชีพชำนาญการ", "4411200345", "NURSE", hospital.UserActive},
	{"doctor", "นพ.ธนกฤต วัฒนกุล", "0812340103", "นายแพทย์ชำนาญการ อายุรกรรม", "ว.45210", "DOCTOR", hospital.UserActive},
	{"queue", "ปิยะ แก้วใส", "0812340104", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"executive", "ดร.วิภาวี จันทร์เพ็ญ", "0812340105", "รองผู้อำนวยการฝ่ายการแพทย์", "", "EXECUTIVE", hospital.UserActive},
	{"somchai.k", "สมชาย เกียรติขจร", "0812340106", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive},
	{"jiraporn.t", "จิราพร ทองดี", "0812340107", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive},
	{"anong.s", "อนงค์ สายสุวรรณ", "0812340108", "พยาบาลวิชาชีพ คลินิกเบาหวาน", "4511201877", "NURSE", hospital.UserActive},
	{"ratree.w", "ราตรี วงษ์ไทย", "0812340109", "พยาบาลวิชาชีพ คลินิกเด็ก", "4611305521", "NURSE", hospital.UserActive},
	{"benjawan.p", "เบญจวรรณ ปานทอง", "0812340110", "พยาบาลวิชาชีพ ทันตกรรม", "4711409912", "NURSE", hospital.UserSuspended},
	{"suphachai.r", "นพ.ศุภชัย รัตนโชติ", "0812340111", "นายแพทย์ ศัลยกรรม", "ว.38112", "DOCTOR", hospital.UserActive},
	{"natthaya.c", "พญ.ณัฐยา ชัยวงศ์", "0812340112", "นายแพทย์ กุมารเวชกรรม", "ว.51904", "DOCTOR", hospital.UserActive},
	{"krit.l", "ทพ.กฤษณ์ ลิ้มเจริญ", "0812340113", "ทันตแพทย์ชำนาญการ", "ท.12045", "DOCTOR", hospital.UserActive},
	{"oranuch.m", "พญ.อรนุช มณีรัตน์", "0812340114", "จักษุแพทย์", "ว.47733", "DOCTOR", hospital.UserActive},
	{"wichai.n", "วิชัย นาคสุข", "0812340115", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"malee.j", "มาลี ใจงาม", "0812340116", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"thida.b", "ธิดา บุญเรือง", "0812340117", "", "", "", hospital.UserPending},
	{"ekkachai.y", "เอกชัย ยอดแก้ว", "0812340118", "", "", "", hospital.UserPending},
}

// Size is how much there is in the sample hospital.
type Size struct {
	Patients     int
	Appointments int // as many as two months have when 0
	Seed         uint64
}

// Usual is the size of the sample hospital unless another is asked for.
var Usual = Size{Patients: 240, Seed: 2569}

// Progress is told how many of a kind are written (appointments, patients, then
// indexes), and of how many; 0 is not known.
type Progress func(kind string, n, of int)

// Fill writes the demo hospital. It does nothing where somebody was set up
// before. adminPassword is the administrator's, Password when empty. progress
// may be nil.
func Fill(ctx context.Context, db *store.DB, uploads files.Store, hasher *auth.Hasher, adminPassword string, size Size, progress Progress) error {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	ctx = hospital.WithActor(ctx, hospital.System)
	if adminPassword == "" {
		adminPassword = Password
	}
	hash, err := hasher.Hash(ctx, adminPassword)
	if err != nil {
		return err
	}
	if done, err := db.SetUp(ctx, hash, false); err != nil || !done {
		return err
	}
	if err := configure(ctx, db, uploads); err != nil {
		return fmt.Errorf("demo setting: %w", err)
	}
	roles, err := db.RoleRefs(ctx)
	if err != nil {
		return err
	}
	idOf := map[string]int64{}
	for _, r := range roles {
		idOf[r.Name] = r.ID
	}
	for _, p := range staff {
		if err := add(ctx, db, hasher, p, idOf[p.role]); err != nil {
			return fmt.Errorf("demo user %s: %w", p.username, err)
		}
	}
	services, err := addServices(ctx, db, size)
	if err != nil {
		return err
	}
	if err := addPeople(ctx, db, size, services, progress); err != nil {
		return err
	}
	if err := addCustomers(ctx, db); err != nil {
		return err
	}
	// Closed after people were booked: somebody has to find them new times.
	last := services[len(services)-1]
	if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: hospital.AddDays(db.Today(), 3), Reason: "เจ้าหน้าที่อบรม", ServiceIDs: []int64{last.ID}}); err != nil {
		return fmt.Errorf("sample closure: %w", err)
	}
	return addResults(ctx, db, uploads)
}

// configure writes what the hospital decided for itself.
func configure(ctx context.Context, db *store.DB, uploads files.Store) error {
	s := hospital.DefaultSetting
	s.Name, s.NameEn, s.Hospcode = "โรงพยาบาลศรีนคร", "Si Nakhon Hospital", "10999"
	s.Address, s.Phone = "99 ถนนพยาบาล ตำบลในเมือง อำเภอเมือง จังหวัดศรีนคร 30999", "044 999 999"
	s.CancelCutoffMinutes = 24 * 60
	s.SlipFooter = "กรุณามาก่อนเวลานัด 30 นาที พร้อมบัตรประชาชนและใบนัด\nเลื่อนหรือยกเลิกนัด โทร 044 999 999 ในเวลาราชการ"
	const text = "เรียน {patient} ท่านมีนัด {service} ({place}) วันที่ {date} เวลา {time} น. เลขที่นัด {number} สอบถาม {hospital} โทร {phone}"
	s.Reminders = []hospital.Reminder{
		{OffsetHours: 72, Channel: hospital.RemindByEmail, Template: text + "\n\nกรุณามาก่อนเวลานัด 30 นาที"},
		{OffsetHours: 24, Channel: hospital.RemindByLine, Template: text},
		{OffsetHours: 24, Channel: hospital.RemindBySMS, Template: "นัด {service} {date} {time} น. {hospital} โทร {phone}"},
	}
	if err := decorate(ctx, uploads, &s.SettingFields); err != nil {
		return err
	}
	today := db.Now().In(hospital.Bangkok)
	ends := time.Date(today.Year(), today.Month()+2, 1, 0, 0, 0, 0, hospital.Bangkok)
	s.Banners[0].EndsAt = &ends
	_, err := db.SaveSetting(ctx, s)
	return err
}

func add(ctx context.Context, db *store.DB, hasher *auth.Hasher, p person, role int64) error {
	hash, err := hasher.Hash(ctx, Password)
	if err != nil {
		return err
	}
	email := p.username + "@sinakhon.example"
	if p.status == hospital.UserPending {
		return db.Register(ctx, hospital.Registration{Username: p.username, Email: email, Name: p.name, Phone: p.phone, Password: Password}, hash)
	}
	_, err = db.CreateUser(ctx, hospital.NewUser{
		Username: p.username, Email: email, Name: p.name, Phone: p.phone, Position: p.position, LicenseNo: p.license,
		RoleID: role, Status: p.status, Invite: true, // no password to be changed at the first sign-in
	}, hash)
	return err
}
