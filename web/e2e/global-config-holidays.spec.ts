import { test } from './role-support';
import { expect, violations } from './support';

const HOLIDAYS = '/app/global-config?tab=holidays';

test('the hospital’s holidays have their own tab', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(HOLIDAYS);
  await expect(page.getByRole('tab', { name: 'วันหยุด' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('tabpanel').getByRole('button', { name: /วันหยุด/ }).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('users who may only read the schedule can only read the holidays', async ({
  page,
  context,
  records,
}) => {
  const role = await records.role(['SIDEBAR.GLOBAL_CONFIG', 'SERVICE_SCHEDULE.SHOW']);
  await records.signIn(context, role.id);
  await page.goto(HOLIDAYS);
  await expect(page.getByRole('tab', { name: 'วันหยุด' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('tabpanel').getByRole('button').first()).toBeVisible();
  await expect(page.getByRole('tabpanel').getByRole('button', { name: /เพิ่ม/ })).toHaveCount(0);
});
