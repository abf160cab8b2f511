import { cookieNames, expect, logInOnPage, PASSWORD, test } from './support';

function tokenWith(claims: object): string {
  return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
}

test('removes an expired or unreadable token and redirects to sign-in', async ({
  page,
  context,
  baseURL,
}) => {
  for (const [what, token] of [
    ['an expired token', tokenWith({ sub: '1', name: 'x', role: 'ADMIN', exp: 1_700_000_000 })],
    ['an unreadable token', 'not-a-token'],
    ['a token without expiry', tokenWith({ sub: '1' })],
  ] as const) {
    await test.step(what, async () => {
      await context.addCookies([
        { name: 'access_token', value: token, url: baseURL },
        { name: 'smq_access_token', value: token, url: baseURL },
      ]);
      await page.goto('/app/appointment/list');
      await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fappointment%2Flist');
      await expect(page.getByRole('status')).toHaveText('หมดเวลาเข้าใช้งาน กรุณาเข้าสู่ระบบอีกครั้ง');
      expect(await cookieNames(page)).toEqual([]);
    });
  }
});

test('a missing token redirects to sign-in and back to the same page', async ({ page }) => {
  await page.goto('/app/appointment/list?q=สมชาย&page=2');
  // The search text is not passed to the sign-in page.
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fappointment%2Flist%3Fpage%3D2');
  await expect(page.getByRole('status')).toHaveCount(0);
  await logInOnPage(page, 'registrar');
  await expect(page).toHaveURL(/\/app\/appointment\/list\?/);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ page: '2' });
});

test('signing in never redirects to another site or a script', async ({ page, context, baseURL }) => {
  for (const target of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/app',
    'javascript:alert(1)',
  ]) {
    await context.clearCookies();
    await page.goto(`/login?redirect=${encodeURIComponent(target)}`);
    await logInOnPage(page, 'queue');
    await expect(page, target).toHaveURL(`${baseURL}/app/dashboard`);
  }
});

test('a signed-in user does not see the sign-in page', async ({ page, signInAs }) => {
  await signInAs('queue');
  await page.goto('/login?redirect=/app/appointment/list');
  await expect(page).toHaveURL('/app/appointment/list');
});

test('removes a token that the server rejects; the user returns after signing in', async ({
  page,
  context,
  baseURL,
  request,
}) => {
  const login = await request.post('/admin/api/v1.0/auth/login', {
    data: { username: 'queue', password: PASSWORD },
  });
  const { accessToken } = (await login.json()).data;
  await context.addCookies([{ name: 'access_token', value: accessToken, url: baseURL }]);
  await page.goto('/app/appointment/calendar');
  await expect(page.getByRole('heading', { level: 1, name: 'ปฏิทินนัดหมาย' })).toBeVisible();
  // The session ends elsewhere; this tab notices with the next response.
  await request.post('/admin/api/v1.0/auth/logout', { headers: { Authorization: `Bearer ${accessToken}` } });
  await page.reload();
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fappointment%2Fcalendar');
  expect(await cookieNames(page)).toEqual([]);
  // The page is reloaded 300 ms after the error, and typed text is lost.
  await expect(async () => {
    await logInOnPage(page, 'queue');
    await expect(page).toHaveURL('/app/appointment/calendar', { timeout: 3000 });
  }).toPass();
});

test('a failed permissions call signs out and reloads the page', async ({ page }) => {
  let fail = true;
  await page.route('**/auth/permissions', (route) =>
    fail ? route.fulfill({ status: 500, json: { success: false } }) : route.continue(),
  );
  await page.goto('/login');
  await page.evaluate(() => Object.assign(window, { beforeReload: true }));
  await logInOnPage(page, 'queue');
  await page.waitForFunction(() => !('beforeReload' in window));
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fdashboard');
  await expect(page.getByRole('status')).toContainText('โหลดสิทธิ์การใช้งานไม่สำเร็จ');
  expect(await cookieNames(page)).toEqual([]);
  fail = false;
  await logInOnPage(page, 'queue');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
});

test('an open page ends an expired session', async ({ page, signInAs, context }) => {
  await signInAs('queue');
  await page.goto('/app/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await context.clearCookies();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fdashboard');
});

test('signing out removes the cookies and ends the session on the server', async ({ page, request }) => {
  await page.goto('/login');
  await logInOnPage(page, 'doctor');
  await expect(page).toHaveURL('/app/dashboard');
  const token = (await page.context().cookies()).find(({ name }) => name === 'access_token')?.value;
  await page.getByRole('button', { name: 'ออกจากระบบ' }).click();
  await expect(page).toHaveURL('/login');
  expect(await cookieNames(page)).toEqual([]);
  const me = await request.get('/admin/api/v1.0/auth/me', { headers: { Authorization: `Bearer ${token}` } });
  expect(me.status()).toBe(401);
  await page.goBack();
  await expect(page).toHaveURL(/\/login/);
});

test('signing out works without a response from the server', async ({ page, signInAs }) => {
  await signInAs('queue');
  await page.goto('/app/dashboard');
  await page.route('**/auth/logout', (route) => route.abort());
  await page.getByRole('button', { name: 'ออกจากระบบ' }).click();
  await expect(page).toHaveURL('/login');
  expect(await cookieNames(page)).toEqual([]);
});
