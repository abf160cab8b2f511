import type { Page } from '@playwright/test';
import { expect, test } from './support';

const sidebar = (page: Page) => page.getByRole('complementary');

/** Expects that nothing overflows sideways. */
async function expectNoSideScroll(page: Page) {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(content).toBeLessThanOrEqual(window ?? 0);
}

test.beforeEach(async ({ signInAs }) => {
  await signInAs('admin');
});

test.describe('on a desktop', () => {
  test('the sidebar is 300 px wide, the top bar 75 px high', async ({ page }) => {
    await page.goto('/app/dashboard');
    await expect(sidebar(page)).toHaveCSS('width', '300px');
    await expect(page.getByRole('banner')).toHaveCSS('height', '75px');
    await expectNoSideScroll(page);
  });

  test('an unpinned sidebar expands over the page on hover and stays unpinned after a reload', async ({
    page,
  }) => {
    await page.goto('/app/dashboard');
    await page.getByRole('button', { name: 'เลิกปักหมุดเมนู' }).click();
    await page.mouse.move(800, 400);
    await expect(sidebar(page)).toHaveCSS('width', '76px');
    const main = page.getByRole('main');
    const place = await main.boundingBox();
    await page.mouse.move(30, 300);
    await expect(sidebar(page)).toHaveCSS('width', '300px');
    expect(await main.boundingBox()).toEqual(place);
    await page.mouse.move(800, 400);
    await page.reload();
    await expect(sidebar(page)).toHaveCSS('width', '76px');
    await page.getByRole('button', { name: 'ขยายเมนู' }).click();
    await expect(sidebar(page)).toHaveCSS('width', '300px');
  });

  test('the unpinned sidebar also expands on keyboard focus', async ({ page }) => {
    await page.goto('/app/dashboard');
    await page.getByRole('button', { name: 'ย่อเมนู' }).click();
    await expect(sidebar(page)).toHaveCSS('width', '76px');
    await expect(page.getByRole('link', { name: 'รายการนัดหมาย' })).not.toBeInViewport();
    // Backwards from the top bar, the last menu entries come first.
    for (const entry of ['ตั้งค่าระบบ', 'จัดการผู้ใช้งาน', 'รายงาน', 'จัดการผู้ป่วย', 'รายการนัดหมาย']) {
      await page.keyboard.press('Shift+Tab');
      await expect(page.getByRole('link', { name: entry })).toBeFocused();
      await expect(sidebar(page)).toHaveCSS('width', '300px');
    }
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/app/appointment/list');
  });

  test('a menu group collapses and expands', async ({ page }) => {
    await page.goto('/app/dashboard');
    const group = sidebar(page).getByRole('button', { name: 'นัดหมาย' });
    await expect(group).toHaveAttribute('aria-expanded', 'true');
    await group.click();
    await expect(page.getByRole('link', { name: 'รายการนัดหมาย' })).toBeHidden();
    await group.click();
    await expect(page.getByRole('link', { name: 'รายการนัดหมาย' })).toBeVisible();
  });
});

test.describe('with the keyboard', () => {
  test('the first tab stop is a skip link', async ({ page }) => {
    await page.goto('/app/patient-management');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'ข้ามไปยังเนื้อหา' });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('main').locator(':focus')).toBeVisible();
  });

  test('the focus moves to the page that a link opens', async ({ page }) => {
    await page.goto('/app/patient-management');
    await page.getByRole('link', { name: 'ลงทะเบียนผู้ป่วย' }).press('Enter');
    // The first request.
    await expect(page.getByLabel('เลขประจำตัวประชาชน')).toBeFocused();
    await page.getByRole('link', { name: 'กลับไปรายชื่อ' }).press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('the tab order is skip link, menu, top bar, content', async ({ page }) => {
    await page.goto('/app/user-management');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const areas: string[] = [];
    for (let i = 0; i < 24; i++) {
      await page.keyboard.press('Tab');
      const area = await page.evaluate(() => {
        const found = document.activeElement?.closest('aside, header, main');
        return found?.tagName.toLowerCase() ?? 'outside';
      });
      if (areas.at(-1) !== area) areas.push(area);
    }
    expect(areas.slice(0, 4)).toEqual(['outside', 'aside', 'header', 'main']);
  });

  test('Escape closes the customizer and the account menu, and the focus returns', async ({ page }) => {
    await page.goto('/app/dashboard');
    for (const [opener, role] of [
      [page.getByRole('button', { name: 'ปรับแต่งหน้าจอ' }), 'dialog'],
      [page.getByRole('button', { name: /^บัญชีของ/ }), 'menu'],
    ] as const) {
      await opener.focus();
      await page.keyboard.press('Enter');
      // The focus moves inside first.
      await expect(page.getByRole(role).locator(':focus')).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expect(page.getByRole(role)).toBeHidden();
      await expect(opener).toBeFocused();
    }
  });

  test('the account button keeps the focus when its menu loads', async ({ page }) => {
    const chunk = /assets\/account-menu-.*\.js/;
    let letArrive = () => {};
    const held = new Promise<void>((resolve) => {
      letArrive = resolve;
    });
    await page.route(chunk, async (route) => {
      await held;
      await route.continue();
    });
    const requested = page.waitForRequest(chunk);
    await page.goto('/app/dashboard');
    await requested;
    const opener = page.getByRole('button', { name: /^บัญชีของ/ });
    await opener.focus();
    const arrived = page.waitForResponse(chunk);
    letArrive();
    await (await arrived).finished();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(opener).toBeFocused();
  });
});

for (const [device, width, height] of [
  ['phone', 360, 740],
  ['tablet', 768, 1024],
  ['just below 960 px', 959, 700],
] as const) {
  test.describe(`on a ${device}`, () => {
    test.use({ viewport: { width, height } });

    test('the menu is a drawer that closes after a choice and on Escape', async ({ page }) => {
      await page.goto('/app/dashboard');
      await expect(sidebar(page)).toHaveCount(0);
      await expectNoSideScroll(page);
      const opener = page.getByRole('button', { name: 'เปิดเมนู' });
      await opener.click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('link', { name: 'รายการนัดหมาย' }).click();
      await expect(page).toHaveURL('/app/appointment/list');
      await expect(drawer).toBeHidden();
      await opener.click();
      await expect(drawer).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(drawer).toBeHidden();
      await expect(opener).toBeFocused();
    });
  });
}

test.describe('at 960 px', () => {
  test.use({ viewport: { width: 960, height: 700 } });

  test('the sidebar is shown', async ({ page }) => {
    await page.goto('/app/dashboard');
    await expect(sidebar(page)).toBeVisible();
    await expectNoSideScroll(page);
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the account menu has what does not fit in the top bar', async ({ page }) => {
    await page.goto('/app/dashboard');
    await page.getByRole('button', { name: /^บัญชีของ/ }).click();
    await page.getByRole('menuitem', { name: 'เปลี่ยนเป็นภาษาอังกฤษ' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Customize appearance' }).click();
    await expect(page.getByRole('dialog', { name: 'Customize appearance' })).toBeVisible();
    await expectNoSideScroll(page);
  });

  test('forms and messages fit', async ({ page, context }) => {
    for (const path of ['/register', '/app/nothing', '/app/change-password', '/login']) {
      if (path === '/login') await context.clearCookies();
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectNoSideScroll(page);
    }
  });
});
