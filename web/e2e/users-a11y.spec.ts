import type { Page } from '@playwright/test';
import { expectNoSidewaysScroll } from './accounts';
import { expect, expectNoViolations, inEveryLook, test } from './support';

const SCREENS: [name: string, path: string, open: (page: Page) => Promise<void>][] = [
  [
    'list',
    // Accounts in every state.
    '/app/user-management?q=081234011',
    async (page) => expect(page.getByText('เอกชัย ยอดแก้ว')).toBeVisible(),
  ],
  [
    'menu',
    '/app/user-management?q=thida.b',
    async (page) => {
      await page.getByRole('button', { name: 'จัดการ ธิดา บุญเรือง' }).click();
      await expect(page.getByRole('menuitem', { name: 'ลบบัญชี' })).toBeVisible();
    },
  ],
  [
    'approval',
    '/app/user-management?q=thida.b',
    async (page) => {
      await page.getByRole('button', { name: 'อนุมัติ ธิดา บุญเรือง' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'อนุมัติ' }).click();
      await expect(page.getByText('กรุณาเลือกบทบาท')).toBeVisible();
    },
  ],
  [
    'nothing found',
    '/app/user-management?q=nobody-is-called-this',
    async (page) => expect(page.getByText('ไม่พบผู้ใช้งานตามที่ค้นหา')).toBeVisible(),
  ],
  [
    'new account',
    '/app/user-management/create',
    async (page) => {
      await page.getByRole('radio', { name: /กำหนดรหัสผ่านแรก/ }).check();
      await page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' }).click();
      await expect(page.getByText('กรุณาเลือกบทบาท')).toBeVisible();
    },
  ],
  [
    'one account',
    '/app/user-management/3/edit',
    async (page) => expect(page.getByRole('heading', { name: 'กิจกรรมล่าสุด' })).toBeVisible(),
  ],
  ['profile', '/app/profile', async (page) => expect(page.getByText('เครื่องนี้')).toBeVisible()],
];

for (const [name, path, open] of SCREENS) {
  test(`${name}: no axe violations, no sideways scrolling`, { tag: '@long' }, async ({ page, signInAs }) => {
    test.slow();
    await signInAs('admin');
    await page.goto(path);
    await open(page);
    await expectNoViolations(page, name);
    for (const width of [768, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await inEveryLook(page, () => expectNoSidewaysScroll(page));
    }
    await expectNoViolations(page, `${name} on a phone`);
  });
}

test('pages before sign-in: no axe violations', { tag: '@long' }, async ({ page }) => {
  test.slow();
  for (const path of ['/register', '/forgot-password', '/reset-password', '/reset-password#token=x']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoViolations(page, path);
    await page.setViewportSize({ width: 360, height: 740 });
    await inEveryLook(page, () => expectNoSidewaysScroll(page));
    await page.setViewportSize({ width: 1366, height: 768 });
  }
});
