import { createHmac, randomBytes } from 'node:crypto';
import { type APIRequestContext, type Browser, expect, type Locator, type Page } from '@playwright/test';
import { logIn, PASSWORD } from './support';

const USERS = '/admin/api/v1.0/user-admin';

export interface Account {
  id: number;
  username: string;
  email: string;
  name: string;
  version: number;
}

/** A unique username: the tests share one hospital and run in any order. */
export const uniqueName = (prefix: string) => `${prefix}.${randomBytes(5).toString('hex')}`;

export async function adminCall<Data>(
  request: APIRequestContext,
  token: string,
  path: string,
  data?: object,
): Promise<Data> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await (data ? request.post(path, { headers, data }) : request.get(path, { headers }));
  expect(response.status(), await response.text()).toBe(200);
  return (await response.json()).data;
}

/** An account that waits for approval, with the password of the sample users. */
export async function registered(request: APIRequestContext, token: string, name: string): Promise<Account> {
  const username = uniqueName('staff');
  const data = { username, email: `${username}@sinakhon.example`, name, password: PASSWORD };
  const response = await request.post('/admin/api/v1.0/auth/register', { data });
  expect(response.status(), await response.text()).toBe(200);
  const { items } = await adminCall<{ items: Account[] }>(request, token, `${USERS}/list`, { q: username });
  const [account] = items;
  if (!account) throw new Error(`${username} is not in the list`);
  return account;
}

/** An account that can sign in without changing the password first. */
export async function approved(
  request: APIRequestContext,
  token: string,
  name: string,
  role = 'NURSE',
): Promise<Account> {
  const { id, version } = await registered(request, token, name);
  const roles = await adminCall<{ id: number; name: string }[]>(request, token, '/admin/api/v1/role/list');
  const roleId = roles.find((one) => one.name === role)?.id;
  return adminCall(request, token, `${USERS}/update`, { id, version, roleId });
}

/** Another user in another browser, signed in. */
export async function pageOf(browser: Browser, baseURL: string | undefined, username: string): Promise<Page> {
  const context = await browser.newContext();
  const { accessToken, smqAccessToken } = await logIn(context.request, username);
  await context.addCookies([
    { name: 'access_token', value: accessToken, url: baseURL },
    { name: 'smq_access_token', value: smqAccessToken, url: baseURL },
  ]);
  return context.newPage();
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill(username);
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

/** Opens and fills in the registration form, and returns its submit button. */
export async function fillRegistration(
  page: Page,
  { name, password = PASSWORD, phone }: { name: string; password?: string; phone?: string },
): Promise<{ username: string; submit: Locator }> {
  const username = uniqueName('asks');
  await page.goto('/register');
  await page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }).fill(name);
  await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).fill(username);
  await page.getByRole('textbox', { name: 'อีเมล' }).fill(`${username}@sinakhon.example`);
  if (phone) await page.getByRole('textbox', { name: 'โทรศัพท์' }).fill(phone);
  await page.getByRole('textbox', { name: 'รหัสผ่าน', exact: true }).fill(password);
  await page.getByRole('textbox', { name: 'รหัสผ่านอีกครั้ง' }).fill(password);
  return { username, submit: page.getByRole('button', { name: 'ส่งคำขอ' }) };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of an authenticator app now, or `ahead` periods later (RFC 6238). */
export function oneTimeCode(secret: string, ahead = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + ahead));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Expects that the page does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // Charts take a moment to resize.
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
    .toBeLessThanOrEqual(0);
}
