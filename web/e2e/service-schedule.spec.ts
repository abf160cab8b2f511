import type { Page } from '@playwright/test';
import { expectNoSidewaysScroll } from './accounts';
import { dashedPhone, fullName } from './patient-support';
import { scheduleCell as cell, openSchedule as open, quietDay, shortDate, test } from './schedule-support';
import { expect, violations, withSettings } from './support';

const [MON, TUE, WED] = [quietDay(1), quietDay(2), quietDay(3)];
const grid = (page: Page) => page.getByRole('grid');
const dialog = (page: Page) => page.getByRole('dialog');

async function saveCapacity(page: Page, capacity: string) {
  await dialog(page)
    .getByLabel(/จำนวนที่รับ/)
    .fill(capacity);
  await dialog(page).getByRole('button', { name: 'บันทึกจำนวน' }).click();
}

test('changes one slot by click, undoes it, and resets it to the weekly hours', async ({
  page,
  signInAs,
  planner,
}) => {
  const service = await planner.addService();
  await planner.bookNewPatient(service, MON, '10:00');
  await signInAs('nurse');
  await open(page, service);
  await expect(cell(page, 1, 1)).toHaveText('1 / 4ว่าง 3');
  await cell(page, 1, 1).click();
  await expect(dialog(page).getByRole('link', { name: 'ดูผู้ที่นัดไว้ 1 คน' })).toHaveAttribute(
    'href',
    new RegExp(`/app/appointment/list\\?from=%22${MON}%22|from=${MON}`),
  );
  await saveCapacity(page, '7');
  await expect(cell(page, 1, 1)).toHaveText('1 / 7ว่าง 6');
  await expect(cell(page, 1, 1)).toHaveAccessibleName(/ปรับจำนวนเฉพาะวัน/);
  await expect(cell(page, 1, 1)).toBeFocused();
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(cell(page, 1, 1)).toHaveText('1 / 4ว่าง 3');
  expect((await planner.slotsOn(service, MON))[1]).toMatchObject({ overridden: false });
  await planner.setCapacity(service, MON, '09:00', 9);
  await page.reload();
  await cell(page, 1, 0).click();
  await dialog(page).getByRole('button', { name: 'คืนค่าตามเวลาให้บริการ' }).click();
  await expect(cell(page, 1, 0)).toHaveText('0 / 4ว่าง 4');
});

test('an inactive service keeps its page and its bookings', async ({
  page,
  signInAs,
  planner,
  clinic,
  registration,
}) => {
  const service = await planner.addService();
  const booked = await clinic.book(await registration.register(), service, MON, '10:00');
  await clinic.deactivate(service);
  await signInAs('admin');
  await open(page, service);
  await expect(page.getByText('บริการนี้ปิดรับนัดแล้ว')).toBeVisible();
  await expect(page.getByLabel('บริการ', { exact: true })).toContainText(`${service.name} (ปิดรับนัด)`);
  await expect(grid(page)).toContainText('1 / 4');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await expect(page.getByRole('radio', { name: new RegExp(`^${service.name}`) })).toBeChecked();
  await expect(page.getByRole('list', { name: 'ประวัติการเปลี่ยนแปลง' })).toContainText(service.name);
});

test('a cancelled drag selects nothing', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await signInAs('nurse');
  await open(page, service);
  const chosen = grid(page).locator('[aria-selected=true]');
  await page.evaluate(() => {
    addEventListener('pointerdown', ({ pointerId }) => Object.assign(window, { pointerId }));
  });
  await cell(page, 1, 0).hover();
  await page.mouse.down();
  await cell(page, 2, 1).hover();
  await expect(chosen).toHaveCount(4);
  await page.evaluate(() => {
    const { pointerId } = window as unknown as { pointerId: number };
    dispatchEvent(new PointerEvent('pointercancel', { pointerId }));
  });
  await expect(chosen).toHaveCount(0);
  await cell(page, 3, 2).hover();
  await expect(chosen).toHaveCount(0);
  await page.mouse.up();
  await cell(page, 1, 0).hover();
  await expect(dialog(page)).toHaveCount(0);
  // The next dialog starts empty.
  await page.mouse.down();
  await cell(page, 1, 1).hover();
  await page.mouse.up();
  await expect(dialog(page)).toContainText('2 ช่วงเวลา');
});

test('selects many slots by dragging, by day and by time', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await signInAs('nurse');
  await open(page, service);
  await cell(page, 1, 0).hover();
  await page.mouse.down();
  await cell(page, 2, 1).hover();
  await expect(grid(page).locator('[aria-selected=true]')).toHaveCount(4);
  await page.mouse.up();
  await expect(dialog(page)).toContainText('4 ช่วงเวลา');
  await saveCapacity(page, '6');
  await expect(cell(page, 2, 1)).toHaveText('0 / 6ว่าง 6');
  expect(await planner.capacitiesOn(service, MON)).toBe('6 6 4');
  expect(await planner.capacitiesOn(service, TUE)).toBe('6 6 4');
  await grid(page).getByRole('columnheader').nth(3).click();
  await saveCapacity(page, '8');
  await expect(cell(page, 3, 2)).toHaveText('0 / 8ว่าง 8');
  expect(await planner.capacitiesOn(service, WED)).toBe('8 8 8');
  await grid(page).getByRole('rowheader', { name: '11:00' }).click();
  await expect(dialog(page)).toContainText('7 ช่วงเวลา');
  await saveCapacity(page, '2');
  await expect(cell(page, 3, 2)).toHaveText('0 / 2ว่าง 2');
  expect(await planner.capacitiesOn(service, WED)).toBe('8 8 2');
  // Undo restores each previous value.
  await page.getByRole('button', { name: 'เลิกทำ' }).last().click();
  await expect(cell(page, 3, 2)).toHaveText('0 / 8ว่าง 8');
  expect(await planner.capacitiesOn(service, MON)).toBe('6 6 4');
});

test('the grid works by keyboard with one tab stop', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await signInAs('nurse');
  await open(page, service);
  await expect(grid(page).locator('[tabindex="0"]')).toHaveCount(1);
  await grid(page).locator('[tabindex="0"]').focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowRight');
  await expect(cell(page, 1, 0)).toBeFocused();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(grid(page).locator('[aria-selected=true]')).toHaveCount(4);
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByLabel(/จำนวนที่รับ/)).toBeFocused();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await expect(cell(page, 2, 1)).toHaveText('0 / 5ว่าง 5');
  await expect(dialog(page)).toBeHidden();
  await expect.poll(() => planner.capacitiesOn(service, TUE)).toBe('5 5 4');
  await expect(grid(page).locator(':focus')).toHaveCount(1);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowUp');
  await expect(grid(page).getByRole('columnheader').nth(2)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toContainText('3 ช่วงเวลา');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
});

test('asks before setting a capacity below the bookings', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await planner.bookNewPatient(service, MON, '09:00');
  await planner.bookNewPatient(service, MON, '09:00');
  await signInAs('nurse');
  await open(page, service);
  await cell(page, 1, 0).click();
  await saveCapacity(page, '1');
  const question = page.getByRole('dialog', { name: 'น้อยกว่าที่จองแล้ว' });
  await expect(question).toContainText('มีผู้จองแล้ว 2 คน');
  expect(await planner.capacitiesOn(service, MON)).toBe('4 4 4');
  await question.getByRole('button', { name: 'ยืนยัน ไม่รับเพิ่ม' }).click();
  await expect(cell(page, 1, 0)).toHaveText('2 / 1เกิน 1');
});

test('shows that a seat was taken while the editor was open', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await signInAs('nurse');
  await open(page, service);
  await cell(page, 1, 0).click();
  await planner.bookNewPatient(service, MON, '09:00');
  await planner.bookNewPatient(service, MON, '09:00');
  await saveCapacity(page, '1');
  await expect(page.getByRole('dialog', { name: 'น้อยกว่าที่จองแล้ว' })).toContainText('2 คน');
});

test('closes a day with a reason and moves all its appointments', async ({ page, signInAs, planner }) => {
  test.slow();
  // Mondays and Wednesdays only, one seat per hour, until that Wednesday.
  const row = { startTime: '09:00', endTime: '11:00', capacity: 1 };
  const service = await planner.addService({
    schedule: [1, 3].map((weekday) => ({ weekday, ...row, validTo: WED })),
  });
  const people = [
    await planner.bookNewPatient(service, MON, '09:00'),
    await planner.bookNewPatient(service, MON, '10:00'),
  ];
  const busy = await planner.bookNewPatient(service, WED, '10:00');
  await signInAs('nurse');
  await open(page, service);
  await grid(page).getByRole('columnheader').nth(1).click();
  await dialog(page).getByRole('button', { name: 'งดช่วงเวลาที่เลือก' }).click();
  await expect(dialog(page).getByText('มีผู้ป่วยนัดไว้ 2 คนในช่วงนี้')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'งดให้บริการ' }).click();
  await expect(dialog(page).getByText('กรุณากรอกเหตุผล')).toBeVisible();
  await dialog(page).getByLabel('เหตุผล').fill('แพทย์ประชุม');
  await dialog(page).getByRole('button', { name: 'งดให้บริการ' }).click();
  await expect(page.getByRole('dialog', { name: 'งดให้บริการแล้ว' })).toContainText('2 คน');
  await dialog(page).getByRole('button', { name: 'เลื่อนนัดทั้งหมด' }).click();
  await expect(page).toHaveURL(/move=\d+/);
  const proposals = page.getByRole('table', { name: 'เวลาที่เสนอ' });
  const calls = page.getByRole('table', { name: 'รายชื่อที่ต้องโทรแจ้ง' });
  const [first, second] = people;
  if (!first || !second) throw new Error('nobody is booked');
  await expect(proposals.getByRole('row').filter({ hasText: fullName(first) })).toContainText(
    `${shortDate(WED)} 09:00`,
  );
  await expect(calls.getByRole('row').filter({ hasText: fullName(second) })).toContainText(
    dashedPhone(second.phone),
  );
  // Another user takes the proposed seat before the plan is applied; a larger capacity frees another.
  await planner.bookNewPatient(service, WED, '09:00');
  await planner.setCapacity(service, WED, '10:00', 3);
  await page.getByRole('button', { name: 'เลื่อนนัด 1 คน' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('มีผู้จองเวลาบางช่วงไปก่อน');
  await expect(proposals.getByRole('row').filter({ hasText: fullName(first) })).toContainText(
    `เดิมเสนอ ${shortDate(WED)} 09:00`,
  );
  await page.getByRole('button', { name: 'เลื่อนนัด 2 คน' }).click();
  await expect(page.getByText('เลื่อนนัดแล้ว 2 คน')).toBeVisible();
  expect(await planner.slotsOn(service, MON)).toEqual([]);
  expect((await planner.slotsOn(service, WED)).map(({ booked }) => booked)).toEqual([1, 3]);
  await page.getByRole('button', { name: 'เสร็จสิ้น' }).click();
  await expect(cell(page, 1, 0)).toHaveText('งด');
  await expect(cell(page, 1, 0)).toHaveAccessibleName(/งด: แพทย์ประชุม/);
  await expect(grid(page)).not.toContainText(busy.lastName);
});

test('changes one proposed time to another free one', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  const patient = await planner.bookNewPatient(service, MON, '09:00');
  const { id } = await planner.close(service, MON, MON);
  await signInAs('nurse');
  await open(page, service, `&move=${id}`);
  const row = page.getByRole('row').filter({ hasText: fullName(patient) });
  await expect(row).toContainText(`${shortDate(TUE)} 09:00`);
  await page.getByRole('button', { name: `เปลี่ยนเวลาใหม่ของ ${fullName(patient)}` }).click();
  const chooser = page.getByRole('dialog', { name: /เปลี่ยนเวลาใหม่/ });
  const [year, month, day] = WED.split('-');
  await chooser.getByLabel('วันที่ใหม่', { exact: true }).fill(`${day}/${month}/${Number(year) + 543}`);
  await chooser.getByLabel('เวลา', { exact: true }).selectOption('11:00');
  await chooser.getByRole('button', { name: 'ใช้เวลานี้' }).click();
  await expect(row).toContainText(`${shortDate(WED)} 11:00 เลือกเอง`);
  await page.getByRole('button', { name: 'เลื่อนนัด 1 คน' }).click();
  await expect(page.getByText('เลื่อนนัดแล้ว 1 คน')).toBeVisible();
  expect((await planner.slotsOn(service, WED))[2]?.booked).toBe(1);
});

test('weekly hours: shows overlaps while typing, copies days, and lists the changes', async ({
  page,
  signInAs,
  planner,
}) => {
  const service = await planner.addService({
    schedule: [{ weekday: 1, startTime: '09:00', endTime: '12:00' }],
  });
  await signInAs('nurse');
  await open(page, service);
  await page.getByRole('button', { name: 'เวลาให้บริการ' }).click();
  await expect(page).toHaveURL(/panel=hours/);
  await dialog(page).getByRole('button', { name: 'เพิ่มช่วงเวลา วันจันทร์' }).click();
  const second = dialog(page).getByRole('group', { name: 'จันทร์ ช่วงที่ 2' });
  await second.getByLabel('เริ่ม', { exact: true }).fill('11.30');
  await expect(second.getByText('เวลาซ้อนกับจันทร์ ช่วงที่ 1')).toBeVisible();
  await second.getByLabel('เริ่ม', { exact: true }).fill('13');
  await second.getByLabel('ถึง', { exact: true }).fill('15');
  await second.getByLabel('คน/ช่วง').fill('2');
  await expect(second.getByText('2 ช่วง รับ 4 คน')).toBeVisible();
  await second.getByRole('button', { name: /คัดลอก/ }).click();
  await page.getByRole('menuitem', { name: 'อังคาร' }).click();
  const changes = dialog(page).getByRole('region', { name: 'สิ่งที่จะบันทึก' }).first();
  await expect(changes).toContainText('13:00–15:00 ช่วงละ 60 นาที รับ 2 คน');
  await dialog(page).getByRole('button', { name: 'บันทึกเวลาให้บริการ' }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(cell(page, 2, 3)).toHaveText('0 / 2ว่าง 2');
  expect(await planner.hoursOf(service)).toHaveLength(3);
});

test('two users change weekly hours: merges different days, asks about the same day', async ({
  page,
  signInAs,
  planner,
}) => {
  const row = (weekday: number, capacity: number) => ({
    weekday,
    startTime: '09:00',
    endTime: '12:00',
    slotMinutes: 60,
    capacity,
  });
  const service = await planner.addService({ schedule: [row(1, 4), row(2, 4), row(3, 4)] });
  await signInAs('nurse');
  await open(page, service, '&panel=hours');
  await dialog(page).getByRole('group', { name: 'จันทร์ ช่วงที่ 1' }).getByLabel('คน/ช่วง').fill('5');
  await planner.setHours(service, [row(1, 6), row(2, 7), row(3, 4)]);
  await dialog(page).getByRole('button', { name: 'บันทึกเวลาให้บริการ' }).click();
  const conflict = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(conflict.getByRole('radiogroup')).toHaveCount(1);
  await expect(conflict.getByRole('radiogroup', { name: 'จันทร์' })).toContainText('รับ 6 คน');
  await conflict.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText(`บันทึกเวลาให้บริการของ${service.name}แล้ว`)).toBeVisible();
  expect((await planner.hoursOf(service)).map(({ capacity }) => capacity)).toEqual([5, 7, 4]);
});

test('adds the public holidays of a year only once, and removes one after confirmation', async ({
  page,
  signInAs,
  planner,
}) => {
  test.slow();
  await planner.addService();
  const list = () => planner.closuresOf(2031);
  // A year that no other test uses; an earlier attempt of this one may have.
  await planner.openAgain(await list());
  await signInAs('nurse');
  await page.goto('/app/serviceSchedule?view=closures&date=2031-12-01');
  await page.getByRole('button', { name: 'เพิ่มวันหยุดราชการของปี' }).click();
  await expect(dialog(page).getByText('ปี 2574')).toBeVisible();
  await expect(dialog(page).getByRole('checkbox', { name: /^วันแรงงาน/ })).not.toBeChecked();
  await expect(dialog(page).getByRole('textbox', { name: 'วันที่ของวันมาฆบูชา' })).toHaveValue('08/03/2574');
  const makha = dialog(page).getByRole('row').filter({ hasText: 'วันมาฆบูชา' }).first();
  await expect(makha).toContainText('กรุณาตรวจวันที่');
  await dialog(page).getByRole('textbox', { name: 'วันที่ของวันพืชมงคล' }).fill('12/5/2574');
  await dialog(page)
    .getByRole('checkbox', { name: /^วันสิ้นปี/ })
    .uncheck();
  const add = dialog(page).getByRole('button', { name: /^เพิ่ม \d+ วัน$/ });
  const count = Number(/\d+/.exec((await add.textContent()) ?? '')?.[0]);
  await add.click();
  await expect(page.getByText(`เพิ่มวันหยุดปี 2574 แล้ว ${count} วัน`)).toBeVisible();
  expect(await list()).toHaveLength(count);
  expect(await list()).toContainEqual(
    expect.objectContaining({ reason: 'วันพืชมงคล', dateFrom: '2031-05-12', kind: 'HOLIDAY' }),
  );
  await expect(page.getByRole('table', { name: /ธันวาคม 2574/ })).toContainText('วันรัฐธรรมนูญ');
  await page.getByRole('button', { name: 'เพิ่มวันหยุดราชการของปี' }).click();
  await expect(dialog(page).getByText('มีอยู่แล้ว').first()).toBeVisible();
  await dialog(page)
    .getByRole('checkbox', { name: /^วันสิ้นปี/ })
    .uncheck();
  await expect(dialog(page).getByRole('button', { name: 'ไม่มีวันหยุดให้เพิ่ม' })).toBeDisabled();
  await dialog(page).getByRole('button', { name: 'กลับ' }).click();
  await page.getByRole('button', { name: /^เปิดให้บริการตามเดิม วันรัฐธรรมนูญ/ }).click();
  await dialog(page).getByRole('button', { name: 'เปิดให้บริการตามเดิม' }).click();
  await expect(page.getByText('ลบ “วันรัฐธรรมนูญ” แล้ว')).toBeVisible();
  expect(await list()).toHaveLength(count - 1);
});

test('a read-only user sees everything and has no edit actions', async ({ page, signInAs, planner }) => {
  const service = await planner.addService();
  await signInAs('registrar');
  await open(page, service);
  await expect(page.getByText('ท่านดูตารางได้ แต่แก้ไขไม่ได้')).toBeVisible();
  await expect(page.getByRole('button', { name: 'เวลาให้บริการ' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'งดให้บริการ' })).toHaveCount(0);
  await cell(page, 1, 0).click();
  await expect(dialog(page)).toContainText('จอง 0 จาก 4');
  await expect(dialog(page).getByRole('textbox')).toHaveCount(0);
  await expect(dialog(page).getByRole('button', { name: 'งดช่วงเวลานี้' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'วันหยุดและงดให้บริการ' }).click();
  await expect(page.getByText('ท่านดูวันหยุดได้ แต่แก้ไขไม่ได้')).toBeVisible();
  await expect(page.getByRole('button', { name: /เพิ่ม/ })).toHaveCount(0);
});

test('service and week are in the address; other users’ bookings appear automatically', async ({
  page,
  signInAs,
  planner,
}) => {
  const service = await planner.addService();
  const other = await planner.addService();
  await signInAs('nurse');
  await open(page, service);
  await expect(cell(page, 1, 0)).toHaveText('0 / 4ว่าง 4');
  await planner.bookNewPatient(service, MON, '09:00');
  await expect(cell(page, 1, 0)).toHaveText('1 / 4ว่าง 3');
  await page.getByRole('button', { name: 'สัปดาห์ถัดไป' }).click();
  await expect(page).toHaveURL(new RegExp(`date=${quietDay(8)}`));
  await expect(cell(page, 1, 0)).toHaveText('0 / 4ว่าง 4');
  await page.goBack();
  await expect(cell(page, 1, 0)).toHaveText('1 / 4ว่าง 3');
  await page.getByLabel('บริการ', { exact: true }).selectOption(other.name);
  await expect(page).toHaveURL(new RegExp(`service=${other.id}`));
  await expect(cell(page, 1, 0)).toHaveText('0 / 4ว่าง 4');
});

for (const [look, settings] of Object.entries({ light: {}, dark: { dark: true }, rtl: { rtl: true } })) {
  test(`no axe violations, no sideways scrolling: ${look}`, { tag: '@long' }, async ({
    page,
    signInAs,
    planner,
  }) => {
    test.slow();
    const service = await planner.addService();
    await planner.bookNewPatient(service, MON, '09:00');
    await planner.setCapacity(service, MON, '09:00', 0);
    const { id } = await planner.close(service, MON, TUE, { startTime: '09:00', endTime: '10:00' });
    await withSettings(page, settings);
    await signInAs('nurse');
    await open(page, service);
    await expect(cell(page, 1, 0)).toContainText('งด');
    expect.soft(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 768, height: 740 });
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(grid(page).getByRole('columnheader')).toHaveCount(1);
    await expectNoSidewaysScroll(page);
    expect.soft(await violations(page)).toEqual([]);
    for (const more of ['&panel=hours', `&move=${id}`, '&view=closures']) {
      await open(page, service, more);
      if (more.includes('view')) await expect(page.getByText(service.name).first()).toBeVisible();
      else await expect(dialog(page)).toBeVisible();
      if (more.includes('move'))
        await expect(page.getByRole('button', { name: 'เลื่อนนัด 1 คน' })).toBeVisible();
      await expectNoSidewaysScroll(page);
      expect.soft(await violations(page), more).toEqual([]);
    }
  });
}
