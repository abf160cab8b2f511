import { crc32, deflateSync } from 'node:zlib';
import type { APIRequestContext, Page } from '@playwright/test';
import { adminCall } from './accounts';

const API = '/admin/api/v1/global-setting';

export interface TestBanner {
  id: string;
  image: string;
  alt: string;
  link: string;
  startsAt: string | null;
  endsAt: string | null;
  active: boolean;
}

export interface TestSetting {
  version: number;
  name: string;
  logo: string;
  phone: string;
  banners: TestBanner[];
  reminders: { offsetHours: number; channel: string; template: string }[];
  [field: string]: unknown;
}

export const readSetting = (request: APIRequestContext, token: string): Promise<TestSetting> =>
  adminCall(request, token, `${API}/read`);

/** Changes the settings as another user would at the same time. */
export async function changeSetting(
  request: APIRequestContext,
  token: string,
  fields: object,
): Promise<TestSetting> {
  const { version } = await readSetting(request, token);
  return adminCall(request, token, `${API}/update`, { version, ...fields });
}

export const tabPath = (tab: string) => `/app/global-config?tab=${tab}`;
export const saveBar = (page: Page) => page.getByRole('region', { name: 'สิ่งที่จะบันทึก', exact: true });
export const save = (page: Page) => saveBar(page).getByRole('button', { name: 'บันทึก', exact: true });

/** A real image of one colour. */
export function png(width: number, height: number, [red, green, blue]: [number, number, number]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.from([0, ...Array.from({ length: width }, () => [red, green, blue]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** An image that browsers show whatever its name, and that the server rejects. */
export const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');

export const choosePicture = (page: Page, name: string, buffer: Buffer, mimeType = 'image/png') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
