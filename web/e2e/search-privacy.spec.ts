import { expect, PASSWORD, test } from './support';

const TEXT = 'somchai-jaidee';
const LISTS = [
  { list: '/app/appointment/list', call: '/appointment/list', filter: 'status=BOOKED' },
  { list: '/app/patient-management', call: '/patients/list', filter: 'sex=M' },
  { list: '/app/patient-management?tab=customers', call: '/customers/list', filter: 'status=ACTIVE' },
  { list: '/app/user-management', call: '/user-admin/list', filter: 'status=ACTIVE' },
];

for (const { list, call, filter } of LISTS) {
  test(`${list}: what is typed is searched for, kept for Back and a reload, and in no address`, async ({
    page,
    signInAs,
  }) => {
    const addresses: string[] = [];
    page.on('request', (request) => {
      addresses.push(request.url(), request.headers().referer ?? '');
    });
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    const asks = (text: string) =>
      page.waitForRequest(
        (request) =>
          request.url().endsWith(call) && request.method() === 'POST' && request.postDataJSON().q === text,
      );
    await signInAs('admin');
    const filtered = `${list}${list.includes('?') ? '&' : '?'}${filter}`;
    await page.goto(filtered);
    const main = page.getByRole('main');
    const asked = asks(TEXT);
    await main.getByRole('searchbox').fill(TEXT);
    await asked;
    await expect(page).toHaveURL(filtered);
    await page.goto('/app/profile');
    await page.goBack();
    await expect(main.getByRole('searchbox')).toHaveValue(TEXT);
    const again = asks(TEXT);
    await page.reload();
    await again;
    await expect(main.getByRole('searchbox')).toHaveValue(TEXT);
    await expect(page).toHaveURL(filtered);
    for (const link of await page.getByRole('link').all())
      expect(await link.getAttribute('href')).not.toContain(TEXT);
    expect(await page.title()).not.toContain(TEXT);
    expect(addresses.filter((address) => address.includes(TEXT))).toEqual([]);
  });
}

test('an old address with it is taken over and cleaned', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(`/app/patient-management?sex=M&q=${TEXT}&page=1`);
  await expect(page.getByRole('main').getByRole('searchbox')).toHaveValue(TEXT);
  await expect(page).toHaveURL('/app/patient-management?sex=M');
  await page.goto(`/login?redirect=${encodeURIComponent(`/app/patient-management?sex=M&q=${TEXT}`)}`);
  await expect(page).toHaveURL('/app/patient-management?sex=M');
});

test('a session that ends while one searches tells the sign-in page nothing', async ({
  page,
  context,
  signInAs,
}) => {
  await signInAs('registrar');
  await page.goto('/app/patient-management?sex=M');
  const search = page.getByRole('main').getByRole('searchbox');
  const asked = page.waitForRequest((request) => request.postData()?.includes(TEXT) ?? false);
  await search.fill(TEXT);
  await asked;
  await context.clearCookies();
  await search.fill(`${TEXT} 2`);
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fpatient-management%3Fsex%3DM');
  const kept = () =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(await kept()).not.toContain(TEXT);
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('registrar');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
  await expect(page).toHaveURL('/app/patient-management?sex=M');
  // Nor does the next user find it behind the Back button.
  await expect(search).toHaveValue('');
  await page.goBack();
  await page.goForward();
  await expect(search).toHaveValue('');
  expect(await kept()).not.toContain(TEXT);
});
