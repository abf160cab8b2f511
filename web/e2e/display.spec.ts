import { dayFromNow, runningSlot, test } from './appointment-support';
import { expect, violations } from './support';

test('a waiting-room screen shows called numbers, survives a lost network, and can be revoked', async ({
  page,
  browser,
  baseURL,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  await signInAs('admin');
  await page.goto('/app/global-config?tab=services');
  await page.getByRole('button', { name: `จัดการบริการ ${service.name}` }).click();
  await page.getByRole('menuitem', { name: 'จอแสดงคิว' }).click();
  const dialog = page.getByRole('dialog', { name: `จอแสดงคิวของ ${service.name}` });
  await expect(dialog.getByText('ยังไม่มีจอของบริการนี้')).toBeVisible();
  await dialog.getByLabel('ชื่อจอ').fill('หน้าห้องตรวจ 3');
  await dialog.getByRole('button', { name: 'สร้างลิงก์' }).click();
  const link = await dialog.getByLabel('ลิงก์ของจอ').inputValue();
  expect(link).toMatch(/\/display\/[A-Z0-9]+#[A-Z0-9]{20,}$/);
  await expect(dialog.getByRole('listitem')).toContainText('ยังไม่เคยเปิด');
  expect.soft(await violations(page)).toEqual([]);

  // Another browser without a session.
  const room = await browser.newContext({ baseURL, viewport: { width: 1280, height: 720 } });
  const screen = await room.newPage();
  await screen.goto(link);
  await expect(screen.getByRole('heading', { level: 1, name: service.name })).toBeVisible();
  await expect(screen.getByText('ไม่มีคิวรอ')).toBeVisible();
  expect(screen.url()).not.toContain('#');

  // A patient arrives, waits and is called.
  const walkIn = await registration.register();
  const booked = await clinic.book(walkIn, service, dayFromNow(0), runningSlot(30), { kind: 'WALK_IN' });
  await clinic.mark(booked.id, 'CHECKED_IN');
  const serving = screen.getByRole('region', { name: 'กำลังเรียก' }).getByRole('listitem');
  const waiting = screen.getByRole('region', { name: 'คิวถัดไป' }).getByRole('listitem');
  await expect(waiting).toHaveText('1');
  await clinic.mark(booked.id, 'IN_SERVICE');
  await expect(serving).toHaveText('1');
  await expect(screen.getByText('เรียกคิว 1')).toBeVisible();
  expect.soft(await violations(screen)).toEqual([]);

  // Offline the board stays on screen; online it resumes by itself.
  await room.setOffline(true);
  await expect(screen.getByText(/^กำลังเชื่อมต่อใหม่/)).toBeVisible();
  await expect(serving).toHaveText('1');
  await clinic.mark(booked.id, 'COMPLETED');
  await room.setOffline(false);
  await expect(screen.getByText('ยังไม่มีคิวที่เรียก')).toBeVisible();
  await expect(screen.getByText(/^กำลังเชื่อมต่อใหม่/)).toBeHidden();
  // Opened again without the token in the address, it still works.
  await screen.reload();
  await expect(screen.getByText('ยังไม่มีคิวที่เรียก')).toBeVisible();

  await dialog.getByRole('button', { name: 'ยกเลิกลิงก์ของ หน้าห้องตรวจ 3' }).click();
  await dialog.getByRole('button', { name: 'ยกเลิกลิงก์', exact: true }).click();
  await expect(dialog.getByText('ยังไม่มีจอของบริการนี้')).toBeVisible();
  await expect(screen.getByRole('heading', { name: 'ลิงก์ของจอนี้ถูกยกเลิกแล้ว' })).toBeVisible();
  await room.close();
});
