import { randomInt } from 'node:crypto';
import type { APIRequestContext, Page } from '@playwright/test';
import { adminCall } from './accounts';
import { test as base, type Role } from './support';

export const NEW = '/app/patient-management/create';

export interface TestPatient {
  id: number;
  version: number;
  hn: string;
  idCard: string;
  phone: string;
  prename: string;
  firstName: string;
  lastName: string;
}

export interface TestCustomer {
  id: number;
  version: number;
  name: string;
  phone: string;
}

const SYLLABLES = 'กานต์ ขวัญ คีรี จันทร์ ชล ณิชา ดารา ธาร นภา บัว ปรียา พิม ภู มณี รุ่ง ลัดดา วรรณ ศิริ สุดา หทัย อร'.split(
  ' ',
);
const pick = () => SYLLABLES[randomInt(SYLLABLES.length)] ?? '';

/** A Thai name that is unique in the shared hospital. */
export const uniqueThai = (prefix: string) => prefix + Array.from({ length: 5 }, pick).join('');

export const uniquePhone = () => `08${String(randomInt(100_000_000)).padStart(8, '0')}`;

/** Thirteen digits with a valid check digit. */
export function uniqueIdCard(): string {
  const first = `8${String(randomInt(1e11)).padStart(11, '0')}`;
  const sum = [...first].reduce((total, digit, index) => total + Number(digit) * (13 - index), 0);
  return first + String((11 - (sum % 11)) % 10);
}

/** 1111111111119 → 1-1111-11111-11-9 */
export const dashed = (idCard: string) => idCard.replace(/^(\d)(\d{4})(\d{5})(\d{2})(\d)$/, '$1-$2-$3-$4-$5');

/** 1111111111119 → 1-1111-xxxxx-11-9 */
export const masked = (idCard: string) => dashed(idCard).replace(/-\d{5}-/, '-xxxxx-');

export const dashedPhone = (phone: string) => phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');

export const fullName = ({ prename, firstName, lastName }: TestPatient) =>
  `${prename}${firstName} ${lastName}`;

/** Creates the records of one test, so that tests do not share any. */
export class Registration {
  readonly #request: APIRequestContext;
  readonly #token: string;
  readonly #smqToken: string;

  constructor(request: APIRequestContext, token: string, smqToken: string) {
    this.#request = request;
    this.#token = token;
    this.#smqToken = smqToken;
  }

  register(fields: object = {}): Promise<TestPatient> {
    return adminCall(this.#request, this.#token, '/admin/api/v1/patients/create', {
      prename: 'นาง',
      firstName: uniqueThai('ทด'),
      lastName: uniqueThai('สอบ'),
      sex: 'F',
      birthDate: '1980-05-05',
      idCard: uniqueIdCard(),
      phone: uniquePhone(),
      rightCode: 'UCS',
      ...fields,
    });
  }

  /** The status of the response to a request about a patient. */
  async statusOf(patientId: number): Promise<number> {
    const headers = { Authorization: `Bearer ${this.#token}` };
    return (await this.#request.get(`/admin/api/v1/patients/${patientId}`, { headers })).status();
  }

  /** The customers API needs the second token. */
  customers<Data>(path: string, data?: object): Promise<Data> {
    return adminCall(this.#request, this.#smqToken, `/admin/api/v1.0/customers/${path}`, data);
  }

  addCustomer(fields: object = {}): Promise<TestCustomer> {
    return this.customers('create', { name: uniqueThai('ลูกค้า'), phone: uniquePhone(), ...fields });
  }
}

export const test = base.extend<{ registration: Registration }>({
  registration: async ({ request, tokensOf }, use) => {
    const { accessToken, smqAccessToken } = await tokensOf(request, 'registrar');
    await use(new Registration(request, accessToken, smqAccessToken));
  },
});

export const field = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByLabel(new RegExp(`^${name}( \\*)?$`))
    .and(page.locator('input'));

export async function open(page: Page, signInAs: (role: Role) => Promise<void>, role: Role, path: string) {
  await signInAs(role);
  await page.goto(path);
}

/** The values that typePerson types, without the first name. */
export const PERSON = { prename: 'นาย', lastName: 'ใจดี', sex: 'M', birthDate: '1988-02-09' };

/**
 * Fills in all required fields by typing and Tab, from the first input on; without an ID card that is filled already.
 */
export async function typePerson(page: Page, card: string, name: string, birth = '9/2/2531') {
  if (card === '') {
    await field(page, 'คำนำหน้า').focus();
  } else {
    await field(page, 'เลขประจำตัวประชาชน').focus();
    await page.keyboard.type(card);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.type(PERSON.prename);
  await page.keyboard.press('Tab');
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PERSON.lastName);
  await field(page, 'วันเกิด').focus();
  await page.keyboard.type(birth);
  await page.keyboard.press('Tab');
}
