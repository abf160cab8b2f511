package demo

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Account is an account for trying the product.
type Account struct{ Username, Role, Name string }

// Accounts has an account for each system role.
var Accounts = []Account{
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
	// since the last login or, without one, since the account was created
	days int
	came string // time of the last login, empty for never
}

// staff are the users besides the administrator: eighteen in the six roles, and two waiting for approval.
var staff = []worker{
	{"registrar", "สุดารัตน์ พรหมมา", "0812340101", "เจ้าพนักงานเวชสถิติ", "", "REGISTRAR", hospital.UserActive, 0,
		"07:12"},
	{"nurse", "กมลชนก ศรีสวัสดิ์", "0812340102", "พยาบาลวิชาชีพชำนาญการ", "4411200345", "NURSE", hospital.UserActive, 0,
		"07:38"},
	{"doctor", "นพ.ธนกฤต วัฒนกุล", "0812340103", "นายแพทย์ชำนาญการ อายุรกรรม", "ว.45210", "DOCTOR", hospital.UserActive, 0,
		"08:21"},
	{"queue", "ปิยะ แก้วใส", "0812340104", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive, 0, "06:55"},
	{"executive", "ดร.วิภาวี จันทร์เพ็ญ", "0812340105", "รองผู้อำนวยการฝ่ายการแพทย์", "", "EXECUTIVE", hospital.UserActive,
		1, "13:32"},
	{"somchai.k", "สมชาย เกียรติขจร", "0812340106", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive, 0,
		"07:04"},
	{"jiraporn.t", "จิราพร ทองดี", "0812340107", "เจ้าหน้าที่เวชระเบียน", "", "REGISTRAR", hospital.UserActive, 1,
		"15:58"},
	{"anong.s", "อนงค์ สายสุวรรณ", "0812340108", "พยาบาลวิชาชีพ คลินิกเบาหวาน", "4511201877", "NURSE", hospital.UserActive,
		0, "07:41"},
	{"ratree.w", "ราตรี วงษ์ไทย", "0812340109", "พยาบาลวิชาชีพ คลินิกเด็ก", "4611305521", "NURSE", hospital.UserActive, 0,
		"07:45"},
	{"benjawan.p", "เบญจวรรณ ปานทอง", "0812340110", "พยาบาลวิชาชีพ ห้องทำแผล", "4711409912", "NURSE",
		hospital.UserSuspended, 163, "15:46"},
	{"suphachai.r", "นพ.ศุภชัย รัตนโชติ", "0812340111", "นายแพทย์ ศัลยกรรม", "ว.38112", "DOCTOR", hospital.UserActive, 1,
		"18:07"},
	{"natthaya.c", "พญ.ณัฐยา ชัยวงศ์", "0812340112", "นายแพทย์ กุมารเวชกรรม", "ว.51904", "DOCTOR", hospital.UserActive, 0,
		"08:33"},
	{"krit.l", "ทพ.กฤษณ์ ลิ้มเจริญ", "0812340113", "ทันตแพทย์ชำนาญการ", "ท.12045", "DOCTOR", hospital.UserActive, 0,
		"08:02"},
	{"oranuch.m", "พญ.อรนุช มณีรัตน์", "0812340114", "สูตินรีแพทย์", "ว.47733", "DOCTOR", hospital.UserActive, 6, "08:24"},
	{"pakawat.s", "นพ.ภควัต ศิริวงศ์", "0812340119", "นายแพทย์ คลินิกเบาหวาน", "ว.55018", "DOCTOR", hospital.UserActive, 0,
		"07:56"},
	{"wichai.n", "วิชัย นาคสุข", "0812340115", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive, 0, "06:49"},
	{"malee.j", "มาลี ใจงาม", "0812340116", "เจ้าหน้าที่จุดบริการคิว", "", "QUEUE", hospital.UserActive, 1, ""},
	{"thida.b", "ธิดา บุญเรือง", "0812340117", "", "", "", hospital.UserPending, 2, ""},
	{"ekkachai.y", "เอกชัย ยอดแก้ว", "0812340118", "", "", "", hospital.UserPending, 1, ""},
}

// as returns a context with a staff member as actor.
func as(ctx context.Context, id int64, username, name, role string) context.Context {
	return hospital.WithActor(ctx, hospital.Actor{
		UserID: id, Username: username, Name: name, Role: role, Permissions: hospital.System.Permissions,
	})
}

// opened is when the sample hospital started using the product, a month before the first visits.
func opened(now time.Time) time.Time { return daysAgo(now, back+30, "08:30") }

// daysAgo returns a time of day some days ago, or a day earlier if it is in the future.
func daysAgo(now time.Time, days int, clockTime string) time.Time {
	minutes := time.Duration(clock(clockTime)) * time.Minute
	year, month, today := now.In(hospital.Bangkok).Date()
	then := time.Date(year, month, today-days, 0, 0, 0, 0, hospital.Bangkok).Add(minutes)
	if !then.Before(now) {
		then = then.AddDate(0, 0, -1)
	}
	return then
}

// addStaff creates the accounts, signs in most of their owners, and returns their ids by username. All share
// one hash, because hashing a password takes long. It changes the time of the clock.
func addStaff(
	ctx context.Context, db *store.DB, c *storeClock, hasher *auth.Hasher, now time.Time,
) (map[string]int64, error) {
	hash, err := hasher.Hash(ctx, Password)
	if err != nil {
		return nil, err
	}
	roles, err := db.RoleRefs(ctx)
	if err != nil {
		return nil, err
	}
	idOf := map[string]int64{}
	for _, r := range roles {
		idOf[r.Name] = r.ID
	}
	users := map[string]int64{}
	for i, p := range staff {
		if users[p.username], err = p.add(ctx, db, c, hash, idOf[p.role], i, now); err != nil {
			return nil, fmt.Errorf("sample user %s: %w", p.username, err)
		}
	}
	return users, nil
}

// add creates an account as the administrator, or as its owner if it waits for approval. It returns the id of
// the account, 0 if it waits. i is the index of the owner's workstation.
func (p worker) add(
	ctx context.Context, db *store.DB, c *storeClock, hash string, role int64, i int, now time.Time,
) (int64, error) {
	email := p.username + "@sinakhon.example"
	if p.status == hospital.UserPending {
		c.set(daysAgo(now, p.days, "16:40"))
		self := hospital.WithActor(ctx, hospital.Actor{Addr: workstation(i)})
		registration := hospital.Registration{
			Username: p.username, Email: email, Name: p.name, Phone: p.phone, Password: Password,
		}
		return 0, db.Register(self, registration, func(context.Context, string) (string, error) { return hash, nil })
	}
	c.set(opened(now))
	if p.came == "" { // never signed in
		c.set(daysAgo(now, p.days, "16:15"))
	}
	user, err := db.CreateUser(ctx, hospital.NewUser{
		Username: p.username, Email: email, Name: p.name, Phone: p.phone, Position: p.position, LicenseNo: p.license,
		RoleID: role, Invite: true, // no password to be changed at the first login
	}, hash)
	if err != nil || p.came == "" {
		return user.ID, err
	}
	then := daysAgo(now, p.days, p.came)
	c.set(then)
	if err := signIn(ctx, db, p.username, i); err != nil {
		return user.ID, err
	}
	if p.status != user.Status {
		c.set(then.AddDate(0, 0, 1))
		_, err = db.UpdateUser(ctx, hospital.UserChange{ID: user.ID, Version: user.Version, Status: &p.status}, "")
	}
	return user.ID, err
}

// workstation returns the IP address of a workstation.
func workstation(i int) string { return fmt.Sprintf("10.20.%d.%d", 1+i%4, 21+i) }

// browsers are the user agents of the hospital's devices.
var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 " +
		"Edg/142.0.0.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 " +
		"Safari/604.1",
}

// signIn creates a session as the login does.
func signIn(ctx context.Context, db *store.DB, username string, i int) error {
	ctx = hospital.WithActor(ctx, hospital.Actor{Addr: workstation(i)})
	c, err := db.BeginLogin(ctx, username, workstation(i))
	if err != nil {
		return err
	}
	_, err = db.StartSession(ctx, c, username, browsers[i%len(browsers)], 0)
	return err
}
