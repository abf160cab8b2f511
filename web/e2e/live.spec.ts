import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { test as base, dayFromNow, listOf } from './appointment-support';
import { fullName } from './patient-support';
import { expect, requestsTo, violations } from './support';

const EVENTS = '/admin/api/v1/events';
const LOST = 'ขณะนี้ข้อมูลไม่ปรับทันที';
/** About a second, plus a margin for a busy machine; less than the polling interval of 15 s. */
const SOON = { timeout: 10_000 };

/** A proxy between browser and server that can cut the event stream only. */
const test = base.extend<{ network: { url: string; cut: () => void; restore: () => void } }>({
  network: async ({ baseURL }, use) => {
    const streams = new Set<IncomingMessage>();
    let broken = false;
    const proxy = createServer((req, res) => {
      const streaming = req.url?.startsWith(EVENTS);
      if (broken && streaming) return res.destroy();
      const { method, headers } = req;
      const onward = request(new URL(req.url ?? '/', baseURL), { method, headers }, (answer) => {
        if (streaming) streams.add(answer);
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.once('error', () => res.destroy());
        answer.pipe(res);
      });
      onward.once('error', () => res.destroy());
      res.once('close', () => onward.destroy());
      req.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    await use({
      url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      cut: () => {
        broken = true;
        for (const stream of streams) stream.destroy(new Error('cut'));
      },
      restore: () => {
        broken = false;
      },
    });
    proxy.closeAllConnections();
    proxy.close();
  },
});

/** Opens a page and waits until it receives events. */
async function openLive(page: Page, url: string) {
  const connected = page.waitForResponse(`**${EVENTS}`);
  await page.goto(url);
  expect((await connected).status()).toBe(200);
}

test('changes by one user show for another without a reload, a layout shift or extra requests', async ({
  page,
  context,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ capacity: 1 });
  const [first, second, third] = [
    await registration.register(),
    await registration.register(),
    await registration.register(),
  ];
  const date = dayFromNow(2);
  const booked = await clinic.book(first, service, date, '08:00');
  await signInAs('registrar');
  await openLive(page, listOf(service, date));
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row(fullName(first)).getByRole('checkbox').check();
  const search = page.getByLabel('ค้นหาเลขที่นัด ชื่อ HN โทรศัพท์');
  await search.focus();
  const requested: string[] = [];
  page.on('request', (sent) => {
    const { pathname } = new URL(sent.url());
    // Other tests change their own services.
    if (pathname.startsWith('/admin/api/v1/appointment')) requested.push(pathname);
  });

  // The free seats follow other users' bookings; the chosen seat does not change by itself.
  const other = await context.newPage();
  const create = `/app/appointment/create?patientId=${second.id}&serviceId=${service.id}&date=${date}`;
  await openLive(other, create);
  await expect(other.getByTestId('chosen')).toContainText('09:00');
  await clinic.book(third, service, date, '09:00');
  const changed = other.getByRole('alert').filter({ hasText: 'เวลานี้เพิ่งเต็ม' });
  await expect(changed).toBeVisible(SOON);
  await expect(other.getByRole('radio', { name: /^09:00 เต็ม/ })).toBeChecked();
  await expect(other.getByTestId('chosen')).toContainText('09:00');
  await changed.getByRole('button', { name: /^เปลี่ยนเป็น .+ 10:00 น\.$/ }).click();
  await expect(other.getByTestId('chosen')).toContainText('10:00');
  await other.getByRole('button', { name: 'จองนัด' }).click();
  await expect(other.getByRole('link', { name: 'ไปรายการนัดหมาย' })).toBeVisible();

  await expect(row(fullName(second))).toContainText('นัดแล้ว', SOON);
  await clinic.mark(booked.id, 'CONFIRMED');
  await expect(row(fullName(first))).toContainText('ผู้ป่วยยืนยันแล้ว', SOON);
  await expect(search).toBeFocused();
  await expect(row(fullName(first)).getByRole('checkbox')).toBeChecked();
  // Queries that are not on screen are not refetched, and one change causes one request.
  expect([...new Set(requested)]).toEqual(['/admin/api/v1/appointment/list']);
  requested.length = 0;
  await clinic.book(third, service, dayFromNow(3), '09:00');
  await clinic.mark(booked.id, 'CANCELLED', 'ไม่สะดวก');
  await expect(row(fullName(first))).toContainText('ยกเลิก', SOON);
  expect(requested).toEqual(['/admin/api/v1/appointment/list']);
});

test('the button does what its label said when pressed: it never books instead of waiting, or the reverse', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ capacity: 1 });
  const [mine, theirs] = [await registration.register(), await registration.register()];
  const date = dayFromNow(2);
  await signInAs('registrar');
  await openLive(
    page,
    `/app/appointment/create?patientId=${mine.id}&serviceId=${service.id}&date=${date}&time=08:00`,
  );
  const sent = requestsTo(page, '/appointment/create');
  const [book, wait] = ['จองนัด', 'ลงชื่อรอคิวว่าง'].map((name) =>
    page.getByRole('form').getByRole('button', { name, exact: true }),
  ) as [Locator, Locator];
  await expect(page.getByTestId('chosen')).toContainText('08:00');
  await expect(book).toBeVisible();

  // Another user takes the last seat while the pointer is on its way.
  const taken = await clinic.book(theirs, service, date, '08:00');
  const alert = page.getByRole('alert');
  await expect(alert.filter({ hasText: 'เวลานี้เพิ่งเต็ม' })).toBeVisible(SOON);
  expect(await violations(page)).toEqual([]);
  await book.click();
  await expect(alert.getByRole('button').first()).toBeFocused();
  await alert.getByRole('button', { name: 'เปลี่ยนเป็น ลงชื่อรอคิวว่าง' }).click();
  await expect(wait).toBeFocused();

  // And releases it.
  await clinic.mark(taken.id, 'CANCELLED', 'ไม่สะดวก');
  await expect(alert.filter({ hasText: 'เวลานี้เพิ่งมีที่ว่าง' })).toBeVisible(SOON);
  await wait.press('Enter');
  await expect(alert.getByRole('button', { name: 'เปลี่ยนเป็น จองนัด' })).toBeFocused();
  expect(sent).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(book).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toBeVisible();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.body).not.toContain('waitlist');
});

test('keeps unsaved text and shows that the record was changed elsewhere', async ({
  page,
  booking,
  clinic,
  signInAs,
}) => {
  const { appointment: booked } = booking;
  await signInAs('registrar');
  await openLive(page, `/app/appointment/${booked.id}/edit`);
  const note = page.getByLabel('หมายเหตุภายใน');
  const change = (version: number, text: string) =>
    clinic.call('appointment/update', { id: booked.id, version, note: text });
  await change(booked.version, 'ของเขา');
  await expect(note).toHaveValue('ของเขา', SOON);
  await note.fill('ของฉัน');
  await change(booked.version + 1, 'ของเขาอีก');
  await expect(page.getByText('ระหว่างนี้มีผู้อื่นแก้ไขข้อมูลเดียวกัน')).toBeVisible(SOON);
  await expect(note).toHaveValue('ของฉัน');
  await expect(note).toBeFocused();
});

test('shows a lost connection, polls the list, and reconnects', async ({
  page,
  registration,
  clinic,
  signInAs,
  network,
}) => {
  test.slow();
  const service = await clinic.addService();
  const [first, second] = [await registration.register(), await registration.register()];
  const date = dayFromNow(2);
  await page.clock.install();
  await signInAs('registrar');
  await openLive(page, network.url + listOf(service, date));
  await expect(page.getByText('ไม่มีนัดในช่วงนี้')).toBeVisible();
  network.cut();
  await page.clock.fastForward(4000);
  const banner = page.getByRole('status').filter({ hasText: LOST });
  await expect(banner).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await clinic.book(first, service, date, '08:00');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await page.clock.fastForward(16_000);
  await expect(row(fullName(first))).toBeVisible();
  // An event is missed while the tab is hidden; it catches up when it is visible again.
  await clinic.book(second, service, date, '09:00');
  network.restore();
  await page.clock.fastForward(31_000);
  await expect(banner).toHaveCount(0);
  await expect(row(fullName(second))).toBeVisible();
});
