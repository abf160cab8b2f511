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

const hospitalName = "โรงพยาบาลศรีนคร"

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

type worker struct {
	username, name, phone, position, license, role string
	status                                         hospital.UserStatus
}

// staff are the people beside the administrator: with them eighteen in the six
// roles, one per role to sign in with, and two who ask to be let in.
var staff = []worker{
	{"registrar", "สุดารัตน์ พรหมมา", "0812340101", "เจ้าพนักงานเวชสถิติ", "", "REGISTRAR", hospital.UserActive},
	{"nurse", "กมลชนก ศรีสวัสดิ์", "0812340102", "พยาบาลวิชาชีพชำนาญการ", "4411200345", "NURSE", hospital.UserActive},
	{"doctor", "นพ.ธนกฤต วัฒนกุล", "0812340103", "นายแพทย์ชำนาญการ อายุรกรรม", "ว.45210", "DOCTOR", hospital.UserActive},
	{"queue", "ปิยะ แก้วใส", "0812340104", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"executive", "ดร.วิภาวี จันทร์เพ็ญ", "0812340105", "รองผู้อำนวยการฝ่ายการแพทย์", "", "EXECUTIVE", hospital.UserActive},
	{"somchai.k", "สมชาย เกียรติขจร", "0812340106", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive},
	{"jiraporn.t", "จิราพร ทองดี", "0812340107", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive},
	{"anong.s", "อนงค์ สายสุวรรณ", "0812340108", "พยาบาลวิชาชีพ คลินิกเบาหวาน", "4511201877", "NURSE", hospital.UserActive},
	{"ratree.w", "ราตรี วงษ์ไทย", "0812340109", "พยาบาลวิชาชีพ คลินิกเด็ก", "4611305521", "NURSE", hospital.UserActive},
	{"benjawan.p", "เบญจวรรณ ปานทอง", "0812340110", "พยาบาลวิชาชีพ ห้องทำแผล", "4711409912", "NURSE", hospital.UserSuspended},
	{"suphachai.r", "นพ.ศุภชัย รัตนโชติ", "0812340111", "นายแพทย์ ศัลยกรรม", "ว.38112", "DOCTOR", hospital.UserActive},
	{"natthaya.c", "พญ.ณัฐยา ชัยวงศ์", "0812340112", "นายแพทย์ กุมารเวชกรรม", "ว.51904", "DOCTOR", hospital.UserActive},
	{"krit.l", "ทพ.กฤษณ์ ลิ้มเจริญ", "0812340113", "ทันตแพทย์ชำนาญการ", "ท.12045", "DOCTOR", hospital.UserActive},
	{"oranuch.m", "พญ.อรนุช มณีรัตน์", "0812340114", "สูตินรีแพทย์", "ว.47733", "DOCTOR", hospital.UserActive},
	{"pakawat.s", "นพ.ภควัต ศิริวงศ์", "0812340119", "นายแพทย์ คลินิกเบาหวาน", "ว.55018", "DOCTOR", hospital.UserActive},
	{"wichai.n", "วิชัย นาคสุข", "0812340115", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"malee.j", "มาลี ใจงาม", "0812340116", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive},
	{"thida.b", "ธิดา บุญเรือง", "0812340117", "", "", "", hospital.UserPending},
	{"ekkachai.y", "เอกชัย ยอดแก้ว", "0812340118", "", "", "", hospital.UserPending},
}

// Size is how much there is in the sample hospital.
type Size struct {
	Patients     int
	Appointments int // as many as a year has when 0
	Seed         uint64
}

// Usual is the size of the sample hospital unless another is asked for.
var Usual = Size{Patients: 5000, Seed: 2569}

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
	first, err := db.UserRefs(ctx)
	if err != nil {
		return err
	}
	ctx = as(ctx, first[0].ID, "admin", SignIns[0].Name, "ADMIN")
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
	users, err := addStaff(ctx, db, hasher, idOf)
	if err != nil {
		return err
	}
	registrar, nurse := as(ctx, users[staff[0].username], staff[0].username, staff[0].name, staff[0].role), as(ctx, users[staff[1].username], staff[1].username, staff[1].name, staff[1].role)
	services, err := addServices(ctx, db, size, users)
	if err != nil {
		return err
	}
	if err := closeDays(nurse, db, services); err != nil {
		return err
	}
	p, err := newPlanner(ctx, db, size, services, users)
	if err != nil {
		return err
	}
	found, err := addPeople(ctx, db, size, p, progress)
	if err != nil {
		return err
	}
	if err := addCustomers(registrar, db, size); err != nil {
		return err
	}
	if err := rearrange(nurse, db, services); err != nil {
		return err
	}
	return addResults(ctx, db, uploads, found)
}

// as lets somebody of the staff do what comes next, whom the audit log then names.
func as(ctx context.Context, id int64, username, name, role string) context.Context {
	return hospital.WithActor(ctx, hospital.Actor{UserID: id, Username: username, Name: name, Role: role, Permissions: hospital.System.Permissions})
}

// addStaff makes the accounts, and tells their ids by username. They share a
// password, and with it a hash: to make one takes its time.
func addStaff(ctx context.Context, db *store.DB, hasher *auth.Hasher, roles map[string]int64) (map[string]int64, error) {
	hash, err := hasher.Hash(ctx, Password)
	if err != nil {
		return nil, err
	}
	for _, p := range staff {
		if err := add(ctx, db, p, hash, roles[p.role]); err != nil {
			return nil, fmt.Errorf("demo user %s: %w", p.username, err)
		}
	}
	list, err := db.UserRefs(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]int64{}
	for _, u := range list {
		byName[u.Name] = u.ID
	}
	users := map[string]int64{}
	for _, p := range staff {
		users[p.username] = byName[p.name]
	}
	return users, nil
}

// configure writes what the hospital decided for itself.
func configure(ctx context.Context, db *store.DB, uploads files.Store) error {
	s := hospital.DefaultSetting
	s.Name, s.NameEn, s.Hospcode = hospitalName, "Si Nakhon Hospital", "10999"
	s.Address, s.Phone = "99 ถนนพยาบาล ตำบลช้างเผือก อำเภอเมืองเชียงใหม่ จังหวัดเชียงใหม่ 50300", "053 999 999"
	s.NoShowTime = "23:30" // wounds are dressed until midnight
	s.CancelCutoffMinutes = 24 * 60
	s.SlipFooter = "กรุณามาก่อนเวลานัด 30 นาที พร้อมบัตรประชาชนและใบนัด\nเลื่อนหรือยกเลิกนัด โทร 053 999 999 ในเวลาราชการ"
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

func add(ctx context.Context, db *store.DB, p worker, hash string, role int64) error {
	email := p.username + "@sinakhon.example"
	if p.status == hospital.UserPending {
		return db.Register(ctx, hospital.Registration{Username: p.username, Email: email, Name: p.name, Phone: p.phone, Password: Password}, hash)
	}
	_, err := db.CreateUser(ctx, hospital.NewUser{
		Username: p.username, Email: email, Name: p.name, Phone: p.phone, Position: p.position, LicenseNo: p.license,
		RoleID: role, Status: p.status, Invite: true, // no password to be changed at the first sign-in
	}, hash)
	return err
}
