import { dayFromNow, runningSlot, test } from './appointment-support';
import { fullName } from './patient-support';
import { expect, movePointerAway, violations } from './support';

const PAGE = '/app/dashboard';

test('every figure equals the count of the list it links to', async ({ page, clinic, signInAs }) => {
  test.slow();
  await signInAs('nurse');
  // The fullest past day, so that nothing changes during the test.
  const days = await Promise.all(
    [-3, -4, -5, -6, -7].map(async (days) => {
      const date = dayFromNow(days);
      return { date, total: (await clinic.list({ dateFrom: date, dateTo: date, pageSize: 1 })).total };
    }),
  );
  const { date } = days.reduce((most, day) => (day.total > most.total ? day : most));
  await page.goto(`${PAGE}?date=${date}`);
  const figures = page.getByRole('region', { name: 'นัดของวัน' });
  const week = page.getByRole('table', { name: '7 วันที่ผ่านมา' }).getByRole('row').nth(1);
  const loads = page.getByRole('region', { name: 'ความหนาแน่นของแต่ละบริการ' });
  const links = {
    total: figures.getByRole('link', { name: /^นัดทั้งหมด/ }),
    completed: figures.getByRole('link', { name: /^เสร็จสิ้น/ }),
    cancelled: figures.getByRole('link', { name: /^ยกเลิก/ }),
    'a service': loads.getByRole('link', { name: /จองแล้ว/ }).first(),
    'the seats of a day before': week.getByRole('link').first(),
    'no-shows': page.getByRole('region', { name: 'อัตราไม่มาตามนัด' }).getByRole('link'),
  };
  await expect(links.total).toBeVisible();
  const promised = new Map<string, { href: string; count: number }>();
  for (const [name, link] of Object.entries(links)) {
    const text = (await link.textContent()) ?? '';
    promised.set(name, {
      href: (await link.getAttribute('href')) ?? '',
      count: Number(/\d+/.exec(text)?.[0]),
    });
  }
  expect(promised.get('total')?.count).toBeGreaterThan(20);
  for (const [name, { href, count }] of promised) {
    await page.goto(href);
    const total =
      count === 0
        ? page.getByText('ไม่มีนัดในช่วงนี้')
        : page.getByText(new RegExp(`จาก ${count.toLocaleString('th')} รายการ$`));
    await expect(total, name).toBeVisible();
  }
});

test('checks in the next patient with one click and undoes it', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  const patient = await registration.register();
  const name = fullName(patient);
  const booked = await clinic.book(patient, service, dayFromNow(0), runningSlot(30), { kind: 'WALK_IN' });
  await signInAs('queue');
  await page.goto(PAGE);
  const arrivals = page.getByRole('region', { name: 'ผู้ป่วยที่กำลังจะมา' });
  await arrivals.getByRole('button', { name: `${name} มาถึงแล้ว` }).click();
  await expect(page.getByText(`${name}: มาถึงแล้ว ได้คิว 1`)).toBeVisible();
  // The row stays until the pointer leaves the list.
  await expect(arrivals.getByRole('listitem').filter({ hasText: name })).toContainText('มาถึงแล้ว คิว 1');
  await movePointerAway(page);
  await expect(arrivals.getByText(name)).toHaveCount(0);
  const loads = page.getByRole('region', { name: 'ความหนาแน่นของแต่ละบริการ' });
  await expect(loads.getByRole('listitem').filter({ hasText: service.name })).toContainText('รอตรวจ 1 คน');
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(arrivals.getByText(name)).toBeVisible();
  expect((await clinic.details(booked.id)).status).toBe('BOOKED');
});

test('the day is in the address; nothing is clipped on a phone', async ({ page, signInAs }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signInAs('executive');
  await page.goto(PAGE);
  await expect(page.getByRole('region', { name: 'นัดของวัน' })).toBeVisible();
  await page.getByRole('button', { name: 'วันก่อนหน้า' }).click();
  await expect(page).toHaveURL(`${PAGE}?date=${dayFromNow(-1)}`);
  await page.getByRole('button', { name: 'วันนี้', exact: true }).click();
  await expect(page).toHaveURL(PAGE);
  await page.goBack();
  await expect(page).toHaveURL(`${PAGE}?date=${dayFromNow(-1)}`);
  // The executive may see numbers, but no names and lists.
  await expect(page.getByRole('region', { name: 'ผู้ป่วยที่กำลังจะมา' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'นัดของวัน' }).getByRole('link')).toHaveCount(0);
  await expect(page.locator('[data-chart]').first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await violations(page)).toEqual([]);
});
