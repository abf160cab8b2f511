import { randomInt } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import { adminCall } from './accounts';

export interface TestPatient {
  id: number;
  hn: string;
  idCard: string;
  phone: string;
  prename: string;
  firstName: string;
  lastName: string;
}

const SYLLABLES = 'กานต์ ขวัญ คีรี จันทร์ ชล ณิชา ดารา ธาร นภา บัว ปรียา พิม ภู มณี รุ่ง ลัดดา วรรณ ศิริ สุดา หทัย อร'.split(
  ' ',
);
const pick = () => SYLLABLES[randomInt(SYLLABLES.length)] ?? '';

/** A Thai name that nobody in the shared hospital has. */
export const uniqueThai = (prefix: string) => prefix + Array.from({ length: 5 }, pick).join('');

export const uniquePhone = () => `08${String(randomInt(100_000_000)).padStart(8, '0')}`;

/** Thirteen digits with the check digit that belongs to them. */
export function uniqueCitizenId(): string {
  const first = `1${String(randomInt(1e11)).padStart(11, '0')}`;
  const sum = [...first].reduce((total, digit, index) => total + Number(digit) * (13 - index), 0);
  return first + String((11 - (sum % 11)) % 10);
}

export function registerPatient(
  request: APIRequestContext,
  token: string,
  fields: object = {},
): Promise<TestPatient> {
  return adminCall(request, token, '/admin/api/v1/patients/create', {
    prename: 'นาง',
    firstName: uniqueThai('ทด'),
    lastName: uniqueThai('สอบ'),
    sex: 'F',
    birthDate: '1980-05-05',
    idCard: uniqueCitizenId(),
    phone: uniquePhone(),
    rightCode: 'UCS',
    ...fields,
  });
}

export interface TestCustomer {
  id: number;
  version: number;
  name: string;
  phone: string;
}

/** Customers are called with the second token. */
export function addCustomer(
  request: APIRequestContext,
  smqToken: string,
  fields: object = {},
): Promise<TestCustomer> {
  const data = { name: uniqueThai('ลูกค้า'), phone: uniquePhone(), ...fields };
  return adminCall(request, smqToken, '/admin/api/v1.0/customers/create', data);
}

/** 1111111111119 → 1-1111-11111-11-9 */
export const dashed = (idCard: string) => idCard.replace(/^(\d)(\d{4})(\d{5})(\d{2})(\d)$/, '$1-$2-$3-$4-$5');

export const dashedPhone = (phone: string) => phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');

export const fullName = ({ prename, firstName, lastName }: TestPatient) =>
  `${prename}${firstName} ${lastName}`;
