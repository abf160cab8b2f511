import { randomBytes } from 'node:crypto';
import { type APIRequestContext, type BrowserContext, expect, type Page } from '@playwright/test';
import { test as base, logIn } from './support';

export interface Role {
  id: number;
  name: string;
  label: string;
  permissions: string[];
  version: number;
}

const FIRST_PASSWORD = 'first password of all';
/** The password of users created by Records.signIn. */
export const OWN_PASSWORD = `${FIRST_PASSWORD} but one`;

/** Creates the records of one test as the administrator, so that tests do not share any. */
export class Records {
  readonly #request: APIRequestContext;
  readonly #token: string;
  readonly #baseURL: string;

  constructor(request: APIRequestContext, token: string, baseURL: string) {
    this.#request = request;
    this.#token = token;
    this.#baseURL = baseURL;
  }

  async call<Data>(path: string, data?: object): Promise<Data> {
    const options = { headers: { Authorization: `Bearer ${this.#token}` } };
    const response = data
      ? await this.#request.post(path, { ...options, data })
      : await this.#request.get(path, options);
    expect(response.status(), await response.text()).toBe(200);
    return (await response.json()).data;
  }

  role(permissions: string[]): Promise<Role> {
    const own = unique();
    return this.call('/admin/api/v1/role/create', { name: `E2E_${own}`, label: `ทดสอบ ${own}`, permissions });
  }

  readRole(id: number): Promise<Role> {
    return this.call(`/admin/api/v1/role/${id}`);
  }

  updateRole(role: Role, permissions: string[]): Promise<Role> {
    const { id, version, name, label } = role;
    return this.call('/admin/api/v1/role/update', { id, version, name, label, permissions });
  }

  async user(roleId: number): Promise<{ id: number; username: string; name: string }> {
    const own = unique().toLowerCase();
    return this.call('/admin/api/v1.0/user-admin/create', {
      username: `e2e.${own}`,
      email: `e2e.${own}@sinakhon.example`,
      name: `ผู้ทดสอบ ${own}`,
      password: FIRST_PASSWORD,
      roleId,
    });
  }

  /** Gives a browser the session of a new user who has already changed the password. */
  async signIn(context: BrowserContext, roleId: number) {
    const user = await this.user(roleId);
    const { accessToken, smqAccessToken } = await logIn(this.#request, user.username, FIRST_PASSWORD);
    const changed = await this.#request.post('/admin/api/v1.0/auth/change-password', {
      headers: { Authorization: `Bearer ${accessToken}` },
      data: { currentPassword: FIRST_PASSWORD, newPassword: OWN_PASSWORD },
    });
    expect(changed.status(), await changed.text()).toBe(200);
    await context.addCookies([
      { name: 'access_token', value: accessToken, url: this.#baseURL },
      { name: 'smq_access_token', value: smqAccessToken, url: this.#baseURL },
    ]);
    return user;
  }
}

export const test = base.extend<{ records: Records }>({
  records: async ({ request, tokensOf, baseURL }, use) => {
    const { accessToken } = await tokensOf(request, 'admin');
    await use(new Records(request, accessToken, baseURL ?? ''));
  },
});

export function unique(): string {
  return randomBytes(5).toString('hex').toUpperCase();
}

export const rolePath = (id: number | 'new') => `/app/user-management?tab=roles&role=${id}`;

/** The checkbox of a permission in the matrix. */
export const box = (page: Page, permission: string) =>
  page.getByRole('checkbox', { name: new RegExp(`${permission.replace('.', '\\.')}( |$)`) });

export const saveBar = (page: Page) => page.getByRole('region', { name: 'สิ่งที่จะบันทึก', exact: true });
