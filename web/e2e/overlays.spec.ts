import { filled, foreignNames, NOW, OVERLAYS, pathOf, settled } from './all-screens';
import { test } from './own-server';
import { expect, violations } from './support';

// High enough that no dialog scrolls: a clipped element has no size to measure.
test.use({ stoppedAt: NOW, viewport: { width: 1366, height: 1600 } });
test.describe.configure({ mode: 'default' });

/** The open overlay. */
const OPEN = 'dialog[open], [role=dialog]:visible, [role=menu]:visible';

for (const { name, path, role = 'admin', open } of OVERLAYS) {
  test(`${name}: opens, no axe violations, Thai labels, closes, and restores the focus`, {
    tag: '@long',
  }, async ({ page, request, token, signInAs }) => {
    await signInAs(role);
    await page.goto(await pathOf(request, token, path));
    await settled(page);
    await open(page);
    const overlay = page.locator(OPEN).last();
    await expect(overlay).toBeVisible();
    await filled(page);
    expect.soft(await violations(page), 'axe').toEqual([]);
    expect.soft(await foreignNames(page), 'English on a Thai screen').toEqual([]);
    await expect.soft(overlay.locator(':focus').or(overlay.and(page.locator(':focus')))).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(page.locator(OPEN)).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  });
}

test('a dialog keeps its text until it is closed', { tag: '@long' }, async ({ page, signInAs }) => {
  // Otherwise it closes at once.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await signInAs('admin');
  for (const path of [
    '/app/global-config?tab=services&service=1',
    '/app/global-config?tab=services&service=new&copy=1',
    '/app/patient-management?tab=customers&customer=1',
    '/app/appointment/calendar?view=day',
  ]) {
    await page.goto(path);
    if (path.includes('calendar')) await page.locator('[data-id]').first().click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('button').nth(2)).toBeVisible();
    await filled(page);
    await dialog.evaluate((element) => {
      const texts = new Set<string>();
      const listen = () => texts.add(element.textContent);
      listen();
      new MutationObserver(listen).observe(element, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { texts });
    });
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    const texts = await page.evaluate(() => [...(window as unknown as { texts: Set<string> }).texts]);
    expect.soft(texts, path).toHaveLength(1);
  }
});
