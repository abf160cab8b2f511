import type { Page } from '@playwright/test';
import { test } from './role-support';
import { expect, expectNoViolations } from './support';

/** Collects the paths of requests with a 403 response. A page must not request what the user may not see. */
function forbiddenPaths(page: Page): string[] {
  const paths: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) paths.push(new URL(response.url()).pathname);
  });
  return paths;
}

test('an executive sees the load of each day and slot in the calendar, but no names', async ({
  page,
  signInAs,
}) => {
  const forbidden = forbiddenPaths(page);
  const answers: string[] = [];
  page.on('response', async (response) => {
    if (response.url().endsWith('/calendar-list')) answers.push(await response.text());
  });
  await signInAs('executive');
  await page.goto('/app/appointment/calendar');
  const main = page.getByRole('main');
  await expect(main.getByText(/ขอสิทธิ์ “ดูนัดหมาย” จากผู้ดูแลระบบ/)).toBeVisible();
  await expect(main.getByRole('link', { name: /จอง [\d,]+ จาก [\d,]+ ที่/ }).first()).toBeVisible();
  for (const view of ['สัปดาห์', 'วัน']) {
    await main.getByText(view, { exact: true }).click();
    await expect(main.getByRole('grid')).toBeVisible();
    await expect(main.locator('[data-slot]').first()).toBeVisible();
    await expect(main.locator('[data-id]')).toHaveCount(0);
    await expect(main.getByLabel('ผู้ให้บริการ')).toHaveCount(0);
  }
  expect(answers.length).toBeGreaterThanOrEqual(3);
  for (const answer of answers) expect(JSON.parse(answer).data.appointments).toEqual([]);
  expect(forbidden).toEqual([]);
});

test('the list names the missing permission and sends no request that would be rejected', async ({
  page,
  signInAs,
}) => {
  const forbidden = forbiddenPaths(page);
  await signInAs('executive');
  await page.goto('/app/appointment/list?q=สมชาย&status=BOOKED');
  const main = page.getByRole('main');
  await expect(page.getByRole('heading', { level: 1, name: 'รายการนัดหมาย' })).toBeVisible();
  await expect(main.getByRole('heading', { name: 'ท่านยังดูรายการนัดหมายไม่ได้' })).toBeVisible();
  await expect(main).toContainText('ขอสิทธิ์จากผู้ดูแลระบบ');
  await expect(main).toContainText('ดูนัดหมาย APPOINTMENT.SHOW');
  await expectNoViolations(page, 'the list without names');
  await main.getByRole('link', { name: 'ดูจำนวนนัดในปฏิทิน' }).click();
  await expect(page).toHaveURL('/app/appointment/calendar');
  expect(forbidden).toEqual([]);
});

test('without any of the permissions, both menu entries explain what is missing', async ({
  page,
  context,
  records,
}) => {
  const forbidden = forbiddenPaths(page);
  const role = await records.role(['REPORT.SHOW']);
  await records.signIn(context, role.id);
  await page.goto('/app/report');
  const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
  const main = page.getByRole('main');
  for (const entry of ['ปฏิทินนัดหมาย', 'รายการนัดหมาย']) {
    await menu.getByRole('link', { name: entry }).click();
    await expect(main.getByRole('heading', { name: `ท่านยังดู${entry}ไม่ได้` })).toBeVisible();
    await expect(main).toContainText('ขอสิทธิ์จากผู้ดูแลระบบ');
    await expect(main.getByRole('link', { name: 'กลับหน้าหลัก' })).toBeVisible();
  }
  await expectNoViolations(page, 'no permission');
  expect(forbidden).toEqual([]);
});
