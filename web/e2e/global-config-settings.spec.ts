import { expectNoSidewaysScroll, pageOf } from './accounts';
import { test } from './own-server';
import {
  changeSetting,
  choosePicture,
  GIF,
  png,
  readSetting,
  save,
  saveBar,
  tabPath,
} from './setting-support';
import { expect, violations, withSettings } from './support';

/** They change the whole hospital, so they run serially with their own hospital. */
test.describe.configure({ mode: 'default' });

test('a saved hospital name shows in the sidebar and the title', async ({
  page,
  signInAs,
  request,
  token,
}) => {
  const { name: before } = await readSetting(request, token);
  await signInAs('admin');
  await page.goto('/app/global-config');
  await expect(page.getByRole('tab', { name: 'โรงพยาบาล' })).toHaveAttribute('aria-selected', 'true');
  await page.getByLabel('ชื่อโรงพยาบาล', { exact: false }).first().fill('โรงพยาบาลทดสอบ');
  await page.getByLabel('โทรศัพท์').fill('02 000 0000');
  await expect(saveBar(page)).toContainText('แก้ไข 2 รายการ');
  await expect(saveBar(page).getByRole('deletion').filter({ hasText: before })).toBeVisible();
  await expect(saveBar(page).getByRole('insertion').filter({ hasText: 'โรงพยาบาลทดสอบ' })).toBeVisible();
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: ชื่อโรงพยาบาล, โทรศัพท์')).toBeVisible();
  await expect(page.getByRole('complementary').getByText('โรงพยาบาลทดสอบ')).toBeVisible();
  await expect(page).toHaveTitle(/โรงพยาบาลทดสอบ/);
  await expect(saveBar(page)).toContainText('ยังไม่มีการเปลี่ยนแปลง');
  await page.reload();
  await expect(page.getByLabel('โทรศัพท์')).toHaveValue('02 000 0000');
  await page.goto(`${tabPath('audit')}&entity=setting`);
  const entry = page.getByRole('button', { name: /แก้ไขการตั้งค่าระบบ/ }).first();
  await entry.click();
  await expect(page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' })).toContainText('02 000 0000');
  await changeSetting(request, token, { name: before });
});

test('shows an error at its field and keeps the typed values', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(tabPath('hospital'));
  const code = page.getByLabel('รหัสสถานพยาบาล');
  await code.fill('123');
  await save(page).click();
  await expect(page.getByText('รหัสสถานพยาบาลมี 5 หรือ 9 หลัก')).toBeVisible();
  await expect(code).toBeFocused();
  await saveBar(page).getByRole('button', { name: 'ยกเลิกการแก้ไข' }).click();
  await expect(page.getByText('รหัสสถานพยาบาลมี 5 หรือ 9 หลัก')).toHaveCount(0);
});

test('previews a logo, replaces the old one at once, and can undo its removal', async ({
  page,
  signInAs,
  request,
  token,
}) => {
  await signInAs('admin');
  await page.goto(tabPath('hospital'));
  const phone = page.getByLabel('โทรศัพท์');
  await phone.fill('ยังไม่บันทึก');
  const inSidebar = page.getByRole('complementary').locator('img');
  const old = await inSidebar.getAttribute('src');
  await choosePicture(page, 'logo.png', png(64, 64, [190, 24, 93]));
  await expect(page.getByRole('img', { name: 'รูปที่เลือก: logo.png' })).toBeVisible();
  await page.getByRole('button', { name: 'ใช้โลโก้นี้' }).click();
  await expect(page.getByText('เปลี่ยนโลโก้แล้ว')).toBeVisible();
  await expect(inSidebar).not.toHaveAttribute('src', old ?? '');
  const { logo } = await readSetting(request, token);
  await expect(inSidebar).toHaveAttribute('src', logo);
  await expect(phone).toHaveValue('ยังไม่บันทึก');
  await page.getByRole('button', { name: 'เอาโลโก้ออก' }).click();
  await expect(page.getByText('ยังไม่มีโลโก้')).toBeVisible();
  await expect(inSidebar).toHaveCount(0);
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(inSidebar).toHaveAttribute('src', logo);
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: โทรศัพท์')).toBeVisible();
  expect(await readSetting(request, token)).toMatchObject({ phone: 'ยังไม่บันทึก', logo });
});

test('rejects files that are not images, too large or rejected by the server', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(tabPath('banners'));
  const program = Buffer.from('MZ\x90\0\x03 this program cannot be run in DOS mode');
  await choosePicture(page, 'setup.exe', program, 'application/octet-stream');
  await expect(page.getByRole('alert')).toHaveText('setup.exe ไม่ใช่รูป PNG, JPEG หรือ WebP กรุณาเลือกรูปอื่น');
  await choosePicture(page, 'ใหญ่.png', Buffer.alloc(21 * 1024 * 1024, 1));
  await expect(page.getByRole('alert')).toHaveText('ใหญ่.png ใหญ่เกินไป กรุณาใช้ไฟล์ไม่เกิน 20 MB');
  await choosePicture(page, 'setup.png', program);
  await expect(page.getByRole('alert')).toContainText('เปิดรูปนี้ไม่ได้');
  await expect(page.getByRole('button', { name: 'อัปโหลด', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'ไม่ใช้รูปนี้' }).click();
  await choosePicture(page, 'เคลื่อนไหว.png', GIF);
  await page.getByRole('button', { name: 'อัปโหลด', exact: true }).click();
  const refusal = page.getByRole('region', { name: 'ตัวอย่างรูปที่จะอัปโหลด' }).getByRole('alert');
  await expect(refusal).toContainText('รหัสอ้างอิง');
  await expect(refusal).toContainText(/ไฟล์|รูป/);
});

test('an upload shows its progress and can be cancelled', async ({ page, signInAs, request, token }) => {
  const { banners } = await readSetting(request, token);
  await signInAs('admin');
  await page.goto(tabPath('banners'));
  let release = () => {};
  await page.route('**/media-file/upload/banner', async (route) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await route.abort().catch(() => {});
  });
  await choosePicture(page, 'ช้า.png', png(30, 10, [1, 2, 3]));
  await page.getByRole('button', { name: 'อัปโหลด', exact: true }).click();
  await expect(page.getByText(/^กำลัง(อัปโหลด \d+%|ตรวจและบันทึกรูป)$/)).toBeVisible();
  await expect(page.getByRole('progressbar')).toBeAttached();
  await page.getByRole('button', { name: 'ยกเลิกการอัปโหลด' }).click();
  await expect(page.getByText('ยกเลิกการอัปโหลดแล้ว')).toBeVisible();
  await expect(page.getByRole('progressbar')).toHaveCount(0);
  release();
  expect((await readSetting(request, token)).banners).toHaveLength(banners.length);
});

test('crops, uploads, describes, dates, sorts and removes a banner', async ({
  page,
  signInAs,
  request,
  token,
}) => {
  test.slow();
  const { banners: before } = await readSetting(request, token);
  await signInAs('admin');
  await page.goto(tabPath('banners'));
  await choosePicture(page, 'กิจกรรม.png', png(300, 300, [21, 128, 61]));
  await page.getByText('แนวนอน 3:1').click();
  await page.getByRole('slider', { name: 'ตำแหน่งของส่วนที่ใช้' }).press('Home');
  await page.getByLabel('คำอธิบายรูป').first().fill('เดินวิ่งเพื่อสุขภาพ');
  await page.getByRole('button', { name: 'อัปโหลด', exact: true }).click();
  await expect(page.getByText('เพิ่มแบนเนอร์แล้ว')).toBeVisible();
  const row = page.getByRole('group', { name: 'เดินวิ่งเพื่อสุขภาพ', exact: true });
  const size = await row.getByRole('img').evaluate(async (img: HTMLImageElement) => {
    img.loading = 'eager';
    await img.decode();
    return [img.naturalWidth, img.naturalHeight];
  });
  expect(size).toEqual([300, 100]);
  await row.getByLabel('ลิงก์เมื่อกด').fill('sinakhon.example');
  await row.getByLabel('แสดงตั้งแต่วันที่', { exact: true }).fill('1/12/2569');
  await row.getByLabel('แสดงถึงวันที่', { exact: true }).fill('30/11/2569');
  await save(page).click();
  await expect(row.getByText(/ลิงก์ต้องขึ้นต้นด้วย/)).toBeVisible();
  await expect(row.getByText('วันสิ้นสุดต้องไม่ก่อนวันเริ่ม')).toBeVisible();
  await row.getByLabel('ลิงก์เมื่อกด').fill('https://sinakhon.example/run');
  await row.getByLabel('แสดงถึงวันที่', { exact: true }).fill('31/12/2569');
  const up = page.getByRole('button', { name: 'เลื่อน เดินวิ่งเพื่อสุขภาพ ขึ้น' });
  await up.focus();
  for (let step = 0; step < before.length; step++) await page.keyboard.press('Enter');
  await expect(up).toBeFocused();
  await expect(up).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText(`เดินวิ่งเพื่อสุขภาพ อยู่ลำดับที่ 1 จาก ${before.length + 1}`)).toBeAttached();
  await expect(saveBar(page)).toContainText('ลำดับแบนเนอร์');
  await expect(saveBar(page)).toContainText('1 ธ.ค. 2569 ถึง 31 ธ.ค. 2569');
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: แบนเนอร์')).toBeVisible();
  const { banners: after } = await readSetting(request, token);
  expect(after.map(({ id }) => id).slice(1)).toEqual(before.map(({ id }) => id));
  expect(after[0]).toMatchObject({
    alt: 'เดินวิ่งเพื่อสุขภาพ',
    link: 'https://sinakhon.example/run',
    active: true,
  });
  expect(new Date(after[0]?.endsAt ?? '').toISOString()).toBe('2026-12-31T17:00:00.000Z');

  await row.getByRole('button', { name: 'เอาออก เดินวิ่งเพื่อสุขภาพ' }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(row).toBeVisible();
  await expect(saveBar(page)).toContainText('ยังไม่มีการเปลี่ยนแปลง');
  await row.getByRole('button', { name: 'เอาออก เดินวิ่งเพื่อสุขภาพ' }).click();
  await expect(saveBar(page).getByRole('deletion')).toContainText('เดินวิ่งเพื่อสุขภาพ');
  await save(page).click();
  await expect.poll(async () => (await readSetting(request, token)).banners).toEqual(before);
});

test('sorts banners by dragging', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(tabPath('banners'));
  const rows = page.getByRole('list', { name: 'แบนเนอร์' }).getByRole('listitem');
  const first = await rows.first().getByLabel('คำอธิบายรูป').inputValue();
  await rows.first().getByTitle('ลากเพื่อเปลี่ยนลำดับ').dragTo(rows.nth(1));
  await expect(rows.nth(1).getByLabel('คำอธิบายรูป')).toHaveValue(first);
  await expect(saveBar(page)).toContainText('ลำดับแบนเนอร์');
  await saveBar(page).getByRole('button', { name: 'ยกเลิกการแก้ไข' }).click();
  await expect(rows.first().getByLabel('คำอธิบายรูป')).toHaveValue(first);
});

test('saves booking rules and switches off no-shows', async ({ page, signInAs, request, token }) => {
  const { leadMinutes, maxActivePerPatient, noShowTime } = await readSetting(request, token);
  await changeSetting(request, token, { maxActivePerPatient: 5 });
  await signInAs('admin');
  await page.goto(tabPath('booking'));
  await page.getByLabel('ปิดรับจองก่อนเวลานัด (นาที)').fill('2880');
  await expect(page.getByText('เท่ากับ 2 วัน')).toBeVisible();
  await page.getByLabel('จำนวนนัดที่จะถึงต่อผู้ป่วย').fill('0');
  const time = page.getByLabel('เวลาบันทึกไม่มาตามนัด');
  await time.fill('2500');
  await save(page).click();
  await expect(page.getByText(/กรอกเวลาเป็น ชั่วโมง:นาที/)).toBeVisible();
  await time.fill('1930');
  await time.blur();
  await expect(time).toHaveValue('19:30');
  await expect(saveBar(page).getByRole('insertion').filter({ hasText: 'ไม่จำกัด' })).toBeVisible();
  await save(page).click();
  await expect(page.getByText(/^บันทึกแล้ว: /)).toBeVisible();
  expect(await readSetting(request, token)).toMatchObject({
    leadMinutes: 2880,
    maxActivePerPatient: 0,
    noShowTime: '19:30',
  });
  await page.getByRole('switch', { name: /ไม่มาตามนัด/ }).click();
  await expect(time).toHaveCount(0);
  await expect(saveBar(page).getByRole('insertion')).toContainText('ปิด');
  await save(page).click();
  await expect.poll(async () => (await readSetting(request, token)).noShowTime).toBe('');
  await changeSetting(request, token, { leadMinutes, maxActivePerPatient, noShowTime });
});

test('edits a reminder with placeholders and previews it', async ({ page, signInAs, request, token }) => {
  const { reminders } = await readSetting(request, token);
  await signInAs('admin');
  await page.goto(tabPath('reminders'));
  await page.getByRole('button', { name: 'เพิ่มการแจ้งเตือน' }).click();
  const place = reminders.length + 1;
  const row = page.getByRole('group', { name: `การแจ้งเตือนที่ ${place}` });
  const text = row.getByLabel('ข้อความ', { exact: false }).first();
  await expect(row.locator('textarea')).toBeFocused();
  await page.keyboard.type('เรียน ');
  await row.getByRole('button', { name: 'แทรกชื่อผู้ป่วย' }).click();
  await expect(row.locator('textarea')).toBeFocused();
  await page.keyboard.type(' นัด {hn}');
  const preview = row.getByRole('region', { name: 'ตัวอย่างที่ผู้ป่วยได้รับ' });
  await expect(preview).toContainText('เรียน นางสมศรี ใจดี นัด {hn}');
  await row.getByLabel('ก่อนเวลานัด (ชั่วโมง)').fill('48');
  await save(page).click();
  await expect(row.getByText('ไม่รู้จัก {hn}')).toBeVisible();
  await row.locator('textarea').fill('เรียน {patient} นัด {service} {date} {time} น.');
  await expect(preview).toContainText('นัด อายุรกรรมทั่วไป');
  await expect(preview).toContainText('คิดเป็น SMS');
  await expect(saveBar(page).getByRole('insertion')).toContainText('ก่อนนัด 2 วัน · ข้อความ SMS');
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: การแจ้งเตือน')).toBeVisible();
  expect((await readSetting(request, token)).reminders.at(-1)).toEqual({
    offsetHours: 48,
    channel: 'SMS',
    template: 'เรียน {patient} นัด {service} {date} {time} น.',
  });
  await expect(text).toBeVisible();
  await row.getByRole('button', { name: `เอาการแจ้งเตือนที่ ${place} ออก` }).click();
  await save(page).click();
  await expect.poll(async () => (await readSetting(request, token)).reminders).toEqual(reminders);
});

test('previews the next number while a format is typed', async ({ page, signInAs, request, token }) => {
  const { hnFormat } = await readSetting(request, token);
  await page.clock.setFixedTime(new Date('2026-11-15T09:30:00+07:00'));
  await signInAs('admin');
  await page.goto(tabPath('numbering'));
  const format = page.getByLabel('รูปแบบ HN');
  await format.fill('HN{YY}-{SEQ:6}');
  await expect(page.getByText('HN69-000123')).toBeVisible();
  await expect(page.getByText('เริ่มนับใหม่ทุกปี')).toBeVisible();
  await format.fill('HN{YY}{WEEK}');
  await save(page).click();
  await expect(page.getByText('ไม่รู้จัก {WEEK}')).toBeVisible();
  await format.fill('HN{YY}-{SEQ:6}');
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: รูปแบบ HN')).toBeVisible();
  expect((await readSetting(request, token)).hnFormat).toBe('HN{YY}-{SEQ:6}');
  await changeSetting(request, token, { hnFormat });
});

test('two administrators: merges different fields, asks about the same field', async ({
  page,
  browser,
  baseURL,
  signInAs,
  request,
  token,
}) => {
  const { phone, nameEn } = await readSetting(request, token);
  await signInAs('admin');
  await page.goto(tabPath('hospital'));
  await page.getByLabel('โทรศัพท์').fill('01 ของฉัน');
  const other = await pageOf(browser, baseURL, 'admin');
  await other.goto(tabPath('hospital'));
  await other.getByLabel('ชื่อโรงพยาบาลภาษาอังกฤษ').fill('Theirs');
  await save(other).click();
  await expect(other.getByText('บันทึกแล้ว: ชื่อโรงพยาบาลภาษาอังกฤษ')).toBeVisible();
  await other.getByLabel('โทรศัพท์').fill('02 ของเขา');
  await save(page).click();
  await expect(page.getByText('บันทึกแล้ว: โทรศัพท์')).toBeVisible();
  await expect(page.getByLabel('ชื่อโรงพยาบาลภาษาอังกฤษ')).toHaveValue('Theirs');
  // Typed values remain, and the change by another user is shown at once.
  await expect(other.getByText('ระหว่างนี้มีผู้อื่นแก้ไขข้อมูลเดียวกัน')).toBeVisible();
  await expect(other.getByLabel('โทรศัพท์')).toHaveValue('02 ของเขา');
  await save(other).click();
  const conflict = other.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(conflict.getByRole('radiogroup', { name: 'โทรศัพท์' })).toContainText('01 ของฉัน');
  await conflict.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(other.getByText('บันทึกแล้ว: โทรศัพท์')).toBeVisible();
  expect(await readSetting(request, token)).toMatchObject({ phone: '02 ของเขา', nameEn: 'Theirs' });
  await other.context().close();
  await changeSetting(request, token, { phone, nameEn });
});

test('asks before leaving unsaved changes for another tab', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(tabPath('booking'));
  await page.getByLabel('จองล่วงหน้าได้ไม่เกิน (วัน)').fill('10');
  await page.getByRole('tab', { name: 'เลขที่เอกสาร' }).click();
  const question = page.getByRole('dialog', { name: 'ยังไม่ได้บันทึก' });
  await question.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(page.getByLabel('จองล่วงหน้าได้ไม่เกิน (วัน)')).toHaveValue('10');
  await page.getByRole('tab', { name: 'เลขที่เอกสาร' }).click();
  await question.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page.getByLabel('รูปแบบ HN')).toBeVisible();
});

test('a read-only user sees every tab without edit actions', async ({ page, context, records }) => {
  const role = await records.role(['SIDEBAR.GLOBAL_CONFIG', 'GLOBAL_SETTING.SHOW', 'BANNER.SHOW']);
  await records.signIn(context, role.id);
  for (const tab of ['hospital', 'booking', 'banners', 'reminders', 'numbering']) {
    await page.goto(tabPath(tab));
    await expect(page.getByText(/^ดูได้อย่างเดียว/)).toBeVisible();
    await expect(page.getByRole('tabpanel').getByRole('textbox').first()).toHaveAttribute('readonly', '');
    await expect(saveBar(page)).toHaveCount(0);
    await expect(page.locator('input[type=file]')).toHaveCount(0);
  }
});

for (const [look, settings] of [
  ['light', {}],
  ['dark', { dark: true }],
  ['mirrored', { rtl: true }],
] as const) {
  test(`no axe violations in the tabs, ${look}`, { tag: '@long' }, async ({ page, signInAs }) => {
    test.slow();
    // Typed values of a tab may be discarded.
    page.on('dialog', (dialog) => void dialog.accept());
    await withSettings(page, settings);
    await signInAs('admin');
    for (const [tab, field] of [
      ['hospital', 'โทรศัพท์'],
      ['booking', 'จองล่วงหน้าได้ไม่เกิน (วัน)'],
      ['banners', ''],
      ['reminders', ''],
      ['numbering', 'รูปแบบ HN'],
    ] as const) {
      await page.setViewportSize({ width: 1366, height: 768 });
      await page.goto(tabPath(tab));
      await expect(saveBar(page)).toBeVisible();
      if (field) await page.getByLabel(field).fill('7');
      if (tab === 'banners') await choosePicture(page, 'a.png', png(60, 30, [200, 10, 10]));
      if (tab === 'banners') await page.getByText('แนวนอน 3:1').click();
      if (tab === 'reminders') await page.getByRole('button', { name: 'เพิ่มการแจ้งเตือน' }).click();
      expect.soft(await violations(page), tab).toEqual([]);
      for (const width of [768, 360]) {
        await page.setViewportSize({ width, height: 740 });
        await expectNoSidewaysScroll(page);
        await page.getByRole('tablist').first().scrollIntoViewIfNeeded();
        for (const one of await page.getByRole('tab').all()) await expect(one).toBeInViewport({ ratio: 1 });
      }
      const discard = page.getByRole('button', { name: 'ยกเลิกการแก้ไข' });
      if (await discard.isVisible()) await discard.click();
    }
  });
}
