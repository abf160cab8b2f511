/** Texts of the shell: page names, menu, errors, and appearance settings. */
export const app = {
  product: 'นัดหมอ',
  purpose: 'ระบบจัดการนัดหมายและผู้ป่วยของโรงพยาบาล',
  loading: 'กำลังโหลด',
  home: 'หน้าหลัก',
  backHome: 'กลับหน้าหลัก',
  close: 'ปิด',
  skipToContent: 'ข้ามไปยังเนื้อหา',
  showOthers: (count: number) => `แสดงอีก ${count} รายการ`,
  showFewer: 'แสดงน้อยลง',
  documentTitle: (page: string, hospital: string) => `${page} · ${hospital}`,
};

export const language = {
  /** The button's short text, and its description. */
  other: 'EN',
  switchToOther: 'EN: เปลี่ยนเป็นภาษาอังกฤษ',
  switchToOtherLong: 'เปลี่ยนเป็นภาษาอังกฤษ',
  failed: 'เปลี่ยนเป็นภาษาอังกฤษไม่ได้ กรุณาตรวจสอบเครือข่ายแล้วลองอีกครั้ง',
};

export const frame = {
  mainMenu: 'เมนูหลัก',
  openMenu: 'เปิดเมนู',
  closeMenu: 'ปิดเมนู',
  collapseMenu: 'ย่อเมนู',
  expandMenu: 'ขยายเมนู',
  pin: 'ปักหมุดเมนู',
  unpin: 'เลิกปักหมุดเมนู',
  breadcrumbs: 'ตำแหน่งหน้า',
  account: (name: string, role: string) => `บัญชีของ ${name} ${role}`,
  profile: 'ข้อมูลของฉันและความปลอดภัย',
  changePassword: 'เปลี่ยนรหัสผ่าน',
  guide: 'คู่มือการใช้งาน',
  theme: 'ปรับแต่งหน้าจอ',
  signOut: 'ออกจากระบบ',
  printedAt: (when: string) => `พิมพ์เมื่อ ${when}`,
  liveLost: 'ขณะนี้ข้อมูลไม่ปรับทันที ระบบกำลังเชื่อมต่อใหม่ ระหว่างนี้หน้าจอจะปรับข้อมูลทุก 15 วินาที',
};

export const page = {
  dashboard: 'แดชบอร์ด',
  serviceSchedule: 'ตารางให้บริการ',
  appointments: 'นัดหมาย',
  appointmentCalendar: 'ปฏิทินนัดหมาย',
  appointmentList: 'รายการนัดหมาย',
  appointmentCreate: 'เพิ่มนัดหมาย',
  appointmentEdit: 'แก้ไขนัดหมาย',
  diagnosisResults: 'บันทึกผลการตรวจ',
  patients: 'จัดการผู้ป่วย',
  patientCreate: 'ลงทะเบียนผู้ป่วย',
  patientEdit: 'แก้ไขข้อมูลผู้ป่วย',
  users: 'จัดการผู้ใช้งาน',
  userCreate: 'เพิ่มผู้ใช้งาน',
  userEdit: 'แก้ไขผู้ใช้งาน',
  profile: 'ข้อมูลของฉัน',
  report: 'รายงาน',
  globalConfig: 'ตั้งค่าระบบ',
  login: 'เข้าสู่ระบบ',
  register: 'ขอเปิดบัญชีผู้ใช้งาน',
  forgotPassword: 'ลืมรหัสผ่าน',
  resetPassword: 'ตั้งรหัสผ่านใหม่',
  changePassword: 'เปลี่ยนรหัสผ่าน',
};

export const error = {
  notFound: 'ไม่พบหน้านี้',
  notFoundHint: 'ที่อยู่นี้ไม่มีในระบบ หรือหน้าถูกย้ายไปแล้ว',
  failed: 'เกิดข้อผิดพลาด',
  failedHint: 'แสดงหน้านี้ไม่ได้ในขณะนี้ กรุณาลองอีกครั้ง หากยังไม่ได้ กรุณาแจ้งผู้ดูแลระบบ',
  retry: 'ลองอีกครั้ง',
  noAccess: 'ไม่มีสิทธิ์เข้าถึง',
  noAccessHint: (page: string) => `บัญชีของท่านเปิดหน้า “${page}” ไม่ได้ หากต้องใช้งาน กรุณาขอสิทธิ์จากผู้ดูแลระบบ`,
  permissionNeeded: 'สิทธิ์ที่ต้องมี',
  or: 'หรือ',
  offline: 'ไม่มีการเชื่อมต่อเครือข่าย จึงไม่ได้ส่งข้อมูล กรุณาตรวจสอบการเชื่อมต่อแล้วลองอีกครั้ง',
  network: 'ติดต่อระบบไม่ได้ กรุณาตรวจสอบเครือข่ายแล้วลองอีกครั้ง',
  unexpected: 'ระบบตอบกลับผิดปกติ กรุณาลองอีกครั้ง หากยังไม่ได้ กรุณาแจ้งผู้ดูแลระบบ',
  requestId: (id: string) => `รหัสอ้างอิง ${id}`,
};

export const settings = {
  title: 'ปรับแต่งหน้าจอ',
  hint: 'มีผลทันทีและจำไว้ในเบราว์เซอร์นี้',
  layout: 'รูปแบบเมนู',
  layouts: {
    white: 'แถบข้างสีขาว',
    dark: 'แถบข้างสีเข้ม',
    mini: 'แถบข้างแบบย่อ',
    top: 'เมนูด้านบน',
  },
  display: 'การแสดงผล',
  darkMode: 'โหมดมืด',
  rtl: 'เรียงจากขวาไปซ้าย (RTL)',
  primary: 'สีหลัก',
  sidebar: 'สีแถบเมนู',
  header: 'สีแถบบน',
  byTheme: 'ตามรูปแบบ',
  swatch: (name: string, colour: string) => `${name} ${colour}`,
  custom: (name: string) => `${name}กำหนดเอง`,
  reset: 'คืนค่าเริ่มต้น',
};
