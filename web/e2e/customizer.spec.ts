import type { Page } from '@playwright/test';
import { expect, test, withSettings } from './support';

const html = (page: Page) => page.locator('html');
const sidebar = (page: Page) => page.getByRole('complementary');
/** The first one, because the drawer has its own header. */
const header = (page: Page) => page.getByRole('banner').first();
const dialog = (page: Page) => page.getByRole('dialog', { name: 'ปรับแต่งหน้าจอ' });

async function openCustomizer(page: Page) {
  await page.getByRole('button', { name: 'ปรับแต่งหน้าจอ' }).click();
  await expect(dialog(page)).toBeVisible();
}

test.beforeEach(async ({ signInAs }) => {
  await signInAs('admin');
});

test('every setting applies at once, survives a reload and can be undone', async ({ page }) => {
  await page.goto('/app/dashboard');
  await openCustomizer(page);
  const drawer = dialog(page);
  await drawer.getByLabel('โหมดมืด').click();
  await expect(html(page)).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await drawer.getByLabel('เรียงจากขวาไปซ้าย (RTL)').click();
  await expect(html(page)).toHaveAttribute('dir', 'rtl');
  await drawer.getByRole('button', { name: 'แถบข้างสีเข้ม' }).click();
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(18, 48, 58)');
  await drawer.getByRole('button', { name: 'สีแถบบน #312e81' }).click();
  await expect(header(page)).toHaveCSS('background-color', 'rgb(49, 46, 129)');
  await drawer.getByRole('button', { name: 'สีหลัก #be123c' }).click();

  await page.reload();
  await expect(html(page)).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(html(page)).toHaveAttribute('dir', 'rtl');
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(18, 48, 58)');
  await expect(header(page)).toHaveCSS('background-color', 'rgb(49, 46, 129)');

  await openCustomizer(page);
  await expect(drawer.getByRole('button', { name: 'สีหลัก #be123c' })).toHaveAttribute('aria-pressed', 'true');
  await drawer.getByRole('button', { name: 'คืนค่าเริ่มต้น' }).click();
  await expect(html(page)).toHaveAttribute('data-mantine-color-scheme', 'light');
  await expect(html(page)).toHaveAttribute('dir', 'ltr');
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(header(page)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await page.reload();
  await expect(html(page)).toHaveAttribute('data-mantine-color-scheme', 'light');
});

test('accepts a typed colour and ignores an incomplete one', async ({ page }) => {
  await page.goto('/app/dashboard');
  await openCustomizer(page);
  const input = dialog(page).getByLabel('สีแถบเมนูกำหนดเอง');
  await input.fill('#4a');
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await input.fill('#4A7B1F');
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(74, 123, 31)');
  await input.press('Tab');
  await dialog(page).getByRole('button', { name: 'ตามรูปแบบ' }).first().click();
  await expect(sidebar(page)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
});

test('switches between the mini and top navigation layouts', async ({ page }) => {
  await page.goto('/app/dashboard');
  await openCustomizer(page);
  await dialog(page).getByRole('button', { name: 'แถบข้างแบบย่อ' }).click();
  await expect(sidebar(page)).toHaveCSS('width', '76px');
  await dialog(page).getByRole('button', { name: 'เมนูด้านบน' }).click();
  await expect(sidebar(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
  await menu.getByRole('button', { name: 'นัดหมาย' }).click();
  await page.getByRole('menuitem', { name: 'รายการนัดหมาย' }).click();
  await expect(page).toHaveURL('/app/appointment/list');
  await menu.getByRole('link', { name: 'จัดการผู้ป่วย' }).click();
  await expect(page).toHaveURL('/app/patient-management');
});

test('the dark background is painted before the app loads', async ({ page }) => {
  await withSettings(page, { dark: true, rtl: true });
  // Without its script the page remains as first painted.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto('/app/dashboard', { waitUntil: 'domcontentloaded' });
  await expect(html(page)).toHaveAttribute('dir', 'rtl');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(18, 23, 28)');
});

test('ignores invalid settings in the storage', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('nadmor.settings', '{"dark":true,"primary":'));
  await page.goto('/app/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await expect(html(page)).toHaveAttribute('data-mantine-color-scheme', 'light');
});
