package hospital

import (
	"fmt"
	"time"
)

// Bangkok is the time zone of the hospital. All dates, times of day and reports use it,
// independent of the time zone of the server or browser. Its offset has not changed since 1920,
// so no time zone database is needed.
var Bangkok = time.FixedZone("Asia/Bangkok", 7*60*60)

// BuddhistEra is the difference between the Buddhist Era, which is displayed, and the Christian Era, which is
// stored.
const BuddhistEra = 543

var thaiMonths = [...]string{
	"ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค.",
}

// ThaiDateTime formats an instant for Thai readers: 15 พ.ย. 2569 09:30 น.
func ThaiDateTime(t time.Time) string {
	t = t.In(Bangkok)
	return fmt.Sprintf("%d %s %d %02d:%02d น.", t.Day(), thaiMonths[t.Month()-1], t.Year()+BuddhistEra, t.Hour(),
		t.Minute())
}

// ThaiDate formats a date for Thai readers: 15 พ.ย. 2569.
func ThaiDate(date string) string {
	t := day(date)
	return fmt.Sprintf("%d %s %d", t.Day(), thaiMonths[t.Month()-1], t.Year()+BuddhistEra)
}

var (
	thaiLongMonths = [...]string{
		"มกราคม", "กุมภาพันธ์", "มีนาคม", "เมษายน", "พฤษภาคม", "มิถุนายน", "กรกฎาคม", "สิงหาคม", "กันยายน", "ตุลาคม",
		"พฤศจิกายน", "ธันวาคม",
	}
	thaiWeekdays = [...]string{"อาทิตย์", "จันทร์", "อังคาร", "พุธ", "พฤหัสบดี", "ศุกร์", "เสาร์"}
)

// ThaiLongDate formats a date in full: วันจันทร์ที่ 16 พฤศจิกายน 2569.
func ThaiLongDate(date string) string {
	t := day(date)
	return fmt.Sprintf("วัน%sที่ %d %s %d", thaiWeekdays[t.Weekday()], t.Day(), thaiLongMonths[t.Month()-1],
		t.Year()+BuddhistEra)
}
