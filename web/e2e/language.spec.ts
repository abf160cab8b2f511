import { expect, movePointerAway, test } from './support';

test('the sign-in page has both languages and stores the choice', async ({ page }) => {
  await page.goto('/login');
  await expect(page.locator('html')).toHaveAttribute('lang', 'th');
  await page.getByRole('button', { name: 'EN: เปลี่ยนเป็นภาษาอังกฤษ' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page).toHaveTitle('Sign in · Si Nakhon Hospital');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
});

test('the server responds in the chosen language', async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('button', { name: 'EN: เปลี่ยนเป็นภาษาอังกฤษ' }).click();
  await page.getByLabel('Username or email').fill('unknown-user');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).not.toContainText(/[\u0e00-\u0e7f]/);
});

test('the shell switches to English and back without a reload', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/patient-management');
  await page.evaluate(() => Object.assign(window, { sameVisit: true }));
  await page.getByRole('button', { name: 'EN: เปลี่ยนเป็นภาษาอังกฤษ' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Patients' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')).toHaveText([
    'Dashboard',
    'Service schedule',
    'Appointment calendar',
    'Appointment list',
    'Patients',
    'Reports',
    'Users',
    'Settings',
  ]);
  await expect(page).toHaveTitle('Patients · Si Nakhon Hospital');
  await movePointerAway(page);
  await page.getByRole('button', { name: 'ไทย: Switch to Thai' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'จัดการผู้ป่วย' })).toBeVisible();
  expect(await page.evaluate(() => 'sameVisit' in window)).toBe(true);
});

test('shows an error if the English texts fail to load, and can be retried', async ({ page, signInAs }) => {
  await signInAs('admin');
  const english = /\/assets\/en-[^/]+\.js$/;
  await page.route(english, (route) => route.abort());
  await page.goto('/app/dashboard');
  const change = page.getByRole('button', { name: 'EN: เปลี่ยนเป็นภาษาอังกฤษ' });
  await change.click();
  await expect(page.getByRole('alert')).toContainText('เปลี่ยนเป็นภาษาอังกฤษไม่ได้ กรุณาตรวจสอบเครือข่ายแล้วลองอีกครั้ง');
  await expect(page.locator('html')).toHaveAttribute('lang', 'th');
  await page.unroute(english);
  await page.getByRole('alert').getByRole('button', { name: 'ปิด' }).click();
  await change.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
});

test('services have their English names in English, also in a report', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/report');
  const first = page.locator('main section table tbody th').first();
  await expect(first).toContainText(/[\u0e00-\u0e7f]/);
  await page.getByRole('button', { name: 'EN: เปลี่ยนเป็นภาษาอังกฤษ' }).click();
  await expect(first).not.toContainText(/[\u0e00-\u0e7f]/);
});
