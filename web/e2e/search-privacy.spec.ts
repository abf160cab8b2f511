import { expect, logInOnPage, searchRequest, test } from './support';

const TEXT = 'somchai-jaidee';
const LISTS = [
  { list: '/app/appointment/list', call: '/appointment/list', filter: 'status=BOOKED' },
  { list: '/app/patient-management', call: '/patients/list', filter: 'sex=M' },
  { list: '/app/patient-management?tab=customers', call: '/customers/list', filter: 'status=ACTIVE' },
  { list: '/app/user-management', call: '/user-admin/list', filter: 'status=ACTIVE' },
];

for (const { list, call, filter } of LISTS) {
  test(`${list}: the search text survives Back and a reload, and appears in no address`, async ({
    page,
    signInAs,
  }) => {
    const addresses: string[] = [];
    page.on('request', (request) => {
      addresses.push(request.url(), request.headers().referer ?? '');
    });
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await signInAs('admin');
    const filtered = `${list}${list.includes('?') ? '&' : '?'}${filter}`;
    await page.goto(filtered);
    const main = page.getByRole('main');
    const requested = searchRequest(page, call, TEXT);
    await main.getByRole('searchbox').fill(TEXT);
    await requested;
    await expect(page).toHaveURL(filtered);
    await page.goto('/app/profile');
    await page.goBack();
    await expect(main.getByRole('searchbox')).toHaveValue(TEXT);
    const requestedAgain = searchRequest(page, call, TEXT);
    await page.reload();
    await requestedAgain;
    await expect(main.getByRole('searchbox')).toHaveValue(TEXT);
    await expect(page).toHaveURL(filtered);
    for (const link of await page.getByRole('link').all())
      expect(await link.getAttribute('href')).not.toContain(TEXT);
    expect(await page.title()).not.toContain(TEXT);
    expect(addresses.filter((address) => address.includes(TEXT))).toEqual([]);
  });
}

test('search text in an old link is applied and removed from the address', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(`/app/patient-management?sex=M&q=${TEXT}&page=1`);
  await expect(page.getByRole('main').getByRole('searchbox')).toHaveValue(TEXT);
  await expect(page).toHaveURL('/app/patient-management?sex=M');
  await page.goto(`/login?redirect=${encodeURIComponent(`/app/patient-management?sex=M&q=${TEXT}`)}`);
  await expect(page).toHaveURL('/app/patient-management?sex=M');
});

test('a session that ends during a search leaves no search text on the sign-in page', async ({
  page,
  context,
  signInAs,
}) => {
  await signInAs('registrar');
  await page.goto('/app/patient-management?sex=M');
  const search = page.getByRole('main').getByRole('searchbox');
  const requested = searchRequest(page, '/patients/list', TEXT);
  await search.fill(TEXT);
  await requested;
  await context.clearCookies();
  await search.fill(`${TEXT} 2`);
  await expect(page).toHaveURL('/login?redirect=%2Fapp%2Fpatient-management%3Fsex%3DM');
  const stored = () =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(await stored()).not.toContain(TEXT);
  await logInOnPage(page, 'registrar');
  await expect(page).toHaveURL('/app/patient-management?sex=M');
  // The Back button does not show it to the next user, either.
  await expect(search).toHaveValue('');
  await page.goBack();
  await page.goForward();
  await expect(search).toHaveValue('');
  expect(await stored()).not.toContain(TEXT);
});
