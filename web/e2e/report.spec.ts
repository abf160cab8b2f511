import { readFile } from 'node:fs/promises';
import { dayFromNow, thaiDay } from './appointment-support';
import { expect, expectNoViolations, test, violations } from './support';

/** The current and the previous months, as in the address and on the server. */
const [year = 0, month = 0] = dayFromNow(0).split('-').map(Number);
const lastMonth = new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10);
const endOfLastMonth = new Date(Date.UTC(year, month - 1, 0)).toISOString().slice(0, 10);

const typed = (iso: string) => `${iso.slice(8)}/${iso.slice(5, 7)}/${Number(iso.slice(0, 4)) + 543}`;

test('utilization: changes the period and grouping, shows the heat map, and exports', async ({
  page,
  request,
  signInAs,
  tokensOf,
}) => {
  test.slow();
  await signInAs('executive');
  await page.goto('/app/dashboard');
  await page.getByRole('navigation', { name: 'เมนูหลัก' }).getByRole('link', { name: 'รายงาน' }).click();
  await expect(page).toHaveURL('/app/report');
  await page.getByLabel('ช่วงวันที่', { exact: true }).selectOption('เดือนที่แล้ว');
  await expect(page).toHaveURL('/app/report?period=lastMonth');
  await expect(page.getByLabel('ตั้งแต่วันที่', { exact: true })).toHaveValue(typed(lastMonth));
  await expect(page.getByLabel('ถึงวันที่', { exact: true })).toHaveValue(typed(endOfLastMonth));

  // The screen shows the server's figures.
  const { accessToken } = await tokensOf(request, 'executive');
  const answer = await request.post('/admin/api/v1/report/utilization', {
    headers: { Authorization: `Bearer ${accessToken}` },
    data: { dateFrom: lastMonth, dateTo: endOfLastMonth },
  });
  const { total, heat, rows } = (await answer.json()).data;
  const table = page.getByRole('table', { name: 'การใช้บริการ แยกตามบริการ' });
  const percent = (rate: number) =>
    `${(rate * 100).toLocaleString('th', { minimumFractionDigits: 1, maximumFractionDigits: 1 })}%`;
  await expect(table.getByRole('row').last()).toHaveText(
    `รวม${total.booked.toLocaleString('th')}${total.capacity.toLocaleString('th')}${percent(total.rate)}`,
  );
  await expect(table.getByRole('row')).toHaveCount(rows.length + 2);
  await expect(page.locator('svg.recharts-surface').first()).toBeVisible();

  const map = page.getByRole('table', { name: 'อัตราการใช้ตามวันและเวลา' });
  const nine = heat.find((cell: { weekday: number; hour: number }) => cell.weekday === 1 && cell.hour === 9);
  await expect(map.getByRole('row', { name: '09:00' }).getByRole('cell').first()).toContainText(
    `${Math.round(nine.rate * 100)}%`,
  );
  await expect(map.getByRole('row', { name: '09:00' }).getByRole('cell').first()).toContainText(
    `จอง ${nine.booked.toLocaleString('th')} จาก ${nine.capacity.toLocaleString('th')} ที่`,
  );

  await page.getByLabel('แยกตาม', { exact: true }).selectOption('วันที่');
  await expect(page.getByRole('rowheader', { name: thaiDay(lastMonth) }).first()).toBeVisible();
  await page.getByRole('combobox', { name: 'บริการ' }).click();
  await page.getByRole('option', { name: 'ทันตกรรม' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/period=lastMonth.*services=.*by=day|by=day.*services=/);
  await page.reload();
  const days = page.getByRole('table', { name: 'การใช้บริการ แยกตามวันที่' });
  await expect(days).toBeVisible();

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: 'ส่งออก' })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'CSV (.csv)' }).click()),
  ]);
  expect(file.suggestedFilename()).toMatch(/^การใช้บริการ 25\d\d-\d\d-01–25\d\d-\d\d-\d\d\.csv$/);
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toMatch(/^\ufeffวันที่ \(พ\.ศ\.\),จองแล้ว \(ที่\),รับได้ \(ที่\),อัตราการใช้ \(%\)\r?\n/);
  const [booked = ''] = (await days.getByRole('row').last().getByRole('cell').allTextContents()) as string[];
  expect(text.trim().split('\n').at(-1)).toContain(`รวม,${booked.replaceAll(',', '')},`);
});

test('every report is accessible and fits a phone', { tag: '@long' }, async ({ page, signInAs }) => {
  test.slow();
  await signInAs('executive');
  await page.goto('/app/report?period=last12Months');
  await expect(page.getByRole('table', { name: 'อัตราการใช้ตามวันและเวลา' })).toBeVisible();
  await expectNoViolations(page, 'utilization');
  for (const [tab, name] of [
    ['ไม่มาตามนัด', 'ไม่มาตามนัด แยกตามจองล่วงหน้า'],
    ['เวลารอคอย', 'เวลารอคอย แยกตามบริการ'],
    ['ภาระงาน', 'ภาระงาน แยกตามผู้ให้บริการ'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    if (tab === 'ไม่มาตามนัด') await page.getByLabel('แยกตาม', { exact: true }).selectOption('จองล่วงหน้า');
    await expect(page.getByRole('table', { name })).toBeVisible();
    expect.soft(await violations(page), tab).toEqual([]);
  }
  await expect(page.getByRole('rowheader', { name: 'นพ.ธนกฤต วัฒนกุล' })).toBeVisible();

  await page.setViewportSize({ width: 360, height: 740 });
  for (const tab of ['ภาระงาน', 'การใช้บริการ']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(page.getByRole('table').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  }
  // All tabs are visible without scrolling sideways.
  for (const tab of await page.getByRole('tab').all()) await expect(tab).toBeInViewport({ ratio: 1 });
  expect.soft(await violations(page), 'on a phone').toEqual([]);

  // There is no data a hundred years ago; the page offers another period.
  await page.goto('/app/report?tab=no-show&from=1926-01-01&to=1926-01-31');
  await expect(page.getByText('ไม่มีข้อมูลในช่วงนี้')).toBeVisible();
  await page.getByRole('button', { name: 'ดู 12 เดือนล่าสุด' }).click();
  await expect(page.getByRole('table', { name: 'ไม่มาตามนัด แยกตามบริการ' })).toBeVisible();
  // More than five years are rejected, with an error at the field.
  await page.goto('/app/report?from=2010-01-01&to=2026-01-31');
  await expect(page.getByText('เลือกได้ไม่เกิน 1830 วัน')).toBeVisible();
});
