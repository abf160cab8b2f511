package report

import "nadmor/internal/hospital"

// dossierFields describes every field of a dossier, by its path.
var dossierFields = map[string]hospital.Text{
	"format": {TH: "รูปแบบของไฟล์นี้", EN: "Format of this file"}, "madeAt": {
		TH: "เวลาที่จัดทำ (UTC)", EN: "When it was made (UTC)",
	},
	"product": {TH: "รุ่นของโปรแกรม", EN: "Version of the program"}, "hospital": {
		TH: "โรงพยาบาล (ผู้ควบคุมข้อมูล)", EN: "The hospital (data controller)",
	},
	"fields": {TH: "ความหมายของแต่ละช่อง", EN: "What each field means"}, "deletedAt": {
		TH: "วันที่เลิกใช้ระเบียน", EN: "When the record was taken out of use",
	},

	"patient":    {TH: "ข้อมูลผู้ป่วย", EN: "The patient"},
	"patient.id": {TH: "เลขที่ระเบียนภายใน", EN: "Internal number of the record"}, "patient.hn": {
		TH: "เลขประจำตัวผู้ป่วย (HN)", EN: "Hospital number",
	},
	"patient.idType": {TH: "ประเภทบัตร", EN: "Kind of identification"},
	"patient.idCard": {TH: "เลขประจำตัวประชาชน", EN: "ID card"}, "patient.passportNo": {
		TH: "เลขหนังสือเดินทาง", EN: "Passport",
	},
	"patient.prename": {TH: "คำนำหน้า", EN: "Title"}, "patient.firstName": {TH: "ชื่อ", EN: "First name"},
	"patient.lastName":    {TH: "นามสกุล", EN: "Last name"},
	"patient.firstNameEn": {TH: "ชื่อ (อังกฤษ)", EN: "First name (English)"}, "patient.lastNameEn": {
		TH: "นามสกุล (อังกฤษ)", EN: "Last name (English)",
	},
	"patient.birthDate":      {TH: "วันเกิด (ค.ศ.)", EN: "Birth date"},
	"patient.birthPrecision": {TH: "ความละเอียดของวันเกิด", EN: "How much of the birth date is known"}, "patient.sex": {
		TH: "เพศ", EN: "Sex",
	},
	"patient.bloodGroup": {TH: "หมู่เลือด", EN: "Blood group"}, "patient.rhFactor": {TH: "Rh", EN: "Rh factor"},
	"patient.nationality":   {TH: "สัญชาติ", EN: "Nationality"},
	"patient.religion":      {TH: "ศาสนา", EN: "Religion"},
	"patient.maritalStatus": {TH: "สถานภาพสมรส", EN: "Marital status"}, "patient.occupation": {
		TH: "อาชีพ", EN: "Occupation",
	},
	"patient.phone": {TH: "โทรศัพท์", EN: "Phone"}, "patient.phone2": {TH: "โทรศัพท์สำรอง", EN: "Second phone"},
	"patient.email": {TH: "อีเมล", EN: "Email"}, "patient.lineUserId": {TH: "รหัส LINE", EN: "LINE id"},
	"patient.address":      {TH: "ที่อยู่", EN: "Address"},
	"patient.address.line": {TH: "บ้านเลขที่ ถนน", EN: "House and street"}, "patient.address.moo": {TH: "หมู่", EN: "Moo"},
	"patient.address.subdistrict": {TH: "ตำบล/แขวง", EN: "Subdistrict"},
	"patient.address.district":    {TH: "อำเภอ/เขต", EN: "District"}, "patient.address.province": {
		TH: "จังหวัด", EN: "Province",
	},
	"patient.address.postalCode": {TH: "รหัสไปรษณีย์", EN: "Postal code"},
	"patient.rightCode":          {TH: "สิทธิการรักษา", EN: "Coverage"}, "patient.rightCardNo": {
		TH: "เลขที่บัตรสิทธิ", EN: "Coverage card number",
	},
	"patient.rightHospital": {TH: "โรงพยาบาลตามสิทธิ", EN: "Hospital of the coverage"}, "patient.rightExpires": {
		TH: "วันหมดอายุสิทธิ", EN: "Coverage expires on",
	},
	"patient.allergies":           {TH: "ประวัติแพ้", EN: "Allergies"},
	"patient.allergies.substance": {TH: "สิ่งที่แพ้", EN: "Substance"}, "patient.allergies.severity": {
		TH: "ความรุนแรง", EN: "Severity",
	},
	"patient.allergies.reaction": {TH: "อาการ", EN: "Reaction"},
	"patient.noKnownAllergy":     {TH: "ไม่มีประวัติแพ้", EN: "No known allergy"}, "patient.conditions": {
		TH: "โรคประจำตัว", EN: "Conditions",
	},
	"patient.contactName":     {TH: "ชื่อผู้ติดต่อ", EN: "Contact"},
	"patient.contactRelation": {TH: "ความสัมพันธ์ของผู้ติดต่อ", EN: "Relation of the contact"}, "patient.contactPhone": {
		TH: "โทรศัพท์ผู้ติดต่อ", EN: "Phone of the contact",
	},
	"patient.consentAt": {TH: "วันที่ให้ความยินยอม (PDPA)", EN: "When consent was given"},
	"patient.note":      {TH: "หมายเหตุ", EN: "Note"}, "patient.lastVisit": {TH: "มาครั้งล่าสุด", EN: "Last visit"},
	"patient.version":   {TH: "แก้ไขครั้งที่", EN: "Version of the record"},
	"patient.createdAt": {TH: "ลงทะเบียนเมื่อ", EN: "Registered"}, "patient.updatedAt": {
		TH: "แก้ไขล่าสุด", EN: "Last changed",
	},

	"consents":    {TH: "ความยินยอมที่บันทึกไว้", EN: "Recorded consents"},
	"consents.of": {TH: "ให้ไว้ในฐานะ (ผู้ป่วย/ผู้ใช้บริการ)", EN: "Given as patient or customer"}, "consents.at": {
		TH: "เมื่อ", EN: "When",
	},

	"customers":    {TH: "บัญชีผู้ใช้บริการที่จองให้", EN: "App accounts that book for the patient"},
	"customers.id": {TH: "เลขที่บัญชี", EN: "Number of the account"}, "customers.relation": {
		TH: "ความสัมพันธ์", EN: "Relation",
	},
	"customers.name": {TH: "ชื่อบัญชี", EN: "Name"}, "customers.phone": {TH: "โทรศัพท์", EN: "Phone"},
	"customers.email": {TH: "อีเมล", EN: "Email"}, "customers.lineUserId": {TH: "รหัส LINE", EN: "LINE id"},
	"customers.status":    {TH: "สถานะบัญชี", EN: "Status"},
	"customers.consentAt": {TH: "วันที่ให้ความยินยอม", EN: "When consent was given"}, "customers.note": {
		TH: "หมายเหตุ", EN: "Note",
	},
	"customers.createdAt": {TH: "สร้างเมื่อ", EN: "Created"},
	"customers.updatedAt": {TH: "แก้ไขล่าสุด", EN: "Last changed"}, "customers.patients": {
		TH: "ผู้ป่วยในบัญชี", EN: "Patients of the account",
	},

	"appointments":    {TH: "นัดหมายทั้งหมด", EN: "All appointments"},
	"appointments.id": {TH: "เลขที่ภายใน", EN: "Internal number"}, "appointments.number": {TH: "เลขที่นัด", EN: "Number"},
	"appointments.patientId": {TH: "เลขที่ระเบียนผู้ป่วย", EN: "Record of the patient"},
	"appointments.serviceId": {TH: "เลขที่บริการ", EN: "Number of the service"}, "appointments.date": {
		TH: "วันที่นัด", EN: "Date",
	},
	"appointments.startTime": {TH: "เวลาเริ่ม", EN: "From"}, "appointments.endTime": {TH: "เวลาสิ้นสุด", EN: "To"},
	"appointments.staffId":    {TH: "เลขที่ผู้ให้บริการ", EN: "Number of who sees the patient"},
	"appointments.customerId": {TH: "เลขที่ผู้ใช้บริการที่จอง", EN: "App account that booked"},
	"appointments.kind":       {TH: "ประเภทนัด", EN: "Kind"}, "appointments.channel": {TH: "ช่องทาง", EN: "Channel"},
	"appointments.priority": {TH: "ความเร่งด่วน", EN: "Priority"}, "appointments.status": {TH: "สถานะ", EN: "Status"},
	"appointments.reason": {TH: "อาการหรือเหตุผลที่นัด", EN: "Why"}, "appointments.note": {TH: "หมายเหตุ", EN: "Note"},
	"appointments.overbooked":     {TH: "จองเกินจำนวน", EN: "Beyond the capacity"},
	"appointments.overbookReason": {TH: "เหตุผลที่จองเกินจำนวน", EN: "Why beyond the capacity"}, "appointments.seriesId": {
		TH: "ชุดนัด", EN: "First of the series",
	},
	"appointments.followUpOfId": {TH: "นัดติดตามจากนัด", EN: "Follows up"},
	"appointments.cancelReason": {TH: "เหตุผลที่ยกเลิก", EN: "Why cancelled"}, "appointments.queueNo": {
		TH: "คิวที่", EN: "Queue number",
	},
	"appointments.checkedInAt": {TH: "มาถึงเมื่อ", EN: "Checked in"},
	"appointments.startedAt":   {TH: "เริ่มตรวจเมื่อ", EN: "Started"}, "appointments.completedAt": {
		TH: "เสร็จสิ้นเมื่อ", EN: "Completed",
	},
	"appointments.version":   {TH: "แก้ไขครั้งที่", EN: "Version"},
	"appointments.createdBy": {TH: "เลขที่ผู้จองนัด", EN: "Who booked"},
	"appointments.createdAt": {TH: "จองเมื่อ", EN: "Booked"}, "appointments.updatedAt": {
		TH: "แก้ไขล่าสุด", EN: "Last changed",
	},
	"appointments.deletedAt": {TH: "ลบเมื่อ", EN: "Deleted"}, "appointments.service": {TH: "บริการ", EN: "Service"},
	"appointments.service.id": {TH: "เลขที่บริการ", EN: "Number"}, "appointments.service.code": {
		TH: "รหัสบริการ", EN: "Code",
	},
	"appointments.service.name": {TH: "ชื่อบริการ", EN: "Name"}, "appointments.service.color": {
		TH: "สีบนปฏิทิน", EN: "Colour on the calendar",
	},
	"appointments.staff":    {TH: "ผู้ให้บริการ", EN: "Who sees the patient"},
	"appointments.staff.id": {TH: "เลขที่ผู้ให้บริการ", EN: "Number"}, "appointments.staff.name": {
		TH: "ชื่อผู้ให้บริการ", EN: "Name",
	},

	"appointments.history":    {TH: "ประวัติของนัด", EN: "What happened to it"},
	"appointments.history.id": {TH: "ลำดับ", EN: "Number"}, "appointments.history.action": {
		TH: "สิ่งที่เกิดขึ้น", EN: "What happened",
	},
	"appointments.history.from": {
		TH: "ค่าก่อนเปลี่ยน (ชื่อช่องเดียวกับ appointments)", EN: "Fields before, named as in appointments",
	}, "appointments.history.to": {TH: "ค่าหลังเปลี่ยน", EN: "Fields after"},
	"appointments.history.reason":  {TH: "เหตุผล", EN: "Why"},
	"appointments.history.actorId": {TH: "เลขที่ผู้กระทำ", EN: "Number of who did it"},
	"appointments.history.actor":   {TH: "ผู้กระทำ", EN: "Who did it"}, "appointments.history.at": {
		TH: "เวลา", EN: "When",
	},

	"appointments.results": {TH: "ผลการตรวจ", EN: "Results"}, "appointments.results.id": {TH: "เลขที่ผล", EN: "Number"},
	"appointments.results.type":      {TH: "ประเภทผล", EN: "Type"},
	"appointments.results.diagnosis": {TH: "คำวินิจฉัย", EN: "Diagnosis"},
	"appointments.results.icd10":     {TH: "รหัส ICD-10", EN: "ICD-10 codes"}, "appointments.results.advice": {
		TH: "คำแนะนำ", EN: "Advice",
	},
	"appointments.results.followUpDate":  {TH: "วันที่นัดติดตาม", EN: "Follow-up date"},
	"appointments.results.createdByName": {TH: "ผู้บันทึก", EN: "Recorded by"}, "appointments.results.createdAt": {
		TH: "บันทึกเมื่อ", EN: "Recorded",
	},
	"appointments.results.deletedAt": {TH: "ลบเมื่อ", EN: "Deleted"},
	"appointments.results.file":      {TH: "ไฟล์", EN: "File"}, "appointments.results.file.name": {
		TH: "ชื่อไฟล์เดิม", EN: "Original name",
	},
	"appointments.results.file.contentType": {TH: "ชนิดไฟล์", EN: "Type of the content"},
	"appointments.results.file.size":        {TH: "ขนาด (ไบต์)", EN: "Size in bytes"},
	"appointments.results.file.sha256":      {TH: "ค่าตรวจสอบ SHA-256", EN: "SHA-256 of the content"},
	"appointments.results.file.path":        {TH: "ที่อยู่ในไฟล์ zip นี้", EN: "Place in this archive"},
	"appointments.results.file.missing":     {TH: "ไม่พบไฟล์ในระบบ", EN: "The file could not be found"},

	"access": {TH: "ใครดูหรือแก้ไขข้อมูลของท่าน", EN: "Who read or changed the data"}, "together": {
		TH: "การส่งออกหรือสำรองข้อมูลหลายคนพร้อมกัน ซึ่งอาจมีข้อมูลของท่าน",
		EN: "Exports and backups of many, in which the person may be",
	},
	"access.id": {TH: "เลขที่บันทึก", EN: "Number of the entry"}, "access.at": {TH: "เวลา", EN: "When"},
	"access.actorId": {TH: "เลขที่ผู้ใช้งาน", EN: "Number of the account"}, "access.actorName": {
		TH: "ผู้กระทำ", EN: "Who",
	},
	"access.addr":      {TH: "จากที่อยู่ (IP)", EN: "From which address"},
	"access.requestId": {TH: "รหัสอ้างอิง", EN: "Reference of the request"},
	"access.action":    {TH: "การกระทำ", EN: "What was done"}, "access.entity": {TH: "ประเภทข้อมูล", EN: "Kind of record"},
	"access.entityId": {TH: "เลขที่ข้อมูล", EN: "Number of the record"},
	"access.subject":  {TH: "ชื่อเรียกข้อมูล", EN: "What the record was called"}, "access.outcome": {
		TH: "ผล", EN: "Outcome",
	},
	"access.changes": {TH: "ช่องที่เปลี่ยน: before ก่อน, after หลัง", EN: "Changed fields: before and after"},
	"access.reason":  {TH: "เหตุผล", EN: "Why"},
}

func init() { // the bulk entries have the same fields
	for _, field := range []string{
		"id", "at", "actorId", "actorName", "addr", "requestId", "action", "entity", "entityId", "subject", "outcome",
		"changes", "reason",
	} {
		dossierFields["together."+field] = dossierFields["access."+field]
	}
}

// historyNames are the display names of history actions.
var historyNames = map[hospital.HistoryAction]string{
	hospital.HistoryCreate: "จองนัด", hospital.HistoryUpdate: "แก้ไขนัด", hospital.HistoryReschedule: "เลื่อนนัด",
	hospital.HistoryStatus: "เปลี่ยนสถานะ", hospital.HistoryUndo: "ย้อนสถานะ",
	hospital.HistoryDelete: "ลบนัด", hospital.HistoryResult: "บันทึกผลการตรวจ",
	hospital.HistoryResultDelete: "ลบผลการตรวจ",
}

var entityNames = map[string]string{
	"patient": "ผู้ป่วย", "customer": "ผู้ใช้บริการ", "appointment": "นัดหมาย", "result": "ผลการตรวจ",
	"backup": "ข้อมูลสำรอง",
}

var actionNames = map[string]string{
	"patient.create": "ลงทะเบียนผู้ป่วย", "patient.read": "เปิดดูข้อมูลผู้ป่วย", "patient.update": "แก้ไขข้อมูลผู้ป่วย",
	"patient.delete": "ลบข้อมูลผู้ป่วย", "patient.reveal-id-card": "ดูเลขประจำตัวประชาชน",
	"patient.export": "ส่งออกรายชื่อผู้ป่วย", "patient.import": "นำเข้าข้อมูลผู้ป่วย",
	"customer.create": "เพิ่มผู้ใช้บริการ", "customer.update": "แก้ไขผู้ใช้บริการ", "customer.delete": "ลบผู้ใช้บริการ",
	"appointment.create": "จองนัด", "appointment.update": "แก้ไขนัด", "appointment.reschedule": "เลื่อนนัด",
	"appointment.status": "เปลี่ยนสถานะนัด", "appointment.undo": "ย้อนสถานะนัด", "appointment.delete": "ลบนัด",
	"appointment.slip": "พิมพ์ใบนัด", "appointment.day-list": "พิมพ์รายชื่อนัดประจำวัน",
	"appointment.export": "ส่งออกรายการนัดหมาย", "appointment.import": "นำเข้านัดหมาย",
	"result.create": "บันทึกผลการตรวจ", "result.read": "ดูผลการตรวจ", "result.list": "ดูรายการผลการตรวจ",
	"result.download": "ดาวน์โหลดไฟล์ผลการตรวจ", "result.delete": "ลบผลการตรวจ", "result.import": "นำเข้าผลการตรวจ",
	"backup.create": "สำรองข้อมูลทั้งหมด", "backup.restore": "กู้คืนข้อมูลทั้งหมด",
	"pdpa.export": "ส่งออกข้อมูลทั้งหมดตามคำขอของเจ้าของข้อมูล", "pdpa.access": "ดูบันทึกการเข้าถึงข้อมูล",
	"pdpa.anonymise": "ลบข้อมูลส่วนบุคคลตามคำขอ", "pdpa.breach": "ตรวจว่าเหตุละเมิดกระทบใคร",
}

// ActionName returns the display name of an audit action, or its code.
func ActionName(action string) string {
	if name, ok := actionNames[action]; ok {
		return name
	}
	return action
}
