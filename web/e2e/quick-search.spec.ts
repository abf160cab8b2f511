import type { Page } from '@playwright/test';
import { dashed, dashedPhone, fullName, test, uniqueIdCard, uniqueThai } from './patient-support';
import { expect, expectNoViolations } from './support';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'ค้นหาผู้ป่วย' });
const box = (page: Page) => dialog(page).getByRole('searchbox');

async function openByKey(page: Page): Promise<void> {
  await page.goto('/app/dashboard');
  await expect(page.getByRole('button', { name: 'ค้นหาผู้ป่วย…' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(box(page)).toBeFocused();
}

test('opens a patient from any page by keyboard', async ({ page, signInAs, registration }) => {
  const lastName = uniqueThai('เร็ว');
  const allergies = [{ substance: 'แอสไพริน', severity: 'MILD' }];
  const first = await registration.register({ firstName: 'กอ', lastName, allergies });
  const second = await registration.register({ firstName: 'ขอ', lastName });
  await signInAs('registrar');
  await openByKey(page);
  await page.keyboard.insertText(lastName);
  const links = dialog(page).getByRole('list', { name: 'ผู้ป่วย' }).getByRole('link', { name: lastName });
  await expect(links.filter({ hasText: 'HN' })).toHaveCount(2);
  await expect(dialog(page).getByText('พบ 2 รายการ')).toBeVisible();
  const firstLink = dialog(page).getByRole('link', { name: new RegExp(`^${fullName(first)}`) });
  await expect(firstLink).toContainText(`HN ${first.hn}`);
  await expect(firstLink).toContainText('แพ้ แอสไพริน');
  await expect(firstLink).toContainText(dashedPhone(first.phone));
  await expect(firstLink).toContainText('xxxxx');
  await page.keyboard.press('ArrowDown');
  await expect(firstLink).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(dialog(page).getByRole('link', { name: new RegExp(`^${fullName(second)}`) })).toBeFocused();
  expect(page.url()).not.toContain('q=');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/app/patient-management/${second.id}/edit`);
  await expect(dialog(page)).toBeHidden();
});

test('finds patients by name, HN, phone and ID card; Enter opens the first', async ({
  page,
  signInAs,
  registration,
}) => {
  const idCard = uniqueIdCard();
  const patient = await registration.register({ firstName: uniqueThai('ก้อง'), idCard });
  await signInAs('registrar');
  await openByKey(page);
  for (const text of [
    patient.firstName.slice(4, 12),
    `${patient.firstName} ${patient.lastName}`,
    patient.firstName.replace('ก้อง', 'ก่อง'),
    dashedPhone(patient.phone),
    dashed(idCard),
    patient.hn.replace(/^0+/, ''),
  ]) {
    await box(page).fill(text);
    await expect(dialog(page).getByRole('link', { name: new RegExp(`HN ${patient.hn}`) })).toBeVisible();
  }
  // The response to the last text may be pending; Enter opens the first of several only when it has arrived.
  await expect(async () => {
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/app/patient-management/${patient.id}/edit`, { timeout: 1000 });
  }).toPass();
});

test('a scanned number with its Enter opens the right patient', async ({ page, signInAs, registration }) => {
  const idCard = uniqueIdCard();
  const patient = await registration.register({ idCard });
  await signInAs('registrar');
  await openByKey(page);
  // Old results are shown when the scanner types.
  await box(page).fill('สม');
  await expect(dialog(page).getByRole('list', { name: 'ผู้ป่วย' })).toBeVisible();
  await box(page).fill(idCard);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/app/patient-management/${patient.id}/edit`);
});

/** Delays all scripts, as a slow network does. */
async function slowScripts(page: Page): Promise<void> {
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
}

/** Opens the dashboard and waits until public/boot.js has run, but not for the app. */
async function openBeforeApp(page: Page): Promise<void> {
  await page.goto('/app/dashboard', { waitUntil: 'commit' });
  await page.waitForFunction(() => '__zod_globalConfig' in globalThis && document.body);
}

/** Delays all patient searches until the returned function is called. */
async function holdSearches(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/patients/search', async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  return release;
}

test('keys typed after the first Ctrl K are not lost', async ({ page, signInAs, registration }) => {
  test.slow();
  const { id, hn } = await registration.register();
  await signInAs('registrar');
  await slowScripts(page);
  for (let round = 0; round < 3; round++) {
    await page.goto('/app/dashboard');
    await page.getByRole('button', { name: 'ค้นหาผู้ป่วย…' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(hn, { delay: 80 });
    await expect(box(page)).toHaveValue(hn);
    await page.keyboard.press('Control+Enter');
    await expect(page).toHaveURL(`/app/appointment/create?patientId=${id}`);
  }
});

/** The app loads late on purpose, and later on a busy machine. */
const SLOWLY = { timeout: 45_000 };

test('a scanner can type before the app is loaded', async ({ page, signInAs, registration }) => {
  test.slow();
  const idCard = uniqueIdCard();
  const { id } = await registration.register({ idCard });
  await signInAs('registrar');
  await slowScripts(page);
  for (const [enter, target] of [
    ['Enter', `/app/patient-management/${id}/edit`],
    ['Control+Enter', `/app/appointment/create?patientId=${id}`],
    ['', '/app/dashboard'],
  ] as const) {
    await openBeforeApp(page);
    await page.keyboard.press('Control+k');
    await expect(page.locator('#early-search')).toBeFocused();
    await page.keyboard.type(idCard, { delay: 4 });
    if (enter) await page.keyboard.press(enter);
    else await expect(box(page)).toHaveValue(idCard, SLOWLY);
    await expect(page).toHaveURL(target, SLOWLY);
    await expect(page.locator('#early-search')).toHaveCount(0);
  }
});

test('an expired session leaves no early search on the sign-in page', async ({ page }) => {
  await slowScripts(page);
  await openBeforeApp(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('1101', { delay: 4 });
  await expect(page.getByRole('heading', { level: 1, name: 'เข้าสู่ระบบ' })).toBeVisible();
  await expect(page.locator('#early-search')).toHaveCount(0);
});

test('Enter after a burst of keys acts on its own result, never on an older one', async ({
  page,
  signInAs,
  registration,
}) => {
  const lastName = uniqueThai('เดิม');
  await registration.register({ lastName });
  const idCard = uniqueIdCard();
  const scanned = await registration.register({ idCard });
  await signInAs('registrar');
  await openByKey(page);
  await page.keyboard.insertText(lastName);
  const older = dialog(page)
    .getByRole('link', { name: new RegExp(lastName) })
    .first();
  await expect(older).toBeVisible();
  await expect(dialog(page).getByText('พบ 1 รายการ')).toBeVisible();
  const release = await holdSearches(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(idCard, { delay: 4 });
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page).getByText('กำลังค้นหา')).toBeVisible();
  // A click on an older result does nothing, too.
  const place = await older.boundingBox();
  if (place) await page.mouse.click(place.x + 20, place.y + 10);
  await expect(page).toHaveURL('/app/dashboard');
  release();
  await expect(page).toHaveURL(`/app/appointment/create?patientId=${scanned.id}`);
});

test('a pending Enter is cancelled by another key and by closing', async ({
  page,
  signInAs,
  registration,
}) => {
  const patient = await registration.register();
  await signInAs('registrar');
  await openByKey(page);
  for (const key of ['Backspace', 'Escape']) {
    await page.keyboard.press('Control+k');
    await expect(box(page)).toBeFocused();
    const release = await holdSearches(page);
    await box(page).fill('');
    await page.keyboard.type(patient.hn, { delay: 4 });
    await page.keyboard.press('Enter');
    await expect(dialog(page).getByText('กำลังค้นหา')).toBeVisible();
    await page.keyboard.press(key);
    release();
    if (key === 'Escape') await expect(dialog(page)).toHaveCount(0);
    else await expect(dialog(page).getByText(/^(พบ|ไม่พบ)/)).toBeVisible();
    await expect(page).toHaveURL('/app/dashboard');
    await page.unrouteAll({ behavior: 'wait' });
  }
});

test('Ctrl Enter books; typing on a result continues in the box', async ({
  page,
  signInAs,
  registration,
}) => {
  const patient = await registration.register();
  await signInAs('registrar');
  await openByKey(page);
  await page.keyboard.insertText(patient.lastName);
  await expect(dialog(page).getByRole('link', { name: `นัดหมายให้ ${fullName(patient)}` })).toHaveAttribute(
    'href',
    `/app/appointment/create?patientId=${patient.id}`,
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Backspace');
  await expect(box(page)).toBeFocused();
  await page.keyboard.press('End');
  await expect(dialog(page).getByText('พบ 1 รายการ')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+Enter');
  await expect(page).toHaveURL(`/app/appointment/create?patientId=${patient.id}`);
});

test('search texts are not stored', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await openByKey(page);
  await box(page).fill('สมชาย');
  await expect(dialog(page).getByRole('list', { name: 'ผู้ป่วย' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  expect(page.url()).toMatch(/\/app\/dashboard$/);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
  );
  expect(stored).not.toContain('สมชาย');
  await page.getByRole('button', { name: 'ค้นหาผู้ป่วย…' }).click();
  await expect(box(page)).toHaveValue('');
  await expect(dialog(page).getByRole('list')).toHaveCount(0);
});

test('users who may not see patients have no search', async ({ page, signInAs }) => {
  await signInAs('executive');
  await page.goto('/app/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('button', { name: 'ค้นหาผู้ป่วย…' })).toHaveCount(0);
  await expect(dialog(page)).toHaveCount(0);
});

test('no axe violations in the search', { tag: '@long' }, async ({ page, signInAs }) => {
  test.slow();
  await signInAs('registrar');
  await openByKey(page);
  await expectNoViolations(page, 'empty');
  await box(page).fill('ฮฮฮฮฮฮฮ');
  await expect(dialog(page).getByText('ไม่พบ “ฮฮฮฮฮฮฮ”')).toBeVisible();
  await expectNoViolations(page, 'none');
  await box(page).fill('สม');
  await expect(dialog(page).getByRole('list', { name: 'ผู้ป่วย' })).toBeVisible();
  await expect(dialog(page).getByText(/^พบ/)).toBeVisible();
  await expectNoViolations(page, 'results');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoViolations(page, 'phone');
});
