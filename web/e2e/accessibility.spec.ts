import type { Page } from '@playwright/test';
import { SCREENS as ALL, settled } from './all-screens';
import { expect, expectNoViolations, type LOOKS as Looks, type Role, test, violations } from './support';

const LOOKS: typeof Looks = {
  light: {},
  dark: { dark: true },
  'right to left': { rtl: true },
  'dark, right to left': { dark: true, rtl: true },
  'a dark sidebar': { tone: 'dark' },
  'a mini sidebar': { pinned: false },
  'top navigation': { layout: 'top', sidebar: '#1e3a5f' },
  'pale colours': { primary: '#ffe066', sidebar: '#fff0f6', header: '#d0ebff' },
  'middling colours': { primary: '#7a7a7a', sidebar: '#808000', header: '#777777' },
  'strong colours in the dark': { dark: true, primary: '#0000ff', sidebar: '#be123c', header: '#ff8c00' },
};

const SCREENS: { name: string; path: string; role?: Role; open?: (page: Page) => Promise<void> }[] = [
  { name: 'sign-in', path: '/login' },
  {
    name: 'dashboard',
    path: '/app/dashboard',
    role: 'admin',
    open: (page) => expect(page.locator('[data-chart]').last()).toBeVisible(),
  },
  { name: 'no access', path: '/app/global-config', role: 'queue' },
  { name: 'not found', path: '/app/nothing', role: 'admin' },
  {
    name: 'customizer',
    path: '/app/patient-management/create',
    role: 'admin',
    open: async (page) => {
      await page.getByRole('button', { name: 'ปรับแต่งหน้าจอ' }).click();
      await expect(page.getByRole('button', { name: 'คืนค่าเริ่มต้น' })).toBeVisible();
    },
  },
];

for (const { name, path, role, ready } of ALL.filter(({ main }) => main)) {
  test(`no axe violations: ${name}`, async ({ page, signInAs }) => {
    await signInAs(role ?? 'admin');
    await page.goto(path.replace(':patient', '1'));
    await settled(page);
    await ready?.(page);
    expect(await violations(page)).toEqual([]);
  });
}

for (const { name, path, role, open } of SCREENS) {
  test(`no axe violations in any appearance: ${name}`, { tag: '@long' }, async ({ page, signInAs }) => {
    test.slow();
    if (role) await signInAs(role);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await open?.(page);
    await expectNoViolations(page, name, LOOKS);
  });
}

test('no axe violations: errors of the sign-in form', { tag: '@long' }, async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
  await expect(page.getByText('กรุณากรอกรหัสผ่าน')).toBeVisible();
  await expectNoViolations(page, 'empty');
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('unknown-user');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await expectNoViolations(page, 'refused');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('no axe violations: the menu drawer and the account menu', async ({ page, signInAs }) => {
    await signInAs('admin');
    await page.goto('/app/dashboard');
    await page.getByRole('button', { name: 'เปิดเมนู' }).click();
    await expect(page.getByRole('dialog').getByRole('link', { name: 'แดชบอร์ด' })).toBeVisible();
    expect.soft(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^บัญชีของ/ }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    expect.soft(await violations(page)).toEqual([]);
  });
});

test('no axe violations: the password page', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/change-password');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectNoViolations(page, 'change password');
});
