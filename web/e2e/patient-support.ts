import type { APIRequestContext, Page } from '@playwright/test';
import { expect, type Role } from './support';

const PATIENTS = '/admin/api/v1/patients';
export const NEW = '/app/patient-management/create';

/** A correct ID card that no other test has. */
export function newCard(): string {
  const twelve = `8${Date.now().toString().slice(-8)}${Math.floor(Math.random() * 1000)
    .toString()
    .padStart(3, '0')}`;
  const sum = [...twelve].reduce((total, digit, index) => total + Number(digit) * (13 - index), 0);
  return `${twelve}${(11 - (sum % 11)) % 10}`;
}

/** A name that no other test has: letters in place of digits. */
export function newName(): string {
  const digits = `${Date.now()}${Math.floor(Math.random() * 100)}`.slice(-8);
  return `ทดสอบ${[...digits].map((digit) => 'กขคงจฉชซฌญ'[Number(digit)]).join('')}`;
}

interface Registered {
  id: number;
  hn: string;
  version: number;
  firstName: string;
}

export async function register(
  request: APIRequestContext,
  token: string,
  fields: Record<string, unknown> = {},
): Promise<Registered> {
  const data = {
    prename: 'นาย',
    firstName: newName(),
    lastName: 'ใจดี',
    sex: 'M',
    birthDate: '1988-02-09',
    idType: 'CID',
    idCard: newCard(),
    ...fields,
  };
  const response = await request.post(`${PATIENTS}/create`, {
    data,
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(response.status(), await response.text()).toBe(200);
  return (await response.json()).data;
}

export const field = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByLabel(new RegExp(`^${name}( \\*)?$`))
    .and(page.locator('input'));

export async function open(page: Page, signInAs: (role: Role) => Promise<void>, role: Role, path: string) {
  await signInAs(role);
  await page.goto(path);
}

/** Everything that is required, by typing and Tab, from the first input on; without a card that is there already. */
export async function typePerson(page: Page, card: string, name: string, birth = '9/2/2531') {
  if (card === '') {
    await field(page, 'คำนำหน้า').focus();
  } else {
    await field(page, 'เลขประจำตัวประชาชน').focus();
    await page.keyboard.type(card);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.type('นาย');
  await page.keyboard.press('Tab');
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.type('ใจดี');
  await field(page, 'วันเกิด').focus();
  await page.keyboard.type(birth);
  await page.keyboard.press('Tab');
}
