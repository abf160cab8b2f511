import { expect, movePointerAway, test } from './support';

const BAD = 'วันที่ไม่ถูกต้อง เช่น 15/11/2569';

const CASES: [typed: string, iso: string | null, shown: string][] = [
  ['09/02/2531', '1988-02-09', '09/02/2531'],
  ['9/2/31', '1988-02-09', '09/02/2531'],
  ['09022531', '1988-02-09', '09/02/2531'],
  ['๙/๒/๒๕๓๑', '1988-02-09', '09/02/2531'],
  ['9 ก.พ. 2531', '1988-02-09', '09/02/2531'],
  ['09/02/1988', '1988-02-09', '09/02/2531'],
  ['09/02/253', null, '09/02/253'],
  ['31/02/2560', null, '31/02/2560'],
  ['abc', null, 'abc'],
];

test('typed text is a date or empty, never the previous date', { tag: '@long' }, async ({
  page,
  signInAs,
}) => {
  test.slow();
  await signInAs('admin');
  for (const [typed, iso, shown] of CASES) {
    await page.goto('/app/global-config?tab=audit&from=2000-01-15');
    const input = page.getByLabel('ตั้งแต่วันที่', { exact: true });
    await expect(input).toHaveValue('15/01/2543');
    await input.press('Control+a');
    await input.pressSequentially(typed);
    await input.press('Tab');
    await expect(input).toHaveValue(shown);
    await expect(page).toHaveURL(
      iso ? `/app/global-config?tab=audit&from=${iso}` : '/app/global-config?tab=audit',
    );
    await expect(page.getByText(BAD)).toHaveCount(iso ? 0 : 1);
  }
});

test('shows why a date cannot be chosen', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/global-config?tab=audit');
  const input = page.getByLabel('ตั้งแต่วันที่', { exact: true });
  await input.fill('1/1/2640');
  await input.press('Tab');
  await expect(page.getByText(/ต้องไม่หลัง \d+ \S+ 25\d\d/)).toBeVisible();
  await expect(page).toHaveURL('/app/global-config?tab=audit');
});

test('picks a day from the calendar by keyboard after invalid text', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/global-config?tab=audit&to=2000-01-15');
  const input = page.getByLabel('ถึงวันที่', { exact: true });
  await input.press('Alt+ArrowDown');
  const calendar = page.getByRole('dialog', { name: 'เลือกถึงวันที่จากปฏิทิน' });
  await expect(calendar.getByRole('button', { name: 'เลือกเดือน' })).toHaveText('มกราคม 2543');
  await calendar.getByRole('button', { name: 'วันเสาร์ที่ 15 มกราคม 2543' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(calendar).toHaveCount(0);
  await expect(input).toHaveValue('16/01/2543');
  await expect(page).toHaveURL('/app/global-config?tab=audit&to=2000-01-16');
  await page.getByRole('button', { name: 'เลือกถึงวันที่จากปฏิทิน' }).click();
  await calendar.getByRole('button', { name: 'เลือกเดือน' }).click();
  await movePointerAway(page);
  await calendar.getByRole('button', { name: 'เลือกปี' }).click();
  await expect(calendar.getByRole('button', { name: '2543', exact: true })).toBeVisible();
  await expect(calendar).not.toContainText('2000');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'เลือกถึงวันที่จากปฏิทิน' })).toBeFocused();
});

test.describe('in a browser with another time zone', () => {
  test.use({ timezoneId: 'America/New_York' });

  test('the days are the hospital’s', async ({ page, signInAs }) => {
    await page.clock.setFixedTime('2026-11-14T18:00:00Z');
    await signInAs('admin');
    await page.goto('/app/global-config?tab=audit');
    const requested = page.waitForRequest(
      (request) => request.url().endsWith('/audit/list') && (request.postData() ?? '').includes('from'),
    );
    await page.getByLabel('ช่วงวันที่').selectOption('วันนี้');
    await expect(page.getByLabel('ตั้งแต่วันที่', { exact: true })).toHaveValue('15/11/2569');
    const body = (await requested).postDataJSON();
    expect(new Date(body.from).toISOString()).toBe('2026-11-14T17:00:00.000Z');
    expect(new Date(body.to).toISOString()).toBe('2026-11-15T17:00:00.000Z');
  });
});
