import { formatNumber } from '@/lib/number';

/** Texts of shared components (src/ui). */
export const table = {
  ascending: 'เรียงจากน้อยไปมาก',
  descending: 'เรียงจากมากไปน้อย',
  sortBy: 'เรียงตาม',
  sortedBy: (column: string) => `เรียงตาม${column}`,
  range: (first: number, last: number, total: number) =>
    `${formatNumber(first)}–${formatNumber(last)} จาก ${formatNumber(total)} รายการ`,
  total: (total: number) => `ทั้งหมด ${formatNumber(total)} รายการ`,
  pages: (list: string) => `หน้าของ${list}`,
  page: (page: number) => `หน้า ${page}`,
  pageSize: 'จำนวนรายการต่อหน้า',
  perPage: (size: number) => `${size} รายการต่อหน้า`,
  pageGone: 'หน้านี้ไม่มีรายการแล้ว',
  firstPage: 'ไปหน้าแรก',
  previous: 'หน้าก่อนหน้า',
  next: 'หน้าถัดไป',
};

export const date = {
  placeholder: 'วว/ดด/ปปปป',
  example: 'เช่น 15/11/2569',
  unreadable: 'วันที่ไม่ถูกต้อง',
  tooEarly: (first: string) => `ต้องไม่ก่อน ${first}`,
  tooLate: (last: string) => `ต้องไม่หลัง ${last}`,
  openCalendar: (field: string) => `เลือก${field}จากปฏิทิน`,
  calendar: 'ปฏิทิน',
  previousMonth: 'เดือนก่อนหน้า',
  nextMonth: 'เดือนถัดไป',
  previousYear: 'ปีก่อนหน้า',
  nextYear: 'ปีถัดไป',
  previousDecade: 'สิบปีก่อนหน้า',
  nextDecade: 'สิบปีถัดไป',
  monthLevelControl: 'เลือกเดือน',
  yearLevelControl: 'เลือกปี',
  justNow: 'เมื่อสักครู่',
  minutesAgo: (count: number) => `${count} นาทีที่แล้ว`,
  hoursAgo: (count: number) => `${count} ชั่วโมงที่แล้ว`,
  yesterdayAt: (time: string) => `เมื่อวาน ${time}`,
  period: 'ช่วงวันที่',
  from: 'ตั้งแต่วันที่',
  to: 'ถึงวันที่',
  presets: {
    all: 'ทั้งหมด',
    today: 'วันนี้',
    yesterday: 'เมื่อวาน',
    lastSevenDays: '7 วันที่ผ่านมา',
    thisMonth: 'เดือนนี้',
    custom: 'กำหนดเอง',
  },
};

export const action = {
  save: 'บันทึก',
  /** Closes a dialog without changes. Never “ยกเลิก”, which means cancelling an appointment. */
  back: 'กลับ',
  close: 'ปิด',
  edit: 'แก้ไข',
  copy: 'คัดลอก',
  copied: 'คัดลอกแล้ว',
  undo: 'เลิกทำ',
  clearSearch: 'ล้างคำค้น',
  clearFilters: 'ล้างตัวกรอง',
  reason: 'เหตุผล',
};

export const saveBar = {
  title: 'สิ่งที่จะบันทึก',
  count: (count: number) => `แก้ไข ${count} รายการ ยังไม่ได้บันทึก`,
  nothing: 'ยังไม่มีการเปลี่ยนแปลง',
  list: 'รายการสิ่งที่จะบันทึก',
  outdated: 'ระหว่างนี้มีผู้อื่นแก้ไขข้อมูลเดียวกัน หากแก้ไขช่องเดียวกัน ระบบจะถามก่อนบันทึก',
  discard: 'ยกเลิกการแก้ไข',
};

export const sortable = {
  drag: 'ลากเพื่อเปลี่ยนลำดับ',
  byMouse: 'ลากหรือใช้ปุ่มลูกศรเพื่อเปลี่ยนลำดับ',
  byFinger: 'แตะปุ่มลูกศรขึ้นหรือลงเพื่อเปลี่ยนลำดับ',
  up: (name: string) => `เลื่อน ${name} ขึ้น`,
  down: (name: string) => `เลื่อน ${name} ลง`,
  moved: (name: string, place: number, total: number) => `${name} อยู่ลำดับที่ ${place} จาก ${total}`,
};

export const unsaved = {
  title: 'ยังไม่ได้บันทึก',
  text: 'ข้อมูลที่แก้ไขในหน้านี้ยังไม่ได้บันทึก หากออกจากหน้านี้ ข้อมูลจะหายไป',
  stay: 'อยู่หน้านี้ต่อ',
  leave: 'ออกโดยไม่บันทึก',
};

export const conflict = {
  title: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว',
  text: 'ระหว่างที่ท่านแก้ไข มีผู้อื่นบันทึกข้อมูลเดียวกันนี้ เลือกค่าที่จะใช้ในแต่ละช่อง แล้วบันทึกอีกครั้ง',
  mine: 'ของฉัน',
  theirs: 'ล่าสุดในระบบ',
  useTheirs: 'ใช้ข้อมูลล่าสุดทั้งหมด',
  saveChosen: 'บันทึกตามที่เลือก',
};

export const download = {
  running: (size: string) => `กำลังดาวน์โหลด รับแล้ว ${size}`,
  starting: 'กำลังเตรียมไฟล์',
  cancel: 'ยกเลิกการดาวน์โหลด',
  cancelled: 'ยกเลิกการดาวน์โหลดแล้ว',
  done: (file: string) => `ดาวน์โหลด ${file} แล้ว`,
};
